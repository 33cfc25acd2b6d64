import type { ExecutionErrorCode, JsonObject, JsonValue } from '@code-executor/contracts';

/** What a sandboxed process may send. Do not trust it: every field is a claim of untrusted code. */
export type SandboxFrame =
  /** The process waits for its program. */
  | { type: 'ready' }
  /** The program has arrived; what it needs is loaded before it runs. */
  | { type: 'loading' }
  /** The program is about to run. */
  | { type: 'started' }
  /** Asks the server for something; `id` counts up from 1. */
  | { type: 'call'; id: number; method: string; params: JsonObject }
  /** The program's value, or why there is none. This is its last frame. */
  | { type: 'result'; value?: JsonValue; note?: string; truncated: boolean; error?: ProgramError };

/** How a program failed, as reported by its own process. */
export interface ProgramError {
  code: Extract<ExecutionErrorCode, 'user_error' | 'out_of_memory' | 'ended_early' | 'not_serializable'>;
  message: string;
}

/** The bootstrap cuts error messages well below this. */
const maxErrorChars = 20_000;

const programErrorCodes: readonly string[] = [
  'user_error',
  'out_of_memory',
  'ended_early',
  'not_serializable',
];

/**
 * Copies the known fields of a frame and drops all others; undefined for anything that is not a frame. Pass only texts
 * that are cheap enough to parse; `FrameReader` checks this.
 */
export function readFrame(json: string): SandboxFrame | undefined {
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isObject(input)) return undefined;
  switch (input['type']) {
    case 'call':
      return readCall(input);
    case 'result':
      return readResult(input);
    case 'ready':
    case 'loading':
    case 'started':
      return { type: input['type'] };
    default:
      return undefined;
  }
}

function readCall({ id, method, params }: JsonObject): SandboxFrame | undefined {
  if (!Number.isSafeInteger(id) || typeof method !== 'string' || !isObject(params)) return undefined;
  return { type: 'call', id: id as number, method, params };
}

function readResult({ value, note, truncated, error }: JsonObject): SandboxFrame {
  return {
    type: 'result',
    truncated: truncated === true,
    ...(value !== undefined && { value }),
    ...(typeof note === 'string' && { note: note.slice(0, 1000) }),
    ...(isObject(error) && { error: readError(error) }),
  };
}

function readError({ code, message }: JsonObject): ProgramError {
  return {
    code:
      typeof code === 'string' && programErrorCodes.includes(code)
        ? (code as ProgramError['code'])
        : 'user_error',
    message: typeof message === 'string' ? message.slice(0, maxErrorChars) : 'The program failed.',
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
