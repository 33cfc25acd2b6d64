import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';
import { depthOf } from '@code-executor/sandbox-channel/assets/json-meter.js';
import { looksLike } from '@code-executor/deno-runtime/assets/looks-like.js';
import { SvgDrawer } from '@code-executor/sandbox-channel/assets/svg-drawer.js';

import { adviceOn } from './packages.js';

const { parse, stringify } = JSON;
const { setImmediate, setTimeout } = globalThis;
const maxMessageChars = 2000;
/** Steps of tasks that are to go on, at once or later. */
let scheduled = 0;

/** One program: run, and its outcome sent to the server. */
export class Program {
  #channel;
  #python;
  #drawer;
  #isOver = false;
  /** Those whose reply nobody has asked for yet. */
  #requests = new Map();
  #lastId = 0;

  constructor(channel, python) {
    this.#channel = channel;
    this.#python = python;
    this.#drawer = new SvgDrawer(channel);
  }

  /** Runs the program to its end, which it may come to without a word. */
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

  /** As `run`, of a program of ours, which leaves nothing behind. */
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
        // Numbers as JavaScript writes them, as the server does when it counts.
        const text = stringify(parse(json));
        this.#end(fit(text, isCut, fields, maxValueChars, maxDepth), text);
      }
    } catch (error) {
      // What Python code can raise is caught in Python.
      this.#crash(error);
    }
  }

  /** What nobody caught: of JavaScript that the program has made, or an exit that a task asked for. */
  #hear(error) {
    if (error?.type === 'SystemExit') this.#fail('A task of the program called sys.exit().');
    else if (!error?.pyodide_fatal_error) console.error(`JavaScript: ${error}`);
  }

  /** Sends a request; returns what its reply is asked for by, which is cheaper than a promise that Python can await. */
  #ask(method, params) {
    let request;
    try {
      // The one thing that is done here: the server touches no SVG.
      request =
        method === 'drawSvg' ? this.#draw(parse(params)) : this.#channel.request(method, parse(params));
    } catch (error) {
      request = Promise.reject(error);
    }
    // Whoever asks for the reply is told.
    request.catch(() => {});
    const id = ++this.#lastId;
    this.#requests.set(id, request);
    return id;
  }

  async #draw({ svg }) {
    return (await this.#drawer.draw(svg)).toBase64();
  }

  /** The reply as JSON, `{ value }` or `{ error }`; a promise of it where something else can go on meanwhile. */
  #reply(id) {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    const reply = scheduled === 0 ? this.#channel.replyNow(request) : undefined;
    return reply ? stringify(reply) : replyTo(request);
  }

  /** The interpreter's own end, or no memory left to tell of an exception. */
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

/** Calls back in so many milliseconds; soon is at once, for which Deno's timers take one or two. */
function schedule(callback, ms) {
  const goOn = () => {
    scheduled--;
    callback();
  };
  scheduled++;
  if (ms <= 2) setImmediate(goOn);
  else setTimeout(goOn, ms);
}

/** The fields of a result whose value is within its limits, or cut. */
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
