import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const pieceBytes = 512 * 1024;

/**
 * Replaces the asynchronous file functions of `Deno` by functions that ask the server. Used if the process itself
 * must not read the granted files, because Deno would follow links out of a granted folder.
 */
export function serveFiles(channel) {
  const ask = async (method, path, params = {}) => {
    try {
      return await channel.request(method, { path: toPath(path), ...params });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      throw new (errorClasses[error.fields.code] ?? Error)(error.message);
    }
  };
  const readFile = async (path) => Uint8Array.fromBase64(await ask('readFile', path));
  const writeFile = async (path, data, { append = false, createNew = false } = {}) => {
    // Sent in pieces, because the size of a frame is limited.
    for (let start = 0; start === 0 || start < data.length; start += pieceBytes) {
      const piece = data.subarray(start, start + pieceBytes).toBase64();
      const isFirst = start === 0;
      await ask('writeFile', path, {
        data: piece,
        append: append || !isFirst,
        createNew: createNew && isFirst,
      });
    }
  };
  const stat = async (path) => describeFile(await ask('stat', path));
  const functions = {
    readFile,
    readTextFile: async (path) => decoder.decode(await readFile(path)),
    writeFile,
    writeTextFile: (path, text, options) => writeFile(path, encoder.encode(text), options),
    stat,
    lstat: stat,
    async *readDir(path) {
      yield* await ask('readDir', path);
    },
    mkdir: (path, { recursive = false } = {}) => ask('mkdir', path, { recursive }),
    remove: (path, { recursive = false } = {}) => ask('remove', path, { recursive }),
  };
  for (const [name, value] of Object.entries(functions)) {
    Object.defineProperty(Deno, name, { value: Object.freeze(value), enumerable: true });
  }
}

const errorClasses = {
  not_found: Deno.errors.NotFound,
  permission_denied: Deno.errors.PermissionDenied,
  failed_precondition: Deno.errors.AlreadyExists,
};

function toPath(path) {
  return path instanceof URL ? decodeURIComponent(path.pathname) : String(path);
}

function describeFile({ isFile, isDirectory, size, mtimeMs }) {
  return { isFile, isDirectory, isSymlink: false, size, mtime: new Date(mtimeMs) };
}
