import { CodeExecutorError } from '@code-executor/contracts';
import { Command, CommanderError } from 'commander';

import { auditCommand } from './audit/audit-command.js';
import { cacheCommand } from './cache/cache-command.js';
import { loginCommand } from './login/login-command.js';
import { pythonCommand } from './python/python-command.js';
import { Terminal } from './terminal.js';
import { tokenCommand } from './token/token-command.js';
import { toolsCommand } from './tools/tools-command.js';
import { trustCommand } from './trust/trust-command.js';
import { readVersion } from './version.js';
import { wrappersCommand } from './wrappers/wrappers-command.js';

/** Exit codes; 0 means that the command succeeded. */
const failed = 1;
const misused = 2;

const terminal = new Terminal();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The command stops without leaving anything half done.
  process.once(signal, () => {
    ending.abort(new CodeExecutorError('cancelled', `Ended by ${signal}; nothing was changed.`));
  });
}

const program = new Command('code-executor')
  .description('The command line of Code Executor.')
  .version(readVersion(), '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this')
  .option('--config <file>', 'read this configuration and no other')
  .addHelpText(
    'after',
    '\nExamples:\n  code-executor wrappers generate --out ./mcp\n  code-executor login github\n  code-executor token create dashboard\n  code-executor cache show\n  code-executor python add --help',
  )
  .showHelpAfterError('(Add --help for options and examples.)');
program.addCommand(pythonCommand(terminal, ending.signal));
program.addCommand(trustCommand(terminal));
program.addCommand(toolsCommand(terminal));
program.addCommand(loginCommand(terminal, ending.signal));
program.addCommand(tokenCommand(terminal));
program.addCommand(cacheCommand(terminal));
program.addCommand(auditCommand(terminal));
program.addCommand(wrappersCommand(terminal, ending.signal));
for (const command of withSubcommands(program)) command.copyInheritedSettings(program).exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : misused;
  else {
    if (!CodeExecutorError.is(error)) throw error;
    terminal.fail(error.message);
    process.exitCode = failed;
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
