const shellCommands =
  'apt|apt-get|awk|bash|brew|bun|cargo|cat|cd|chmod|cp|curl|deno|df|docker|du|echo|export|find|git|go|grep|head|jq|kill|ls|make|mkdir|mv|node|npm|npx|pip|pip3|pnpm|ps|pwd|python|python3|rm|sed|sh|source|ssh|sudo|tail|tar|touch|uv|wget|which|whoami|yarn';
/** A command, followed by the end of the line or by something that cannot continue an expression of a program. */
const shellText = new RegExp(
  `^\\s*(?:#!.*sh\\b|[$!%] ?\\w|(?:${shellCommands})(?:\\s*$|[ \\t]+[-\\w./~"'$]))`,
);
const pythonTexts = [
  /^from [\w.]+ import [\w*(]/m,
  /^import \w+(?:\.\w+)*(?: as \w+)?[ \t]*(?:#.*)?$/m,
  /^[ \t]*(?:async )?(?:def|class|if|elif|else|for|while|with|try|except)\b[^\n{]*:[ \t]*(?:#.*)?$/m,
  /^[ \t]*print\(/m,
];
const typescriptTexts = [
  /^[ \t]*(?:export )?(?:const|let|var) [\w{[]/m,
  /^[ \t]*(?:export )?(?:async )?function\b/m,
  /^import .* from ['"]/m,
  /\bconsole\.\w+\(/,
  /\) =>/,
];
const matches = (patterns, text) => patterns.some((pattern) => pattern.test(text));

/** Says what a program that could not be run looks like, if it is not its language, and what to do instead. */
export function looksLike(source, language) {
  if (shellText.test(source.trimStart().split('\n', 1)[0])) {
    const words = language === 'python' ? 'Python' : 'TypeScript';
    const install = /\b(?:install|add)\b/.test(source) ? ', and nothing can be installed' : '';
    return `This looks like a command of a shell; there is none here${install}. Write ${words}; it can call tools.`;
  }
  if (language === 'typescript' && matches(pythonTexts, source)) {
    return 'This looks like Python, which executePython runs.';
  }
  if (language === 'python' && matches(typescriptTexts, source)) {
    return 'This looks like TypeScript, which executeTypescript runs.';
  }
  return undefined;
}
