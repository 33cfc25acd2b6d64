"""Pictures that a program shows."""

import base64
import io

from code_executor.host import send

_signatures = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
# A frame of the pipe is at most a mebibyte, and base64 makes four bytes of three.
_part_bytes = 720 * 1024


def display(value):
    """
    Shows a picture beside the program's value: a matplotlib figure, a PIL image, anything with
    ``_repr_png_()`` or ``_repr_svg_()``, or the bytes of a PNG, JPEG, GIF or WebP file. Whatever else is
    printed.
    """
    picture = picture_of(value)
    if picture is None:
        print(value)
    else:
        show(*picture)


def show(mime_type, data):
    """Sends a picture in parts; raises ValueError when the server takes no more."""
    for start in range(0, len(data), _part_bytes):
        end = start + _part_bytes
        part = base64.b64encode(data[start:end]).decode()
        params = {"mimeType": mime_type, "part": part, "isLast": end >= len(data)}
        send("display", params, lambda value: value, lambda fields: ValueError(fields["message"])).wait()


def picture_of(value):
    """The MIME type and bytes of a value that is a picture; None if it is none."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        found = next((mime for start, mime in _signatures.items() if data.startswith(start)), None)
        return found and (found, data)
    if isinstance(value, type):
        return None
    png = _representation(value, "_repr_png_")
    if png is not None:
        return "image/png", base64.b64decode(png) if isinstance(png, str) else bytes(png)
    svg = _representation(value, "_repr_svg_")
    if svg is not None:
        return "image/svg+xml", svg.encode()
    # Figures show themselves only where IPython has told them how to.
    if type(value).__module__ == "matplotlib.figure":
        file = io.BytesIO()
        value.savefig(file, format="png")
        return "image/png", file.getvalue()
    return None


def _representation(value, name):
    """What a method of Jupyter's protocol returns; some return a pair with metadata, or None for "not so"."""
    method = getattr(value, name, None)
    result = method() if callable(method) else None
    return result[0] if isinstance(result, tuple) else result
