"""Advice for programs that try what the sandbox does not allow."""

import errno
import os

_no_processes = "There are no other processes here; call a tool."
_no_sockets = (
    "Python has no sockets: from pyodide.http import pyfetch; response = await pyfetch(url), with the host in permissions.net"
)
_no_files = "The files of the host are not there; call a tool for files. Files of the program's own go to /tmp."
_return_in_program = "At the top level, return is for the last line; make a function of the program, and its call the last line."


def refuse_processes(*_):
    """Replaces functions that would crash the interpreter."""
    raise OSError(errno.ENOTSUP, _no_processes)


def add_to(text, error):
    """The text about an exception, followed by advice if there is any."""
    advice = _advice_on(error)
    return text if advice is None or advice in text else f"{text}\n{advice}"


def _advice_on(error):
    # Only the message identifies this error.
    if isinstance(error, SyntaxError) and error.msg == "'return' outside function":
        return _return_in_program
    if not isinstance(error, OSError):
        return None
    # urllib wraps the error of the socket.
    cause = getattr(error, "reason", error)
    number = getattr(cause, "errno", None)
    if number == errno.ENOTSUP:
        return _no_processes
    if number in (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ECONNREFUSED, errno.EPERM):
        return _no_sockets
    path = error.filename
    # An existing folder belongs to the program.
    folder = os.path.dirname(path) if isinstance(path, str) else ""
    is_of_host = folder.startswith("/") and (folder == "/" or not os.path.isdir(folder))
    return _no_files if number == errno.ENOENT and is_of_host else None
