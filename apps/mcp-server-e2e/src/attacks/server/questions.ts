import assert from 'node:assert/strict';

import type { Form, FormAnswer, OnForm } from '../../protocol/person.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { takeUpstreamCalls } from '../arena/upstream-calls.js';
import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

/** A server where a person has to agree to each call of `echo`. */
const asking = (onForm: OnForm, budget = {}) => ({
  config: { policy: { ceiling: ['mcp__fixture__*'], servers: { fixture: { ask: ['echo'] } }, budget } },
  onForm,
});

/** A program that calls `echo` with each of these arguments, at once or in turn, and counts the outcomes. */
const countedCalls = (argsOf: string, count: number, isAtOnce: boolean) => `
  const counts = {};
  const call = (i) => callMCPTool('mcp__fixture__echo', ${argsOf}).then(() => 'ok', ({ code }) => code)
    .then((outcome) => { counts[outcome] = (counts[outcome] ?? 0) + 1; });
  if (${isAtOnce}) await Promise.all(Array.from({ length: ${count} }, (_, i) => call(i)));
  else for (let i = 0; i < ${count}; i++) await call(i);
  return counts;`;

const fixture = { allowedTools: ['fixture'], timeoutMs: 120_000 };

/** The calls that have reached the upstream server, although nobody agreed to them. */
async function checkNothingCalled({ places }: StdioArena): Promise<void> {
  assert.deepEqual(await takeUpstreamCalls(places), []);
}

const decline = (): FormAnswer => ({ action: 'decline' });

/** Attacks on the person who is asked, and on what the person sees. */
export const questions: readonly ServerAttack[] = [
  {
    id: 'ASK-01',
    what: 'answer a question in ways that are no answer: keys that every object has, keys of other calls, other spellings, numbers, lists, objects, prototypes, actions that do not exist',
    stoppedBy: 'server (only the exact choices count, and only for open calls)',
    async attack() {
      const answers: unknown[] = [
        { action: 'accept' },
        { action: 'accept', content: {} },
        { action: 'accept', content: { constructor: 'yes, once', c0: 'yes, once', c99: 'yes, once' } },
        ...['Yes, once', 'yes', 'once', ' yes, once', 'run', 'allow', 'yes, as often as said below'].map(
          (choice) => ({ action: 'accept', content: { c1: choice } }),
        ),
        ...[true, 1, ['yes, once']].map((choice) => ({
          action: 'accept',
          content: { c1: choice, times: '9' },
        })),
        ...[0, -1, 0.5, 1e9].map((times) => ({
          action: 'accept',
          content: { c1: 'yes, as often as said below', times },
        })),
        { action: 'cancel', content: { c1: 'yes, once' } },
        { action: 'decline', content: { c1: 'yes, once' } },
      ];
      let next = 0;
      const onForm = () => answers[next++ % answers.length] as FormAnswer;
      await withAttacked(asking(onForm), async (server) => {
        const code = `return await callMCPTool('mcp__fixture__echo', {}).then(() => 'called', ({ code }) => code)`;
        for (const answer of answers) {
          const { result } = await server.run(code, fixture);
          const expected = (answer as FormAnswer).action === 'decline' ? 'permission_denied' : 'cancelled';
          assert.equal(result, expected, JSON.stringify(answer));
        }
        assert.equal(next, answers.length);
        await checkNothingCalled(server);
      });
    },
  },
  {
    id: 'ASK-02',
    what: 'wear the person down: make the same call again after it was denied, make others in an endless loop',
    stoppedBy:
      'server (a denied call is not asked about again; 256 calls of an execution come before a person)',
    async attack() {
      let forms = 0;
      const onForm = () => {
        forms++;
        return decline();
      };
      await withAttacked(asking(onForm), async (server) => {
        const same = await server.run(countedCalls(`{ message: 'again' }`, 900, false), fixture);
        assert.deepEqual([same.result, forms], [{ permission_denied: 900 }, 1]);
        forms = 0;
        const others = await server.run(countedCalls('{ message: i }', 900, false), fixture);
        assert.deepEqual(others.result, { permission_denied: 256, resource_exhausted: 644 });
        assert.equal(forms, 256);
        await checkNothingCalled(server);
      });
    },
  },
  {
    id: 'ASK-03',
    what: 'hide in a question what is called: control, bidirectional and invisible characters, new lines that look like another question, a long text before what matters',
    stoppedBy:
      'server (one line for each argument list; hidden characters are replaced; long texts are cut one by one)',
    async attack() {
      const forms: Form[] = [];
      const onForm = (form: Form) => {
        forms.push(form);
        return decline();
      };
      await withAttacked(asking(onForm), async (server) => {
        const args = [
          `{ message: '\\u001b[2J\\u001b]0;safe\\u0007\\u009b31m' }`,
          `{ message: '\\u202egpj.exe\\u2066\\u200b\\u00ad\\ufeff\\u3164\\u2800\\u{e0041}' }`,
          `{ message: 'a\\n\\n2. mcp__fixture__safe\\n   arguments: {}\\r\\u2028\\u2029\\u0085' }`,
          `{ before: 'x'.repeat(200_000), path: '/etc/passwd' }`,
        ];
        const calls = args.map((each) => `callMCPTool('mcp__fixture__echo', ${each})`);
        await server.run(`await Promise.allSettled([${calls.join(', ')}])`, fixture);
        const texts = forms.map(({ message }) => message);
        const all = texts.join('\n');
        assert.doesNotMatch(all, /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?!\n)\p{Cc}/u);
        // Each line is one of the server's own; no text of the program begins one.
        const foreign = all
          .split('\n')
          .filter(
            (line) =>
              !/^(A program that runs|\d+\. mcp__fixture__echo$| {3}(why|not all is shown|arguments)|$)/.test(
                line,
              ),
          );
        assert.deepEqual(foreign, []);
        assert.match(all, /"path":"\/etc\/passwd"/);
        for (const text of texts)
          assert.ok(text.length < 30_000, `A question has ${text.length} characters.`);
        await checkNothingCalled(server);
      });
    },
  },
  {
    id: 'ASK-04',
    what: 'let 4,000 and 10,000 calls wait for a person at once, while the person looks at the first question',
    stoppedBy:
      'server (256 calls of an execution come before a person, 32 in a question; 4,096 waiting calls of a program)',
    async attack() {
      let forms = 0;
      let answer: (answer: FormAnswer) => void = () => undefined;
      const answered = new Promise<FormAnswer>((resolve) => (answer = resolve));
      const onForm = () => (++forms === 1 ? answered : decline());
      const atOnce = (count: number, args = '{ i }') => countedCalls(args, count, true);
      await withAttacked(asking(onForm, { maxCalls: 20_000 }), async (server) => {
        const running = server.run(atOnce(4000, `{ i, text: 'x'.repeat(1000) }`), fixture);
        while (forms === 0) await server.ping();
        for (let pings = 0; pings < 20; pings++) assert.ok((await server.ping()) < 5000);
        answer(decline());
        const { result, error } = await running;
        assert.deepEqual([result, error], [{ permission_denied: 256, resource_exhausted: 3744 }, undefined]);
        assert.ok(forms <= 256, `${forms} questions were shown.`);
        const tooMany = await server.run(atOnce(10_000), fixture);
        assert.match(tooMany.error ?? '', /more than 4096 of its calls waited at once/);
        await checkNothingCalled(server);
      });
    },
  },
];
