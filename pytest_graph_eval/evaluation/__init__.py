"""One scenario and one target in, one record out."""
