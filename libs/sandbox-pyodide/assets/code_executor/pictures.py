"""Pictures that a program shows."""

import base64
import io
import itertools
import re

from code_executor.host import send, to_text

_svg_type = "image/svg+xml"
_beginnings = {
    "image/png": re.compile(rb"\x89PNG\r\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
# An SVG document: its root element, after what may stand before that.
_svg_text = re.compile(r"\s*(?:<[?!][^>]*>\s*)*<svg[\s/>]")
# A frame of the pipe is at most a mebibyte, and base64 makes four bytes of three.
_part_bytes = 720 * 1024
_ids = itertools.count(1)


def display(value):
    """
    Shows a picture beside the program's value: a matplotlib figure, a PIL image, anything with
    ``_repr_png_()`` or ``_repr_svg_()``, the bytes of a PNG, JPEG, GIF or WebP file, or the text of an SVG.
    Whatever else is printed. Raises ValueError when it is too much.
    """
    if isinstance(value, str) and _svg_text.match(value):
        picture = _svg_type, value.encode()
    else:
        picture = picture_of(value)
    if picture is None:
        print(value)
    else:
        show(*picture)


def show(mime_type, data):
    """Sends a picture in parts, between which other tasks may send theirs."""
    picture = next(_ids)
    for start in range(0, max(1, len(data)), _part_bytes):
        end = start + _part_bytes
        part = base64.b64encode(data[start:end]).decode()
        params = {"id": picture, "mimeType": mime_type, "part": part, "isLast": end >= len(data)}
        send("display", to_text(params), lambda value: value, _refusal).wait()


def _refusal(fields):
    error = ValueError(fields["message"])
    error.code = fields["code"]
    return error


def picture_of(value):
    """The MIME type and bytes of a value that is a picture; None if it is none."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        found = next((mime for mime, beginning in _beginnings.items() if beginning.match(data)), None)
        return found and (found, data)
    if isinstance(value, type):
        return None
    png = _representation(value, "_repr_png_")
    if png is not None:
        return "image/png", base64.b64decode(png) if isinstance(png, str) else png
    svg = _representation(value, "_repr_svg_")
    if svg is not None:
        return _svg_type, svg.encode() if isinstance(svg, str) else svg
    # Figures show themselves only where IPython has told them how to.
    if type(value).__module__ == "matplotlib.figure":
        file = io.BytesIO()
        value.savefig(file, format="png")
        return "image/png", file.getvalue()
    return None


def _representation(value, name):
    """
    What a method of Jupyter's protocol returns: bytes or text, or a pair of that and metadata. None stands
    for "not so", and whatever else for an object that answers to any name.
    """
    method = getattr(value, name, None)
    result = method() if callable(method) else None
    data = result[0] if isinstance(result, tuple) and result else result
    return data if isinstance(data, (bytes, str)) else None
