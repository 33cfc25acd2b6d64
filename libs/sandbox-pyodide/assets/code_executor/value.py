"""The JSON of a program's value."""

import base64
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import pathlib
import uuid
from collections import deque
from collections.abc import Mapping, Sequence, Set

from code_executor.host import PendingCall

_largest_exact = 2**53 - 1
_as_text = (decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath)
_max_notes = 5




class _Converter:
    def __init__(self, max_depth):
        self._max_depth = max_depth
        self._inside = set()
        self.notes = []

    def note(self, path, text):
        if len(self.notes) < _max_notes:
            self.notes.append(f"{path} {text}")

    def convert(self, value, path="The value"):
        if value is None or isinstance(value, (bool, str)) and type(value) in (bool, str):
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
            return {self._key(key): self.convert(item, f"{path}[{key!r}]") for key, item in value.items()}
        if isinstance(value, (Set, frozenset, set)):
            return [self.convert(item, f"A member of {path[:1].lower()}{path[1:]}") for item in _sorted(value)]
        if isinstance(value, (Sequence, deque)) or type(value) in _views:
            return [self.convert(item, f"{path}[{index}]") for index, item in enumerate(value)]
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return {name: self.convert(getattr(value, name), f"{path}.{name}") for name in names}
        plain = _plain(value)
        if plain is not value:
            return self.convert(plain, path)
        return self._text(value, path, f"is {_article(type(value).__name__)}, which is not JSON")

    def _key(self, key):
        if isinstance(key, str):
            return str(key)
        converted = self.convert(key)
        return converted if isinstance(converted, str) else json.dumps(converted)

    def _text(self, value, path, why):
        self.note(path, f"{why}: shown as its repr.")
        return repr(value)


_views = tuple(type(view) for view in ({}.keys(), {}.values(), {}.items()))


def _sorted(values):
    try:
        return sorted(values)
    except Exception:
        return list(values)


def _article(name):
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _plain(value):
    """Of numpy's and pandas' types, what plain Python has for them; anything else as it is."""
    package = type(value).__module__.partition(".")[0]
    if package == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if package == "pandas":
        if type(value).__name__ == "DataFrame":
            return value.to_dict("records")
        for method in ("to_dict", "isoformat", "tolist"):
            if hasattr(value, method):
                return getattr(value, method)()
    return value


def to_json(value, max_depth):
    """JSON text of a value, and a note on what it does not say exactly, or None."""
    converter = _Converter(max_depth)
    plain = converter.convert(value)
    note = " ".join(converter.notes) or None
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair, which only an escape can carry.
        text = json.dumps(plain, allow_nan=False, separators=(",", ":"))
    return text, note
