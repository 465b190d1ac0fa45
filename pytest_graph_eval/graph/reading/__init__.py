"""Readers of the files that graphs come in, and of the triples of endpoints."""
