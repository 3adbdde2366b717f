"""A pack of three barely trained networks and some predictions, made once, and ways to break it."""

import datetime
import json
import zipfile

import numpy as np

from robust_book.commands.release import networks
from robust_book.engine.jobs import Job
from robust_lib.cache import Store, content_key
from robust_lib.fetch import sums
from tests import tiny

NAMES = ("alexnet_mini", "resnet18_mini", "resnet18_mini_tuned")
JOB = Job("train-three", "train", ("train", *NAMES, "--seed", "0"), (), 600.0)
ANSWER = {"what": "predictions", "fingerprint": "ab" * 32, "model": "one"}
ON_PHOTOGRAPHS = {"what": "predictions", "fingerprint": "ef" * 32, "model": "efficientnet_lite0"}
# Of candidates that were filtered with two networks of the book.
TEN_CROPS = {"what": "ten-crop answers", "filters": [[name, "12" * 32] for name in NAMES[:2]]}
RUNS = {"one": {"provenance": {"weights": {"one": "ab" * 32}, "seeds": [0]}}}
ABOUT = {"version": "toy 1.2.0", "commit": "c0", "profile": tiny.PROFILE}
WHEN = datetime.datetime(2026, 3, 4, tzinfo=datetime.UTC)


def trained(factory):
    """Return a project in which three networks are trained; change none of its files."""

    def make(folder):
        tiny.project(folder)
        words = ("robust", "train", *NAMES, "--profile", tiny.PROFILE)
        done = tiny.in_one_process(folder, [words])
        assert done.returncode == 0, done.stderr
        store = Store(folder / "build" / "cache" / "store")
        others = (
            ANSWER | {"fingerprint": "cd" * 32},  # of a network that no page shows
            TEN_CROPS | {"filters": [[NAMES[0], "12" * 32], ["another", "34" * 32]]},
        )
        for about in (ANSWER, ON_PHOTOGRAPHS, TEN_CROPS, *others):
            store.put(content_key(about), {"predicted": np.arange(3)}, about)

    return tiny.shared(factory, "three_networks", make)


def packs(project, folder):
    """Return the folder of a project's two packs, with their checksums."""
    folder.mkdir()
    networks.write(folder, stored(project), RUNS, ABOUT, WHEN)
    sums.write(folder)
    return folder


def stored(project):
    """Return the keys of a project's trained networks."""
    entries = [json.loads(path.read_text()) for path in project.glob("build/cache/store/*/*.json")]
    return [one["key"] for one in entries if one["description"]["what"] == "trained network"]


def unpacked(pack, folder):
    """Return the folder that a pack is unpacked to."""
    with zipfile.ZipFile(pack) as members:
        members.extractall(folder)
    return folder / pack.stem


def zipped(folder):
    """Return a folder as a zip file beside it, with checksums of what it holds now."""
    (folder / sums.NAME).unlink()
    sums.write(folder)
    target = folder.with_suffix(".zip")
    with zipfile.ZipFile(target, "w") as made:
        for path in sums.files(folder):
            made.write(path, f"{folder.name}/{path.relative_to(folder)}")
    return target


def change(folder, key, edit):
    """Change arrays of an entry, and all checksums so that they fit."""
    json_file = folder / "store" / key[:2] / f"{key}.json"
    entry = json.loads(json_file.read_text())
    arrays = json_file.with_name(entry["file"])
    with np.load(arrays) as found:
        edited = edit(dict(found))
    np.savez(arrays, **edited)
    json_file.write_text(json.dumps(entry | {"sha256": sums.sha256(arrays)}))
