"""What a graph holds (`catalog`), the embedded graph (`store`) and its MCP server (`server`)."""
