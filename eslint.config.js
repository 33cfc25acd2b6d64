import { builtinModules } from 'node:module';

import eslint from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import globals from 'globals';
import jsoncParser from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';

import { noAmbientProcess } from './tools/lint/no-ambient-process.mjs';
import { ownedPackages } from './tools/lint/owned-packages.mjs';
import { packageOwners } from './tools/lint/package-owners.mjs';

/** Rules of this repository; tools/lint has a test for each. */
const house = { rules: { 'no-ambient-process': noAmbientProcess, 'owned-packages': ownedPackages } };

/** What only tests and development use; a product's users never load it. */
const tests = ['**/*.test.*', '**/fixtures/**', 'apps/mcp-server-e2e/**'];

/** Each layer may import only the layers below it. */
const layers = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:foundation', onlyDependOnLibsWithTags: ['layer:contracts'] },
  { sourceTag: 'layer:capability', onlyDependOnLibsWithTags: ['layer:contracts', 'layer:foundation'] },
  {
    sourceTag: 'layer:orchestration',
    onlyDependOnLibsWithTags: ['layer:contracts', 'layer:foundation', 'layer:capability'],
  },
  {
    sourceTag: 'layer:host',
    onlyDependOnLibsWithTags: [
      'layer:contracts',
      'layer:foundation',
      'layer:capability',
      'layer:orchestration',
    ],
  },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: [
      'layer:contracts',
      'layer:foundation',
      'layer:capability',
      'layer:orchestration',
      'layer:host',
    ],
  },
  { sourceTag: 'not:mcp', bannedExternalImports: ['@modelcontextprotocol/*'] },
];

/** Where one part of the foundation is made of others: these edges, and no others. */
const foundationEdges = {
  'deno-runtime': ['isolation', 'sandbox-channel'],
  isolation: ['files', 'pipes'],
  'jsonl-log': ['files'],
  'sandbox-channel': ['pipes', 'schema-types'],
};

/** The layers, for a library of the foundation that may also import some of its own layer. */
function layersWith(parts) {
  const tags = ['layer:contracts', ...parts.map((name) => `lib:${name}`)];
  return layers.map((layer) =>
    layer.sourceTag === 'layer:foundation' ? { ...layer, onlyDependOnLibsWithTags: tags } : layer,
  );
}

export default defineConfig(
  globalIgnores(['**/dist', '**/coverage', '.nx', '**/generated']),
  {
    files: ['**/*.ts'],
    extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    extends: [eslint.configs.recommended],
    languageOptions: { globals: globals.node },
  },
  {
    // These files run inside the sandbox, not in Node.
    files: ['libs/*/assets/**/*.js'],
    languageOptions: { globals: { ...globals.es2025, ...globals.browser, Deno: 'readonly' } },
  },
  {
    files: ['**/*.{ts,js,mjs}'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': ['error', { depConstraints: layers }] },
  },
  ...Object.entries(foundationEdges).map(([name, parts]) => ({
    files: [`libs/${name}/**/*.{ts,js,mjs}`],
    rules: { '@nx/enforce-module-boundaries': ['error', { depConstraints: layersWith(parts) }] },
  })),
  {
    files: ['{apps,libs}/**/*.{ts,js,mjs}'],
    ignores: [...tests, '**/jest.config.js', '**/bundle.mjs'],
    plugins: { house },
    rules: { 'house/owned-packages': ['error', packageOwners] },
  },
  {
    // Only `config` reads the environment, only apps use standard streams; everybody else gets options.
    files: ['libs/*/src/**/*.ts'],
    ignores: [...tests, 'libs/config/**', 'libs/contracts/src/testing/**'],
    languageOptions: { globals: globals.node },
    plugins: { house },
    rules: { 'house/no-ambient-process': 'error' },
  },
  {
    // They are for any runtime.
    files: ['libs/contracts/src/**/*.ts'],
    ignores: [...tests, 'libs/contracts/src/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: builtinModules,
          patterns: [{ group: ['node:*'], message: 'Contracts run on any runtime.' }],
        },
      ],
      'no-restricted-globals': [
        'error',
        {
          globals: ['Buffer', 'clearImmediate', 'global', 'process', 'setImmediate'],
          checkGlobalObject: true,
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'ImportExpression, TSImportType', message: 'Import it at the top, where lint looks.' },
      ],
    },
  },
  {
    // The SDK advises against these, but has nothing else for a server that answers bad input itself, in both eras.
    files: ['apps/mcp-server/src/mcp/**/*.ts'],
    rules: {
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          allow: [
            {
              from: 'package',
              package: '@modelcontextprotocol/server',
              name: ['Server', 'getClientCapabilities', 'getClientVersion', 'LOG_LEVEL_META_KEY'],
            },
          ],
        },
      ],
    },
  },
  { files: ['**/*.{ts,js,mjs}'], rules: { 'max-lines': ['error', 300] } },
  {
    files: ['{apps,libs}/**/*.{ts,js,mjs}'],
    // A test kit is one describe block, like a test.
    ignores: [...tests, 'libs/contracts/src/testing/describe-*.ts'],
    rules: { 'max-lines-per-function': ['error', { max: 60, skipComments: true }] },
  },
  {
    files: ['{apps,libs}/*/package.json'],
    // It is all tests, and what tests need is a dependency of the repository.
    ignores: ['apps/mcp-server-e2e/package.json'],
    languageOptions: { parser: jsoncParser },
    plugins: { '@nx': nx },
    rules: {
      '@nx/dependency-checks': [
        'error',
        {
          // What libs/host imports of these stays out of the server's bundle: they are files that Deno reads.
          ignoredDependencies: ['@code-executor/sandbox-deno', '@code-executor/sandbox-pyodide'],
          ignoredFiles: [
            '{projectRoot}/**/*.test.ts',
            '{projectRoot}/**/*.test.support.ts',
            '{projectRoot}/jest.config.js',
            '{projectRoot}/bundle.mjs',
          ],
        },
      ],
    },
  },
  prettier,
);
