"""Logs behind web addresses: whole, in little memory, and what a server refuses in one sentence."""

import gzip
import re
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NoReturn

import pytest

from logrules.cli.main import main
from logrules.engine.run import replay
from logrules.sources.remote import remote_sources

pytest.importorskip("aiohttp")
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


class _WebServer(BaseHTTPRequestHandler):
    """Gives no part of a log, as `python -m http.server` does, packs what nobody asked it to pack, and breaks off."""

    text = b"".join(b"step %d loss 1.0 %s\n" % (step, b"x" * 500) for step in range(12_000)) + OOM.encode() + b"\n"

    def do_GET(self) -> None:
        """A log, or what is wrong."""
        path = self.path.partition("?")[0]
        packed = path == "/packed.log"
        body = gzip.compress(self.text) if packed else self.text
        if path == "/none.log":
            self.send_error(404)
            return
        if path == "/round.log":
            self.send_response(302)
            self.send_header("Location", path)
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body) + (path == "/broken.log")))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.command == "GET":
            with suppress(OSError):
                self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 (as http.server calls it)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def web():
    """The address of a web server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _WebServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    "path", ["/whole.log", "/packed.log", "/broken.log", "/whole.log?sig=a*b", "/whole.log?sig=a/b/c"]
)
def test_a_log_of_the_web_is_read_to_its_end(web, shipped, path):
    (source,) = remote_sources(web + path)
    report = replay([source], shipped)
    assert source.name == path[1:].partition("?")[0]
    assert [note.note for note in report.notes if not note.note.startswith("reading failed")] == []
    assert bool(report.notes) == (path == "/broken.log")
    if path != "/broken.log":
        assert (report.lines, report.diagnoses[0].cause) == (12_001, "cuda-oom")
    assert report.lines > 11_000


@pytest.mark.parametrize(
    ("path", "says"), [("/none.log?sig=secret", r"none\.log: .*\(404 "), ("/round.log", "cannot be")]
)
def test_what_a_web_server_refuses_is_one_sentence(web, capsys, path, says):
    assert main(["diagnose", web + path]) == 2
    said = capsys.readouterr().err
    assert re.search(says, said)
    assert "secret" not in said
    assert said.count("\n") == 1


def test_a_log_of_the_web_takes_no_more_memory_than_another(web, shipped, monkeypatch):
    import fsspec.implementations.http as of_the_web

    def never(*_: object, **__: object) -> NoReturn:
        raise AssertionError("it would be read whole")

    monkeypatch.setattr(of_the_web.HTTPFileSystem, "isdir", never)
    monkeypatch.setattr(of_the_web, "HTTPFile", never)
    assert replay(remote_sources(web + "/whole.log"), shipped).lines == 12_001
