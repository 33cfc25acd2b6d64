import { isBuiltin } from 'node:module';

import { getStaticValue } from '@eslint-community/eslint-utils';

/** Allows only its owners to import a third-party package. The option is a table, package → projects. */
export const ownedPackages = {
  meta: {
    type: 'problem',
    docs: { description: 'Allow a third-party package only in the projects that own it.' },
    schema: [{ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }],
    messages: {
      notOwner: '{{project}} does not own {{name}}; {{owners}} does (tools/lint/package-owners.mjs).',
      unknown: 'No project owns {{name}}; name its owner in tools/lint/package-owners.mjs.',
    },
  },
  create(context) {
    const [owners] = context.options;
    const project = /(?:^|[/\\])(?:apps|libs)[/\\]([^/\\]+)[/\\]/.exec(context.filename)?.[1];
    if (project === undefined) return {};
    const check = (node) => {
      const specifier = node && getStaticValue(node)?.value;
      const name = typeof specifier === 'string' ? packageOf(specifier) : undefined;
      if (name === undefined) return;
      if (!Object.hasOwn(owners, name)) context.report({ node, messageId: 'unknown', data: { name } });
      else if (!owners[name].includes(project)) {
        const data = { project, name, owners: owners[name].join(', ') };
        context.report({ node, messageId: 'notOwner', data });
      }
    };
    return {
      'ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration, ImportExpression'({ source }) {
        check(source);
      },
      TSImportType({ source }) {
        check(source);
      },
      // Matches require(), require.resolve() and import.meta.resolve().
      'CallExpression:matches([callee.name="require"], [callee.property.name="resolve"])'(node) {
        if (isResolver(node.callee)) check(node.arguments[0]);
      },
    };
  },
};

function isResolver({ type, object }) {
  return type === 'Identifier' || object.type === 'MetaProperty' || object.name === 'require';
}

/** The third-party package of an import specifier, or undefined if it is not one. */
function packageOf(specifier) {
  if (/^[./#]|^(file|node):|^@code-executor\//.test(specifier) || isBuiltin(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
