/**
 * The pipe to the server: frames go out on stdout, replies come in on stdin as lines of JSON. The server enforces the
 * policy; the code here only keeps the program's calls apart from what it prints.
 */
import { costOf } from './json-meter.js';
import { concat, LineReader } from './line-reader.js';
import { parseText } from './parse-text.js';

// Taken before the program runs, so that its changes to the globals do not break its own calls.
const { parse, stringify } = JSON;
const { exit } = Deno;
const stdio = {
  read: Deno.stdin.read.bind(Deno.stdin),
  readSync: Deno.stdin.readSync.bind(Deno.stdin),
  writeSync: Deno.stdout.writeSync.bind(Deno.stdout),
};
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
const decoder = new TextDecoder();
const decode = decoder.decode.bind(decoder);
/** Calls that are made together are collected up to this many bytes. */
const maxOutboxBytes = 64 * 1024;
/** The server ends a process that exceeds these limits of one frame. */
const maxFrameBytes = 1024 * 1024;
const maxFrameCost = 6 * 1024 * 1024;
/**
 * What all calls that wait for their reply may take: one of the largest. The server ends a process with 8 MiB of them, or
 * with 4,096 calls, and knows a little later than this program which replies were read.
 */
const maxOutstanding = maxFrameCost + maxFrameBytes;

/** An error that the server sent in reply; `fields` are `code`, `message`, `tool`, `server`, `retryAfterMs`. */
export class HostError extends Error {
  constructor(fields) {
    super(fields.message);
    this.fields = fields;
  }
}

export class Channel {
  #nonce;
  #pipe;
  #lines;
  #lastId = 0;
  #isGathering = false;
  /** What calls without a reply take, and the calls that are sent once there is room: `{ frame, taken }`. */
  #outstanding = 0;
  #held = [];
  /** Frames of calls that go out together, once the program pauses. */
  #outbox = [];
  #outboxBytes = 0;
  #waiting = new Map();
  #isReading = false;

  constructor(nonce, pipe, lines) {
    this.#nonce = nonce;
    this.#pipe = pipe;
    this.#lines = lines;
  }

  /** Tells the server that this process waits for its program. */
  sayReady() {
    this.#write(this.#encode('{"type":"ready"}'));
  }

  /**
   * Waits for the program, `{ code, … }`. Its clock starts when it arrives; with `loadsFirst`, it starts when
   * `startProgram` is called.
   */
  receiveProgram(loadsFirst = false) {
    const line = this.#lines.nextBlocking();
    // The server ended before it had anything to run.
    if (line === undefined) exit(0);
    if (loadsFirst) this.#write(this.#encode('{"type":"loading"}'));
    else this.startProgram();
    return parse(line);
  }

  startProgram() {
    this.#write(this.#encode('{"type":"started"}'));
  }

  /** Asks the server; rejects with a `HostError`. Throws what `JSON.stringify` throws. */
  request(method, params) {
    const id = this.#lastId + 1;
    const frame = this.#encode(stringify({ type: 'call', id, method, params }));
    const cost = costOf(frame);
    if (cost > maxFrameCost) {
      const message = `The arguments have too many parts for one call: they would take ${cost} bytes of memory, but at most ${maxFrameCost} are allowed. Send fewer of them at a time.`;
      throw new HostError({ code: 'invalid_argument', message });
    }
    this.#lastId = id;
    const { promise, resolve, reject } = Promise.withResolvers();
    // What the call takes both parsed and as text.
    const taken = cost + frame.length;
    this.#waiting.set(id, { promise, resolve, reject, taken });
    this.#held.push({ frame, taken });
    this.#release();
    return promise;
  }

  /** Sends calls in their order, for as long as there is room. */
  #release() {
    for (let next; (next = this.#held[0]) && this.#outstanding + next.taken <= maxOutstanding;) {
      this.#held.shift();
      this.#outstanding += next.taken;
      this.#post(next.frame);
    }
  }

  #post(frame) {
    if (this.#isGathering) {
      this.#outbox.push(frame);
      this.#outboxBytes += frame.length;
      if (this.#outboxBytes > maxOutboxBytes) this.#flush();
    } else {
      // Send the first at once, so that the server works on it while the program makes the others.
      this.#isGathering = true;
      this.#write(frame);
      void this.#exchange();
    }
  }

