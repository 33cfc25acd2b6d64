import assert from 'node:assert/strict';

import type { Places } from '../arena/places.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { outcomesOf } from '../typescript/attempts.js';

/** The errors that a program gets for things that are missing or refused in the sandbox. */
export const notThere = new RegExp(
  [
    'Requires (?:read|write|net|env|sys|run|ffi|import) access',
    'This execution has no network|--no-npm is specified',
    "(?:does not|cannot|can't|could not) (?:exist|find|open|start|be)",
    'No such file or directory',
    'No module named',
    'There are no other processes here',
    'has no attribute',
    'does not support processes|out of pty devices|browser environments due to',
    'Function not implemented',
    'Host is unreachable',
    'Protocol not available|not supported|Operation not permitted|Exec format error|Socket not connected',
    'is not (?:defined|a function)|AttributeError',
  ].join('|'),
);

const makeAttempts = `
import asyncio, ctypes, gc, importlib, json, os, socket, subprocess, sys, urllib.request
import js, pyodide_js
from pyodide.code import run_js
outcomes = []
async def attempt(name, make):
    try:
        got = make()
        if hasattr(got, "then") or hasattr(got, "__await__"):
            got = await asyncio.wait_for(asyncio.ensure_future(got), 1.5)
        outcomes.append({"attempt": name, "got": str(got)[:2000]})
    except BaseException as error:
        outcomes.append({"attempt": name, "refusal": f"{type(error).__name__}: {error}"[:500]})
`;

/** A Python program that evaluates each expression in turn and returns the outcomes. */
export function attemptPythonProgram(expressions: readonly string[]): string {
  const attempts = expressions.map(
    (expression) => `await attempt(${JSON.stringify(expression.slice(0, 200))}, lambda: (${expression}))`,
  );
  return `${makeAttempts}${attempts.join('\n')}\noutcomes`;
}

/** An attack that checks that every expression is refused with an error that matches `how`. */
export function eachRefusedInPython(
  expressions: (places: Places) => readonly string[],
  how: RegExp = notThere,
): ProgramAttack['attack'] {
  return async ({ runPython, places }) => {
    const outcomes = outcomesOf(await runPython(attemptPythonProgram(expressions(places))));
    const others = outcomes.filter(({ refusal }) => refusal === undefined || !how.test(refusal));
    assert.deepEqual(others, []);
  };
}
