/**
 * Creates a library: `node tools/new-lib.mjs <name> <layer> "<one sentence>"`.
 * Layers, from the bottom: contracts, foundation, capability, orchestration, host.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const layers = ['contracts', 'foundation', 'capability', 'orchestration', 'host'];
const [name, layer, description] = process.argv.slice(2);
if (!/^[a-z][a-z0-9-]*$/.test(name ?? '') || !layers.includes(layer ?? '') || !description) {
  console.error(`Usage: node tools/new-lib.mjs <kebab-name> <${layers.join('|')}> "<one sentence>"`);
  process.exit(1);
}

const root = join(import.meta.dirname, '..');
const folder = join(root, 'libs', name);
if (existsSync(folder)) {
  console.error(`libs/${name} exists already.`);
  process.exit(1);
}

const { repository } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const files = {
  'package.json': json({
    name: `@code-executor/${name}`,
    version: '0.1.0',
    description,
    license: 'MIT',
    repository: { ...repository, directory: `libs/${name}` },
    type: 'module',
    engines: { node: '>=20.19' },
    exports: {
      '.': {
        '@code-executor/source': './src/index.ts',
        types: './dist/index.d.ts',
        default: './dist/index.js',
      },
      './package.json': './package.json',
    },
    files: ['dist', 'src', '!**/*.test.*', '!**/*.tsbuildinfo'],
    sideEffects: false,
    dependencies: { '@code-executor/contracts': '^0.1.0' },
    publishConfig: { access: 'public' },
    nx: {
      name,
      tags: [`layer:${layer}`, ...(name === 'client-pool' ? [] : ['not:mcp'])],
    },
  }),
  'tsconfig.json': json({ extends: '../../tsconfig.base.json', references: [] }),
  'jest.config.js': `export default { displayName: '${name}', preset: '../../jest.preset.js' };\n`,
  'README.md': `# @code-executor/${name}\n\n${description}.\n`,
  'src/index.ts': 'export {};\n',
};
await mkdir(join(folder, 'src'), { recursive: true });
for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
console.log(`Created libs/${name}. Next: npm install && npx nx sync`);
