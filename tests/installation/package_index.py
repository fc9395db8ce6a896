"""A package index on the loopback interface: it has every requested project, and the other
distribution that is also called confluent-kafka."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from threading import Thread

OTHER = "OTHER_DISTRIBUTION = True\n"


def wheel(name: str, version: str, files: Mapping[str, bytes]) -> bytes:
    """Return a wheel for every Python."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    described = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    everything = {
        **files,
        f"{info}/METADATA": described.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in everything.items():
            archive.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return out.getvalue()


def installed(name: str) -> tuple[str, bytes]:
    """Return the installed version of a distribution, and a wheel of its files."""
    found = metadata.distribution(name)
    paths = [path for path in found.files or [] if ".." not in path.parts]
    kept = [path for path in paths if not path.parts[0].endswith(".dist-info")]
    entries = [path for path in paths if path.name == "entry_points.txt"]
    files = {path.as_posix(): path.read_binary() for path in (*kept, *entries)}
    return found.version, wheel(name, found.version, files)


class Index:
    """The contents of an index.

    Args:
        versions: the versions of the projects for which 1.0 is not accepted.
        wheels: the wheels that contain files, by their file names.
    """

    def __init__(self, versions: Mapping[str, str], wheels: Mapping[str, bytes]) -> None:
        self.versions = versions
        self.wheels = dict(wheels)

    def page(self, project: str) -> bytes:
        """Return the page of a project, with links to its files."""
        prefix = f"{project.replace('-', '_')}-"
        names = [name for name in self.wheels if name.startswith(prefix)]
        names = names or [f"{prefix}{self.versions.get(project, '1.0')}-py3-none-any.whl"]
        return "".join(f'<a href="/files/{name}">{name}</a>\n' for name in names).encode()

    def file(self, name: str) -> bytes:
        """Return a wheel; an unknown name gets a wheel without files."""
        project, version, *_ = name.split("-")
        return self.wheels.get(name) or wheel(project, version, {})


@contextmanager
def serving(index: Index) -> Iterator[str]:
    """Yield the address of the index while it runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, name = self.path.strip("/").split("/")
            body = index.page(name) if kind == "simple" else index.file(name)
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if kind == "simple" else "application/zip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/simple"
        finally:
            server.shutdown()
            thread.join()
