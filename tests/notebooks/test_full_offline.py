"""Profile `full` without a network: what is fetched before is all that a book asks for."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import torch
import yaml
from torchvision import models

from robust_lib.vocabulary import COMMON, EXTRA
from tests import hub, tiny, trees

NETWORKS = ("squeezenet1_1", "resnet18")
MADE = ("00_tour", "inc_1_corruptions", "inc_2_mce")  # what these data and networks suffice for
# Every Python process of the book reads this before anything else. Kernels talk to their notebooks
# on this machine alone, and not through this module.
WITHOUT_A_NETWORK = """
import os, socket

connect = socket.socket.connect

def refuse(*what, **_):
    with open(os.environ["ASKED"], "a") as asked:
        print(what, file=asked)
    raise OSError("there is no network")

def only_here(self, address):
    here = self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "localhost", "::1")
    return connect(self, address) if here else refuse(address)

socket.socket.connect = socket.socket.connect_ex = only_here
socket.getaddrinfo = socket.gethostbyname = refuse
"""


@pytest.fixture
def publisher(tmp_path):
    """A server of weights; whoever asks once it is closed gets nothing."""
    served = tmp_path / "published"
    served.mkdir()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=served)
    )
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    server.folder = served
    yield server
    server.shutdown()
    server.server_close()


def published(server, name):
    """Publish random weights of a network of torchvision; return their address and checksum."""
    torch.manual_seed(0)
    file = server.folder / f"{name}.pth"
    torch.save(getattr(models, name)(num_classes=len(trees.WNIDS)).state_dict(), file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return f"http://127.0.0.1:{server.server_address[1]}/{file.name}#sha256={digest}"


def project(folder, server):
    """Real layouts, the archive in its place, and two networks whose weights lie on a server."""
    tiny.real_layouts(folder)
    shutil.copytree(tiny.REPOSITORY / "book", folder / "book")
    manifests = folder / "data_manifests"
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(folder / "data" / "imagenet_c", COMMON + EXTRA)
    rows = manifests / "models" / "torchvision.yaml"
    content = yaml.safe_load(rows.read_text("utf-8"))
    for name in NETWORKS:
        content[name]["weights"] = published(server, name)
    rows.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    full = manifests / "profiles" / "full.yaml"
    tiny.change(
        full,
        device="cpu",
        workers=0,
        severities=[3],
        networks=yaml.safe_load(full.read_text("utf-8"))["networks"]
        | {"imagenet_c": dict(zip(NETWORKS, NETWORKS, strict=True))},
    )
    return folder


@pytest.mark.slow
def test_a_book_of_validation_images_and_the_archive_alone_opens_no_socket(tmp_path, publisher):
    """It has the three chapters that these suffice for, and says what the others lack."""
    folder = project(tmp_path / "project", publisher)
    fetched = tiny.robust(folder, "fetch", "--profile", "full", "--chapters", ",".join(MADE))
    weights = sorted(path.name for path in (folder / "data" / "weights").rglob("*.pth"))
    assert weights == sorted(f"{name}.pth" for name in NETWORKS), fetched.stderr
    publisher.shutdown()
    site = folder / "build" / "full" / "site"

    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "sitecustomize.py").write_text(WITHOUT_A_NETWORK, "utf-8")
    asked = cut / "asked.txt"
    path = os.pathsep.join([str(cut), str(tiny.REPOSITORY), os.environ.get("PYTHONPATH", "")])
    done = tiny.robust(
        folder, "book", "--profile", "full", "--jobs", "2",
        env={"PYTHONPATH": path, "ASKED": str(asked)},
    )  # fmt: skip
    assert "Done. The site" in done.stdout, done.stdout + done.stderr
    # Random weights are nobody's: that is all that is wrong.
    assert (done.returncode, done.stdout.count("FAILED by")) == (1, 2)
    assert "Gates: 2 FAILED, 261 not run." in done.stdout
    assert {name for name in tiny.CHAPTERS if (site / f"{name}.html").exists()} == set(MADE)
    left = dict(re.findall(r"^Left out: (\w+)(?: lacks|:) (.*)$", done.stdout, re.MULTILINE))
    assert left.keys() | set(MADE) == set(tiny.CHAPTERS)
    assert "imagenet_a" in left["nae_2_imagenet_a"]
    assert not asked.exists(), asked.read_text("utf-8")


@pytest.fixture
def timms(tmp_path):
    """A hub of timm's weights, which has those of one network."""
    server = hub.serve(tmp_path / "hub")
    hub.publish(server)
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_a_network_of_timms_opens_no_socket_once_it_is_fetched(tmp_path, timms):
    words = (
        "from robust_lib.models import torch_models\n"
        f"print(torch_models.load('timm/{hub.SMALL}').fingerprint)"
    )
    asked = tmp_path / "asked.txt"
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "sitecustomize.py").write_text(WITHOUT_A_NETWORK, "utf-8")
    with_network = os.environ | {
        "HF_ENDPOINT": timms.address,
        "ROBUST_DATA": str(tmp_path / "data"),
        "PYTHONPATH": str(tiny.REPOSITORY),
    }
    path = f"{tmp_path / 'cut'}{os.pathsep}{tiny.REPOSITORY}"
    without = with_network | {"PYTHONPATH": path, "ASKED": str(asked)}
    said = []
    for env in (with_network, without):
        done = subprocess.run(
            [sys.executable, "-c", words], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
        timms.shutdown()
    assert said[0] == said[1] != ""
    assert not asked.exists(), asked.read_text("utf-8")


def test_the_network_is_cut_off_for_processes_that_are_told(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_A_NETWORK, "utf-8")
    asked = tmp_path / "asked.txt"
    words = [
        "import urllib.request",
        "urllib.request.urlopen('http://nowhere.invalid/net.pth')",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(words)],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "ASKED": str(asked)},
        capture_output=True,
        text=True,
    )
    assert "there is no network" in done.stderr
    assert "nowhere.invalid" in asked.read_text("utf-8")
