"""A hub of weights on this machine: random weights where timm's own lie elsewhere."""

import hashlib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import timm
import torch
from safetensors.torch import save_file

SMALL = "mobilenetv3_small_050.lamb_in1k"


class _Hub(SimpleHTTPRequestHandler):
    """Tells a file's SHA-256, as the hub does."""

    def end_headers(self):
        path = Path(self.translate_path(self.path))
        if path.is_file():
            told = self.server.told or hashlib.sha256(path.read_bytes()).hexdigest()
            self.send_header("X-Linked-Etag", f'"{told}"')
        super().end_headers()

    def log_message(self, *_):
        pass


def serve(folder: Path) -> ThreadingHTTPServer:
    """Return a running server of a folder; `told` replaces the checksums that it tells."""
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Hub, directory=folder))
    server.folder, server.told = folder, None
    server.address = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def publish(server: ThreadingHTTPServer, name: str = SMALL) -> Path:
    """Publish random weights of one of timm's networks; return the file."""
    path = server.folder / "timm" / name / "resolve" / "main" / "model.safetensors"
    path.parent.mkdir(parents=True)
    torch.manual_seed(5)
    save_file(timm.create_model(name).state_dict(), path)
    return path
