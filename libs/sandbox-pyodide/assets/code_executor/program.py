"""Runs one program and tells what came of it."""

import ast
import asyncio
import builtins
import inspect
import json
import linecache
import os
import random
import sys
import traceback

import __main__
from pyodide.code import CodeRunner

from code_executor import advice, host, host_calls, pictures, tools, value

_name = "program.py"
_max_message_chars = 20_000
# Of a runaway recursion, which has millions, and no memory left.
_max_frames = 2000
_max_own_frames = 100
_home = "/home/pyodide"
# Kept while a program runs, to have what telling of a MemoryError takes.
_reserve_bytes = 2 << 20
# So long may tasks take to end that were cancelled, in seconds.
_wind_up_s = 2
# What text in another language ends in.
_unread = (SyntaxError, NameError)
_globals = {
    "tools": tools.tools,
    **{
        function.__name__: function
        for function in (
            tools.call_mcp_tool,
            tools.discover_mcp_tools,
            tools.get_tool_schema,
            tools.get_tool_types,
            tools.search_tools,
            tools.McpToolError,
            tools.ToolNotAllowedError,
            pictures.display,
        )
    },
}


def prepare(ask, reply, schedule):
    """Makes an interpreter, restored or new, one that no program has seen: with an environment and a chance of its own."""
    host.bind(ask, reply, schedule)
    os.environ.clear()
    os.environ.update(HOME=_home, LANG="C.UTF-8", PATH="/usr/bin")
    os.chdir(_home)
    os.system = advice.refuse_processes
    sys.argv = [_name]
    random.seed()
    sys.stdout.reconfigure(line_buffering=True)
    sys.stderr.reconfigure(line_buffering=True)
    __main__.__dict__.update(_globals)


def define_host_calls(names):
    """
    Makes functions of host calls, whose names come as JSON by those of the functions. Returns the first name that is
    one of a global already, if there is one.
    """
    for name, method in json.loads(names).items():
        if name in _globals or hasattr(__main__, name) or hasattr(builtins, name):
            return name
        setattr(__main__, name, host_calls.function_of(name, method))


async def run(source, max_depth, max_chars):
    """
    The outcome as JSON: ``json`` and ``note`` of the value, and whether it ``isCut``; or ``error`` with ``code`` and ``message``, and
    the module that is ``missing``, or that the text may be ``isUnlikePython``, if that is why.
    """
    # The byte order mark of a file.
    source = source.removeprefix("\ufeff")
    reserve = bytearray(_reserve_bytes)
    linecache.cache[_name] = (len(source), None, source.splitlines(keepends=True), _name)
    try:
        result = await _compile(source).run_async(__main__.__dict__)
        while inspect.isawaitable(result):
            result = await result
        await _cancel_tasks()
        await _finish_calls()
        outcome = _outcome(result, max_depth, max_chars)
    except BaseException as error:
        reserve = None
        # First of all: winding up may take all the time that is left.
        outcome = _outcome_of(error)
        await _cancel_tasks()
    reserve = None
    _flush()
    return json.dumps(outcome)


def _compile(source):
    """As in a REPL, the last expression is the value; a last line with ``return``, too, which programs in TypeScript have."""
    runner = CodeRunner(source, filename=_name, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, quiet_trailing_semicolon=False)
    body = runner.ast.body
    if body and isinstance(body[-1], ast.Return):
        last = body[-1]
        body[-1] = ast.copy_location(ast.Expr(last.value or ast.copy_location(ast.Constant(None), last)), last)
    return runner.compile()


def _outcome(result, max_depth, max_chars):
    if result is None:
        return {}
    picture = _picture_of(result)
    if picture is not None:
        pictures.show(*picture)
        is_data = isinstance(result, (str, bytes, bytearray, memoryview)) or pictures.is_block(result)
        result = None if is_data else value.shown(result)
    text, note, is_cut = value.to_json(result, max_depth, max_chars)
    if picture is not None:
        note = f"The value is a picture ({picture[0]}), shown beside this."
    elif isinstance(result, str) and pictures.is_svg(result):
        note = "The value is the text of an SVG; display(svg) shows it as a picture."
    return {"json": text, "isCut": is_cut, **({} if note is None else {"note": note})}


def _picture_of(result):
    # The server takes image blocks out of values by itself, but it draws none.
    if pictures.is_block(result) and not pictures.is_block(result, "image/svg+xml"):
        return None
    try:
        return pictures.picture_of(result)
    except pictures.NoPicture:
        # What only looks like a picture is a value like any other.
        return None
    except Exception as error:
        print(f"The value could not be shown as a picture: {describe(error)}", file=sys.stderr)
        return None


def _outcome_of(error):
    try:
        if isinstance(error, SystemExit):
            return _outcome_of_exit(error)
        if isinstance(error, MemoryError):
            return _error("out_of_memory", describe(error))
        text = advice.add_to(describe(error), error)
        return {**_error("user_error", text), **_missing(error), "isUnlikePython": isinstance(error, _unread)}
    except BaseException:
        # An exception of the program's own making, which fails when it is asked what it is; or no memory left for it.
        code = "out_of_memory" if isinstance(error, MemoryError) else "user_error"
        return _error(code, f"The program raised an exception that cannot be described: {type(error).__name__}")


def _missing(error):
    if not isinstance(error, ModuleNotFoundError) or not isinstance(error.name, str):
        return {}
    module = error.name.partition(".")[0]
    return {} if module in sys.stdlib_module_names or not module.isidentifier() else {"missing": module[:100]}


def _outcome_of_exit(exit):
    """As of a process: 0 is success, text is for stderr and means 1."""
    if exit.code is None or exit.code == 0:
        return {}
    if not isinstance(exit.code, int):
        print(exit.code, file=sys.stderr)
    code = exit.code if isinstance(exit.code, int) else 1
    return _error("ended_early", f"The program called sys.exit({code}).")


async def _cancel_tasks():
    """What still runs is cancelled, and named; it may clean up, but not for ever."""
    current = asyncio.current_task()
    pending = [task for task in asyncio.all_tasks() if task is not current]
    for task in pending:
        task.cancel()
    if pending:
        await asyncio.wait(pending, timeout=_wind_up_s)
    for task in pending:
        end = "was cancelled" if task.done() else "did not end when it was cancelled"
        print(f"{_called(task)} was still running when the program ended, and {end}.", file=sys.stderr)


async def _finish_calls():
    """Calls whose outcome nobody asked for were asked for all the same."""
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
    own = [frame for frame in shown.stack if frame.filename == _name]
    shown.stack = traceback.StackSummary.from_list(own[-_max_own_frames:])
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
