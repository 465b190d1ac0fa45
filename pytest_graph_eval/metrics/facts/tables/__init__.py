"""The words and signs that the facts engine knows, as tables; `rules` holds the figures of the rules themselves."""
