"""An MCP server as a target: its process or address, the connection to it, and the SDK behind one thin client."""
