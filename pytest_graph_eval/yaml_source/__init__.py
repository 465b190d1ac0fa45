"""YAML text to plain data with positions: the rules of YAML 1.2, bounded, every problem at its place."""

from pytest_graph_eval.yaml_source.document import Document
from pytest_graph_eval.yaml_source.reader import MAX_BYTES, MAX_DEPTH, MAX_VALUES, decode, parse, read_bytes, resolve

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_VALUES", "Document", "decode", "parse", "read_bytes", "resolve"]
