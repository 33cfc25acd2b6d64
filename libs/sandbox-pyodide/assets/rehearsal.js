/** V8 compiles in the background what it has seen run; programs of our own, with rests, until it is as fast as it gets. */
const rounds = 3;
const restMs = 200;

/** A spare has time to do what is slow the first time. Nothing of it is left when the program comes. */
export async function rehearse(python) {
  for (let round = 0; round < rounds; round++) {
    await python.runPythonAsync(
      `
import asyncio, json
from pyodide.code import eval_code_async
from code_executor import value
await eval_code_async("rows = [{'n': n} for n in range(10)]\\nprint(end='')\\nsum(row['n'] for row in rows)", {})
value.to_json({"a": [1, 2.5, "x", None]}, 10)
await asyncio.sleep(0)
`,
      { globals: python.toPy({}) },
    );
    await new Promise((resolve) => setTimeout(resolve, restMs));
  }
}
