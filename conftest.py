"""Makes every test see the same signals, and enables the plugin for testing plugins, which may only stand here."""

import signal
import threading

import pytest

pytest_plugins = ["pytester"]

# A shell that starts us in the background makes all of us ignore the interrupts that some tests are about.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-xdist begin with the first files, which have the slowest tests, and not with those of most tests."""
    config.option.loadscopereorder = False
