/**
 * Defines the functions that an embedder gives to programs. `names` maps the name of each function to that of its
 * host call. A name that is already a global ends the process with a message.
 */
export function defineHostCalls(python, names) {
  const runtime = python.pyimport('code_executor.program');
  const taken = runtime.define_host_calls(JSON.stringify(names));
  runtime.destroy();
  if (taken === undefined) return;
  console.error(`hostCalls: "${taken}" is a global of programs already; choose another name.`);
  Deno.exit(1);
}