  /**
   * Blocks until the reply to a request is there, `{ value }` or `{ error }`; that takes a third of the time. Undefined
   * if that is not possible, because other requests wait as well or replies are already being read.
   */
  replyNow(request) {
    if (this.#waiting.size !== 1 || this.#isReading) return undefined;
    const [only] = this.#waiting.values();
    if (only.promise !== request) return undefined;
    this.#flush();
    return this.#settle(this.#lines.nextBlocking());
  }

  /**
   * Asks the server and blocks until the reply is there, `{ value }` or `{ error }`. Undefined if the program waits for
   * other calls, because their reader would take this reply, too.
   */
  askNow(method, params) {
    if (this.#isReading) return undefined;
    this.request(method, params).catch(() => {});
    const id = this.#lastId;
    this.#flush();
    let reply;
    while (this.#waiting.has(id)) reply = this.#settle(this.#lines.nextBlocking());
    return reply;
  }

  /** Sends the program's outcome, the last frame; `json` is its value, already serialized. */
  sendResult(fields, json) {
    const frame = stringify({ type: 'result', ...fields });
    this.#outbox.push(this.#encode(json === undefined ? frame : `${frame.slice(0, -1)},"value":${json}}`));
    this.#flush();
  }

  /** Waits until the server ends this process; exiting here would keep the CPU busy while the server answers. */
  awaitEnd() {
    try {
      while (this.#lines.nextBlocking() !== undefined);
    } catch {
      // The program has closed stdin.
    }
    // Or the server is gone.
    exit(0);
  }

  /** Runs once the program pauses. It sends first, because reading takes a while to begin. */
  async #exchange() {
    await undefined;
    this.#isGathering = false;
    this.#flush();
    if (!this.#isReading) await this.#readReplies();
  }

  #flush() {
    const frames = this.#outbox;
    this.#outbox = [];
    this.#outboxBytes = 0;
    // One write for all frames, because each write wakes the server.
    if (frames.length > 0) this.#write(frames.length === 1 ? frames[0] : concat(frames));
  }

  #write(bytes) {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.#pipe.writeSync(rest));
  }

  /** Returns a frame; throws a `HostError` if it is too large. */
  #encode(json) {
    const bytes = encode(`\u001e${this.#nonce}${json}\n`);
    if (bytes.length > maxFrameBytes) {
      const message = `The arguments are ${bytes.length} bytes of JSON; at most ${maxFrameBytes} can be sent at once.`;
      throw new HostError({ code: 'invalid_argument', message });
    }
    return bytes;
  }

  /** Reads only while calls wait for replies, because a pending read would keep the program from ending. */
  async #readReplies() {
    this.#isReading = true;
    while (this.#waiting.size > 0) this.#settle(await this.#lines.next());
    this.#isReading = false;
  }

  #settle(line) {
    // The server is gone, so the program is not needed any more.
    if (line === undefined) exit(0);
    const { id, error, text, ...reply } = parse(line);
    // Parsed here and not in the server, so that it takes the program's time and memory.
    const value = text === undefined ? reply.value : parseText(text);
    const caller = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (caller) {
      this.#outstanding -= caller.taken;
      this.#release();
    }
    if (error) caller?.reject(new HostError(error));
    else caller?.resolve(value);
    return error ? { error } : { value };
  }
}

/**
 * Opens the pipe. Its first line holds the nonce that marks frames, whether the program comes later
 * (`isSpare`), and where this process finds `ownFiles`.
 */
export function openChannel() {
  const lines = new LineReader(stdio);
  const line = lines.nextBlocking();
  // The server ended while this process started.
  if (line === undefined) exit(0);
  const { nonce, ...start } = parse(line);
  return { channel: new Channel(nonce, stdio, lines), ...start };
}

/** A channel without a server that answers its calls at once, to warm up code that programs will run. */
export function openRehearsal() {
  const replies = [];
  const readSync = (buffer) => {
    const reply = replies.shift();
    buffer.set(reply);
    return reply.length;
  };
  const pipe = {
    readSync,
    read: async (buffer) => readSync(buffer),
    writeSync(bytes) {
      for (const frame of decode(bytes).trimEnd().split('\n')) {
        const { id } = parse(frame.slice(1));
        replies.push(encode(`${stringify({ id, value: null })}\n`));
      }
      return bytes.length;
    },
  };
  return new Channel('', pipe, new LineReader(pipe));
}
