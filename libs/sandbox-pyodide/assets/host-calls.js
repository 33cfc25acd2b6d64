/**
 * Makes the functions that whoever embeds the server gives to programs. `names` has the names of their host calls by
 * their own; one that would take the place of another global ends the process, which says so.
 */
export function defineHostCalls(python, names) {
  const runtime = python.pyimport('code_executor.program');
  const taken = runtime.define_host_calls(JSON.stringify(names));
  runtime.destroy();
  if (taken === undefined) return;
  console.error(`hostCalls: "${taken}" is a global of programs already; choose another name.`);
  Deno.exit(1);
}
