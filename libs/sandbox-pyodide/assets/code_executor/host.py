"""Requests to the server, which a program can await or use without ``await``."""

import asyncio
import inspect
import json
import operator
import sys
from collections.abc import Coroutine

from pyodide import webloop
from pyodide.ffi import run_sync

# Shared, because `json.dumps` would create an encoder each time.
_json = json.JSONEncoder(allow_nan=False)
_ask = None
_reply_to = None
_unawaited = set()


def bind(ask, reply, schedule):
    """
    Sets the JavaScript functions: ``ask`` sends a request of a method and JSON, and returns its ID; ``reply`` returns
    the reply of that ID as JSON, or a promise of it; ``schedule`` calls back after some milliseconds. It replaces
    Pyodide's timers, because they are slow in Deno and each step of a task needs one.
    """
    global _ask, _reply_to
    _ask = ask
    _reply_to = reply
    webloop.scheduleCallback = schedule


def send(method, params, finish, fail):
    """
    Sends a request with JSON text at once, and returns a :class:`PendingCall` whose value is ``finish(value)``.
    ``fail`` turns the fields of an error into an exception.
    """
    return PendingCall(_ask(method, params), finish, fail)


def to_text(params):
    """Converts parameters to JSON text. Raises what ``json`` raises."""
    return _json.encode(params)


def request(method, params, finish, fail):
    """Like ``send``, but waits for the outcome if the caller of the calling function is synchronous."""
    call = send(method, params, finish, fail)
    return call if _is_async(sys._getframe(2)) else call.wait()


def _is_async(frame):
    """Whether the caller is a coroutine. The body of a lambda or generator counts as the code around it."""
    while frame.f_back and frame.f_code.co_name in ("<genexpr>", "<lambda>"):
        frame = frame.f_back
    return bool(frame.f_code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR))


class PendingCall(Coroutine):
    """
    A call in progress, which can be awaited, gathered or turned into a task. If it is used like its value, it waits
    for that, so that code without ``await`` works too, except for checks of its type.
    """

    def __init__(self, request, finish, fail):
        self._request = request
        self._finish = finish
        self._fail = fail
        self._running = None
        self._reply = None
        self._future = None
        _unawaited.add(self)

    def wait(self):
        """Blocks until the value is there, while other tasks continue."""
        if not self._has_reply():
            self._take(run_sync(self._future))
        return self._outcome()

    async def _wait(self):
        if not self._has_reply():
            self._take(await self._future)
        return self._outcome()

    def _has_reply(self):
        """Asks for the reply, once. Returns False if it has not arrived."""
        _unawaited.discard(self)
        if self._reply is None and self._future is None:
            reply = _reply_to(self._request)
            if isinstance(reply, str):
                self._take(reply)
            else:
                self._future = reply
        return self._reply is not None

    def _take(self, reply):
        self._reply = json.loads(reply)
        self._future = None

    def _outcome(self):
        error = self._reply.get("error")
        if error is None:
            return self._finish(self._reply.get("value"))
        # A new exception each time, because a traceback belongs to one place.
        raise self._fail(error)

    def __await__(self):
        return self._wait().__await__()

    def _coroutine(self):
        if self._running is None:
            self._running = self._wait()
        return self._running

    def send(self, value):
        return self._coroutine().send(value)

    def throw(self, *exception):
        return self._coroutine().throw(*exception)

    def close(self):
        if self._running is not None:
            self._running.close()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.wait(), name)

    def __repr__(self):
        return repr(self.wait())

    def __str__(self):
        return str(self.wait())

    def __bool__(self):
        return bool(self.wait())

    def __len__(self):
        return len(self.wait())

    def __iter__(self):
        return iter(self.wait())

    def __contains__(self, item):
        return item in self.wait()

    def __getitem__(self, key):
        return self.wait()[key]

    def __eq__(self, other):
        return self is other or self.wait() == other

    __hash__ = object.__hash__

    def __format__(self, spec):
        return format(self.wait(), spec)


def _of_value(operation):
    def operate(self, *others):
        return operation(self.wait(), *others)

    return operate


def _reversed(operation):
    def operate(self, other):
        return operation(other, self.wait())

    return operate


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_"):
    setattr(PendingCall, f"__{_name.rstrip('_')}__", _of_value(getattr(operator, _name)))
    setattr(PendingCall, f"__r{_name.rstrip('_')}__", _reversed(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "neg", "index"):
    setattr(PendingCall, f"__{_name}__", _of_value(getattr(operator, _name)))


_refuse = json.JSONEncoder.default


def _encode(encoder, value):
    return value.wait() if isinstance(value, PendingCall) else _refuse(encoder, value)


# The answer of one call can be a parameter of the next, or part of JSON that a program creates.
json.JSONEncoder.default = _encode


async def finish_calls():
    """Waits for the calls that the program did not wait for, and returns the errors of those that failed."""
    outcomes = await asyncio.gather(*[call._wait() for call in _unawaited], return_exceptions=True)
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]
