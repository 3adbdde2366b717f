"""A book in the small whose files fail once, at any call: the same command ends with equal bits.

CASES (300) of all faults that there are, each call in each way, in an order that SEED (0) draws, in
PARTS (8) that processes share: `make faults CASES=4000` has them all. A case begins with what the
jobs before its own have left, so it takes about a second of a core.
"""

import gzip
import hashlib
import json
import os
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from robust_book.engine import journal
from robust_lib.results.grounds import EVIDENCE
from tests import faults, tiny

CASES, SEED, PARTS = (
    int(os.environ.get(name, value)) for name, value in (("CASES", 300), ("SEED", 0), ("PARTS", 8))
)
CHAPTER = "inc_2_mce"
KEPT = ("profile = ", "from robust_book.chapters import inc_2_mce", "grid = run.grid")
KEPT += ("#| label: inc-alexnet", "from robust_book.chapters.inc import key")
FEW = ("-p", "corruptions", "[fog]", "-p", "severities", "[1]", "-p", "limit", "8")
JOBS = (
    ("draw-scenes", "draw", "imagenet_val"),
    ("train-alexnet", "train", "alexnet"),
    ("notebook-mce", "run", CHAPTER, "--into-book", *FEW),
)
# What the server of cases has done before, so that a case loads and compiles nothing.
WARM = tuple(("robust", *words, "--profile", tiny.PROFILE) for _, *words in JOBS)
# A message says what to do.
ADVICE = re.compile(r"[Rr]un (it |the \w+ )?again|Delete ")
# What is no part of a book: logs, listings that know when folders changed, locks, leftovers.
LEFT = re.compile(r"/logs/|/folders/|(^|/)\.|\.aside$")
# What tells when, or how long; not what.
TIMES = ("seconds", "date", "command", "commit", "dirty")


def world(folder: Path) -> Path:
    """Make a project whose chapter on mCE has five cells, of which all predict or write."""
    notebook = tiny.project(folder) / "notebooks" / f"{CHAPTER}.ipynb"
    content = json.loads(notebook.read_text("utf-8"))
    content["cells"] = [
        cell
        for cell in content["cells"]
        if cell["cell_type"] == "code" and "".join(cell["source"]).startswith(KEPT)
    ]
    content["cells"][-1]["source"] = "page.save(results)"
    notebook.write_text(json.dumps(content), "utf-8")
    return folder


def made(folder: Path, build: Path, fault: tuple[int, str] = (0, ""), jobs=JOBS):
    """Make the book in a build folder, with a fault; return its status and what a reader sees."""
    home = build / tiny.PROFILE
    commands = [("call", "tests.faults:begin", str(home), *map(str, fault))]
    for name, *words in jobs:
        stamp = home / "done" / f"{name}.txt"
        commands.append(("call", "tests.faults:job", str(stamp), *words, "--profile", tiny.PROFILE))
    done = tiny.in_one_process(folder, commands, build=build, after=WARM)
    events = list(journal.read(home)) if (home / "logs" / "journal.jsonl").exists() else []
    failed = [event["why"] for event in events if event["event"] == "failed"]
    return done.returncode, "\n".join([*failed, done.stderr.rpartition("\r")[2]]).strip()


def bits(build: Path) -> dict[str, str]:
    """Return the checksum of all that a book consists of; moments and durations apart."""
    found = {}
    for path in sorted(build.rglob("*")):
        name = path.relative_to(build).as_posix()
        if path.is_dir() or LEFT.search(name):
            continue
        content = path.read_bytes().replace(str(build).encode(), b"build")
        if path.suffix == ".ipynb":
            outputs = [out for cell in json.loads(content)["cells"] for out in cell["outputs"]]
            shown = [out["data"].get("text/html") for out in outputs if "data" in out]
            content = json.dumps(shown).encode()
        elif "/results/" in name and path.suffix == ".json":
            record = json.loads(content)
            about = {key: it for key, it in record["provenance"].items() if key not in TIMES}
            files = {file: it for file, it in record["files"].items() if EVIDENCE not in file}
            content = json.dumps({**record, "provenance": about, "files": files}).encode()
        elif name.endswith(EVIDENCE):
            # Images are opened no more where their predictions were made before the fault.
            content = json.dumps(json.loads(gzip.decompress(content)) | {"stored": ()}).encode()
        elif "/done/" in name:
            content = b"\n".join(content.splitlines()[:-1])
        found[name] = hashlib.sha256(content).hexdigest()
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The project, what each job began with, the bits of the book, and each job's calls.

    Once for all processes of tests.
    """

    def make(folder):
        build = world(folder) / "build"
        build.mkdir()
        for job in range(len(JOBS)):
            shutil.copytree(build, folder / str(job))
            status, seen = made(folder, build, jobs=JOBS[: job + 1])
            assert status == 0, seen
            (folder / "build.calls").replace(folder / f"{job}.calls")

    folder = tiny.shared(tmp_path_factory, "faulty", make)
    counts = [
        len((folder / f"{job}.calls").read_text("utf-8").splitlines()) for job in range(len(JOBS))
    ]
    return folder, bits(folder / "build"), counts


def survived(undisturbed, build: Path, job: int, at: int, kind: str) -> str:
    """Make a book with a fault, then again without one; return what is wrong, or nothing."""
    folder, expected, _ = undisturbed
    shutil.copytree(folder / str(job), build)
    status, seen = made(folder, build, (at, kind))
    failed = build.with_name("build.calls").read_text("utf-8").splitlines()
    wrong = ["it never came"] * (len(failed) < at)
    if "Traceback" in seen or (status not in (0, -9) and not ADVICE.search(seen)):
        wrong.append(f"status {status} says: {seen[-600:]}")
    again, said = made(folder, build)
    if again:
        wrong.append(f"the same command ends with {again}: {said[-600:]}")
    else:
        found = bits(build)
        differ = sorted(name for name in expected | found if expected.get(name) != found.get(name))
        wrong += [f"other bits: {', '.join(differ)}"] * bool(differ)
    shutil.rmtree(build)
    return f"{kind} at {at}, {failed[at - 1 :][:1]}: {'; '.join(wrong)}" if wrong else ""


def cases(undisturbed) -> list[tuple[int, int, str]]:
    """Return (job, call that fails, how) of all cases, or of as many as are asked for."""
    calls = [(job, at) for job, count in enumerate(undisturbed[2]) for at in range(1, count + 1)]
    every = [(*call, kind) for call in calls for kind in faults.KINDS]
    return random.Random(SEED).sample(every, min(CASES, len(every)))


def faults_of(undisturbed, build: Path, chosen: Iterable[tuple[int, int, str]]) -> list[str]:
    """Return what is wrong after each of some cases; none of it is right."""
    wrong, kinds = [], Counter[str]()
    for job, at, kind in chosen:
        kinds[kind] += 1
        if found := survived(undisturbed, build, job, at, kind):
            wrong.append(f"{JOBS[job][0]}, {found}")
            print(wrong[-1], file=sys.stderr, flush=True)
    print(f"{len(wrong)} wrong of {dict(sorted(kinds.items()))}", file=sys.stderr, flush=True)
    return wrong


def test_some_faults(undisturbed, tmp_path):
    assert not faults_of(undisturbed, tmp_path / "build", cases(undisturbed)[:10])


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_a_book_whose_files_fail_once_ends_with_the_same_bits(undisturbed, tmp_path, part):
    wrong = faults_of(undisturbed, tmp_path / "build", cases(undisturbed)[part::PARTS])
    assert not wrong, "\n".join(wrong)
