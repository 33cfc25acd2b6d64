/** Programs and tools that several cases share. */

/** An upstream in memory with one tool, which returns its text after `work` has settled. */
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

/** TypeScript code that runs a statement many times and returns the milliseconds of one run. */
export function repeatedTypescript(statement) {
  return `for (let i = 0; i < 100; i++) { ${statement}; }
const started = performance.now();
for (let i = 0; i < 800; i++) { ${statement}; }
return (performance.now() - started) / 800`;
}

/** The same in Python, with more runs, because V8 takes longer to optimize the interpreter. */
export function repeatedPython(statement) {
  return `import time
for _ in range(100): ${statement}
started = time.perf_counter()
for _ in range(400): ${statement}
(time.perf_counter() - started) * 1000 / 400`;
}
