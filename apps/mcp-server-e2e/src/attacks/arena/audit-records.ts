import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { AuditRecord } from '@code-executor/contracts';

import type { Places } from './places.js';

const word = /^[a-z_]{1,32}$/;
const sha256 = /^[0-9a-f]{64}$/;
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isName = (value: unknown) => typeof value === 'string' && value.length <= 200;
const areNames = (value: unknown) => Array.isArray(value) && value.length <= 100 && value.every(isName);
const like = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

/**
 * What each field of a record may contain. Only names and search terms are text that others choose; code or arguments fit
 * into no other field.
 */
const shapes: Record<keyof AuditRecord, (value: unknown) => boolean> = {
  type: like(word),
  timestamp: like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  status: like(word),
  action: like(word),
  correlationId: like(/^[0-9a-f]{32}$/),
  executionId: like(/^exec_[0-9a-z]{1,64}$/),
  clientId: like(/^(?:[\w-]{1,64}|\(anyone\))$/),
  clientKind: like(/^(stdio|http|cli|grpc|embedder)$/),
  clientIp: like(/^[0-9a-f.:]{1,45}$/),
  language: like(word),
  isolation: like(word),
  errorCode: like(word),
  paramsHash: like(sha256),
  codeHash: like(sha256),
  // Only with `audit.code: "full"`, which no arena sets.
  code: () => false,
  sessionHash: like(sha256),
  toolName: isName,
  server: isName,
  query: isName,
  allowedTools: areNames,
  toolsCalled: areNames,
  patterns: areNames,
  ...{
    count: isNumber,
    httpStatus: isNumber,
    codeLength: isNumber,
    resultBytes: isNumber,
    returnedBytes: isNumber,
  },
  ...{ durationMs: isNumber, queuedMs: isNumber, startupMs: isNumber },
};

/** Takes the text of all records since the last time; checks that each is a valid record without plaintext. */
export async function takeRecords({ home }: Pick<Places, 'home'>): Promise<string> {
  const folder = join(home, '.code-executor', 'audit-logs');
  const names = await readdir(folder).catch(() => []);
  let taken = '';
  for (const name of names) {
    const path = join(folder, name);
    // The server continues with a new file of the same name.
    await rename(path, `${path}.taken`);
    taken += await readFile(`${path}.taken`, 'utf8');
    await rm(`${path}.taken`);
  }
  recordsIn(taken);
  return taken;
}

/** Parses records, one per line; throws if one is invalid, or contains what no record may. */
export function recordsIn(text: string): AuditRecord[] {
  assert.ok(text === '' || text.endsWith('\n'), 'The last record is incomplete.');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => checked(JSON.parse(line) as AuditRecord));
}

function checked(record: AuditRecord): AuditRecord {
  for (const [key, value] of Object.entries(record)) {
    const fits = Object.hasOwn(shapes, key) && shapes[key as keyof AuditRecord](value);
    assert.ok(fits, `A record contains ${key}: ${JSON.stringify(value).slice(0, 300)}`);
  }
  return record;
}
