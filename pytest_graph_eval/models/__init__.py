"""What goes in and what comes out of an evaluation: suites, scenarios, settings, replies and records."""
