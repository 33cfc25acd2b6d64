import { callTool } from './calls/call-tool.js';
import { display } from './calls/display.js';
import { fetch } from './calls/fetch.js';
import { mkdir, readDir, readFile, remove, stat, writeFile } from './calls/files.js';
import { listTools } from './calls/list-tools.js';
import { pathNames } from './calls/path-names.js';
import { ShownPictures } from './calls/shown-pictures.js';
import { svgRenderer } from './calls/svg-renderer.js';
import { ToolPaths } from './calls/tool-paths.js';
import { toolTypes } from './calls/tool-types.js';
import type { HostCallContext, HostCallTable, ProgramReach } from './host-call.js';

/** Everything that a program may ask the server for, by name. A new host call is a file in `calls` and a line here. */
export const hostCallTable: HostCallTable = new Map(
  Object.entries({
    callTool,
    listTools,
    pathNames,
    toolTypes,
    fetch,
    display,
    svgRenderer,
    readFile,
    stat,
    readDir,
    writeFile,
    mkdir,
    remove,
  }),
);

/** Creates the context for the host calls of one program. */
export function hostCallContext(reach: ProgramReach): HostCallContext {
  return { ...reach, toolPaths: new ToolPaths(reach.tools), pictures: new ShownPictures() };
}
