"""Replies in files: recorded ones that are played, and the recorder that makes them."""
