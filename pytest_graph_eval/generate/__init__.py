"""Scenarios out of a graph: a catalog in, a suite out, with where every fact comes from."""
