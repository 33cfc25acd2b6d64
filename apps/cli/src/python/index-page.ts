import { CodeExecutorError } from '@code-executor/contracts';

import { type Downloaded, shown } from './download.js';
import type { OfferedWheel } from './package-index.js';

const maxFiles = 100_000;

/**
 * The wheels on one page of a simple index, in JSON (PEP 691) or HTML (PEP 503). Invalid entries are left out.
 *
 * @throws CodeExecutorError `unavailable` when it is not such a page.
 */
export function readIndexPage(page: Downloaded): OfferedWheel[] {
  const text = new TextDecoder().decode(page.bytes);
  const links = /[/+]json\b/i.test(page.contentType) ? jsonLinks(text, page.url) : htmlLinks(text);
  return links
    .slice(0, maxFiles)
    .map((link) => toOffer(link, page.url))
    .filter((offer) => offer !== undefined);
}

interface Link {
  fileName?: string;
  href: string;
  sha256?: unknown;
  requiresPython?: unknown;
  isYanked: boolean;
}

function toOffer({ fileName, href, sha256, requiresPython, isYanked }: Link, base: URL) {
  if (!URL.canParse(href, base.href)) return undefined;
  const url = new URL(href, base);
  // As with redirects: never from https to http, and never to a file on this machine.
  if (url.protocol !== 'https:' && url.protocol !== base.protocol) return undefined;
  const inUrl = /[#&]sha256=([0-9a-f]{64})\b/i.exec(url.hash)?.[1];
  const hash = typeof sha256 === 'string' ? sha256 : inUrl;
  url.hash = url.username = url.password = '';
  return {
    fileName: fileName ?? lastSegment(url),
    url,
    ...(hash !== undefined && { sha256: hash.toLowerCase() }),
    ...(typeof requiresPython === 'string' && { requiresPython }),
    isYanked,
  } satisfies OfferedWheel;
}

function lastSegment({ pathname }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function jsonLinks(text: string, url: URL): Link[] {
  const files = filesOf(text);
  if (!files) throw new CodeExecutorError('unavailable', `${shown(url)} is not a page of a simple index.`);
  return files.flatMap((file: unknown) => {
    if (!isRecord(file) || typeof file['filename'] !== 'string' || typeof file['url'] !== 'string') return [];
    return {
      fileName: file['filename'],
      href: file['url'],
      sha256: isRecord(file['hashes']) ? file['hashes']['sha256'] : undefined,
      requiresPython: file['requires-python'],
      isYanked: file['yanked'] !== undefined && file['yanked'] !== false,
    };
  });
}

function filesOf(text: string): unknown[] | undefined {
  try {
    const page: unknown = JSON.parse(text);
    return isRecord(page) && Array.isArray(page['files']) ? page['files'] : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** PEP 503 prescribes one anchor per file, with `<` and `>` in values escaped. */
function htmlLinks(text: string): Link[] {
  return [...text.matchAll(/<a\s([^<>]{1,8192})>/gi)].flatMap(([, attributes = '']) => {
    const values = new Map(
      [...attributes.matchAll(/([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/gi)].map(
        ([, name = '', double, single, bare]) =>
          [name.toLowerCase(), unescape(double ?? single ?? bare ?? '')] as const,
      ),
    );
    const href = values.get('href');
    if (href === undefined) return [];
    const requiresPython = values.get('data-requires-python');
    return { href, requiresPython, isYanked: values.has('data-yanked') };
  });
}

const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
]);

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities.get(entity) ?? entity);
}
