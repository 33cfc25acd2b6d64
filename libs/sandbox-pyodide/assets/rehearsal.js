import { openRehearsal } from '@code-executor/sandbox-channel/assets/channel.js';

import { Program } from './program.js';

/** V8 optimizes in the background. After this many rounds, with pauses, the code is about as fast as it gets. */
const rounds = 3;
const restMs = 200;
const limits = { maxValueChars: 1000, maxDepth: 10 };
/** Only expressions, because they leave no names behind. */
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

/** Runs programs of our own in a spare, because the first runs are slow. Sends nothing to the server. */
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
