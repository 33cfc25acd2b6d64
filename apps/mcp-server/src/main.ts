import { readHealthCheck } from '@code-executor/config';

import { parseArguments, usage } from './arguments.js';
import { readFirstSettings } from './first-settings.js';
import { reportFatal, reportMisuse } from './report-fatal.js';
import { serveStdio } from './serve-stdio.js';
import { readVersion } from './version.js';
import { listenForSighup } from './watch-settings.js';

listenForSighup();
const command = parseArguments(process.argv.slice(2));

switch (command.name) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'version':
    process.stdout.write(`${readVersion()}\n`);
    break;
  case 'misuse':
    reportMisuse(command.problem);
    break;
  case 'serve':
    await serveStdio(command.configFile);
    break;
  case 'serve-http': {
    const { settings, problem, read, logger } = await readFirstSettings(command.configFile);
    if (!settings) {
      reportFatal(problem ?? '');
      break;
    }
    if (readHealthCheck()) {
      const warning =
        'HEALTH_CHECK_PORT is for stdio: with --http the probes are at http.host and http.port.';
      logger.warn({}, warning);
    }
    const { serveHttp } = await import('./serve-http.js');
    await serveHttp({ settings, read, logger }, command.needsToken);
  }
}
