"""The functions through which a program reaches tools."""

from code_executor.host import request, to_text


class McpToolError(Exception):
    """
    An upstream tool failed, or the server would not call it.

    ``code`` says why in one word, ``tool`` and ``server`` name what was called, and ``retry_after_ms`` is
    there when it is worth to try again after so many milliseconds.
    """

    def __init__(self, message, *, code, tool=None, server=None, retry_after_ms=None):
        super().__init__(message)
        self.code = code
        self.tool = tool
        self.server = server
        self.retry_after_ms = retry_after_ms


class ToolNotAllowedError(McpToolError):
    """The tool is not in ``allowedTools``, or the server's own policy forbids it."""


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

    Returns its structured content, else its text, parsed where that is JSON. ``raw=True`` returns the whole
    result as MCP has it. Await it or not; ``asyncio.gather`` makes calls at once. Raises ToolNotAllowedError
    and McpToolError.
    """
    tool = name if isinstance(name, str) else None
    if tool is None:
        _refuse(f"call_mcp_tool takes the name of a tool as a string, not {type(name).__name__}.")
    if params is not None and not isinstance(params, dict):
        _refuse(f"call_mcp_tool takes its params as a dict, not {type(params).__name__}.", tool)
    try:
        text = to_text({"name": name, "args": params or {}, "raw": raw is True})
    except (TypeError, ValueError, RecursionError) as error:
        message = f"The params of {tool} are not JSON: {error}"
        raise McpToolError(message, code="invalid_argument", tool=tool) from None
    return request("callTool", text, _same, _failing(tool))


def discover_mcp_tools(search=None):
    """
    Returns the tools that there are, as dicts with ``name``, ``description`` and ``parameters``; with
    ``search``, a word or a list of words, those that match, best first.
    """
    words = [search] if isinstance(search, str) else list(search or [])
    if not all(isinstance(word, str) for word in words):
        _refuse("discover_mcp_tools takes a word or a list of words.")
    return request("listTools", to_text({"query": " ".join(words)}), _same, _failing())


def get_tool_schema(name):
    """Returns the schema of one tool, or None if there is no such tool."""
    return request("listTools", to_text({"name": str(name)}), lambda tools: tools[0] if tools else None, _failing())


def search_tools(query, limit=10):
    """Returns the tools that match the query, best first."""
    if not isinstance(query, str):
        _refuse("search_tools takes its query as a string.")
    return request("listTools", to_text({"query": query, "limit": limit}), _same, _failing())
