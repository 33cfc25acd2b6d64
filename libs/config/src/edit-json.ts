import { applyEdits, createScanner, findNodeAtLocation, modify, type Node, parseTree } from 'jsonc-parser';

/**
 * Sets the value at a path of a text, which is valid JSON with comments; missing parents are added. Everything else
 * keeps its layout and comments: `modify` alone would move those behind the last key of an object.
 */
export function setKey(text: string, path: readonly string[], value: unknown): string {
  const unit = /\n([ \t]+)\S/.exec(text.slice(0, 10_000))?.[1] ?? '  ';
  const depth = path.findIndex((_, index) => !nodeAt(text, path.slice(0, index + 1)));
  const last = depth === -1 ? undefined : nodeAt(text, path.slice(0, depth))?.children?.at(-1);
  if (!last) {
    const formattingOptions = { insertSpaces: !unit.startsWith('\t'), tabSize: unit.length };
    return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  }
  const [key, ...inner] = path.slice(depth);
  const whole = inner.reduceRight((content, name) => ({ [name]: content }), value);
  const { comma, lineEnd } = afterValue(text, last);
  const lineStart = text.lastIndexOf('\n', last.offset) + 1;
  const margin = /^[ \t]*/.exec(text.slice(lineStart, last.offset))?.[0] ?? '';
  const indent = lineStart + margin.length === last.offset ? margin : margin + unit;
  const lines = `\n${JSON.stringify(key)}: ${JSON.stringify(whole, undefined, unit)}`;
  const property = lines.replaceAll('\n', `${text.includes('\r\n') ? '\r' : ''}\n${indent}`);
  const edits = [{ offset: lineEnd, length: 0, content: comma === undefined ? property : `${property},` }];
  if (comma === undefined) edits.unshift({ offset: endOf(last), length: 0, content: ',' });
  return applyEdits(text, edits);
}

/** Removes the key at a path, if it exists, with the comment behind it. */
export function removeKey(text: string, path: readonly string[]): string {
  const property = nodeAt(text, path)?.parent;
  const siblings = property?.parent?.children;
  if (!property || !siblings) return text;
  const index = siblings.indexOf(property);
  const { comma, lineEnd } = afterValue(text, property);
  const lineStart = text.lastIndexOf('\n', property.offset) + 1;
  const isAlone =
    text.slice(lineStart, property.offset).trim() === '' && /^\r?\n/.test(text.slice(lineEnd, lineEnd + 2));
  // A key on a line of its own is removed with the line.
  const offset = isAlone ? lineStart : property.offset;
  const end = isAlone ? text.indexOf('\n', lineEnd) + 1 : (comma ?? endOf(property) - 1) + 1;
  const edits = [{ offset, length: end - offset, content: '' }];
  const previous = siblings[index - 1];
  const needless =
    previous && comma === undefined && index === siblings.length - 1
      ? afterValue(text, previous).comma
      : undefined;
  if (needless !== undefined) edits.push({ offset: needless, length: 1, content: '' });
  return applyEdits(text, edits);
}

function nodeAt(text: string, path: readonly string[]): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, [...path]);
}

/** The position of the next comma, and the end of comments on the same line. */
function afterValue(text: string, node: Node): { comma?: number; lineEnd: number } {
  const scanner = createScanner(text);
  scanner.setPosition(endOf(node));
  let comma: number | undefined;
  let lineEnd = endOf(node);
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const first = text[offset] ?? '';
    if (first === ',' && comma === undefined) comma = offset;
    else if (!['/', ' ', '\t'].includes(first)) return { ...(comma !== undefined && { comma }), lineEnd };
    if (first === ',' || first === '/') lineEnd = scanner.getPosition();
  }
}

const endOf = ({ offset, length }: Node): number => offset + length;
