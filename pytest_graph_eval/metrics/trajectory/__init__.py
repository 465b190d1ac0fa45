"""Whether an agent made the tool calls that it should, with the results that they should have."""
