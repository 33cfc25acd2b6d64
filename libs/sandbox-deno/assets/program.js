import { adviceOn, isImportFailure } from './advice.js';
import { cut, describeError, describeLoadError } from './describe-error.js';
import { depthOf } from '@code-executor/sandbox-channel/assets/json-meter.js';
import { looksLike } from '@code-executor/deno-runtime/assets/looks-like.js';
import { Pictures } from './display-global.js';
import { isSvgText } from './picture-of.js';
import { toJson, unlikeJson } from './value.js';

const moduleStatement = /^\s*(?:import|export)\b/m;

/**
 * Runs one program and sends its result when its event loop is empty. A program is read as a module, or
 * as the body of an async function, where `return` gives its value: as whichever of the two starts. What
 * is put before it stays on its first line, so that line numbers are its own.
 */
export class Program {
  #channel;
  #pictures;
  #limits;
  #forms;
  #startMark;
  #source = { url: '', source: '', lineCount: 0, prefixLength: 0 };
  #value;
  #valueNote;
  #hasValue = false;
  #isOver = false;

  constructor(channel, pictures) {
    this.#channel = channel;
    this.#pictures = pictures;
  }

  /** Reads and runs programs of our own, one in each form, from start to end; nothing of them is sent. */
  static async rehearse() {
    const startMark = '__codeExecutorRehearsed';
    const bodyPrefix = `${startMark}(async()=>{`;
    const limits = { maxValueChars: 100, maxDepth: 10 };
    for (const code of ['const value: number = 1; return [value];', 'export default [1 as number];']) {
      const program = new Program({ sendResult: () => {}, awaitEnd: () => {} }, new Pictures());
      program.#configure({ startMark, bodyPrefix, limits });
      await program.#start(code);
      const end = new AbortController();
      addEventListener('rehearsal', () => program.#finish(), { signal: end.signal });
      dispatchEvent(new Event('rehearsal', { cancelable: true }));
      end.abort();
    }
  }

  /** Takes over what the process reports; before the program, so that what that adds is told later. */
  listen() {
    addEventListener('beforeunload', () => this.#finish());
    addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.#fail(event.reason, 'Unhandled rejection');
    });
    addEventListener('error', (event) => {
      event.preventDefault();
      this.#fail(event.error, 'Uncaught exception');
    });
  }

  /** @param options `bodyPrefix` stands before a program that is read as a body; it gives that to `startMark()`. */
  run(code, options) {
    this.#configure(options);
    void this.#start(code);
  }

