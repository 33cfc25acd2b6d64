// Taken before the program runs, so that its changes to the globals do not matter here.
const { Error } = globalThis;

/**
 * Makes Deno's refusals say what a program can do, because Deno advises command line flags, which no program can set.
 * Deno creates these errors with `NotCapable`, whose base class is replaced here. Only the text of an error says what
 * was refused.
 *
 * @param servesFiles Whether the server opens the granted files, which works only with asynchronous functions.
 */
export function explainRefusals(servesFiles = false) {
  class Refusal extends Error {
    constructor(message, ...others) {
      super(inOwnWords(String(message), servesFiles), ...others);
    }
  }
  Object.setPrototypeOf(Deno.errors.NotCapable, Refusal);
}

function inOwnWords(message, servesFiles) {
  const [, refusal, kind] = /^(Requires (\w+) access.*?), run again with /s.exec(message) ?? [];
  return kind === undefined ? message : `${refusal}: ${adviceOn(kind, servesFiles)}.`;
}

function adviceOn(kind, servesFiles) {
  switch (kind) {
    case 'read':
    case 'write':
      return servesFiles
        ? 'ask for its folder in permissions, and use asynchronous functions of Deno such as Deno.readTextFile'
        : `ask for its folder in permissions.${kind}, which the server's security.${kind === 'read' ? 'allowRead' : 'allowWrite'} must grant, or call a tool for files`;
    case 'net':
      return "use fetch, with the host in permissions.net, which the server's security.allowNetwork must grant";
    case 'run':
      return 'there are no other processes; call a tool';
    default:
      return 'there is none in the sandbox';
  }
}
