"""Runs one program and describes its outcome."""

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
# A limit, because an endless recursion has millions of frames and leaves no memory.
_max_frames = 2000
_max_own_frames = 100
_home = "/home/pyodide"
# Reserved while a program runs, so that there is memory left to describe a MemoryError.
_reserve_bytes = 2 << 20
# How long cancelled tasks may take to end, in seconds.
_wind_up_s = 2
# The errors that text in another language causes.
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
    """Prepares a restored or new interpreter for a program: it gets its own environment and random numbers."""
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
    Defines functions for host calls. ``names`` is JSON that maps the name of each function to that of its host call.
    Returns the first name that is already a global, if there is one.
    """
    for name, method in json.loads(names).items():
        if name in _globals or hasattr(__main__, name) or hasattr(builtins, name):
            return name
        setattr(__main__, name, host_calls.function_of(name, method))


async def run(source, max_depth, max_chars):
    """
    Returns the outcome as JSON: ``json``, ``note`` and ``isCut`` (truncated) of the value; or ``error`` with ``code``
    and ``message``, and with ``missing`` (the name of a missing module) or ``isUnlikePython`` if that is the reason.
    """
    # Removes the byte order mark of a file.
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
        # Described first, because ending the tasks may take all the time that is left.
        outcome = _outcome_of(error)
        await _cancel_tasks()
    reserve = None
    _flush()
    return json.dumps(outcome)


def _compile(source):
    """The last expression is the value, as in a REPL. So is a ``return`` on the last line, as TypeScript programs have it."""
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
    # The server finds image blocks in values by itself, but it cannot draw an SVG.
    if pictures.is_block(result) and not pictures.is_block(result, "image/svg+xml"):
        return None
    try:
        return pictures.picture_of(result)
    except pictures.NoPicture:
        # It only looks like a picture, so it is an ordinary value.
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
        # Its own methods raise an exception, or there is no memory left to describe it.
        code = "out_of_memory" if isinstance(error, MemoryError) else "user_error"
        return _error(code, f"The program raised an exception that cannot be described: {type(error).__name__}")


def _missing(error):
    if not isinstance(error, ModuleNotFoundError) or not isinstance(error.name, str):
        return {}
    module = error.name.partition(".")[0]
    return {} if module in sys.stdlib_module_names or not module.isidentifier() else {"missing": module[:100]}


def _outcome_of_exit(exit):
    """Treats it as the exit of a process: 0 is success, and text goes to stderr and means 1."""
    if exit.code is None or exit.code == 0:
        return {}
    if not isinstance(exit.code, int):
        print(exit.code, file=sys.stderr)
    code = exit.code if isinstance(exit.code, int) else 1
    return _error("ended_early", f"The program called sys.exit({code}).")


async def _cancel_tasks():
    """Cancels the tasks that still run, and names them. They have limited time to clean up."""
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
    """Waits for the calls that the program did not wait for, and prints their errors."""
    for error in await host.finish_calls():
        print(f"{type(error).__name__}: {error}", file=sys.stderr)


def _called(task):
    coroutine = task.get_coro()
    name = getattr(coroutine, "__qualname__", type(coroutine).__name__)
    return f"Task {task.get_name()} ({name})"


def describe(error):
    """The traceback of an exception, with only the lines of the program."""
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
