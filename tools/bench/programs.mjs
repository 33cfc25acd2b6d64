/** What the programs of several cases have in common. */

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
  return `for (let i = 0; i < 100; i++) { ${statement}; }
const started = performance.now();
for (let i = 0; i < 800; i++) { ${statement}; }
return (performance.now() - started) / 800`;
}

/** Python that does the same, more often: V8 takes longer to make an interpreter about as fast as it gets. */
export function repeatedPython(statement) {
  return `import time
for _ in range(100): ${statement}
started = time.perf_counter()
for _ in range(400): ${statement}
(time.perf_counter() - started) * 1000 / 400`;
}
