/**
 * The entry script that creates the memory snapshot of an interpreter that has imported our modules and the most
 * common others, but seen no program. It has no host calls, no tools and no files except ours.
 */
import { openChannel } from '@code-executor/sandbox-channel/assets/channel.js';

import { loadInterpreter } from './interpreter.js';

/** A frame has at most 1 MiB, and base64 turns three bytes into four. */
const partBytes = 720 * 1024;
const preloaded =
  'import asyncio, ast, base64, collections, csv, dataclasses, datetime, decimal, enum, functools, io, itertools, json, math, pathlib, random, re, statistics, string, textwrap, traceback, typing, urllib.parse, uuid';

const { channel, ownFiles } = openChannel();
channel.sayReady();
channel.receiveProgram();
const python = await loadInterpreter(ownFiles, { _makeSnapshot: true });
python.runPython(preloaded);
const snapshot = python.makeMemorySnapshot();
for (let start = 0; start < snapshot.length; start += partBytes) {
  const part = snapshot.subarray(start, start + partBytes).toBase64();
  await channel.request('keepPart', { part });
}
channel.sendResult({}, String(snapshot.length));
channel.awaitEnd();
