import { CodeExecutorError } from '@code-executor/contracts';
import { maxJsonDepth, meterJson } from '@code-executor/pipes';

import { type ToolDefinition, definitionParts } from './definition.js';
import { detailChars, type Pin, type Pins, type ServerPins } from './pins.js';

export const fileName = 'pinned-tools.json';
export const maxFileBytes = 32 * 1024 * 1024;
/** As `meterJson` measures it. */
const maxCost = 128 * 1024 * 1024;
const format = 1;

type Fields = Record<string, unknown>;

/** The pins as text, one tool per line. */
export function toText(pins: Pins): string {
  const servers = [...pins].map(([identity, { server, tools }]) => {
    const lines = [...tools].map(([tool, pin]) => JSON.stringify({ tool, ...pin }));
    return `{"identity":${JSON.stringify(identity)},"server":${JSON.stringify(server)},"tools":[\n${lines.join(',\n')}\n]}`;
  });
  const text = `{"version":${format},"servers":[\n${servers.join(',\n')}\n]}\n`;
  if (Buffer.byteLength(text) > maxFileBytes || meterJson(text).cost > maxCost) {
    const message = `${fileName} would be too large; forget servers with code-executor tools forget.`;
    throw new CodeExecutorError('resource_exhausted', message);
  }
  return text;
}

/**
 * The pins in a text; none if there is no text.
 *
 * @throws CodeExecutorError `failed_precondition` if any of it is not what `toText` writes: a part of the pins would be
 * taken for all of them, and everything else would be pinned anew.
 */
export function fromText(text: string | undefined): Pins {
  if (text === undefined) return new Map();
  try {
    const { cost, depth } = meterJson(text);
    if (cost > maxCost || depth > maxJsonDepth) throw new RangeError('it holds too much');
    const { version, servers } = fieldsOf(JSON.parse(text));
    if (version !== format) throw new TypeError('it has another version');
    return new Map(listOf(servers).map(toServer));
  } catch (cause) {
    const message = `${fileName} is damaged; restore it, or delete it, which pins all tools as they are then.`;
    throw new CodeExecutorError('failed_precondition', message, { cause });
  }
}

function toServer(data: unknown): [identity: string, pins: ServerPins] {
  const { identity, server, tools } = fieldsOf(data);
  const pins = listOf(tools).map((each): [string, Pin] => [textOf(fieldsOf(each)['tool']), toPin(each)]);
  const details = pins.flatMap(([, { pinned, change }]) => (change ? [pinned, change.seen] : [pinned]));
  return [
    textOf(identity),
    {
      server: textOf(server),
      tools: new Map(pins),
      detailChars: details.reduce((sum, each) => sum + detailChars(each), 0),
    },
  ];
}

function toPin(data: unknown): Pin {
  const { at, pinned, change } = fieldsOf(data);
  const pin: Pin = { at: textOf(at), pinned: toDefinition(pinned) };
  if (change !== undefined) {
    const { at: changedAt, seen } = fieldsOf(change);
    pin.change = { at: textOf(changedAt), seen: toDefinition(seen) };
  }
  return pin;
}

function toDefinition(data: unknown): ToolDefinition {
  const { hash, parts, title, description, annotations, parameters } = fieldsOf(data);
  if (!/^[0-9a-f]{64}$/.test(textOf(hash))) throw new TypeError('a hash is not one');
  const known = fieldsOf(parts);
  const definition: ToolDefinition = { hash: textOf(hash), parts: {} };
  for (const part of definitionParts) {
    if (known[part] !== undefined) definition.parts[part] = textOf(known[part]);
  }
  if (title !== undefined) definition.title = textOf(title);
  if (description !== undefined) definition.description = textOf(description);
  if (annotations !== undefined) definition.annotations = textOf(annotations);
  if (parameters !== undefined) {
    const hashes = Object.entries(fieldsOf(parameters));
    definition.parameters = Object.fromEntries(hashes.map(([name, each]) => [name, textOf(each)]));
  }
  return definition;
}

function fieldsOf(data: unknown): Fields {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Fields;
  throw new TypeError('an object is missing');
}

function listOf(data: unknown): unknown[] {
  if (Array.isArray(data)) return data;
  throw new TypeError('a list is missing');
}

function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  throw new TypeError('a text is missing');
}
