import { type DefinitionPart, definitionParts, type ToolDefinition } from './definition.js';

/** What is different in two definitions of a tool. Texts are shortened and printable. */
export interface ToolChange {
  parts: DefinitionPart[];
  title?: TextChange;
  description?: TextChange;
  annotations?: TextChange;
  /** Names of parameters; absent if they are not known. */
  parameters?: { added: string[]; removed: string[]; changed: string[] };
}

/** The text before and after; `…` stands for what is left out. */
export interface TextChange {
  before?: string;
  after?: string;
}

const maxTextChars = 200;
/** How much of what both texts have in common is shown before the difference. */
const commonChars = 40;
const maxNames = 20;

export function changeOf(before: ToolDefinition, after: ToolDefinition): ToolChange {
  const parts = definitionParts.filter((part) => before.parts[part] !== after.parts[part]);
  const change: ToolChange = { parts };
  for (const part of ['title', 'description', 'annotations'] as const) {
    if (!parts.includes(part)) continue;
    const text = textChange(before[part], after[part]);
    if (text) change[part] = text;
  }
  if (parts.includes('parameters') && before.parameters && after.parameters) {
    change.parameters = parameterChange(before.parameters, after.parameters);
  }
  return change;
}

/** The change on one line, such as `description (was "…", now "…"), parameters (added to)`. */
export function describeChange(change: ToolChange): string {
  const parts = change.parts.map((part) => {
    const details = part === 'parameters' ? describeParameters(change) : describeText(change, part);
    return details === '' ? partName(part) : `${partName(part)} (${details})`;
  });
  return parts.join(', ') || 'its definition';
}

function partName(part: DefinitionPart): string {
  return part === 'outputSchema' ? 'output schema' : part;
}

function describeText(change: ToolChange, part: Exclude<DefinitionPart, 'parameters'>): string {
  const text = part === 'outputSchema' ? undefined : change[part];
  if (!text) return '';
  const { before, after } = text;
  if (before === undefined) return `new: ${JSON.stringify(after)}`;
  if (after === undefined) return `removed: ${JSON.stringify(before)}`;
  if (before === after) return 'after the part that is kept for comparison';
  return `was ${JSON.stringify(before)}, now ${JSON.stringify(after)}`;
}

function describeParameters({ parameters }: ToolChange): string {
  if (!parameters) return '';
  const lists = (['added', 'removed', 'changed'] as const).map((verb) => {
    const names = parameters[verb];
    return names.length === 0 ? '' : `${verb} ${names.join(', ')}`;
  });
  return lists.filter(Boolean).join('; ');
}

function parameterChange(before: Record<string, string>, after: Record<string, string>) {
  const had = (name: string) => Object.hasOwn(before, name);
  const has = (name: string) => Object.hasOwn(after, name);
  return {
    added: some(Object.keys(after).filter((name) => !had(name))),
    removed: some(Object.keys(before).filter((name) => !has(name))),
    changed: some(Object.keys(after).filter((name) => had(name) && before[name] !== after[name])),
  };
}

function some(names: string[]): string[] {
  if (names.length <= maxNames) return names;
  return [...names.slice(0, maxNames), `… (${names.length - maxNames} more)`];
}

/** Undefined if neither text is known. */
function textChange(before: string | undefined, after: string | undefined): TextChange | undefined {
  if (before === undefined && after === undefined) return undefined;
  const start = Math.max(0, commonStart(before ?? '', after ?? '') - commonChars);
  return {
    ...(before !== undefined && { before: excerpt(before, start) }),
    ...(after !== undefined && { after: excerpt(after, start) }),
  };
}

function commonStart(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}

/** A part of the text that begins shortly before the difference, so that a change at the end of a long text shows. */
function excerpt(text: string, start: number): string {
  if (text.length <= maxTextChars) return text;
  const end = start + maxTextChars;
  const shown = Buffer.from(text.slice(start, end)).toString();
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}
