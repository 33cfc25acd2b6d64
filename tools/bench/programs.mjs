/** What the programs of several cases have in common. */

const warmUpCalls = 20;
const countedCalls = 200;

/** An upstream in memory with one tool, which answers with the text it got when `work` is done. */
export function echoInMemory(work = () => undefined) {
  const tool = { name: 'mcp__memory__echo', server: 'memory', parameters: { type: 'object' } };
  return {
    listTools: async () => ({ tools: [tool], failedServers: [] }),
    async callTool(_name, { text }) {
      await work();
      return { content: [], structuredContent: { text } };
    },
  };
}

/** TypeScript that runs a statement many times; returns the milliseconds of one. */
export function repeatedTypescript(statement) {
  return `for (let i = 0; i < ${warmUpCalls}; i++) { ${statement}; }
const started = performance.now();
for (let i = 0; i < ${countedCalls}; i++) { ${statement}; }
return (performance.now() - started) / ${countedCalls}`;
}

/** Python that does the same; its value is that number. */
export function repeatedPython(statement) {
  return `import time
for _ in range(${warmUpCalls}): ${statement}
started = time.perf_counter()
for _ in range(${countedCalls}): ${statement}
(time.perf_counter() - started) * 1000 / ${countedCalls}`;
}
