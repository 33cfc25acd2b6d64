"""Converts a program's value to JSON."""

import base64
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import pathlib
import reprlib
import uuid
from collections import deque
from collections.abc import Mapping, Sequence, Set

from pyodide.ffi import JsProxy

from code_executor.host import PendingCall
from code_executor.tools import ByName

_largest_exact = 2**53 - 1
_as_text = (decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath)
_max_notes = 5
_max_repr_chars = 10_000
# For containers, which may be nested too deep for the repr() of the interpreter.
_repr = reprlib.Repr(maxlevel=6, maxlist=20, maxtuple=20, maxdict=20, maxset=20, maxdeque=20)

class _Converter:
    def __init__(self, max_depth, max_chars):
        self._max_depth = max_depth
        # A lower bound for the length of the JSON: once it is used up, the rest would be cut off anyway.
        self._chars_left = max_chars
        self._inside = set()
        self.notes = []
        self.is_cut = False

    def note(self, path, text):
        if len(self.notes) < _max_notes:
            self.notes.append(f"{_place(path)} {text}")

    def convert(self, value, path=()):
        self._chars_left -= len(value) if isinstance(value, (str, bytes, bytearray)) else 1
        if value is None or type(value) in (bool, str):
            return value
        if isinstance(value, PendingCall):
            return self.convert(value.wait(), path)
        if isinstance(value, enum.Enum):
            return self.convert(value.value, path)
        if isinstance(value, str):
            return str(value)
        if isinstance(value, int):
            return self._int(int(value), path)
        if isinstance(value, float):
            return self._float(float(value), path)
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, datetime.timedelta):
            return value.total_seconds()
        if isinstance(value, _as_text):
            return str(value)
        if isinstance(value, (bytes, bytearray)):
            self.note(path, "is bytes, shown as base64.")
            return base64.b64encode(value).decode()
        return self._container(value, path)

    def _int(self, value, path):
        if abs(value) <= _largest_exact:
            return value
        self.note(path, "is an integer beyond 2**53, shown as text.")
        return str(value)

    def _float(self, value, path):
        if math.isfinite(value):
            return value
        self.note(path, f"is {value}, which JSON has not: null.")
        return None

    def _container(self, value, path):
        if id(value) in self._inside:
            return self._text(value, path, "contains itself")
        if len(self._inside) >= self._max_depth:
            return self._text(value, path, f"is nested deeper than {self._max_depth} levels")
        self._inside.add(id(value))
        try:
            return self._members(value, path)
        finally:
            self._inside.discard(id(value))

    def _members(self, value, path):
        if isinstance(value, Mapping):
            return self._mapping(value, path)
        if isinstance(value, Set) and type(value) not in _views:
            return self._items(_sorted(value), path)
        if isinstance(value, (Sequence, deque)) or type(value) in _views:
            return self._items(value, path)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return {name: self.convert(getattr(value, name), (*path, name)) for name in names}
        if isinstance(value, ByName):
            return dir(value)
        if isinstance(value, BaseException):
            return self._mapping(_fields_of(value), path)
        plain = _plain(value)
        if plain is not value:
            return self.convert(plain, path)
        return self._text(value, path, f"is {_article(type(value).__name__)}, which is not JSON")

    def _items(self, values, path):
        items = []
        for index, item in enumerate(values):
            if self._is_used_up():
                break
            items.append(self.convert(item, (*path, index)))
        return items

    def _is_used_up(self):
        self.is_cut = self.is_cut or self._chars_left < 0
        return self.is_cut

    def _mapping(self, value, path):
        members = {}
        for key, item in value.items():
            if self._is_used_up():
                break
            name = self._key(key)
            if name in members:
                self.note((*path, key), "stands twice, once its key is text: the last is shown.")
            members[name] = self.convert(item, (*path, key))
        return members

    def _key(self, key):
        converted = self.convert(key)
        return converted if isinstance(converted, str) else json.dumps(converted)

    def _text(self, value, path, why):
        self.note(path, f"{why}: shown as its repr.")
        return shown(value)


def shown(value):
    """Returns a bounded repr, even if that of its class fails."""
    try:
        text = _repr.repr(value) if isinstance(value, (list, tuple, dict, set, frozenset, deque)) else repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text[:_max_repr_chars]


def _place(path):
    """The place in the value, written as Python code."""
    steps = (f"[{step!r}]" for step in path)
    return f"The value{''.join(steps)}"[:200]


def _fields_of(error):
    """The name and message of an exception, and its attributes."""
    others = {name: value for name, value in vars(error).items() if not name.startswith("_") and value is not None}
    errors = {"errors": error.exceptions} if isinstance(error, BaseExceptionGroup) else {}
    return {"name": type(error).__name__, "message": str(error), **errors, **others}


_views = tuple(type(view) for view in ({}.keys(), {}.values(), {}.items()))


def _sorted(values):
    try:
        return sorted(values)
    except Exception:
        return list(values)


def _article(name):
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _plain(value):
    """Converts types of numpy and pandas to those of plain Python, and returns anything else as it is."""
    if isinstance(value, JsProxy):
        return value.to_py()
    package = str(type(value).__module__).partition(".")[0]
    if package == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if package == "pandas":
        if type(value).__name__ == "DataFrame":
            return value.to_dict("records")
        for method in ("to_dict", "isoformat", "tolist"):
            if hasattr(value, method):
                return getattr(value, method)()
    return value


def to_json(value, max_depth, max_chars):
    """
    Returns the JSON text of a value, a note on what it represents inexactly (or None), and whether the rest was left
    out because it has more than ``max_chars`` characters.
    """
    converter = _Converter(max_depth, max_chars)
    plain = converter.convert(value)
    note = " ".join(converter.notes) or None
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair, which only an escape can represent.
        text = json.dumps(plain, allow_nan=False, separators=(",", ":"))
    return text, note, converter.is_cut
