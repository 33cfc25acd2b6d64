/** Metrics as `/metrics` tells them, without those that every Node server has. */
export interface Readings {
  /** Of all metrics, with or without values. */
  names: string[];
  /** Of the values with this name and, whatever else they have, these labels. */
  sum(name: string, labels?: Record<string, string>): number;
}

/** Reads Prometheus text. */
export function readings(text: string): Readings {
  const lines = text.split('\n').filter((line) => !/^(?:# \w+ )?(?:process_|nodejs_)/.test(line));
  return {
    names: lines.flatMap((line) => /^# TYPE (\w+) /.exec(line)?.[1] ?? []),
    sum(name, labels = {}) {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      return lines
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
        .filter((line) => wanted.every((label) => line.includes(label)))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
}
