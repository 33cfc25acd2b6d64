import { CodeExecutorError, type ListDetail } from '@code-executor/contracts';

import type { HostCall } from '../host-call.js';
import { JsonList } from '../replies/json-list.js';

const maxQueryChars = 1000;
/** The details that programs may ask for. */
const details: readonly ListDetail[] = ['names', 'brief', 'signatures', 'types', 'full'];

/** Lists tools, or searches them. */
export const listTools: HostCall = {
  async answer({ query, server, name, detail, limit, offset }, { tools }, signal) {
    if (limit !== undefined && !isCount(limit, 1))
      throw invalid('The limit of a search is a whole number from 1.');
    if (offset !== undefined && !isCount(offset, 0)) {
      throw invalid('The offset of a search is a whole number from 0.');
    }
    if (detail !== undefined && !isDetail(detail)) {
      throw invalid('The detail of a search is "names", "brief", "signatures", "types" or "full".');
    }
    const listing = await tools.listTools({
      signal,
      ...(typeof query === 'string' && { query: query.slice(0, maxQueryChars) }),
      ...(typeof server === 'string' && { server }),
      ...(typeof name === 'string' && { name }),
      ...(detail !== undefined && { detail }),
      ...(limit !== undefined && { limit }),
      ...(offset !== undefined && { offset }),
    });
    return new JsonList(listing.tools);
  },
};

function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least;
}

function isDetail(value: unknown): value is ListDetail {
  return (details as readonly unknown[]).includes(value);
}

function invalid(message: string): CodeExecutorError {
  return new CodeExecutorError('invalid_argument', message);
}
