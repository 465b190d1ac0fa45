"""How the embedded graph finds what answers a question."""
