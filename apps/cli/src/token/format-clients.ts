import { formatTable } from '../format-table.js';
import type { Client } from './client.js';

/** Clients as a table with a line of headings, which `emphasize` may colour. */
export function formatClients(
  clients: ReadonlyMap<string, Client>,
  emphasize: (text: string) => string,
): string {
  const rows = [...clients].map(([id, { policy }]) => [
    id,
    policy?.allow?.join(', ') ?? 'policy.defaultAllowedTools',
    policy?.deny?.join(', ') ?? '',
  ]);
  return formatTable(['Client', 'May call', 'But not'], rows, emphasize);
}
