"""The larger subcommands of `graph-eval`, one module each: `add_arguments` declares and `run` does it."""
