import type { LanguageName } from '@code-executor/config';

interface Programs {
  /** Prints `hi`; its value is 42. */
  greets: string;
  /** Throws an error whose message contains `boom`. */
  fails: string;
  loops: string;
  /** Prints a line every tenth of a second, endlessly. */
  ticks: string;
  /** Shows a PNG file of 70 bytes. */
  shows: string;
  /** Returns that picture as its value. */
  returnsPicture: string;
  /** Adds 20 and 22 with a tool, then calls a forbidden one; its value is the sum and the code of the error. */
  adds: string;
  /** Leaves traces in every place that another program might look at, and prints `left`. */
  leaves: string;
  /** Its value is `{ found, random }`: which of these traces it found, and random values. */
  looks: string;
  /** Sends requests to two granted hosts and one that is not granted; its value is the three errors. */
  asks: string;
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const urls = '["http://localhost:1/", "http://127.0.0.1/", "http://example.org/"]';

/** The same programs in each language. */
export const programs: Record<LanguageName, Programs> = {
  typescript: {
    greets: 'console.log("hi"); return 42;',
    fails: 'throw new Error("boom");',
    loops: 'for (;;) {}',
    ticks: 'for (;;) { console.log("tick"); await new Promise((resolve) => setTimeout(resolve, 100)); }',
    shows: `await display(Uint8Array.fromBase64("${png}"));`,
    returnsPicture: `return { type: "image", mimeType: "image/png", data: "${png}" };`,
    adds: `
      const sum = await callMCPTool("mcp__everything__get-sum", { a: 20, b: 22 });
      const code = await callMCPTool("mcp__everything__echo", { message: "x" }).catch((error) => error.code);
      return [sum, code];`,
    leaves: `
      globalThis.leftover = 1;
      Array.prototype.leftover = 1;
      JSON.leftover = 1;
      console.log("left");`,
    looks: `
      const places = {
        global: globalThis.leftover,
        prototype: [].leftover,
        builtin: JSON.leftover,
      };
      const found = Object.keys(places).filter((name) => places[name] !== undefined);
      return { found, random: [Math.random(), crypto.randomUUID()] };`,
    asks: `
      const ask = (url) => fetch(url).then(() => "answered", (error) => url + ": " + error.message);
      return await Promise.all(${urls}.map(ask));`,
  },
  python: {
    greets: 'print("hi")\n42',
    fails: 'raise ValueError("boom")',
    loops: 'while True: pass',
    ticks: 'import time\nwhile True:\n    print("tick")\n    time.sleep(0.1)',
    shows: `import base64\ndisplay(base64.b64decode("${png}"))`,
    returnsPicture: `
import base64
class Chart:
    def _repr_png_(self):
        return base64.b64decode("${png}")
Chart()`,
    adds: `
total = call_mcp_tool("mcp__everything__get-sum", {"a": 20, "b": 22})
try:
    await call_mcp_tool("mcp__everything__echo", {"message": "x"})
except ToolNotAllowedError as error:
    code = error.code
[total, code]`,
    leaves: `
import builtins, json, os, pathlib, random, sys, types
leftover = builtins.leftover = json.leftover = 1
sys.modules["leftover"] = types.ModuleType("leftover")
os.environ["LEFTOVER"] = "1"
for folder in ("/tmp", "/home/pyodide", sys.path[-1]):
    pathlib.Path(folder, "leftover.py").write_text("")
random.seed(1)
print("left")`,
    looks: `
import builtins, json, os, pathlib, random, secrets, sys, uuid
places = {
    "global": "leftover" in globals(),
    "builtin": hasattr(builtins, "leftover"),
    "module": hasattr(json, "leftover"),
    "modules": "leftover" in sys.modules,
    "environment": "LEFTOVER" in os.environ,
    "files": any(pathlib.Path(folder, "leftover.py").exists() for folder in ("/tmp", "/home/pyodide", sys.path[-1])),
}
{
    "found": [name for name, is_there in places.items() if is_there],
    "random": [random.random(), str(uuid.uuid4()), secrets.token_hex(8), os.urandom(8).hex()],
}`,
    asks: `
import asyncio
from pyodide.http import pyfetch
async def ask(url):
    try:
        await pyfetch(url)
        return "answered"
    except OSError as error:
        return f"{url}: {error}"
await asyncio.gather(*map(ask, ${urls}))`,
  },
};
