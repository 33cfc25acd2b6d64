import type {
  ExecutionRequest,
  ExecutionResult,
  JsonObject,
  Sandbox,
  ToolName,
} from '@code-executor/contracts';
import type { ExecutionLanguage } from '@code-executor/executor';
import { nameTools, type ToolForm, type TypeNode } from '@code-executor/schema-types';
import type { WrapperForm } from '@code-executor/wrapper-gen';

import type { Introduction } from './introductions.js';

// A third language, whole: what each library must know of it, and what runs its programs. It has one word to a line:
// `say`, `find`, `call`, `meet` (waits for the other programs) and `give`.

const requiredOf = (args: TypeNode) =>
  args.kind === 'object' ? [...args.properties].filter(([, { isRequired }]) => isRequired) : [];

export const toyForm: ToolForm = {
  nameStyle: 'PascalCase',
  quoted: (text) => `<${JSON.stringify(text).slice(1, -1)}>`,
  outline: {
    brackets: ['[', ']'],
    parametersOf: (properties) => new Map([...properties].map((name) => [name, name.toUpperCase()])),
    optional: (parameter) => `maybe ${parameter}`,
  },
  signature: (args, result) =>
    ` with ${requiredOf(args)
      .map(([name, { type }]) => `${name} ${type.kind}`)
      .join(' and ')} gives ${result.kind}`,
  types: (tools) => tools.map(({ name }) => `${name} is a tool.\n`).join(''),
};

export const toyWrappers: WrapperForm = {
  folder: 'toy',
  extension: '.toy',
  separator: '_',
  client: { stem: 'phone', content: () => 'phone the server\n' },
  index: {
    stem: 'everybody',
    content: (servers) => servers.map(({ identifier, stem }) => `${identifier} lives in ${stem}\n`).join(''),
  },
  modules: (tools) =>
    nameTools(tools, toyForm.nameStyle).map(({ server, identifier, tools: named }) => ({
      server,
      identifier,
      content: named.map((tool) => `${tool.identifier} calls ${toyForm.quoted(tool.name)}\n`).join(''),
    })),
};

export const toy: ExecutionLanguage = {
  name: 'toy',
  title: 'Toy',
  form: toyForm,
  maxConcurrent: 1,
  takesFiles: false,
  howToGiveValue: 'Nothing was given; end the program with give.',
  auditPatterns: { shouting: /\bSAY\b/ },
};

export const toyIntroduction: Introduction = {
  title: 'Toy',
  tool: {
    name: 'executeToy',
    title: 'Execute Toy',
    description: (servers) => `Runs Toy. Servers: ${servers}.`,
  },
  search: 'find what you need',
  call: 'call',
};

/** Runs programs in memory; those that `meet` go on when the test says so. */
export class ToySandbox implements Sandbox {
  readonly language = 'toy';
  letGo: () => void = () => undefined;
  readonly #meeting = new Promise<void>((resolve) => (this.letGo = resolve));

  async execute({ code, tools }: ExecutionRequest): Promise<ExecutionResult> {
    const result: ExecutionResult = {
      status: 'succeeded',
      stdout: '',
      stderr: '',
      durationMs: 1,
      truncated: false,
      isolation: 'portable',
    };
    for (const line of code.split('\n')) {
      const [, word = '', first = '', rest = ''] = /^(\w+) ?(\S*) ?(.*)$/.exec(line) ?? [];
      try {
        if (word === 'say') result.stdout += `${first}\n`;
        if (word === 'give') result.value = JSON.parse(first) as JsonObject;
        if (word === 'meet') await this.#meeting;
        if (word === 'find') {
          const { tools: found } = await tools.listTools({ query: first, detail: 'signatures' });
          result.value = found.map(({ signature = '' }) => signature);
        }
        if (word === 'call') await tools.callTool(first as ToolName, JSON.parse(rest) as JsonObject);
      } catch (error) {
        return { ...result, status: 'failed', error: { code: 'user_error', message: String(error) } };
      }
    }
    return result;
  }

  status() {
    return Promise.resolve({ language: 'toy', isolation: 'portable' as const });
  }

  close() {
    return Promise.resolve();
  }
}
