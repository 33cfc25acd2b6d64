"""The functions with which a program finds and calls tools."""

from code_executor.host import request, send, to_text


class McpToolError(Exception):
    """
    An upstream tool failed, or the server refused to call it.

    ``code`` is the kind of failure, ``tool`` and ``server`` name what was called, and ``retry_after_ms`` is set if
    it is worth trying again after that time.
    """

    def __init__(self, message, *, code, tool=None, server=None, retry_after_ms=None):
        super().__init__(message)
        self.code = code
        self.tool = tool
        self.server = server
        self.retry_after_ms = retry_after_ms


class ToolNotAllowedError(McpToolError):
    """The tool is not in ``allowedTools``, or the server's policy forbids it."""


def _failing(tool=None):
    def fail(fields):
        kind = ToolNotAllowedError if fields["code"] == "permission_denied" else McpToolError
        return kind(
            fields["message"],
            code=fields["code"],
            tool=fields.get("tool", tool),
            server=fields.get("server"),
            retry_after_ms=fields.get("retryAfterMs"),
        )

    return fail


def _same(value):
    return value


def _refuse(message, tool=None):
    raise McpToolError(message, code="invalid_argument", tool=tool)


def call_mcp_tool(name, params=None, *, raw=False):
    """
    Calls a tool, such as ``call_mcp_tool("mcp__github__create_issue", {"title": "..."})``.

    Returns its structured content, or else its text, parsed if that is JSON. ``raw=True`` returns the whole MCP
    result. ``await`` is optional; ``asyncio.gather`` runs several calls at once. Raises ToolNotAllowedError and
    McpToolError.
    """
    if not isinstance(name, str):
        _refuse(f"call_mcp_tool takes the name of a tool as a string, not {type(name).__name__}.")
    if params is not None and not isinstance(params, dict):
        _refuse(f"call_mcp_tool takes its params as a dict, not {type(params).__name__}.", name)
    text = _call({"name": name}, params or {}, raw is True, name)
    return request("callTool", text, _same, _failing(name))


def _call(target, args, raw, tool):
    try:
        return to_text({**target, "args": args, "raw": raw})
    except (TypeError, ValueError, RecursionError) as error:
        message = f"The params of {tool} are not JSON: {error}"
        raise McpToolError(message, code="invalid_argument", tool=tool) from None


class ByName:
    """Creates an attribute or item on access, whatever its name."""

    def __init__(self, make, path, server=None):
        self.__make = make
        self.__path = path
        self.__server = server

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"{self!r} takes the name as a string, not {type(name).__name__}.")
        return self.__make(name)

    def __dir__(self):
        params = {"style": "snake_case", **({} if self.__server is None else {"server": self.__server})}
        return send("pathNames", to_text(params), _same, _failing()).wait()

    def __iter__(self):
        return iter(dir(self))

    def __contains__(self, name):
        return name in dir(self)

    def __str__(self):
        return str(dir(self))

    def __repr__(self):
        return self.__path


def _server(server):
    return ByName(lambda tool: _tool(server, tool), f"tools.{server}", server)


def _tool(server, tool):
    path = f"tools.{server}.{tool}"

    def call(params=None, /, **named):
        target = {"server": server, "tool": tool, "hasKeywords": bool(named)}
        # The server refuses anything but a dict, because it knows the signature for its message.
        args = {**(params or {}), **named} if params is None or isinstance(params, dict) else params
        text = _call(target, args, False, path)
        return request("callTool", text, _same, _failing())

    call.__name__ = call.__qualname__ = path
    call.__doc__ = f"Calls the tool {tool} of {server}; see get_tool_types()."
    return call


#: Every tool as a function: ``tools.<server>.<tool>(**params)``, by its own name or by the name in snake case.
tools = ByName(_server, "tools")


def discover_mcp_tools(search=None, *, server=None, detail="full", limit=None, offset=0):
    """
    Returns all tools, as dicts with ``name``, ``description``, ``parameters`` and ``signature``. ``search``, a word
    or a list of words, selects those that match, best first; ``server`` selects those of one server. ``detail`` is
    ``"names"``, ``"signatures"``, ``"types"`` or ``"full"``.
    """
    words = [search] if isinstance(search, str) else list(search or [])
    if not all(isinstance(word, str) for word in words):
        _refuse("discover_mcp_tools takes a word or a list of words.")
    options = {"server": server, "detail": detail, "limit": limit, "offset": offset}
    given = {name: value for name, value in options.items() if value is not None}
    return request("listTools", to_text({"query": " ".join(words), **given}), _same, _failing())


def get_tool_schema(name):
    """Returns the schema of one tool, or None if there is no such tool."""
    return request("listTools", to_text({"name": str(name)}), lambda tools: tools[0] if tools else None, _failing())


def get_tool_types(names):
    """Returns the declarations of tools as text, with the types of their params and results."""
    names = [names] if isinstance(names, str) else list(names)
    return request("toolTypes", to_text({"names": names}), _same, _failing())


def search_tools(query, limit=10, *, detail="brief", server=None, offset=0):
    """
    Returns the tools that match the query, best first, as dicts with ``name``, ``server``, ``signature``,
    ``description`` and ``score``; ``detail="full"`` adds their schemas.
    """
    if not isinstance(query, str):
        _refuse("search_tools takes its query as a string.")
    options = {"query": query, "limit": limit, "detail": detail, "server": server, "offset": offset}
    given = {name: value for name, value in options.items() if value is not None}
    return request("listTools", to_text(given), _same, _failing())
