import { createHash } from 'node:crypto';

import { pathOf, type WrapperForm } from './wrapper-form.js';

/** The index entry for the module of one server. */
export interface WrapperModule {
  server: string;
  /** The server's name in code. */
  identifier: string;
}

/** One generated file. */
export interface WrapperFile {
  /** Its path below the directory of the wrappers, with `/`: `typescript/mcp-github.ts`. */
  path: string;
  /** How its language writes modules. */
  form: WrapperForm;
  content: string;
  /** SHA-256 of the content in UTF-8, in hex. */
  hash: string;
  /** Absent for files that all servers share. */
  module?: WrapperModule;
}

/** A file that all servers share; `stem` is its name without the extension. */
export function wrapperFile(form: WrapperForm, stem: string, content: string): WrapperFile {
  return { path: pathOf(form, stem), form, content, hash: hashOf(content) };
}

/** SHA-256 in hex. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
