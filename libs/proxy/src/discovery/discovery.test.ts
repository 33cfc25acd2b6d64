import type { ListOptions, ToolSchema, ToolSource } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { pythonForm, type ToolForm, typeScriptForm } from '@code-executor/schema-types';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolProxyOptions } from '../index.js';

const letter: Partial<ToolSchema> = {
  title: 'Letter',
  description: 'Sends a\tletter\u2028to a person. Costs a stamp.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  outputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
};
const schemas: Record<string, Partial<ToolSchema>> = {
  mcp__post__send_letter: letter,
  mcp__post__sell_stamps: { description: `Sells ${'many '.repeat(100)}stamps.` },
  mcp__office__send_letter: { description: 'Sends a letter to a colleague' },
  mcp__office__brew: {},
};
const source = () =>
  fakeToolSource(Object.fromEntries(Object.keys(schemas).map((name) => [name, () => 'done'])), schemas);
const list = async (options: ListOptions, given: Partial<ToolProxyOptions> = {}) =>
  (await createToolProxy({ tools: source(), ...given }).listTools(options)).tools;
const namesOf = async (options: ListOptions) => (await list(options)).map(({ name }) => name.slice(5));

describe('a listing', () => {
  test('with a query has the best tool first, with its score, and only tools that a word finds', async () => {
    const tools = await list({ query: 'where do I mail my letters to a person' });
    expect(tools.map(({ name }) => name)).toEqual(['mcp__post__send_letter', 'mcp__office__send_letter']);
    const [first = 0, second = 0] = tools.map(({ score }) => score);
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(0);
    expect([first, Math.round(second)]).toEqual([100, second]);
  });

  test('is requested again after one that failed', async () => {
    const tools = source();
    let isBroken = true;
    const listTools = (options?: ListOptions) =>
      isBroken ? Promise.reject(new Error('broken')) : tools.listTools(options);
    const proxy = createToolProxy({ tools: { ...tools, listTools } });
    await expect(proxy.listTools()).rejects.toMatchObject({ code: 'internal' });
    isBroken = false;
    expect((await proxy.listTools()).tools).toHaveLength(4);
  });

  test('without a query has all tools in the order of the source, without scores', async () => {
    expect(await namesOf({})).toEqual([
      'post__send_letter',
      'post__sell_stamps',
      'office__send_letter',
      'office__brew',
    ]);
    expect((await list({ query: ' ' })).map(({ score }) => score)).toEqual(Array(4).fill(undefined));
    expect(await list({ query: '?!' })).toEqual([]);
  });

  test.each<[ListOptions, string[]]>([
    [{ server: 'office' }, ['office__send_letter', 'office__brew']],
    [{ server: 'off' }, []],
    [{ server: 'office', query: 'letter' }, ['office__send_letter']],
    [{ offset: 1, limit: 2 }, ['post__sell_stamps', 'office__send_letter']],
    [{ offset: 3 }, ['office__brew']],
    [{ offset: 4 }, []],
    [{ query: 'send letter', server: 'post', limit: 1 }, ['post__send_letter']],
    [{ name: 'mcp__office__brew', server: 'post' }, []],
  ])('narrowed by %j has these tools', async (options, expected) => {
    expect(await namesOf(options)).toEqual(expected);
  });
});

