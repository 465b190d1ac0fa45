"""A small HTTP server in a thread: a function answers whatever is asked."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Asked:
    """A request, as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Reply = tuple[int, Mapping[str, str], bytes]
"""Status, headers and body."""


@contextmanager
def listening(reply: Callable[[Asked], Reply]) -> Iterator[str]:
    """Answer until the end of the block; give the address without a path."""

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, content = reply(Asked(self.command, self.path, dict(self.headers), body))
            with contextlib.suppress(ConnectionError):  # a client that did not wait
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = do_OPTIONS = do_DELETE = _reply  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
