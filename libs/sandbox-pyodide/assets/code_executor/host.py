"""Requests to the server, which a program may await or just make."""

import asyncio
import inspect
import json
import operator
import sys
from collections.abc import Coroutine

from pyodide import webloop
from pyodide.ffi import run_sync

# One for all: `json.dumps` makes one each time.
_json = json.JSONEncoder(allow_nan=False)
_ask = None
_reply_to = None
_unawaited = set()


def bind(ask, reply, schedule):
    """
    Sets the JavaScript functions that send a request, which take a method and JSON and return a number; that
    return its reply as JSON, or promise it; and that call back in so many milliseconds: Pyodide's own are slow in
    Deno, and each step of a task takes one.
    """
    global _ask, _reply_to
    _ask = ask
    _reply_to = reply
    webloop.scheduleCallback = schedule


def send(method, params, finish, fail):
    """
    Sends a request at once, with JSON text; returns a :class:`PendingCall` of ``finish(value)``. ``fail`` makes
    an exception of the fields of an error.
    """
    return PendingCall(_ask(method, params), finish, fail)


def to_text(params):
    """Parameters as JSON text. Raises what ``json`` raises."""
    return _json.encode(params)


def request(method, params, finish, fail):
    """As ``send``; where the caller of the function that calls this is synchronous, waits for the outcome."""
    call = send(method, params, finish, fail)
    return call if _is_async(sys._getframe(2)) else call.wait()


def _is_async(frame):
    """Whether whoever called is a coroutine: the body of a lambda or generator belongs to the code around it."""
    while frame.f_back and frame.f_code.co_name in ("<genexpr>", "<lambda>"):
        frame = frame.f_back
    return bool(frame.f_code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR))


class PendingCall(Coroutine):
    """
    A call on its way, to be awaited, gathered or made a task of. Used as if it were its value, it waits for
    it: code that forgot the ``await`` works all the same, but for checks of its type.
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
        """Blocks until the value is there; other tasks go on."""
        if not self._has_reply():
            self._take(run_sync(self._future))
        return self._outcome()

    async def _wait(self):
        if not self._has_reply():
            self._take(await self._future)
        return self._outcome()

    def _has_reply(self):
        """Asks for the reply, once; false where it is still to come."""
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
        # A new one each time it is asked for: a traceback belongs to one place.
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


# The answer to one call may be a parameter of the next, and part of JSON that a program makes.
json.JSONEncoder.default = _encode


async def finish_calls():
    """Waits for calls that nobody waited for; returns the errors of those that failed."""
    outcomes = await asyncio.gather(*[call._wait() for call in _unawaited], return_exceptions=True)
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]
