"""Readers and writers of other projects' scenario files."""
