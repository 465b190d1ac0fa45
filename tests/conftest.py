"""Keeps what tests run from writing into the summary of the CI step that runs them."""

import os

os.environ.pop("GITHUB_STEP_SUMMARY", None)
