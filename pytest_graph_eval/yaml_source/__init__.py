"""YAML text to plain data with positions: the rules of YAML 1.2, bounded, every problem at its place."""

from pytest_graph_eval.yaml_source.document import Document
from pytest_graph_eval.yaml_source.reader import decode, parse, read_bytes
from pytest_graph_eval.yaml_source.rules import MAX_BYTES, MAX_DEPTH, MAX_VALUES, resolve

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_VALUES", "Document", "decode", "parse", "read_bytes", "resolve"]
