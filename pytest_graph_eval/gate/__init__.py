"""Records in, summary and verdict out. Pure functions."""
