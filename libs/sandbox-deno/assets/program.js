import { adviceOn, isImportFailure } from './advice.js';
import { cut, describeError, describeLoadError } from './describe-error.js';
import { depthOf } from '@code-executor/sandbox-channel/assets/json-meter.js';
import { looksLike } from '@code-executor/deno-runtime/assets/looks-like.js';
import { Pictures } from './display-global.js';
import { isSvgText } from './picture-of.js';
import { toJson, unlikeJson } from './value.js';

const moduleStatement = /^\s*(?:import|export)\b/m;

/**
 * Runs one program and sends its result when its event loop is empty. A program is a module, or the body of an
 * async function, which returns its value; both forms are tried until one starts. The added prefix has no line
 * break, so that line numbers stay those of the program.
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

  /** Runs programs of our own, one in each form, from start to end. Sends nothing to the server. */
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

  /** Handles the events of the process. Called before the program runs, so that its own listeners come later. */
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

  /** @param options `bodyPrefix` is put before a program that is a function body, which it passes to `startMark()`. */
  run(code, options) {
    this.#configure(options);
    void this.#start(code);
  }

  #configure({ limits, bodyPrefix, startMark }) {
    this.#limits = limits;
    this.#startMark = startMark;
    this.#forms = {
      // Both prefixes have the same length, so that columns on the first line are shifted equally.
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

  /** Keeps the program's value until its event loop is empty. A picture is shown at once, in place of the value. */
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
    // The order only saves time: a program that is valid in both forms means the same in both.
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
      // Never a literal, because Deno would load it together with this file, without checking permissions.
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

  /** Returns the fields of the result frame for the program's value. */
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

/** Calls a function so that the stacks of its errors end at it. */
function callFromNowhere(body) {
  return new Promise((resolve, reject) => {
    // Own functions, because V8 would look through `resolve` and `reject` for the caller that awaits.
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

/** The program could not be loaded in either form. */
class LoadError extends Error {}

/**
 * Chooses which of the two errors to show. Errors of Deno's parser and refused imports are a TypeError; errors that
 * only V8 finds, such as a `return` outside of a function, are a SyntaxError.
 */
function whyNeitherStarted({ module, body }, source) {
  if (!(module.error instanceof SyntaxError)) {
    return describeLoadError(module.error, module.place);
  }
  if (body.error instanceof SyntaxError) return `SyntaxError: ${body.error.message}`;
  // V8 gives this error no code, so its message is compared.
  if (!module.error.message.startsWith('Illegal return statement'))
    return `SyntaxError: ${module.error.message}`;
  if (moduleStatement.test(source)) {
    return 'SyntaxError: A program with a top-level return cannot have import or export statements; use "await import()" for imports, or "export default" in place of return.';
  }
  return describeLoadError(body.error, body.place);
}

/** V8 gives this error no code, so its message is compared. */
function isOutOfMemory(error) {
  return error instanceof RangeError && error.message === 'Array buffer allocation failed';
}
