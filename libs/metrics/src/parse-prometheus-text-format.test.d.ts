// The package has no types.
declare module 'parse-prometheus-text-format' {
  interface ParsedMetric {
    name: string;
    help: string;
    type: string;
    metrics: ParsedSample[];
  }
  interface ParsedSample {
    labels?: Record<string, string>;
    value?: string;
    buckets?: Record<string, string>;
    count?: string;
    sum?: string;
  }

  export default function parsePrometheusTextFormat(text: string): ParsedMetric[];
}
