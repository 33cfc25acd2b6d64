import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

import { dotted, type KeyPath } from './key-path.js';

/** Far above the depth of any real file, and far below that at which recursion fails. */
const maxDepth = 64;

export interface ParsedJson {
  /** Absent if the text is not JSON at all. Objects have no prototype. */
  value?: unknown;
  /** Broken syntax (the first place only), repeated keys, `__proto__`. */
  flaws: Flaw[];
}

/** An error in the text itself. A function makes its message, with the line, because hostile files have many. */
export interface Flaw {
  path: KeyPath;
  text: () => string;
}

/** Parses JSON with comments and trailing commas. */
export function parseJson(text: string): ParsedJson {
  const flaws: Flaw[] = [];
  const fault = findBracketFault(text);
  const errors: ParseError[] = [];
  const tree = fault ? undefined : parseTree(text, errors, { allowTrailingComma: true });
  if (tree && errors.length === 0) return { value: toValue(tree, [], text, flaws), flaws };
  const { offset, what } = fault ?? describeError(errors);
  return { flaws: [{ path: [], text: () => `${position(text, offset)}: ${what}` }] };
}

interface Fault {
  offset: number;
  what: string;
}

/** The parser is recursive, the scanner is not: the first bracket that is too deep or closes another one. */
function findBracketFault(text: string): Fault | undefined {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const bracket = text[offset];
    if (bracket === undefined) return undefined;
    if (bracket === '{' || bracket === '[') open.push(bracket === '{' ? '}' : ']');
    if (open.length > maxDepth) return { offset, what: `nested deeper than ${maxDepth} levels` };
    if ((bracket === '}' || bracket === ']') && open.pop() !== bracket) {
      return { offset, what: `not valid JSON, unexpected ${bracket}` };
    }
  }
}

/** The first error; later ones mostly follow from it. */
function describeError([error]: ParseError[]): Fault {
  const name = error ? printParseErrorCode(error.error) : 'ValueExpected';
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return { offset: error?.offset ?? 0, what: `not valid JSON, ${words}` };
}

function toValue(node: Node, path: KeyPath, text: string, flaws: Flaw[]): unknown {
  if (node.type === 'array') {
    return (node.children ?? []).map((item, index) => toValue(item, [...path, index], text, flaws));
  }
  if (node.type !== 'object') return node.value;
  const object = Object.create(null) as Record<string, unknown>;
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? [];
    if (!keyNode || !valueNode) continue;
    const key = String(keyNode.value);
    const place = [...path, key];
    const add = (what: string) => {
      flaws.push({
        path: place,
        text: () => `${dotted(place)} (${position(text, keyNode.offset)}) ${what}`,
      });
    };
    if (key === '__proto__') {
      add('is not allowed as a key');
      continue;
    }
    if (key in object) add('is there twice');
    object[key] = toValue(valueNode, place, text, flaws);
  }
  return object;
}

function position(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`;
}
