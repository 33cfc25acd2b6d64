/**
 * The samples of a text, each as `name{label="value"}` with its number; the `process_*` and `nodejs_*` ones left out.
 * Whether the text is sound is for a foreign parser to say.
 */
export function samplesOf(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !/^(?:#|process_|nodejs_)/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