  #configure({ limits, bodyPrefix, startMark }) {
    this.#limits = limits;
    this.#startMark = startMark;
    this.#forms = {
      // Equally long, so that columns on the first line are off by the same in both.
      module: { before: `${startMark}();`.padEnd(bodyPrefix.length), after: '' },
      body: { before: bodyPrefix, after: '\n})' },
    };
  }

  async #start(code) {
    try {
      await this.#keep(await this.#evaluate(code));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Keeps the program's value until its event loop is empty; a picture is shown in its place. */
  async #keep(value) {
    const picture = await this.#pictures.showValue(value);
    this.#value = picture ? null : value;
    if (picture) this.#valueNote = `The value is a picture (${picture}), shown beside this.`;
    else if (isSvgText(value)) {
      this.#valueNote = 'The value is the text of an SVG; await display(svg) shows it as a picture.';
    }
    this.#hasValue = true;
  }

  async #evaluate(code) {
    const source = code.replace(/^\uFEFF/, '').replace(/^#!/, '//');
    // Which form comes first is a guess that saves time: what both take means the same in both.
    const forms = moduleStatement.test(source) ? ['module', 'body'] : ['body', 'module'];
    const attempts = {};
    for (const form of forms) {
      const attempt = await this.#import(source, this.#forms[form]);
      if (attempt.hasStarted) return await attempt.value;
      attempts[form] = attempt;
    }
    const reason = whyNeitherStarted(attempts, source);
    const advice = isImportFailure(attempts.module.error) ? undefined : looksLike(code, 'typescript');
    throw new LoadError(advice === undefined ? reason : `${reason}\n${advice}`);
  }

  /** Imports the program in one form: `{ hasStarted, value }`, or `{ hasStarted: false, error }`. */
  async #import(source, { before, after }) {
    let hasStarted = false;
    let body;
    const startMark = this.#startMark;
    Object.defineProperty(globalThis, startMark, {
      configurable: true,
      value: (given) => {
        hasStarted = true;
        body = given;
        delete globalThis[startMark];
      },
    });
    const blob = new Blob([before, source, after], { type: 'application/typescript' });
    const url = URL.createObjectURL(blob);
    const place = { url, source, lineCount: source.split('\n').length, prefixLength: before.length };
    this.#source = place;
    try {
      // Never a literal: Deno would read the import when it reads this file, without asking.
      const module = await import(url);
      return { hasStarted: true, value: body ? callFromNowhere(body) : module.default };
    } catch (error) {
      if (hasStarted) throw error;
      return { hasStarted, error, place };
    } finally {
      delete globalThis[startMark];
    }
  }

  #fail(error, kind) {
    const message = this.#describe(error);
    if (this.#hasValue) {
      console.error(kind ? `${kind} after the program's value was there: ${message}` : message);
      return;
    }
    this.#end({ error: { code: isOutOfMemory(error) ? 'out_of_memory' : 'user_error', message } });
  }

  #finish() {
    if (!this.#hasValue) {
      const message = 'The program waits for a promise that nothing can settle any more.';
      this.#end({ error: { code: 'ended_early', message } });
    }
    this.#end(this.#serialize());
  }

  /** The fields of the result frame for the program's value. */
  #serialize() {
    const value = this.#value;
    if (value === undefined) return {};
    const problem = unlikeJson(value);
    if (problem) return notSerializable(problem);
    let json;
    let note;
    try {
      ({ json, note } = toJson(value));
    } catch (error) {
      return notSerializable(this.#describe(error));
    }
    if (json === undefined) return notSerializable('its toJSON() gives nothing');
    const { maxValueChars, maxDepth } = this.#limits;
    if (json.length > maxValueChars) {
      const cut = `The value is ${json.length} characters of JSON; these are the first ${maxValueChars}. Return less.`;
      return { value: json.slice(0, maxValueChars), note: cut, truncated: true };
    }
    if (depthOf(json) > maxDepth) return notSerializable(`it is nested deeper than ${maxDepth} levels`);
    if (typeof value === 'number' && json === 'null') return { json, note: `JSON has no ${value}.` };
    return { json, note: this.#valueNote ?? note };
  }

  #end({ json, ...fields }) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#channel.sendResult(fields, json);
    this.#channel.awaitEnd();
  }

  #describe(error) {
    if (error instanceof LoadError) return cut(error.message);
    const advice = adviceOn(error, this.#source.source);
    const text = describeError(error, this.#source);
    return advice === undefined ? text : `${text}\n${advice}`;
  }
}

/** Calls a function so that the stacks of its errors end with it. */
function callFromNowhere(body) {
  return new Promise((resolve, reject) => {
    // Functions of our own around those of the promise: V8 would look through these for who waits.
    void Promise.resolve()
      .then(body)
      .then(
        (value) => resolve(value),
        (error) => reject(error),
      );
  });
}

function notSerializable(reason) {
  return { error: { code: 'not_serializable', message: `The program's value is not JSON: ${reason}` } };
}

/** The program could not be read in either form. */
class LoadError extends Error {}

/**
 * Which of two errors to show. Deno reports what its parser refuses, and imports that it refuses, as
 * TypeError; what only V8 refuses, such as a `return` outside of a function, is a SyntaxError.
 */
function whyNeitherStarted({ module, body }, source) {
  if (!(module.error instanceof SyntaxError)) {
    return describeLoadError(module.error, module.place);
  }
  if (body.error instanceof SyntaxError) return `SyntaxError: ${body.error.message}`;
  // V8 gives it no code, only this text.
  if (!module.error.message.startsWith('Illegal return statement'))
    return `SyntaxError: ${module.error.message}`;
  if (moduleStatement.test(source)) {
    return 'SyntaxError: A program with a top-level return cannot have import or export statements; use "await import()" for imports, or "export default" in place of return.';
  }
  return describeLoadError(body.error, body.place);
}

/** V8 gives this failure no code, only this text. */
function isOutOfMemory(error) {
  return error instanceof RangeError && error.message === 'Array buffer allocation failed';
}
