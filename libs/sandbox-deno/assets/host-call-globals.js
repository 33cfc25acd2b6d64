import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';

// Taken before the program runs.
const { Error } = globalThis;
const { assign } = Object;

/**
 * The functions that whoever embeds the server gives to programs. `names` has the names of their host calls by their
 * own; one that would take the place of another global ends the process, which says so.
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
