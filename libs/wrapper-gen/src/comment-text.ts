import { pythonForm } from '@code-executor/schema-types';

/** A server's name, escaped so that it can end neither a comment nor a docstring. */
export function commentText(server: string): string {
  return pythonForm.quoted(server.slice(0, 80)).replaceAll('*/', '*\\/').replaceAll('\\', '\\\\');
}
