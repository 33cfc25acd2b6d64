/** How words are joined: `camelCase` and `PascalCase` for TypeScript, `snake_case` for Python. */
export type IdentifierStyle = 'camelCase' | 'snake_case' | 'PascalCase';

const maxChars = 80;
/**
 * Everything but letters and digits that every supported Python knows: those of the Basic Multilingual Plane, without
 * marks, without additions after Unicode 14, and without U+2E2F, which is not allowed in names.
 */
const noLetterOrDigit =
  /[^\p{L}\p{Nd}]+|[\u{10000}-\u{10FFFF}\u088F\u0C5C\u0CDC\u1C89\u1C8A\u2E2F\uA7CB-\uA7CF\uA7D2\uA7D4\uA7DA-\uA7DC\uA7F1]+/gu;
const ownForm: Record<IdentifierStyle, RegExp> = {
  camelCase: /^[a-z][A-Za-z0-9]*$/,
  snake_case: /^[a-z][a-z0-9_]*$/,
  PascalCase: /^[A-Z][A-Za-z0-9]*$/,
};
const words = (text: string) => new Set(text.split(' '));
/** Keywords, and `then`, which would make an object awaitable. */
const reservedInTypeScript = words(
  'arguments as async await break case catch class const continue debugger default delete do else enum eval export extends false finally for from function get if implements import in instanceof interface let new null of package private protected public return set static super switch then this throw true try typeof undefined var void while with yield constructor prototype',
);
/** Keywords and built-in names. */
const reservedInPython = words(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case type abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple vars zip self cls',
);
const reserved: Record<IdentifierStyle, ReadonlySet<string>> = {
  camelCase: reservedInTypeScript,
  snake_case: reservedInPython,
  PascalCase: words('None True False NotImplemented Ellipsis'),
};

/**
 * The identifier in code for any name: `create-issue` becomes `createIssue` in TypeScript and `create_issue` in Python. It
 * is valid there, at most 80 characters long, and always the same; a keyword gets a trailing `_`. Two names may have the
 * same identifier: see {@link identifiersOf}.
 */
export function identifierOf(name: string, style: IdentifierStyle): string {
  const own = name.length <= maxChars && ownForm[style].test(name) ? name : joined(wordsOf(name), style);
  const legal = own === '' ? 'unnamed' : /^\p{Nd}/u.test(own) ? `_${own}` : own;
  return reserved[style].has(legal) ? `${legal}_` : legal;
}

/**
 * A unique identifier for each of the names, independent of their order: a name that is its own identifier keeps it, and
 * the others get a number.
 */
export function identifiersOf(names: Iterable<string>, style: IdentifierStyle): Map<string, string> {
  const isOwn = (name: string) => (identifierOf(name, style) === name ? 0 : 1);
  const sorted = [...new Set(names)].sort((a, b) => isOwn(a) - isOwn(b) || (a < b ? -1 : 1));
  const taken = new Set<string>();
  const identifiers = new Map<string, string>();
  const nextNumber = new Map<string, number>();
  for (const name of sorted) {
    const first = identifierOf(name, style);
    let identifier = first;
    // Continues after the last number for this identifier, because thousands of names may share it.
    for (let number = nextNumber.get(first) ?? 2; taken.has(identifier); number++) {
      identifier = style === 'snake_case' ? `${first}_${number}` : `${first}${number}`;
      nextNumber.set(first, number + 1);
    }
    taken.add(identifier);
    identifiers.set(name, identifier);
  }
  return identifiers;
}

function wordsOf(name: string): string[] {
  return name
    .slice(0, 4 * maxChars)
    .normalize('NFKC')
    .replace(noLetterOrDigit, ' ')
    .replace(/(\p{Ll}|\p{Nd})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .split(' ')
    .filter(Boolean);
}

function joined(parts: readonly string[], style: IdentifierStyle): string {
  const lower = parts.map((part) => part.toLowerCase());
  if (style === 'snake_case') return cut(lower.join('_'));
  const capital = (part: string) => part.slice(0, 1).toUpperCase() + part.slice(1);
  return cut(
    lower.map((part, index) => (index === 0 && style === 'camelCase' ? part : capital(part))).join(''),
  );
}

/** Removes other characters again, because a change of case can turn a letter into several, including marks. */
function cut(text: string): string {
  return text.replace(noLetterOrDigit, (found) => (/^_+$/.test(found) ? '_' : '')).slice(0, maxChars);
}
