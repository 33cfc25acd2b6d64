import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { createHome, removeHome } from '../server-under-test/home.js';
import { until } from '../server-under-test/until.js';
import { type EraClient, sdkClients } from './era-clients.js';
import { type Form, type OnForm, personWho } from './person.js';

const filesServer = fileURLToPath(new URL('../upstream-servers/files-server.mjs', import.meta.url));
const tenMinutesPass = new URL('ten-minutes-pass.mjs', import.meta.url).href;
const config = {
  mcpServers: { files: { command: process.execPath, args: [filesServer] } },
  sandbox: { spares: { typescript: 0, python: 0 } },
  policy: {
    defaultAllowedTools: ['files'],
    ask: ['executePython'],
    servers: { files: { ask: ['remove'] } },
  },
};

/** Makes three calls at once, two of which need a person; its value is what came of each. */
const threeCalls = `
  const outcome = (tool, path) => tools.files[tool]({ path }).catch((error) =>
    [error.code, error instanceof ToolNotAllowedError]);
  return await Promise.all([outcome('read', 'a'), outcome('remove', 'b'), outcome('remove', 'c')]);`;

describe.each(sdkClients)('a person at a client made with %s', (_name, connect) => {
  let home: string;
  let client: EraClient | undefined;
  beforeEach(async () => {
    home = await createHome({ '.code-executor.json': JSON.stringify(config) });
  });
  afterEach(async () => {
    await client?.close();
    await removeHome(home);
  });

  /** The report of a program, while the person does this with each form. */
  async function run(
    onForm: OnForm | undefined,
    code = threeCalls,
    { tool = 'executeTypescript', env = {} }: { tool?: string; env?: Record<string, string> } = {},
  ) {
    client = await connect({ home, env, onToolsChanged: () => undefined, ...(onForm && { onForm }) });
    const { structuredContent } = await client.callTool(tool, { code });
    return structuredContent as { result?: unknown; errorCode?: string };
  }

  test('allows both calls that wait, and the audit has it', async () => {
    const { result } = await run(personWho({ b: 'yes, once', c: 'yes, once' }));
    expect(result).toEqual(['read a', 'remove b', 'remove c']);
    const asked = { type: 'ask', action: 'once', status: 'success', toolName: 'mcp__files__remove' };
    const records = await auditRecordsOf(home);
    expect(records.filter(({ type }) => type === 'ask')).toMatchObject([asked, asked]);
  });

  test('allows one of them', async () => {
    const { result } = await run(personWho({ b: 'no', c: 'yes, once' }));
    expect(result).toEqual(['read a', ['permission_denied', true], 'remove c']);
  });

  test('allows the tool for the whole run, and is not asked again', async () => {
    const forms: Form[] = [];
    const answer = personWho({ b: 'yes, this tool for this run' });
    const onForm = (form: Form) => {
      forms.push(form);
      return answer(form);
    };
    const { result } = await run(
      onForm,
      `const before = await tools.files.remove({ path: 'b' });
       return [before, await tools.files.remove({ path: 'c' })];`,
    );
    expect(result).toEqual(['remove b', 'remove c']);
    expect(forms).toHaveLength(1);
  });

  test('declines the form', async () => {
    const { result } = await run(() => ({ action: 'decline' }));
    expect(result).toEqual(['read a', ['permission_denied', true], ['permission_denied', true]]);
  });

  test('dismisses the form', async () => {
    const { result } = await run(() => ({ action: 'cancel' }));
    expect(result).toEqual(['read a', ['cancelled', false], ['cancelled', false]]);
  });

  test('does not answer within the time, and comes back too late', async () => {
    const unanswered = async () => {
      const records = await auditRecordsOf(home);
      return records.filter(({ type, action }) => type === 'ask' && action === 'timed_out').length;
    };
    const answerLate = personWho({ b: 'yes, once', c: 'yes, once' });
    const onForm = async (form: Form) => {
      await until(async () => (await unanswered()) === 2);
      return answerLate(form);
    };
    const { result } = await run(onForm, threeCalls, { env: { NODE_OPTIONS: `--import=${tenMinutesPass}` } });
    const late = ['deadline_exceeded', false];
    expect(result).toEqual(['read a', late, late]);
    expect(await unanswered()).toBe(2);
  });

  test('cannot be asked', async () => {
    const { result } = await run(undefined);
    const unsupported = ['failed_precondition', false];
    expect(result).toEqual(['read a', unsupported, unsupported]);
  });

  test('is asked before a program starts', async () => {
    const forms: Form[] = [];
    const report = await run(
      (form) => {
        forms.push(form);
        return { action: 'decline' };
      },
      'print("launch")',
      { tool: 'executePython' },
    );
    expect(report).toMatchObject({ errorCode: 'permission_denied' });
    expect(forms.map(({ message }) => message)).toEqual([
      expect.stringMatching(/executePython[^]*policy\.ask[^]*print\(\\"launch\\"\)/),
    ]);
  });
});
