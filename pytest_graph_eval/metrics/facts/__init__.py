"""The facts engine: does a text state a fact? Deterministic, explainable, pure."""
