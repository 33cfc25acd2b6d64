import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

import { systemCodeOf } from '@code-executor/contracts';

/** What is known about the process that a lock file names. */
export interface Owner {
  /** `gone` and `running` are certain; `unknown` is everything else. */
  state: 'running' | 'gone' | 'unknown';
  /** Only if processes have the same ids for it as for us. */
  pid?: number;
}

interface Self {
  /** Where process ids mean the same as here. */
  place: string;
  /** When this process started, in ticks since the system did; `-` if the system does not tell. */
  start: string;
}

const pattern = /^(\d{1,10})\n(.+)\n(\d{1,20}|-)\n[0-9a-f]{32}\n$/;
let self: Self | undefined;

/** The content of a lock file of this process; unlike that of any other lock. */
export function ownerText(): string {
  const { place, start } = ownSelf();
  return `${process.pid}\n${place}\n${start}\n${randomBytes(16).toString('hex')}\n`;
}

/** Whether the process that wrote this content of a lock file still runs. */
export async function ownerOf(text: string): Promise<Owner> {
  const [, id, place, start] = pattern.exec(text) ?? [];
  if (place !== ownSelf().place) return { state: 'unknown' };
  const pid = Number(id);
  if (!exists(pid)) return { state: 'gone', pid };
  // Another process may have got the id by now, and only its start tells.
  if (start === '-') return { state: 'unknown', pid };
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  // A process of another user may be hidden.
  if (stat === undefined) return { state: 'running', pid };
  const process = parseStat(stat);
  return { state: !process.hasEnded && process.start === start ? 'running' : 'gone', pid };
}

/** Sends no signal, only asks. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCodeOf(error) !== 'ESRCH';
  }
}

function ownSelf(): Self {
  self ??= process.platform === 'linux' ? linuxSelf() : { place: hostname(), start: '-' };
  return self;
}

/** Containers have process ids of their own, and a system that starts again begins to count anew. */
function linuxSelf(): Self {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid))
      throw new Error('These are ids of another container.');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { start } = parseStat(readFileSync('/proc/self/stat', 'latin1'));
    return { place: `${boot} ${namespace('pid')} ${namespace('time')}`, start };
  } catch {
    // A place that no other process has.
    return { place: `unknown ${randomBytes(16).toString('hex')}`, start: '-' };
  }
}

function namespace(kind: 'pid' | 'time'): string {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch (error) {
    // Kernels before 5.6 have no time namespaces.
    if (kind === 'time') return 'time';
    throw error;
  }
}

/** The name of the program is in parentheses and can contain anything, so that fields are counted after it. */
function parseStat(stat: string): { hasEnded: boolean; start: string } {
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The parent of a process that has ended may never ask how, as in a container without an init.
  return { hasEnded: /^[ZXx]$/.test(state), start: fields[18] ?? '' };
}
