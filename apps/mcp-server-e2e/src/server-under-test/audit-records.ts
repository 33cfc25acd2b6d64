import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AuditRecord } from '@code-executor/contracts';

/** The audit records of the server with this home. */
export async function auditRecordsOf(home: string): Promise<AuditRecord[]> {
  const folder = join(home, '.code-executor', 'audit-logs');
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line) as AuditRecord);
}
