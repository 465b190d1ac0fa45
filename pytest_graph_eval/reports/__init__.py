"""Reports: a finished summary in, text out."""
