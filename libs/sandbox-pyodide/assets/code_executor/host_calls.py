"""The functions that an embedder gives to programs."""

from code_executor.host import request, to_text


def function_of(name, method):
    """Creates a function that calls ``method`` on the server, with keyword arguments or one dict as parameters."""

    def call(params=None, /, **named):
        args = {**(params or {}), **named} if params is None or isinstance(params, dict) else params
        try:
            text = to_text({"args": args})
        except (TypeError, ValueError, RecursionError) as error:
            raise _error("invalid_argument", f"The params of {name} are not JSON: {error}") from None
        return request(method, text, _same, _fail)

    call.__name__ = call.__qualname__ = name
    return call


def _same(value):
    return value


def _fail(fields):
    return _error(fields["code"], fields["message"], fields.get("retryAfterMs"))


def _error(code, message, retry_after_ms=None):
    error = RuntimeError(message)
    error.code = code
    error.retry_after_ms = retry_after_ms
    return error
