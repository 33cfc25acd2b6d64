import { HostError } from '@code-executor/deno-runtime/assets/channel.js';
import { depthOf } from '@code-executor/deno-runtime/assets/json-depth.js';

import { adviceOn } from './packages.js';

const { parse, stringify } = JSON;
const { setImmediate, setTimeout } = globalThis;

/** One program: run, and its outcome sent to the server. */
export class Program {
  #channel;
  #python;
  #isOver = false;

  constructor(channel, python) {
    this.#channel = channel;
    this.#python = python;
  }

  /** Runs the program to its end, which it may come to without a word. */
  run(code, limits) {
    addEventListener('beforeunload', () => {
      const message = 'The program waits for something that nothing can settle any more.';
      this.#end({ error: { code: 'ended_early', message } });
    });
    // Of JavaScript that the program has made, as Deno would print it.
    for (const type of ['unhandledrejection', 'error']) {
      addEventListener(type, (event) => {
        event.preventDefault();
        console.error(`JavaScript: ${event.reason ?? event.error}`);
      });
    }
    return this.rehearse(code, limits);
  }

  /** As `run`, of a program of ours, which leaves nothing behind. */
  async rehearse(code, { maxValueChars, maxDepth }) {
    try {
      const runtime = this.#python.pyimport('code_executor.program');
      runtime.prepare((method, params) => this.#ask(method, params), schedule);
      const { json, missing, ...fields } = parse(await runtime.run(code, maxDepth));
      if (missing) fields.error.message += `\n${adviceOn(missing, this.#python)}`;
      this.#end(json === undefined ? fields : fit(json, fields, maxValueChars, maxDepth), json);
    } catch (error) {
      // What Python code can raise is caught in Python: this is the interpreter's own end.
      const message = `Python crashed: ${String(error?.message ?? error).slice(0, 2000)}`;
      this.#end({ error: { code: 'ended_early', message } });
    }
  }

  /** Resolves with JSON, `{ value }` or `{ error }`. */
  async #ask(method, params) {
    try {
      return stringify({ value: await this.#channel.request(method, parse(params)) });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return stringify({ error: error.fields });
    }
  }

  #end(fields, json) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#channel.sendResult(fields, fields.error || fields.truncated ? undefined : json);
    this.#channel.awaitEnd();
  }
}

/** Calls back in so many milliseconds; soon is at once, for which Deno's timers take one or two. */
function schedule(callback, ms) {
  if (ms <= 2) setImmediate(callback);
  else setTimeout(callback, ms);
}

/** The fields of a result whose value is within its limits, or cut. */
function fit(json, fields, maxValueChars, maxDepth) {
  if (json.length > maxValueChars) {
    const note = `The value is ${json.length} characters of JSON; these are the first ${maxValueChars}. Return less.`;
    return { value: json.slice(0, maxValueChars), note, truncated: true };
  }
  if (depthOf(json) <= maxDepth) return fields;
  const message = `The program's value is not JSON: it is nested deeper than ${maxDepth} levels`;
  return { error: { code: 'not_serializable', message } };
}
