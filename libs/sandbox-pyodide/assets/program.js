import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';
import { depthOf } from '@code-executor/sandbox-channel/assets/json-meter.js';
import { looksLike } from '@code-executor/deno-runtime/assets/looks-like.js';
import { SvgDrawer } from '@code-executor/sandbox-channel/assets/svg-drawer.js';

import { adviceOn } from './packages.js';

const { parse, stringify } = JSON;
const { setImmediate, setTimeout } = globalThis;
const maxMessageChars = 2000;
/** The number of scheduled steps of tasks. */
let scheduled = 0;

/** Runs one program and sends its outcome to the server. */
export class Program {
  #channel;
  #python;
  #drawer;
  #isOver = false;
  /** The requests whose reply Python has not asked for yet. */
  #requests = new Map();
  #lastId = 0;

  constructor(channel, python) {
    this.#channel = channel;
    this.#python = python;
    this.#drawer = new SvgDrawer(channel);
  }

  /** Runs the program to its end. The event loop may become empty before the program has an outcome. */
  run(code, limits) {
    addEventListener('beforeunload', () => {
      this.#fail('The program waits for something that nothing can settle any more.');
    });
    for (const type of ['unhandledrejection', 'error']) {
      addEventListener(type, (event) => {
        event.preventDefault();
        this.#hear(event.reason ?? event.error);
      });
    }
    this.#python._api.on_fatal = (error) => this.#crash(error);
    return this.rehearse(code, limits);
  }

  /** Runs a program without event listeners: one of ours, which leaves nothing behind, or that of `run`. */
  async rehearse(code, { maxValueChars, maxDepth }) {
    try {
      const runtime = this.#python.pyimport('code_executor.program');
      const ask = (method, params) => this.#ask(method, params);
      runtime.prepare(ask, (id) => this.#reply(id), schedule);
      const { json, isCut, missing, isUnlikePython, ...fields } = parse(
        await runtime.run(code, maxDepth, maxValueChars),
      );
      const advice = missing ? adviceOn(missing, this.#python) : isUnlikePython && looksLike(code, 'python');
      if (advice) fields.error.message += `\n${advice}`;
      if (json === undefined) this.#end(fields);
      else {
        // Rewritten with the number format of JavaScript, which the server uses when it counts characters.
        const text = stringify(parse(json));
        this.#end(fit(text, isCut, fields, maxValueChars, maxDepth), text);
      }
    } catch (error) {
      // Python code catches what Python can raise, so this is an error of the interpreter.
      this.#crash(error);
    }
  }

  /** Handles what was not caught: errors of JavaScript that the program created, or `sys.exit()` in a task. */
  #hear(error) {
    if (error?.type === 'SystemExit') this.#fail('A task of the program called sys.exit().');
    else if (!error?.pyodide_fatal_error) console.error(`JavaScript: ${error}`);
  }

  /** Sends a request and returns the ID for its reply, which is cheaper than a promise that Python can await. */
  #ask(method, params) {
    let request;
    try {
      // SVG is drawn in this process, because the server must not parse it.
      request =
        method === 'drawSvg' ? this.#draw(parse(params)) : this.#channel.request(method, parse(params));
    } catch (error) {
      request = Promise.reject(error);
    }
    // The error is reported when Python asks for the reply.
    request.catch(() => {});
    const id = ++this.#lastId;
    this.#requests.set(id, request);
    return id;
  }

  async #draw({ svg }) {
    return (await this.#drawer.draw(svg)).toBase64();
  }

  /** The reply as JSON, `{ value }` or `{ error }`, or a promise of it if other tasks can run in the meantime. */
  #reply(id) {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    const reply = scheduled === 0 ? this.#channel.replyNow(request) : undefined;
    return reply ? stringify(reply) : replyTo(request);
  }

  /** Handles a crash of the interpreter, or an exception that there is no memory left to describe. */
  #crash(error) {
    if (error?.type === 'MemoryError') {
      this.#end({
        error: { code: 'out_of_memory', message: 'MemoryError: the program used more memory than it may.' },
      });
      return;
    }
    this.#fail(`Python crashed: ${String(error?.message ?? error).slice(0, maxMessageChars)}`);
  }

  #fail(message) {
    this.#end({ error: { code: 'ended_early', message } });
  }

  #end(fields, json) {
    if (this.#isOver) return;
    this.#channel.sendResult(fields, fields.error || fields.truncated ? undefined : json);
    this.#isOver = true;
    this.#channel.awaitEnd();
  }
}

async function replyTo(request) {
  try {
    return stringify({ value: await request });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return stringify({ error: error.fields });
  }
}

/** Calls back after `ms` milliseconds. Up to 2 ms it does so at once, because Deno's timers take 1 to 2 ms even for 0. */
function schedule(callback, ms) {
  const goOn = () => {
    scheduled--;
    callback();
  };
  scheduled++;
  if (ms <= 2) setImmediate(goOn);
  else setTimeout(goOn, ms);
}

/** The fields of a result whose value is within the limits, truncated if it is too long. */
function fit(json, isCut, fields, maxValueChars, maxDepth) {
  if (isCut || json.length > maxValueChars) {
    const size = isCut ? `more than ${maxValueChars}` : json.length;
    const note = `The value is ${size} characters of JSON; these are the first ${maxValueChars}. Return less.`;
    return { value: json.slice(0, maxValueChars), note, truncated: true };
  }
  if (depthOf(json) <= maxDepth) return fields;
  const message = `The program's value is not JSON: it is nested deeper than ${maxDepth} levels`;
  return { error: { code: 'not_serializable', message } };
}
