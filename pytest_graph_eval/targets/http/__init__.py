"""A service over HTTP as a target: requests, the bodies of replies, and what else is asked over HTTP."""
