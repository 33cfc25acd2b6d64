import type { HostFiles, IsolatedCommand, IsolatedCommandOptions, Walls } from './command.js';
import { refuseReserved } from './grants.js';
import { portableCommand } from './portable/portable-command.js';
import { sweepServerFolders } from './portable/server-folder.js';
import { strictCommand } from './strict/strict-command.js';

/**
 * The command line for one process behind the given walls.
 *
 * @throws CodeExecutorError `permission_denied` for a path that cannot be granted; `failed_precondition` if strict
 * isolation is not available.
 */
export async function isolatedCommand<Files extends HostFiles>(
  walls: Walls,
  options: IsolatedCommandOptions<Files>,
): Promise<IsolatedCommand<Files>> {
  refuseReserved(options.grants);
  await sweepServerFolders();
  return walls === 'strict' ? strictCommand(options) : portableCommand(options);
}
