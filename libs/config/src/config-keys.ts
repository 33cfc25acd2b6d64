import type { KeyPath } from './key-path.js';
import { type KeyNode, keyTree } from './key-tree.js';
import { configSchema } from './schema.js';

/** One key of the configuration file. */
export interface ConfigKey {
  /** Dotted; `<name>` stands for a name of the user's choice. */
  key: string;
  /** What it means, with unit and default. */
  description: string;
  /** The values it may have, in words. */
  type: string;
  /** The environment variable that overrides the file. */
  env?: string;
}

const root = keyTree(configSchema);

/** All keys of the configuration file, in the order of the schema. */
export function configKeys(): ConfigKey[] {
  return [...leaves(root, [])].map(({ path, node }) => ({
    key: path.join('.'),
    description: node.description ?? '',
    type: typeText(node),
    ...(node.env === undefined ? {} : { env: node.env }),
  }));
}

/** The keys that an environment variable can set. */
export function environmentKeys(): { path: string[]; node: KeyNode; variable: string }[] {
  return [...leaves(root, [])].flatMap(({ path, node }) =>
    node.env === undefined ? [] : [{ path, node, variable: node.env }],
  );
}

function* leaves(node: KeyNode, path: string[]): Generator<{ path: string[]; node: KeyNode }> {
  if (isLeaf(node)) yield { path, node };
  for (const [key, child] of childrenOf(node)) yield* leaves(child, [...path, key]);
}

function childrenOf(node: KeyNode): [string, KeyNode][] {
  if (node.properties) return Object.entries(node.properties);
  return !isLeaf(node) && node.additionalProperties ? [['<name>', node.additionalProperties]] : [];
}

/** True for keys that hold a value; a record of strings is a value. */
export function isLeaf(node: KeyNode): boolean {
  return !node.properties && !(node.additionalProperties && node.additionalProperties.properties);
}

/** The part of the schema that describes this place, if any. */
export function nodeAt(path: KeyPath): KeyNode | undefined {
  let node: KeyNode | undefined = root;
  for (const segment of path) {
    if (typeof segment === 'number') node = node?.items;
    else if (node?.properties) node = ownProperty(node.properties, String(segment));
    else node = node?.additionalProperties === false ? undefined : node?.additionalProperties;
  }
  return node;
}

function ownProperty(properties: Record<string, KeyNode>, key: string): KeyNode | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The values a key may have, in words. */
export function typeText(node: KeyNode): string {
  const type = bareTypeText(node);
  return node.note === undefined ? type : `${type}; ${node.note}`;
}

function bareTypeText(node: KeyNode): string {
  if (node.anyOf) return node.anyOf.map(typeText).join(' or ');
  if (node.const !== undefined) return String(node.const);
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(', ');
  if (node.type === 'integer') return `integer from ${node.minimum ?? ''} to ${node.maximum ?? ''}`;
  if (node.type === 'string') return node.minLength === undefined ? 'string' : 'non-empty string';
  if (node.type === 'array') return `array of ${node.items ? typeText(node.items) : 'value'}s`;
  if (node.additionalProperties && isLeaf(node)) return 'object of strings';
  return node.type ?? 'value';
}
