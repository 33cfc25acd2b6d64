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
    restrictionsOf(policy),
  ]);
  return formatTable(['Client', 'May call', 'But not', 'Restrictions'], rows, emphasize);
}

function restrictionsOf({ ceiling, ask, readOnly }: Client['policy'] = {}): string {
  const restrictions = [
    ...(ceiling ? [`at most ${ceiling.join(', ') || 'nothing'}`] : []),
    ...(ask?.length ? [`asks for ${ask.join(', ')}`] : []),
    ...(readOnly ? ['only reads'] : []),
  ];
  return restrictions.join('; ');
}
