import { readFileSync } from 'node:fs';

import Handlebars from 'handlebars';

const compiled = new Map<string, (view: object) => string>();

/**
 * Fills in a template of `assets/templates`; `name` has no extension. The values must already be escaped for their
 * language.
 */
export function fillTemplate(name: string, view: object): string {
  let template = compiled.get(name);
  if (!template) {
    const source = readFileSync(new URL(`../assets/templates/${name}.hbs`, import.meta.url), 'utf8');
    template = Handlebars.compile<object>(source, { noEscape: true });
    compiled.set(name, template);
  }
  return template(view);
}
