import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Places } from './places.js';

type Home = Pick<Places, 'home'>;

/** The file to which the upstream servers write each call that reaches them. */
export const callsFile = ({ home }: Home) => join(home, 'upstream-calls');

/** The calls that have reached upstream servers; more may arrive at any time. */
export async function upstreamCalls(places: Home): Promise<string[]> {
  const text = await readFile(callsFile(places), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
}

/** The calls since the last time; forgets them. */
export async function takeUpstreamCalls(places: Home): Promise<string[]> {
  const calls = await upstreamCalls(places);
  await rm(callsFile(places), { force: true });
  return calls;
}
