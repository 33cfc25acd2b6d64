/**
 * The pipe to the server: frames out on stdout, one JSON line each in on stdin. The policy is the
 * server's; nothing here guards anything but the program's own calls from its own prints.
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
/** Calls that are made together are kept until there are so many bytes of them. */
const maxOutboxBytes = 64 * 1024;
/** The server ends a process that sends a larger frame, a more expensive one, or more of them before it has replied. */
const maxFrameBytes = 1024 * 1024;
const maxFrameCost = 6 * 1024 * 1024;
const maxOutstanding = 8 * 1024 * 1024;

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
  /** What the calls take that wait for their reply, and those whose turn comes when there is room: `{ frame, taken }`. */
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
   * Waits for the program: `{ code, … }`. Its time begins then; with `loadsFirst`, when `startProgram` is called.
   */
  receiveProgram(loadsFirst = false) {
    const line = this.#lines.nextBlocking();
    // The server is gone before it had anything to run.
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
      const message = `The arguments have too many parts for one call: they would take ${cost} bytes in memory, where ${maxFrameCost} may be taken. Send fewer of them at a time.`;
      throw new HostError({ code: 'invalid_argument', message });
    }
    this.#lastId = id;
    const { promise, resolve, reject } = Promise.withResolvers();
    // Parsed, and as text.
    const taken = cost + frame.length;
    this.#waiting.set(id, { promise, resolve, reject, taken });
    this.#held.push({ frame, taken });
    this.#release();
    return promise;
  }

  /** Sends what there is room for, the calls in their order. */
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
      // The first at once: the server works on it while the program makes the others.
      this.#isGathering = true;
      this.#write(frame);
      void this.#exchange();
    }
  }

  /**
   * The reply to a request, `{ value }` or `{ error }`, and nothing else happens until it is there: that takes
   * a third of the time. Undefined where that is not to be had: others wait as well, or are read already.
   */
  replyNow(request) {
    if (this.#waiting.size !== 1 || this.#isReading) return undefined;
    const [only] = this.#waiting.values();
    if (only.promise !== request) return undefined;
    this.#flush();
    return this.#settle(this.#lines.nextBlocking());
  }

  /**
   * Asks the server and blocks until the reply is there, `{ value }` or `{ error }`. Undefined where the program waits
   * for other calls: their reader takes this reply, too.
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

  /** Sends the program's outcome, the last frame; `json` is its value, serialised already. */
  sendResult(fields, json) {
    const frame = stringify({ type: 'result', ...fields });
    this.#outbox.push(this.#encode(json === undefined ? frame : `${frame.slice(0, -1)},"value":${json}}`));
    this.#flush();
  }

  /** Does nothing until the server ends this process: ending itself would keep the CPU busy while it answers. */
  awaitEnd() {
    try {
      while (this.#lines.nextBlocking() !== undefined);
    } catch {
      // The program has closed stdin.
    }
    // Or the server is gone.
    exit(0);
  }

  /** Once the program pauses: sends first, for reading takes a while to begin. */
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
    // One write for all: each would wake the server.
    if (frames.length > 0) this.#write(frames.length === 1 ? frames[0] : concat(frames));
  }

  #write(bytes) {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.#pipe.writeSync(rest));
  }

  /** A frame; throws a `HostError` when it is too large. */
  #encode(json) {
    const bytes = encode(`\u001e${this.#nonce}${json}\n`);
    if (bytes.length > maxFrameBytes) {
      const message = `The arguments are ${bytes.length} bytes of JSON; at most ${maxFrameBytes} can be sent at once.`;
      throw new HostError({ code: 'invalid_argument', message });
    }
    return bytes;
  }

  /** Reads only while something waits for it: a pending read would keep the program from ending. */
  async #readReplies() {
    this.#isReading = true;
    while (this.#waiting.size > 0) this.#settle(await this.#lines.next());
    this.#isReading = false;
  }

  #settle(line) {
    // The server is gone: nobody waits for the program any more.
    if (line === undefined) exit(0);
    const { id, error, text, ...reply } = parse(line);
    // Here, not in the server: it takes the program's time and memory.
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

/** A channel whose calls are answered at once, by nobody: what was called often before is fast. */
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
