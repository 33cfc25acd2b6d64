import type { KeyPath } from './key-path.js';
import type { ServerEntry } from './server-entry.js';

/** The variable that a string of the form `env:NAME` names; undefined for other strings. */
export function referencedVariable(value: string): string | undefined {
  return value.startsWith('env:') ? value.slice('env:'.length) : undefined;
}

/** A variable's value; undefined for unset ones and for names of inherited properties. */
export function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** The value of a variable; undefined if it is not set. */
export type LookUp = (variable: string) => string | undefined;

/** Looks variables up in an environment. */
export const lookUpIn =
  (env: NodeJS.ProcessEnv): LookUp =>
  (variable) =>
    readVariable(env, variable);

/** Reads no variable, so that references stay as they are. */
export const unread: LookUp = (variable) => `env:${variable}`;

/** Called with each form (`env:NAME`, `${NAME}`) whose variable is not set, and the field it stands in. */
export type OnUnset = (form: string, field: KeyPath) => void;

/** The entry with `env:NAME`, `${NAME}` and `${NAME:-default}` replaced; unset ones stay as they are. */
export function expandEntry(entry: ServerEntry, lookUp: LookUp, onUnset: OnUnset): ServerEntry {
  const one = (value: string, ...field: KeyPath) =>
    expandText(value, lookUp, (form) => {
      onUnset(form, field);
    });
  const all = (values: Record<string, string>, field: string) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, one(value, field, key)]));
  return {
    ...entry,
    ...(entry.command !== undefined && { command: one(entry.command, 'command') }),
    ...(entry.args && { args: entry.args.map((arg, index) => one(arg, 'args', index)) }),
    ...(entry.env && { env: all(entry.env, 'env') }),
    ...(entry.cwd !== undefined && { cwd: one(entry.cwd, 'cwd') }),
    ...(entry.url !== undefined && { url: one(entry.url, 'url') }),
    ...(entry.headers && { headers: all(entry.headers, 'headers') }),
    ...(entry.oauth && { oauth: expandClient(entry.oauth, one) }),
  };
}

/** The secret of a client, and its name, may be in variables. */
function expandClient(
  oauth: NonNullable<ServerEntry['oauth']>,
  one: (value: string, ...field: KeyPath) => string,
): NonNullable<ServerEntry['oauth']> {
  const { clientId, clientSecret } = oauth;
  return {
    ...oauth,
    ...(clientId !== undefined && { clientId: one(clientId, 'oauth', 'clientId') }),
    ...(clientSecret !== undefined && { clientSecret: one(clientSecret, 'oauth', 'clientSecret') }),
  };
}

/** Whether a variable decides what a text says. */
export function namesVariable(text: string): boolean {
  let isNamed = false;
  const lookUp = () => {
    isNamed = true;
    return '';
  };
  expandText(text, lookUp, () => undefined);
  return isNamed;
}

function expandText(value: string, lookUp: LookUp, onUnset: (form: string) => void): string {
  const variable = referencedVariable(value);
  if (variable !== undefined) {
    const found = lookUp(variable);
    if (found === undefined) onUnset(value);
    return found ?? value;
  }
  // Only once, because the value of a variable is data, whatever it looks like.
  return value.replace(
    /\$\{([A-Za-z_]\w*)(?::-([^}]{0,1024}))?\}/g,
    (form, name: string, fallback: string | undefined) => {
      const found = lookUp(name);
      if (fallback !== undefined) return found || fallback;
      if (found === undefined) onUnset(form);
      return found ?? form;
    },
  );
}
