"""What a graph holds (`catalog`), how it is read (`reading`) and searched (`retrieval`), and its MCP server."""
