"""Metrics: a response in, scores and check outcomes out. Pure functions."""
