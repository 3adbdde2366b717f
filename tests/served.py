"""A small web server with the faults of real ones."""

import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Page:
    """One address: what it holds, and how the server misbehaves there."""

    content: bytes
    etag: str | None = '"v1"'
    ranges: bool = True  # whether the server knows Range
    breaks: list[int] = field(default_factory=list)  # of the next answers, bytes until they break
    states: list[int] = field(default_factory=list)  # HTTP states of the next answers
    delay: float = 0.0  # seconds before the answer
    shift: int = 0  # how far a resumed answer begins from where it was asked to
    leads_to: str | None = None  # another page, whose answer counts
    asked: list[dict[str, str | None]] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)  # what each asked with


class Site:
    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                site.answer(self)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # a client that hung up is part of the tests

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def add(self, name: str, content: bytes, **faults: object) -> Page:
        self.pages[f"/{name}"] = page = Page(content, **faults)
        return page

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/{name}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        page = self.pages.get(request.path.partition("?")[0])
        if page is None:
            request.send_error(404)
            return
        headers = {name: request.headers.get(name) for name in ("Range", "If-Range")}
        page.asked.append(headers)
        page.logins.append(request.headers.get("Authorization"))
        time.sleep(page.delay)
        if page.states:
            request.send_error(page.states.pop(0))
            return
        if page.leads_to is not None:
            request.send_response(302)
            request.send_header("Location", self.url(page.leads_to))
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        start, fresh = 0, headers["If-Range"] in (None, page.etag)
        if headers["Range"] and page.ranges and fresh:
            start = int(headers["Range"].removeprefix("bytes=").removesuffix("-")) + page.shift
            if start >= len(page.content):
                request.send_error(416)
                return
        request.send_response(206 if start else 200)
        if start:
            last = len(page.content) - 1
            request.send_header("Content-Range", f"bytes {start}-{last}/{len(page.content)}")
        if page.etag:
            request.send_header("ETag", page.etag)
        request.send_header("Content-Length", str(len(page.content) - start))
        request.end_headers()
        body = page.content[start:]
        request.wfile.write(body[: page.breaks.pop(0)] if page.breaks else body)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
