/** The metrics of `/metrics`, without those that every Node server has. */
export interface MetricValues {
  /** The names of all metrics, with or without values. */
  names: string[];
  /** The sum of the values with this name and at least these labels. */
  sum(name: string, labels?: Record<string, string>): number;
}

/** Parses Prometheus text. */
export function parseMetrics(text: string): MetricValues {
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
