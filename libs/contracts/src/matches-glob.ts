/**
 * Whether `text` matches `pattern`, in which `*` stands for any number of characters and everything else for itself.
 * Patterns come from callers, so this never backtracks beyond the last `*`, as a regular expression might.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let atPattern = 0;
  let atText = 0;
  let lastStar = -1;
  let resumeAt = 0;
  while (atText < text.length) {
    if (pattern[atPattern] === '*') {
      lastStar = atPattern++;
      resumeAt = atText;
    } else if (pattern[atPattern] === text[atText]) {
      atPattern++;
      atText++;
    } else if (lastStar !== -1) {
      // Let the last star take one character more.
      atPattern = lastStar + 1;
      atText = ++resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[atPattern] === '*') atPattern++;
  return atPattern === pattern.length;
}
