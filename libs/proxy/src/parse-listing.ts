import { CodeExecutorError } from '@code-executor/contracts';

/** What `GET /mcp/tools` is asked for. */
export interface RequestedListing {
  query?: string;
  server?: string;
  offset: number;
  limit?: number;
}

const parameters = ['q', 'server', 'limit', 'offset'];
/** All words of a query together. */
const maxQueryChars = 100;
const queryPattern = /^[\p{L}\p{N} _-]*$/u;
const maxNumber = 1_000_000;

/** Reads the query string of `GET /mcp/tools`; throws `invalid_argument`, and repeats none of what came. */
export function parseListing(url: string): RequestedListing {
  const start = url.indexOf('?');
  const search = new URLSearchParams(start < 0 ? '' : url.slice(start));
  if ([...search.keys()].some((key) => !parameters.includes(key))) {
    throw invalid(`The listing takes no such parameter; it takes ${parameters.join(', ')}.`);
  }
  const query = search.getAll('q').join(' ');
  if (query.length > maxQueryChars)
    throw invalid(`q is longer than ${maxQueryChars} characters; shorten it.`);
  if (!queryPattern.test(query)) throw invalid('q may hold letters, digits, spaces, - and _ only.');
  const server = single(search, 'server');
  const limit = wholeNumber(search, 'limit', 1);
  return {
    offset: wholeNumber(search, 'offset', 0) ?? 0,
    ...(query.trim() !== '' && { query }),
    ...(server !== undefined && { server }),
    ...(limit !== undefined && { limit }),
  };
}

function single(search: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = search.getAll(name);
  if (others.length > 0) throw invalid(`${name} is there more than once; give it once.`);
  return value;
}

function wholeNumber(search: URLSearchParams, name: string, min: number): number | undefined {
  const text = single(search, name);
  if (text === undefined) return undefined;
  // Digits only: `Number()` also takes "1e3", "0x10" and "".
  const value = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= maxNumber) return value;
  throw invalid(`${name} must be a whole number from ${min} to ${maxNumber}.`);
}

function invalid(problem: string): CodeExecutorError {
  return new CodeExecutorError('invalid_argument', problem);
}
