"""A run against an accepted one: what the baseline keeps, what changed, and what that means."""
