import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from '@jest/globals';

import { connectClient, type TestClientOptions } from '../connect-client.test.support.js';
import type { Era } from '../requesting-client.js';
import { asking, askingServer } from './asking-server.test.support.js';
import type { FormAnswer, QuestionForm } from './question-form.js';

const eras: Era[] = ['legacy', 'modern'];

describe.each(eras)('three calls, of which two need a person, in the %s era', (era) => {
  let client: Client;
  afterEach(() => client.close());

  async function run(onForm?: TestClientOptions['onForm']) {
    const server = askingServer();
    client = await connectClient(server, { era, ...(onForm && { onForm }) });
    const { structuredContent } = await client.callTool(asking);
    return (structuredContent as { result: unknown }).result;
  }

  /** Answers each form with these choices, in the order of its calls. */
  const choose =
    (...choices: unknown[]) =>
    ({ requestedSchema: { required } }: QuestionForm): FormAnswer => ({
      action: 'accept',
      content: Object.fromEntries(required.map((key, index) => [key, choices[index]])),
    });

  test('are made once the person has agreed to both', async () => {
    expect(await run(choose('yes, once', 'yes, once'))).toEqual(['content', 'removed b', 'removed c']);
  });

  test('are made in part if the person agrees to one', async () => {
    expect(await run(choose('no', 'yes, once'))).toEqual(['content', 'permission_denied', 'removed c']);
  });

  test('are denied with the whole form', async () => {
    const denied = ['content', 'permission_denied', 'permission_denied'];
    expect(await run(() => ({ action: 'decline' }))).toEqual(denied);
  });

  test('are cancelled with a form that is dismissed', async () => {
    expect(await run(() => ({ action: 'cancel' }))).toEqual(['content', 'cancelled', 'cancelled']);
  });

  test('count as dismissed if the answer is none of the choices', async () => {
    expect(await run(choose('of course', 7))).toEqual(['content', 'cancelled', 'cancelled']);
  });

  test('are refused if the client cannot show a form', async () => {
    expect(await run()).toEqual(['content', 'failed_precondition', 'failed_precondition']);
  });

  test('are asked about in one form, which names tool, arguments, execution and reason', async () => {
    const forms: QuestionForm[] = [];
    await run((form) => {
      forms.push(form);
      return { action: 'decline' };
    });
    expect(forms).toHaveLength(1);
    const [{ message, requestedSchema }] = forms as [QuestionForm];
    expect(message).toMatch(/^A program that runs in Code Executor \(exec_\d{20}\) .* to make 2 calls:/);
    expect(message).toContain(
      '1. mcp__files__remove\n   why you are asked: policy.servers.files.ask\n   arguments: {"path":"b"}',
    );
    expect(message).toContain('2. mcp__files__remove');
    expect(message).toContain('arguments: {"path":"c"}');
    expect(requestedSchema.required).toEqual(['c1', 'c2']);
    expect(requestedSchema.properties['c1']).toMatchObject({
      type: 'string',
      enum: ['yes, once', 'yes, this tool for this run', 'yes, as often as said below', 'no'],
    });
  });
});
