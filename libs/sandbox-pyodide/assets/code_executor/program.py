"""Runs one program and tells what came of it."""

import asyncio
import inspect
import json
import linecache
import os
import random
import sys
import traceback

import __main__
from pyodide.code import eval_code_async

from code_executor import host, pictures, tools, value

_name = "program.py"
_max_message_chars = 20_000
# Of the innermost calls: a runaway recursion has millions, and no memory left.
_max_frames = 100
_home = "/home/pyodide"


def prepare(ask, schedule):
    """Makes an interpreter, restored or new, one that no program has seen: with an environment and a chance of its own."""
    host.bind(ask, schedule)
    os.environ.clear()
    os.environ.update(HOME=_home, LANG="C.UTF-8", PATH="/usr/bin")
    os.chdir(_home)
    sys.argv = [_name]
    random.seed()
    sys.stdout.reconfigure(line_buffering=True)
    sys.stderr.reconfigure(line_buffering=True)
    for function in (
        tools.call_mcp_tool,
        tools.discover_mcp_tools,
        tools.get_tool_schema,
        tools.search_tools,
        tools.McpToolError,
        tools.ToolNotAllowedError,
        pictures.display,
    ):
        setattr(__main__, function.__name__, function)


async def run(source, max_depth):
    """
    The outcome as JSON: ``json`` and ``note`` of the value; or ``error`` with ``code`` and ``message``, and
    the module that is ``missing``, if that is why.
    """
    linecache.cache[_name] = (len(source), None, source.splitlines(keepends=True), _name)
    try:
        try:
            result = await eval_code_async(source, __main__.__dict__, filename=_name)
            while inspect.isawaitable(result):
                result = await result
        finally:
            await _end_as_asyncio_run()
        outcome = _outcome(result, max_depth)
    except SystemExit as exit:
        outcome = _outcome_of_exit(exit)
    except MemoryError as error:
        outcome = _error("out_of_memory", describe(error))
    except BaseException as error:
        outcome = _error("user_error", describe(error))
        if isinstance(error, ModuleNotFoundError) and error.name:
            module = error.name.partition(".")[0]
            if module not in sys.stdlib_module_names:
                outcome["missing"] = module
    _flush()
    return json.dumps(outcome)


def _outcome(result, max_depth):
    if result is None:
        return {}
    note = None
    picture = pictures.picture_of(result)
    if picture is not None:
        pictures.show(*picture)
        result = None if isinstance(result, (bytes, bytearray, memoryview)) else repr(result)
        note = f"The value is a picture ({picture[0]}), shown beside this."
    text, problem = value.to_json(result, max_depth)
    note = note or problem
    return {"json": text} if note is None else {"json": text, "note": note}


def _outcome_of_exit(exit):
    """As of a process: 0 is success, text is for stderr and means 1."""
    if exit.code is None or exit.code == 0:
        return {}
    if not isinstance(exit.code, int):
        print(exit.code, file=sys.stderr)
    code = exit.code if isinstance(exit.code, int) else 1
    return _error("ended_early", f"The program called sys.exit({code}).")


async def _end_as_asyncio_run():
    """Cancels what still runs, and finishes calls whose outcome nobody asked for."""
    current = asyncio.current_task()
    pending = [task for task in asyncio.all_tasks() if task is not current]
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in pending:
        print(f"{_called(task)} was still running when the program ended, and was cancelled.", file=sys.stderr)
    for error in await host.finish_calls():
        print(f"{type(error).__name__}: {error}", file=sys.stderr)


def _called(task):
    coroutine = task.get_coro()
    name = getattr(coroutine, "__qualname__", type(coroutine).__name__)
    return f"Task {task.get_name()} ({name})"


def describe(error):
    """The traceback of an exception: of its lines, those of the program."""
    shown = traceback.TracebackException.from_exception(error, limit=-_max_frames, compact=True)
    _keep_own_lines(shown)
    text = "".join(shown.format()).rstrip()
    if len(text) > _max_message_chars:
        half = _max_message_chars // 2
        text = f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"
    return text


def _keep_own_lines(shown, seen=()):
    if shown is None or id(shown) in seen:
        return
    shown.stack = traceback.StackSummary.from_list([frame for frame in shown.stack if frame.filename == _name])
    for other in (shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())):
        _keep_own_lines(other, (*seen, id(shown)))


def _error(code, message):
    return {"error": {"code": code, "message": message}}


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # The program has closed or replaced it.
            pass
