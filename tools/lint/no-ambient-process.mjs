import { ReferenceTracker } from '@eslint-community/eslint-utils';

const isRead = { [ReferenceTracker.READ]: true };
/** The message for each member of `process`. */
const members = { env: 'environment', stdin: 'stream', stdout: 'stream', stderr: 'stream' };
const trackedGlobals = {
  process: { ...isRead, ...Object.fromEntries(Object.keys(members).map((name) => [name, isRead])) },
  console: isRead,
};

/**
 * Forbids the environment and the standard streams in libraries, however they are accessed. The globals of Node must
 * be declared in `languageOptions.globals`.
 */
export const noAmbientProcess = {
  meta: {
    type: 'problem',
    docs: { description: 'Disallow process.env, the standard streams and console.' },
    schema: [],
    messages: {
      environment: 'Only libs/config reads the environment; take what you need as an option.',
      stream: 'Only apps use standard streams; return the text, or take a Logger as an option.',
      hidden: 'Write process.<member>, so that lint sees which member is used.',
    },
  },
  create(context) {
    const refuseModule = ({ source }) => {
      const isAmbient = /^(node:)?(process|console)$/.test(source?.value ?? '');
      if (isAmbient) context.report({ node: source, messageId: 'hidden' });
    };
    return {
      'Program:exit'(program) {
        const tracker = new ReferenceTracker(context.sourceCode.getScope(program));
        for (const { node, path } of tracker.iterateGlobalReferences(trackedGlobals)) {
          const messageId = messageFor(path.at(-1), node);
          if (messageId) context.report({ node, messageId });
        }
      },
      ImportDeclaration: refuseModule,
      ExportNamedDeclaration: refuseModule,
      ExportAllDeclaration: refuseModule,
      ImportExpression: refuseModule,
    };
  },
};

function messageFor(name, node) {
  if (name === 'console') return 'stream';
  return members[name] ?? (namesMembers(node) ? undefined : 'hidden');
}

/** Whether the code only uses members of `process` by literal names, which the reference tracker finds itself. */
function namesMembers(node) {
  const { parent } = node;
  if (parent.type === 'MemberExpression') {
    return parent.object === node && (!parent.computed || parent.property.type === 'Literal');
  }
  if (parent.type !== 'VariableDeclarator' || parent.id.type !== 'ObjectPattern') return false;
  return parent.id.properties.every((property) => property.type === 'Property' && !property.computed);
}
