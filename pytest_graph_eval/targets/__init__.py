"""The kinds of targets: adapters that turn a question into a `Response`."""
