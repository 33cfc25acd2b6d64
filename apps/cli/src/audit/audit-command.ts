import type { AuditQuery } from '@code-executor/audit-log';
import { Command, Option } from 'commander';

import type { Terminal } from '../terminal.js';
import { formatRecords } from './format-records.js';
import { openAuditLog } from './open-audit-log.js';
import { moment, recordCount, statuses, types } from './search-options.js';

interface SearchOptions extends Pick<AuditQuery, 'type' | 'status' | 'server' | 'since' | 'until' | 'limit'> {
  tool?: string;
  execution?: string;
  trace?: string;
  json?: true;
}

/** `code-executor audit`: what was run, called and refused. */
export function auditCommand(terminal: Terminal): Command {
  const audit = new Command('audit').description('The record of what was run, called and refused.');
  audit
    .command('search')
    .description('Show records, the newest first.')
    .argument('[TEXT]', 'only records that contain this text')
    .addOption(new Option('--type <type>', 'records of this kind').choices(types))
    .addOption(new Option('--status <status>', 'how it ended').choices(statuses))
    .option('--since <time>', '30m, 1h or 7d ago, or an ISO date', moment)
    .option('--until <time>', 'in the same forms', moment)
    .option('--tool <name>', 'the full name of a tool')
    .option('--server <name>', 'an upstream server')
    .option('--execution <id>', 'exec_…, as in the answer to the program')
    .option('--trace <id>', 'the id of a trace, 32 hexadecimal digits')
    .option('--limit <count>', 'show at most this many', recordCount, 100)
    .option('--json', 'as JSON: an array of records')
    .addHelpText(
      'after',
      `
Examples:
  code-executor audit search --type denial --since 1d
  code-executor audit search --execution exec_01234567890123456789 --json`,
    )
    .action(async (text: string | undefined, options: SearchOptions, command: Command) => {
      const { json, tool, execution, trace, ...rest } = options;
      const log = await openAuditLog(command.optsWithGlobals<{ config?: string }>(), terminal);
      const records = await log.search({
        ...rest,
        ...(text !== undefined && { query: text }),
        ...(tool !== undefined && { toolName: tool }),
        ...(execution !== undefined && { executionId: execution }),
        ...(trace !== undefined && { correlationId: trace }),
      });
      if (json) terminal.printJson(records);
      else if (records.length === 0) terminal.note('No record matches.');
      else terminal.print(formatRecords(records, terminal.bold));
    });
  audit
    .command('verify')
    .description('Read all records and name those that are damaged; the exit code is 1 if any is.')
    .option('--json', 'as JSON: { files, records, problems: [{ file, line, reason }] }')
    .addHelpText('after', '\nExamples:\n  code-executor audit verify\n  code-executor audit verify --json')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const log = await openAuditLog(command.optsWithGlobals<{ config?: string }>(), terminal);
      const report = await log.verify();
      const { files, records, problems } = report;
      if (json) terminal.printJson(report);
      else {
        for (const { file, line, reason } of problems) {
          terminal.print(line > 0 ? `${file}:${line}: ${reason}\n` : `${file}: ${reason}\n`);
        }
        terminal.print(`${records} records in ${files.length} files, ${problems.length} problems\n`);
      }
      if (problems.length > 0) process.exitCode = 1;
    });
  return audit;
}
