/**
 * Checks what users get: packs every package, installs all of them into an empty folder outside the repository, and
 * uses them there. `node tools/check-packages.mjs` runs only this.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

import { tryWrappers } from './check-wrappers.mjs';
import { check, inTemporaryFolder, installAll, packAll } from './checks/installed-packages.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { reportChecks } from './print.mjs';
import { listPackages } from './projects.mjs';
import { cleanEnvironment, run, runBin } from './run.mjs';

const server = { package: '@code-executor/mcp-server', bin: 'code-executor-mcp' };
const programs = [
  { tool: 'executeTypescript', code: 'return 42' },
  { tool: 'executePython', code: 'import statistics\nstatistics.mean([40, 44])' },
];

/** One check per property of each package; `note` holds what was measured. */
export function checkPackages() {
  return inTemporaryFolder('packages', async (folder) => {
    const projects = listPackages();
    const packed = await packAll(projects, folder);
    const checks = [];
    for (const [index, project] of projects.entries()) {
      checks.push(await checkTarball(project, packed[index]));
    }
    const installed = join(folder, 'installed');
    const install = await installAll(installed, packed);
    checks.push(install);
    if (install.failed === 0) {
      for (const project of projects.filter(hasMainExport))
        checks.push(await checkImport(project, installed));
      checks.push(await checkVersion(projects, installed));
      for (const program of programs) checks.push(await checkExecution(installed, program));
      checks.push(...(await tryWrappers(installed)));
    }
    return checks;
  });
}

const hasMainExport = ({ manifest }) => manifest.exports?.['.'] !== undefined;

/** Checks a package without installing it. */
async function checkTarball(project, tarball) {
  const problems = [];
  for (const file of ['LICENSE', 'README.md', 'package.json']) {
    if (!tarball.files.includes(file)) problems.push(`${file} is missing from the package.`);
  }
  if (project.manifest.repository?.directory !== project.folder) {
    problems.push(`package.json has no repository with the directory ${project.folder}.`);
  }
  const tests = tarball.files.filter((file) => /\.test\.|test-results|\.tsbuildinfo$/.test(file));
  if (tests.length > 0) problems.push(`These files do not belong in the package: ${tests.join(', ')}.`);

  const bytes = await readFile(tarball.path);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  problems.push(...messages.map((message) => `publint: ${formatMessage(message, pkg)}`));

  // attw only works for packages that can be imported.
  if (hasMainExport(project)) {
    const attw = await runBin(
      '@arethetypeswrong/cli',
      [tarball.path, '--profile', 'esm-only', '--no-definitely-typed'],
      {
        command: 'attw',
      },
    );
    if (attw.code !== 0) problems.push(attw.output);
  }
  const note = `${tarball.files.length} files, ${Math.ceil(tarball.size / 1024)} kB`;
  return check(`${project.name}: contents, publint, attw`, problems.join('\n'), note);
}

async function checkImport({ name, manifest }, cwd) {
  const script = `console.log(Object.keys(await import('${manifest.name}')).join(', '))`;
  const node = await run(process.execPath, ['--input-type=module', '-e', script], { cwd });
  return check(`${name}: import`, node.code === 0 ? '' : node.output, node.stdout.trim());
}

async function checkVersion(projects, cwd) {
  const { version } = projects.find(({ manifest }) => manifest.name === server.package).manifest;
  const bin = join(cwd, 'node_modules', '.bin', server.bin);
  const { code, stdout, output } = await run(bin, ['--version'], { cwd });
  const isRight = code === 0 && stdout.trim() === version;
  return check(
    `${server.bin} --version`,
    isRight ? '' : `Expected ${version}, got:\n${output}`,
    stdout.trim(),
  );
}

/** Runs one program through the installed server, with a real client. */
async function checkExecution(cwd, { tool, code }) {
  const name = `installed server runs ${tool}`;
  // Its own home, so that the user's servers and settings have no effect.
  const transport = new StdioClientTransport({
    command: join(cwd, 'node_modules', '.bin', server.bin),
    cwd,
    env: cleanEnvironment({ HOME: cwd, USERPROFILE: cwd, XDG_CONFIG_HOME: cwd }),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr.on('data', (chunk) => (stderr += chunk));
  const client = new Client({ name: 'check-packages', version: '1.0.0' });
  try {
    await client.connect(transport);
    const { structuredContent: report } = await client.callTool({ name: tool, arguments: { code } });
    const problem = report?.result === 42 ? '' : `Got:\n${JSON.stringify(report, null, 2)}\n${stderr}`;
    return check(name, problem, report?.isolation);
  } catch (error) {
    return check(name, `${error.message}\n${stderr}`);
  } finally {
    await client.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureBuilt();
  const { passed, failed } = reportChecks(await checkPackages());
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