describe('the detail', () => {
  const policy = { ceiling: ['mcp__office__*'] };
  const unavailable = {
    reason: "The server's policy forbids this tool (policy.ceiling).",
    fix: 'Use another tool, or have the operator change policy.ceiling.',
  };
  const name = 'mcp__post__send_letter';
  const signature = 'tools.post.sendLetter(args: { to: string }): Promise<{ id: number }>';

  test('names shows only names', async () => {
    expect(await list({ name, detail: 'names' }, { policy })).toEqual([{ name, unavailable }]);
    const [hit] = await list({ query: 'send letter', detail: 'names' });
    expect(Object.keys(hit ?? {})).toEqual(['name', 'score']);
  });

  test('signatures adds the first sentence of the description on one line', async () => {
    const [first, second, third, fourth] = await list({ detail: 'signatures' }, { policy });
    expect(first).toEqual({ name, description: 'Sends a letter to a person.', signature, unavailable });
    expect(second?.description).toMatch(/^Sells (?:many ){29}many…$/u);
    expect(second?.description?.length).toBeLessThanOrEqual(160);
    expect(third?.description).toBe('Sends a letter to a colleague');
    expect(Object.keys(fourth ?? {})).toEqual(['name', 'signature']);
  });

  test('brief has whole signatures as far as there is room', async () => {
    const office = { name: 'mcp__office__send_letter', server: 'office' };
    const description = 'Sends a letter to a person.';
    expect(await list({ query: 'letter', detail: 'brief' }, { policy })).toEqual([
      { name, server: 'post', signature, description, score: 100, unavailable },
      {
        ...office,
        signature: 'tools.office.sendLetter(args?: Record<string, unknown>): Promise<unknown>',
        description: 'Sends a letter to a colleague',
        score: expect.any(Number) as unknown,
      },
    ]);
    const many: ToolSchema[] = Array.from({ length: 30 }, (_, n) => ({
      ...letter,
      name: `mcp__post__letter${n}` as const,
      server: 'post',
      parameters: { type: 'object', properties: { to: {}, cc: {} }, required: ['to'] },
    }));
    const tools: ToolSource = {
      ...source(),
      listTools: () => Promise.resolve({ tools: many, failedServers: [] }),
    };
    const signaturesOf = async (limit: number, form: ToolForm) =>
      (await list({ detail: 'brief', limit }, { tools, form })).map((hit) => hit.signature);
    const [best, ...others] = await signaturesOf(30, typeScriptForm);
    expect(best).toBe('tools.post.letter0(args: { to: unknown; cc?: unknown }): Promise<{ id: number }>');
    expect(others).toEqual(Array(29).fill('{to, cc?}'));
    expect((await signaturesOf(30, pythonForm))[1]).toBe('(to, cc=...)');
    for (const each of await signaturesOf(5, typeScriptForm)) expect(each).toMatch(/^tools\.post\.letter\d/);
    const [, last] = await list({ detail: 'brief' }, { tools });
    expect(last?.description).toBe('Sends a letter to a person.');
  });

  test('brief says about the tools of a failed server only that it failed', async () => {
    const down = { reason: 'It exited with code 1.', fix: 'Look into its log.' };
    const tools: ToolSource = {
      ...source(),
      async listTools(options) {
        const listed = (await source().listTools(options)).tools;
        return {
          tools: listed.map((tool) => (tool.server === 'post' ? { ...tool, unavailable: down } : tool)),
          failedServers: [{ server: 'post', ...down }],
        };
      },
    };
    const reasons = (await list({ detail: 'brief' }, { tools })).map((hit) => hit.unavailable?.reason);
    const short = 'Its server is unavailable.';
    expect(reasons).toEqual([short, short, undefined, undefined]);
    const whole = await list({ detail: 'full' }, { tools });
    expect(whole[0]?.unavailable).toEqual(down);
  });

  test('types shows declarations', async () => {
    const [hit] = await list({ name, detail: 'types' });
    expect(Object.keys(hit ?? {})).toEqual(['name', 'types']);
    expect(hit?.types).toContain('function sendLetter(args: ');
  });

  test('full, the default, shows tools as the server has them', async () => {
    const full = [{ name, server: 'post', ...letter, signature }];
    expect(await list({ name })).toEqual(full);
    expect(await list({ name, detail: 'full' })).toEqual(full);
  });

  test('schemas shows the tool object itself', async () => {
    const { tools } = await source().listTools({ name });
    expect(await list({ name, detail: 'schemas' })).toEqual(tools);
    expect(await list({ name, detail: 'schemas' }, { policy })).toEqual([{ ...tools[0], unavailable }]);
  });

  test.each(['brief', 'signatures', 'schemas', 'full'] as const)(
    '%s gives the same objects in each execution, except for what holds in one search',
    async (detail) => {
      const tools = source();
      const given: Partial<ToolProxyOptions>[] = [{ tools }, { tools, form: pythonForm }, { tools, policy }];
      const [hit, ofPython, forbidden] = await Promise.all(
        given.map(async (options) => (await list({ name, detail }, options))[0]),
      );
      expect((await list({ name, detail }, { tools }))[0]).toBe(hit);
      expect(ofPython === hit).toBe(detail === 'schemas');
      expect(forbidden).toEqual({ ...hit, unavailable });
      const [found] = await list({ query: 'send letter', detail, server: 'post' }, { tools });
      expect(found?.score).toBeGreaterThan(0);
      expect(found).toEqual({ ...hit, score: found?.score });
      expect(hit).not.toHaveProperty('score');
    },
  );

  test("is written in the program's language", async () => {
    const [hit] = await list({ name, detail: 'signatures' }, { form: pythonForm });
    expect(hit?.signature).toContain('tools.post.send_letter(*, to: str)');
    const [types] = await list({ name, detail: 'types' }, { form: pythonForm });
    expect(types?.types).toContain('def send_letter(*, to: str)');
  });
});

describe('a listing of hundreds of tools with large types', () => {
  const inner = { properties: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, {}])) };
  const properties = Object.fromEntries(
    Array.from({ length: 45 }, (_, n) => [`q${n}`, { $ref: '#/$defs/inner' }]),
  );
  const tools = Array.from({ length: 1_000 }, (_, n): ToolSchema => ({
    name: `mcp__a__t${n}`,
    server: 'a',
    parameters: { $defs: { inner }, properties },
  }));
  const proxy = () =>
    createToolProxy({
      tools: { ...source(), listTools: () => Promise.resolve({ tools, failedServers: [] }) },
    });

  test('lets the server do other work meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await proxy().listTools({ limit: 50 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  test('ends with the execution', async () => {
    const listing = proxy().listTools({ signal: AbortSignal.timeout(20), detail: 'types' });
    await expect(listing).rejects.toMatchObject({ code: 'deadline_exceeded' });
  });

  test('is refused if its types are too large', async () => {
    await expect(proxy().listTools({ detail: 'types' })).rejects.toMatchObject({
      code: 'resource_exhausted',
    });
  });
});
