import { type JsonObject, printable } from '@code-executor/contracts';
import type { CallAnswer, CallAnswers, Question, WaitingCall } from '@code-executor/executor';

/** A form that every client with elicitation can show: flat, with texts to choose from. */
export interface QuestionForm {
  message: string;
  requestedSchema: {
    type: 'object';
    properties: Record<string, ChoiceField | NumberField>;
    required: string[];
  };
}

interface ChoiceField {
  type: 'string';
  title: string;
  description: string;
  enum: string[];
}

interface NumberField {
  type: 'integer';
  title: string;
  description: string;
  minimum: number;
  maximum: number;
}

/** What a client says that a person did with a form. It is not to be trusted. */
export interface FormAnswer {
  action: unknown;
  content?: unknown;
}

const choices = {
  once: 'yes, once',
  run: 'yes, this tool for this run',
  times: 'yes, as often as said below',
  denied: 'no',
} as const;

const timesField = 'times';
const maxTimes = 1000;
/** Of all arguments together. What is left out is counted. */
const maxArgumentChars = 8000;
/** Texts up to this length are never cut to make room for others. */
const minTextChars = 40;
/** In longer arguments single texts are not searched for, because that takes seconds, during which nobody is served. */
const maxSearchedChars = 200_000;
/** For the number of characters that are left out of a text. */
const countChars = 30;
const maxNameChars = 120;
const maxWhyChars = 300;

/** What `printable` leaves: characters without a shape, and those that begin a new line. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/gu;

/** The form of a question: a field for each call that waits. */
export function formFor({ executionId, calls }: Question): QuestionForm {
  const count = calls.length === 1 ? 'a call' : `${calls.length} calls`;
  const argumentChars = Math.floor(maxArgumentChars / calls.length);
  const described = calls.map((call, index) => describe(call, index + 1, argumentChars));
  const fields = calls.map(({ key, toolName }, index): [string, ChoiceField] => [
    key,
    {
      type: 'string',
      title: `${index + 1}. ${cut(toolName, maxNameChars)}`,
      description: 'May it be called?',
      enum: Object.values(choices),
    },
  ]);
  const times: NumberField = {
    type: 'integer',
    title: 'How often',
    description: `For "${choices.times}": how many calls of that tool in this run, with this one.`,
    minimum: 1,
    maximum: maxTimes,
  };
  return {
    message: `A program that runs in Code Executor (${executionId}) waits for your permission to make ${count}:\n\n${described.join('\n\n')}`,
    requestedSchema: {
      type: 'object',
      properties: { ...Object.fromEntries(fields), [timesField]: times },
      required: calls.map(({ key }) => key),
    },
  };
}

/** What the person decided. A call that was accepted without a valid decision counts as dismissed, never as allowed. */
export function answersFrom({ calls }: Question, { action, content }: FormAnswer): CallAnswers {
  const values = isRecord(content) ? content : {};
  const decide = ({ key }: WaitingCall): CallAnswer => {
    if (action === 'decline') return { decision: 'denied' };
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (action !== 'accept') return { decision: 'cancelled' };
    switch (value) {
      case choices.once:
        return { decision: 'once' };
      case choices.run:
        return { decision: 'run' };
      case choices.times:
        return isCount(values[timesField])
          ? { decision: 'times', times: values[timesField] }
          : { decision: 'cancelled' };
      case choices.denied:
        return { decision: 'denied' };
      default:
        return { decision: 'cancelled' };
    }
  };
  const decided = calls.map((call) => ({ call, answer: decide(call) }));
  return Object.fromEntries(
    decided.map(({ call, answer }, index): [string, CallAnswer] => {
      if (answer.decision !== 'times') return [call.key, answer];
      // The number is of the tool, so the first of its calls takes it for all that were answered in this way.
      const isAlike = (each: (typeof decided)[number]) =>
        each.answer.decision === 'times' && isSameTool(each.call, call);
      if (decided.findIndex(isAlike) < index) return [call.key, { decision: 'once' }];
      const further = decided.filter(isAlike).length - 1;
      return [call.key, { decision: 'times', times: Math.max(1, answer.times - further) }];
    }),
  );
}

function isSameTool(one: WaitingCall, other: WaitingCall): boolean {
  return one.toolName === other.toolName && one.server === other.server;
}

function describe({ toolName, why, args }: WaitingCall, number: number, argumentChars: number): string {
  const { text, allChars } = argumentText(args, argumentChars);
  const isCut = allChars > argumentChars;
  // Before them, because a person may not read to their end.
  const notice = isCut ? `\n   not all is shown: the arguments have ${allChars} characters` : '';
  return `${number}. ${cut(toolName, maxNameChars)}\n   why you are asked: ${cut(why, maxWhyChars)}${notice}\n   arguments: ${text}`;
}

/**
 * The arguments as JSON. If that is too long, long texts are cut one by one, and if that does not suffice, long arguments
 * are, so that none of them can keep the person from seeing what follows it.
 */
function argumentText(args: JsonObject, maxChars: number): { text: string; allChars: number } {
  const whole = JSON.stringify(args);
  const allChars = whole.length;
  if (allChars <= maxChars) return { text: cut(whole, maxChars), allChars };
  const shortened = allChars <= maxSearchedChars ? shortenTexts(args, allChars, maxChars) : whole;
  if (shortened.length <= maxChars) return { text: cut(shortened, maxChars), allChars };
  const members = Object.entries(JSON.parse(shortened) as JsonObject).map(
    ([name, value]) => `${JSON.stringify(shorten(name, minTextChars))}:${JSON.stringify(value)}`,
  );
  const list = (texts: readonly string[]) => `{${texts.join(',')}}`;
  const memberChars = shareOf(
    members.map(({ length }) => length),
    list(members).length,
    maxChars,
  );
  return { text: cut(list(members.map((member) => shorten(member, memberChars))), maxChars), allChars };
}

function shortenTexts(args: JsonObject, allChars: number, maxChars: number): string {
  const lengths: number[] = [];
  JSON.stringify(args, (_key, value: unknown) => {
    if (typeof value === 'string') lengths.push(value.length);
    return value;
  });
  const textChars = shareOf(lengths, allChars, maxChars);
  return JSON.stringify(args, (_key, value: unknown) =>
    typeof value === 'string' ? shorten(value, textChars) : value,
  );
}

/** How long each of the long texts may be, if a whole that has texts of these lengths is to have `maxChars`. */
function shareOf(lengths: readonly number[], wholeChars: number, maxChars: number): number {
  const long = lengths.filter((length) => length > minTextChars);
  if (long.length === 0) return minTextChars;
  const others = wholeChars - long.reduce((sum, length) => sum + length, 0);
  return Math.max(minTextChars, Math.floor((maxChars - others) / long.length) - countChars);
}

/** On one line, without characters that a person cannot see or that make a text look like something else. */
function cut(text: string, maxChars: number): string {
  return printable(shorten(text, maxChars)).replace(unseen, '�');
}

function shorten(text: string, maxChars: number): string {
  const left = text.length - maxChars;
  return left > 0 ? `${text.slice(0, maxChars)}… (${left} more characters)` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maxTimes;
}
