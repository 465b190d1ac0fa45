"""The kinds of scenarios that a graph can be asked for, in one table."""
