import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';

// Saved before the program runs, because it can replace globals.
const { Error } = globalThis;
const { assign } = Object;

/**
 * Creates the functions that an embedder gives to programs. `names` maps the name of each function to that of its
 * host call. A name that is already a global ends the process with a message.
 */
export function createHostCalls(channel, names, otherGlobals) {
  const functions = {};
  for (const [name, method] of Object.entries(names)) {
    if (name in globalThis || name in otherGlobals) {
      console.error(`hostCalls: "${name}" is a global of programs already; choose another name.`);
      Deno.exit(1);
    }
    functions[name] = hostCall(channel, name, method);
  }
  return functions;
}

function hostCall(channel, name, method) {
  const functions = {
    async [name](args = {}) {
      try {
        return await channel.request(method, { args });
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        const { message, ...fields } = error.fields;
        throw assign(new Error(message), fields);
      }
    },
  };
  return functions[name];
}
