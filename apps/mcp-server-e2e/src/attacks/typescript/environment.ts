import assert from 'node:assert/strict';

import { project } from '../arena/aftermath.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, eachRefused, outcomesOf } from './attempts.js';

/** Attacks that try to learn about the machine and the server. */
export const environment: readonly ProgramAttack[] = [
  {
    id: 'TS-17',
    what: 'read environment variables: Deno.env, process.env, loadEnvFile, a Worker',
    stoppedBy: 'an empty environment; Deno',
    attack: eachRefused(({ secrets }) => [
      'JSON.stringify(Deno.env.toObject())',
      'Deno.env.get("CANARY")',
      'Deno.env.get("PATH")',
      'Deno.env.has("API_KEY")',
      'Deno.env.set("A", "b")',
      'process.env.CANARY',
      'JSON.stringify(process.env)',
      'Object.keys(process.env)',
      '({ ...process.env })',
      '(await node("process")).env.HOME',
      `process.loadEnvFile("${secrets}/.env")`,
    ]),
  },
  {
    id: 'TS-30',
    what: 'learn about host, user, network and load from Deno and node:os',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      () => [
        ...[
          'hostname',
          'osRelease',
          'osUptime',
          'loadavg',
          'systemMemoryInfo',
          'networkInterfaces',
          'uid',
          'gid',
        ].map((name) => `Deno.${name}()`),
        ...[
          'hostname',
          'release',
          'uptime',
          'loadavg',
          'totalmem',
          'freemem',
          'networkInterfaces',
          'userInfo',
          'homedir',
          'tmpdir',
          'cpus',
          'version',
          'getPriority',
          'setPriority',
        ].map((name) => `(await node("os")).${name}(${name === 'setPriority' ? '0' : ''})`),
        'process.getuid()',
        'process.setuid(0)',
        'process.umask(0)',
        'Deno.umask(0)',
        'process.report.getReport()',
        '(await node("dns")).getServers()',
        '(await node("tls")).getCACertificates("system")',
      ],
      /Requires (?:sys|env|read) access/,
    ),
  },
  {
    id: 'TS-32',
    what: 'find a secret in the heap of the process',
    stoppedBy: 'no secret is given to the process',
    async attack({ run }) {
      const report = await run(`
        const { getHeapSnapshot } = await import("node:v8");
        let text = "";
        for await (const chunk of getHeapSnapshot()) text += chunk;
        return { length: text.length, found: [...new Set(text.match(/CANARY-[0-9a-f]+|[A-Za-z0-9_.:/@-]*(?:PROXY|API_KEY|SECRET)[A-Za-z0-9_]*/g) ?? [])].filter((name) => !name.startsWith("text")) };`);
      const { length, found } = report.result as { length: number; found: string[] };
      assert.ok(length > 100_000);
      assert.deepEqual(
        found.filter((name) => name.startsWith('CANARY-')),
        [],
      );
    },
  },
  {
    id: 'TS-34',
    what: 'debug the process: inspector sessions and servers, trace events, reports, profiles',
    stoppedBy: 'Deno',
    attack: eachRefused(
      ({ secrets, port }) => [
        `(await node("inspector")).default.open(${port}, "127.0.0.1")`,
        '(await node("inspector")).default.url()',
        '(() => { const { Session } = process.getBuiltinModule("inspector"); const s = new Session(); s.connect(); return s })()',
        `(await node("v8")).writeHeapSnapshot("${secrets}/heap")`,
        'process._debugProcess(1).x',
      ],
      /Requires (?:net|sys|write|run|read|env) access|is not a function|undefined/,
    ),
  },
  {
    id: 'TS-36',
    what: 'get permissions: request them, answer the prompt, start a Worker that has more',
    stoppedBy: 'Deno (--no-prompt, --deny-*)',
    async attack({ run }) {
      const names = ['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'];
      const outcomes = outcomesOf(
        await run(
          attemptProgram(
            names.flatMap((name) => [
              `(await Deno.permissions.query({ name: "${name}" })).state`,
              `(await Deno.permissions.request({ name: "${name}" })).state`,
            ]),
          ),
        ),
      );
      assert.deepEqual([...new Set(outcomes.map(({ got }) => got))], ['denied']);
    },
  },
  {
    id: 'TS-38',
    what: 'use the graphics card, whose drivers need no permission and write to the home folder',
    stoppedBy: 'no backend is enabled; OS',
    async attack({ run }) {
      const outcomes = outcomesOf(
        await run(
          attemptProgram([
            'navigator.gpu?.requestAdapter()',
            'navigator.gpu?.requestAdapter({ forceFallbackAdapter: true })',
            'navigator.gpu?.requestAdapter({ powerPreference: "low-power" })',
          ]),
        ),
      );
      assert.deepEqual([...new Set(outcomes.map(({ got }) => got))], ['null']);
    },
  },
  {
    id: 'TS-40',
    what: 'learn where the product is, and the process id of the server: stack traces, the process, the heap',
    stoppedBy: 'OS; portable: links with meaningless names, and the bootstrap',
    async attack({ run, pid, places: { home, temp } }) {
      const outcomes = outcomesOf(
        await run(
          attemptProgram([
            'Deno.execPath()',
            'Deno.mainModule',
            'Deno.cwd()',
            'Deno.ppid',
            'process.argv',
            'process.argv0',
            'process.execPath',
            'process.title',
            'process.ppid',
            '(await node("process")).default.cwd()',
            'new Error("x").stack',
            'import.meta.url',
            '(await node("util")).inspect((await node("util")).getCallSites?.())',
            '(() => { try { null.x } catch (error) { return error.stack } })()',
            '(() => { const error = new Error(); error.name = Symbol(); return error.stack })()',
            'callMCPTool("absent").catch((error) => error.stack)',
            '(() => { Error.prepareStackTrace = (_, sites) => sites.map((site) => [site.getFileName(), site.getScriptNameOrSourceURL(), site.getEvalOrigin()]); return new Error("x").stack })()',
          ]),
        ),
      );
      const heap = await run(`
        let text = "";
        for await (const chunk of (await import("node:v8")).getHeapSnapshot()) text += chunk;
        const strings = text.split('"').filter((part) => /node_modules|bootstrap|server-e2e/.test(part));
        return [...new Set(strings)].map((part) => part.slice(0, 500));`);
      assert.ok(Array.isArray(heap.result) && heap.result.length > 0, heap.error);
      // In portable isolation, the program knows its working folder, next to which the product appears to be.
      const text = JSON.stringify([outcomes, heap.result]).replaceAll(
        new RegExp(`${temp}/code-executor-\\d+-\\w+/(?:app/(?:rt|deno)|\\d+/work)`, 'g'),
        '',
      );
      assert.ok(!text.includes(home), text);
      assert.ok(!text.includes(project), text);
      // A small process id may also occur as a line number in a stack, so the whole text is not searched.
      assert.deepEqual(
        outcomes.filter(({ got = '' }) => got === String(pid) || got.includes(`-${pid}-`)),
        [],
      );
    },
  },
  {
    id: 'TS-42',
    what: 'make failures reveal paths of the host: load errors, system errors, crashes',
    stoppedBy: 'server (paths are replaced in messages); OS',
    async attack({ run, places: { home } }) {
      for (const program of [
        'import "./absent.js";',
        'import "node:absent";',
        'Deno.readTextFileSync(".");',
        'Deno.readTextFileSync(Deno.execPath());',
        'await import(Deno.mainModule + "x");',
        'throw new Error(Deno.cwd() + Deno.execPath() + Deno.mainModule);',
        'console.error(Deno.cwd(), Deno.execPath(), Deno.mainModule, process.argv); process.abort();',
        'new Worker(import.meta.url, { type: "module" });',
        'const = ;',
      ]) {
        const { error = '', stderr = '', output } = await run(program);
        for (const text of [error, stderr, output]) {
          assert.ok(!text.includes('node_modules') && !text.includes(home), `${program}\n${text}`);
        }
      }
    },
  },
];
