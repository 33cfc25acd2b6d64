"""Pictures that a program shows."""

import base64
import binascii
import io
import itertools
import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from code_executor.host import send, to_text

_svg_type = "image/svg+xml"
_beginnings = {
    "image/png": re.compile(rb"\x89PNG\r\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    # The root element, after comments and declarations.
    _svg_type: re.compile(
        rb"(?:\xef\xbb\xbf)?\s*(?:<(?:!--(?:[^-]|-(?!-))*--|[?!](?!--)(?:[^>\[]|\[[^\]]*\])*)>\s*)*<svg[\s/>]"
    ),
}
_data_url = re.compile(r"data:(image/[\w.+-]+)(?:;(?!base64,)[\w.=-]+)*(;base64)?,")
# How much of a file is read to find its type: enough for an SVG that begins with a long comment.
_beginning_bytes = 4096
# Matches text that is only the base64 of a PNG, JPEG, GIF or WebP file.
_base64 = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR)[A-Za-z0-9+/\s]{40,}={0,2}\s*")
_buffers = (bytes, bytearray, memoryview)
# A frame has at most 1 MiB, and base64 turns three bytes into four.
_part_bytes = 720 * 1024
_ids = itertools.count(1)


def display(value, mime_type=None):
    """
    Shows a picture beside the program's value: a matplotlib figure, a PIL image, anything with
    ``_repr_png_()`` or ``_repr_svg_()``, the bytes of a PNG, JPEG, GIF or WebP file, base64 of them, an image block
    of MCP, or SVG, which is drawn as PNG. Prints any other value. Raises ValueError if bytes are not a picture, or
    the picture is too large.
    """
    if mime_type is None and isinstance(value, str) and is_svg(value):
        mime_type = _svg_type
    picture = picture_of(value, mime_type)
    if picture is not None:
        show(*picture)
    elif isinstance(value, _buffers):
        raise NoPicture("These bytes are no picture.")
    else:
        print(value)


def show(mime_type, data):
    """Sends a picture in parts; other tasks may send parts between them."""
    if mime_type == _svg_type:
        mime_type, data = "image/png", _draw(data)
    picture = next(_ids)
    for start in range(0, max(1, len(data)), _part_bytes):
        end = start + _part_bytes
        part = base64.b64encode(data[start:end]).decode()
        params = {"id": picture, "mimeType": mime_type, "part": part, "isLast": end >= len(data)}
        send("display", to_text(params), lambda value: value, _refusal).wait()


def _draw(svg):
    """Converts an SVG to PNG, because clients do not show SVG to a model."""
    text = to_text({"svg": svg.decode(errors="replace").removeprefix("\ufeff")})
    return send("drawSvg", text, base64.b64decode, _refusal).wait()


class NoPicture(ValueError):
    """A value that should be a picture is not one."""

    code = "invalid_argument"

    def __init__(self, problem):
        super().__init__(f"{problem} PNG, JPEG, GIF, WebP and SVG can be shown.")


def _refusal(fields):
    error = ValueError(fields["message"])
    error.code = fields["code"]
    return error


def picture_of(value, mime_type=None):
    """
    Returns the MIME type and bytes of a value that is a picture, or None if it is not one. Raises NoPicture if
    ``mime_type`` is given but the bytes are not a picture; the bytes decide on the type.
    """
    if isinstance(value, str):
        return _of_text(value, mime_type)
    if isinstance(value, _buffers):
        return _of_bytes(bytes(value), mime_type)
    if isinstance(value, type):
        return None
    if is_block(value):
        return picture_of(value["data"], value["mimeType"])
    png = _representation(value, "_repr_png_")
    if png is not None:
        return _of_bytes(base64.b64decode(png) if isinstance(png, str) else png, "image/png")
    svg = _representation(value, "_repr_svg_")
    if svg is not None:
        return _svg_type, svg.encode() if isinstance(svg, str) else svg
    # Figures have no _repr_png_() without IPython.
    if type(value).__module__ == "matplotlib.figure":
        file = io.BytesIO()
        value.savefig(file, format="png")
        return "image/png", file.getvalue()
    return None


def is_block(value, mime_prefix="image/"):
    """Whether a value is an image block of MCP, or has the same fields with bytes in them."""
    if not isinstance(value, Mapping):
        return False
    mime_type = value.get("mimeType")
    is_image = isinstance(mime_type, str) and mime_type.startswith(mime_prefix)
    return is_image and isinstance(value.get("data"), (str, *_buffers))


def _of_text(text, mime_type):
    url = _data_url.match(text)
    if url:
        data = text[url.end() :]
        mime_type = url[1]
        return _of_bytes(_from_base64(data, mime_type) if url[2] else unquote_to_bytes(data), mime_type)
    if mime_type is None:
        return _of_bytes(_from_base64(text)) if _base64.fullmatch(text) else None
    if is_svg(text):
        return _svg_type, text.encode(errors="replace")
    return _of_bytes(_from_base64(text, mime_type), mime_type)


def _from_base64(text, mime_type="a picture"):
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise NoPicture(f"The text that is to be shown as {mime_type} is not base64.") from None


def _of_bytes(data, claimed=None):
    mime_type = _type_of(data)
    if mime_type is not None:
        return mime_type, data
    if claimed is None:
        return None
    raise NoPicture(
        f"What is to be shown as {claimed} is no picture: it begins with the bytes {data[:8].hex(' ')}."
    )


def is_svg(text):
    """Whether the text is an SVG document."""
    return _type_of(text[:_beginning_bytes].encode(errors="replace")) == _svg_type


def _type_of(data):
    return next((mime for mime, beginning in _beginnings.items() if beginning.match(data[:_beginning_bytes])), None)


def _representation(value, name):
    """
    Calls a method of Jupyter's protocol, which returns bytes or text, or a pair of that and metadata. It returns None
    if the object has no such form; any other type shows that the object has an attribute of every name.
    """
    method = getattr(value, name, None)
    result = method() if callable(method) else None
    data = result[0] if isinstance(result, tuple) and result else result
    return data if isinstance(data, (bytes, str)) else None
