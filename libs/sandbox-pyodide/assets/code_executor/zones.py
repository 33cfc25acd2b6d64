"""The time zones of the host, for ``zoneinfo``. They stay compressed until a program imports that."""

import pathlib
import sys
import zlib

_folder = "/usr/share/zoneinfo"
_files = {}
_packed = None


def add(name, data):
    """Adds one file, whose content is a JavaScript buffer."""
    _files[name] = data.to_bytes()


def pack():
    """Compresses the files once all are added."""
    global _packed
    index = [(name, len(data)) for name, data in _files.items()]
    _packed = index, zlib.compress(b"".join(_files.values()), 9)
    _files.clear()
    sys.meta_path.insert(0, _Unpacker)


class _Unpacker:
    """Unpacks the files before the first import of ``zoneinfo``, and then removes itself."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "zoneinfo":
            sys.meta_path.remove(cls)
            _unpack()
        return None


def _unpack():
    index, compressed = _packed
    data = zlib.decompress(compressed)
    start = 0
    for name, length in index:
        file = pathlib.Path(_folder, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data[start : start + length])
        start += length
