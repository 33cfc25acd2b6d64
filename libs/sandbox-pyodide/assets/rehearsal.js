import { openRehearsal } from '@code-executor/sandbox-channel/assets/channel.js';

import { Program } from './program.js';

/** V8 compiles in the background what it has seen run; so often, with rests, until it is as fast as it gets. */
const rounds = 3;
const restMs = 200;
const limits = { maxValueChars: 1000, maxDepth: 10 };
/** Expressions alone: they leave no names behind. */
const programs = [
  `[
    print(end=""),
    sum(row["n"] for row in [{"n": n} for n in range(10)]),
    [call_mcp_tool("rehearsal", {"n": n}) == None for n in range(10)],
    [await call_mcp_tool("rehearsal", {"n": n}) for n in range(10)],
    await __import__("asyncio").gather(*[call_mcp_tool("rehearsal", {"n": n}) for n in range(10)]),
    {"a": [1, 2.5, "x", None, True]},
]`,
  '1 / 0',
];

/** A spare has time to do what is slow the first time: programs of our own, from start to end, of which nothing is sent. */
export async function rehearse(python) {
  const calls = openRehearsal();
  const channel = {
    request: (method, params) => calls.request(method, params),
    replyNow: (request) => calls.replyNow(request),
    sendResult() {},
    awaitEnd() {},
  };
  for (let round = 0; round < rounds; round++) {
    for (const code of programs) {
      await new Program(channel, python).rehearse(code, limits);
    }
    await new Promise((resolve) => setTimeout(resolve, restMs));
  }
}
