const pattern = /^[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$/i;

/** Whether Python's packaging rules (PEP 508) allow this as the name of a package. */
export function isPackageName(name: string): boolean {
  return pattern.test(name);
}

/** The one spelling of a package's name (PEP 503): `Zope.Interface` is `zope-interface`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
