"""Enables pytest's own plugin for testing plugins; it may only stand here."""

pytest_plugins = ["pytester"]
