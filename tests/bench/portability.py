"""Whether verdicts are the same on other processors: `make portability`, about 20 minutes.

    python -m tests.bench.portability [--profile smoke] [--chapters NAME ...] [--only WORDS]
        [--python PROGRAM ...] [--against PROFILE_FOLDER] [--write]

Chapters of a book that has been made are executed again as if the processor had fewer instructions,
with two threads, or by a Python with another torch, in build/portability. Images and trained
networks are those of the book, which is not changed; all predictions are computed again. A number
is compared with the interval of the book's, a verdict with its word. --write puts the table where
the book shows it.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from robust_lib import paths

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("inc_5_auxiliary", "nao_4_attribution", "vid_3_detection")
THREADS = "OMP_NUM_THREADS"
# Words of a table -> the environment. Each library chooses its instructions, and has a cap of its
# own: oneDNN, PyTorch, the BLAS of NumPy and SciPy, NumPy, OpenCV; MKL has none on AMD.
# Whether the machine has so much is for `can` to say.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "SSE4": {
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENCV_CPU_DISABLE": "AVX2,AVX512-SKX",
    },
    "AVX2": {
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENCV_CPU_DISABLE": "AVX512-SKX",
    },
    "AVX-512": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "ATEN_CPU_CAPABILITY": "avx512"},
    "AVX-512 with bfloat16": {
        "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16",
        "ATEN_CPU_CAPABILITY": "avx512",
    },
    "two threads": {THREADS: "2"},
}
NEEDS = {"AVX2": "avx2", "AVX-512": "avx512dq", "AVX-512 with bfloat16": "avx512_bf16"}
# What a library says of the instructions that it uses; of oneDNN's many lines, one.
ASKED = """
import cv2, torch
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
with torch.inference_mode():
    torch.nn.Conv2d(16, 32, 3)(torch.ones(2, 16, 32, 32))
print("PyTorch", torch.__version__, torch.backends.cpu.get_cpu_capability())
print("NumPy", *(one for one in __cpu_dispatch__ if __cpu_features__[one]))
print("OpenCV", cv2.getCPUFeaturesLine().split()[-1])  # with ?: has it, may not use it
"""
TITLE = "Numbers and verdicts on other processors"
CONVENTION = (
    "chapters executed again with the same images and trained networks; inside, outside: numbers "
    "that differ, by the interval of the book's; without: those that differ and have no interval; "
    "largest: difference, in widths of the book's interval; other words: verdicts whose word "
    "differs, and numbers or verdicts that only one of the two runs has"
)
KEY = ("item", "dataset", "model", "corruption", "severity", "k", "metric", "convention")


@dataclass(frozen=True)
class Agreement:
    """How the numbers and words of two runs of a chapter agree.

    Attributes:
        same, inside, outside, without: numbers, by where the second run's lie.
        lost: conditions that only one of them has.
        largest: the largest difference, in widths of the first run's interval.
        verdicts: how many are compared.
        flipped: a line for each whose word differs.
    """

    same: int = 0
    inside: int = 0
    outside: int = 0
    without: int = 0
    lost: int = 0
    largest: float = 0.0
    verdicts: int = 0
    flipped: tuple[str, ...] = ()

    def __add__(self, other: "Agreement") -> "Agreement":
        counts = ("same", "inside", "outside", "without", "lost", "verdicts", "flipped")
        added = {name: getattr(self, name) + getattr(other, name) for name in counts}
        return Agreement(**added, largest=max(self.largest, other.largest))


def agreement(book: Path, other: Path, chapter: str) -> Agreement:
    """Return how two runs of a chapter agree.

    Args:
        book, other: folders of results.
    """
    first, second = (_numbers(folder / f"{chapter}.csv") for folder in (book, other))
    where = {"same": 0, "inside": 0, "outside": 0, "without": 0}
    largest = 0.0
    for key in first.keys() & second.keys():
        value, low, high = first[key]
        found = second[key][0]
        if low is None or high is None:
            where["same" if found == value else "without"] += 1
            continue
        where["same" if found == value else "inside" if low <= found <= high else "outside"] += 1
        if found != value:
            largest = max(largest, abs(found - value) / max(high - low, 1e-12))
    words, others = (_words(folder / f"{chapter}.json") for folder in (book, other))
    return Agreement(
        **where,
        lost=len(first.keys() ^ second.keys()) + len(words.keys() ^ others.keys()),
        largest=largest,
        verdicts=len(words.keys() & others.keys()),
        flipped=tuple(
            f"{chapter}, {key}: {words[key]}, and {others[key]}"
            for key in words
            if key in others and words[key] != others[key]
        ),
    )


def _numbers(file: Path) -> dict[tuple[str, ...], tuple[float, float | None, float | None]]:
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    return {
        tuple(row[name] for name in KEY): (
            float(row["value"]),
            *(float(row[end]) if row[end] else None for end in ("low", "high")),
        )
        for row in rows
    }


def _words(file: Path) -> dict[str, str]:
    items = json.loads(file.read_text("utf-8"))["items"]
    return {
        f"{item['item']} {number} {one['sentence'] or one['metric']}": one["verdict"]
        for item in items
        for number, one in enumerate(item["verdicts"])
    }


def row(words: str, chapters: Iterable[str], found: Agreement) -> dict[str, str]:
    """Return a row of the table."""
    numbers = {name: getattr(found, name) for name in ("same", "inside", "outside", "without")}
    return {
        "computed with": words,
        "chapters": str(len(list(chapters))),
        "numbers": f"{sum(numbers.values())}",
        **{name: str(count) for name, count in numbers.items()},
        "largest": f"{found.largest:.3f}",
        "verdicts": str(found.verdicts),
        "other words": str(len(found.flipped) + found.lost),
    }


def made_ready(cache: Path, build: Path) -> None:
    """Make a build folder that has a cache's images and trained networks, and no prediction."""
    shutil.rmtree(build, ignore_errors=True)
    for record in cache.glob("store/*/*.json"):
        entry = json.loads(record.read_text("utf-8"))
        if "fingerprint" in entry["description"]:  # of the network that predicts
            continue
        folder = build / "cache" / record.relative_to(cache).parent
        folder.mkdir(parents=True, exist_ok=True)
        for file in (record, record.with_name(entry["file"])):
            (folder / file.name).symlink_to(file.resolve())  # which a writer replaces as a whole


def torch_of(python: str) -> str:
    """Return the version of a Python's torch, in words."""
    print_it = "import torch; print(torch.__version__.partition('+')[0])"
    told = subprocess.run([python, "-c", print_it], check=True, capture_output=True, text=True)
    return f"torch {told.stdout.strip()}"


def instructions(python: str, told: Mapping[str, str]) -> list[str]:
    """Return a line for each library that says which instructions it uses."""
    env = os.environ | {"ONEDNN_VERBOSE": "1"} | dict(told)
    done = subprocess.run(
        [python, "-c", ASKED], env=env, check=True, capture_output=True, text=True
    )
    return [
        line.removeprefix("onednn_verbose,v1,info,cpu,")
        for line in done.stdout.splitlines()
        if "cpu,isa" in line or not line.startswith("onednn")
    ]


def can(words: str) -> bool:
    """Return whether this processor has what a variant caps it to."""
    info = Path("/proc/cpuinfo")
    flags = info.read_text("utf-8") if info.exists() else ""
    return words not in NEEDS or NEEDS[words] in flags


def executed(
    python: str, told: Mapping[str, str], build: Path, chapters: Iterable[str], profile: str
) -> None:
    """Execute chapters into a build folder, in one process without a kernel.

    Raises:
        SystemExit: a network was trained: it was not that of the book.
    """
    words = [["robust", "run", one, "--profile", profile, "--into-book"] for one in chapters]
    env = os.environ | {THREADS: "1", "ROBUST_BUILD": str(build)} | dict(told)
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "book")])
    if env[THREADS] != "1":
        words.insert(0, ["call", "tests.bench.portability:compute_in", env[THREADS]])
    subprocess.run(
        [python, "-P", ROOT / "tests/here.py"], input=json.dumps(words), text=True, env=env,
        check=True,
    )  # fmt: skip
    for record in build.glob("cache/store/*/*.json"):
        about = json.loads(record.read_text("utf-8"))["description"]
        if str(about.get("what")).startswith("trained") and not record.is_symlink():
            raise SystemExit(
                f"Expected the book to have {about['model']} as this code trains it, but it was "
                "trained again. Run make book first."
            )


def compute_in(threads: str) -> None:
    """Let all runs of this process compute in so many threads, where they set one otherwise."""
    import cv2
    import torch

    from robust_lib import devices

    def settle() -> None:
        torch.set_num_threads(int(threads))
        cv2.setNumThreads(int(threads))

    devices.settle = settle


def main() -> int:
    """Execute what is asked for, print the table and what flipped; 1 if a word did."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--profile", default="smoke")
    asked.add_argument("--chapters", nargs="*", default=SMALL)
    asked.add_argument("--only", nargs="*", default=list(VARIANTS))
    asked.add_argument("--python", nargs="*", default=[], help="programs with another torch")
    asked.add_argument("--against", type=Path, default=None)
    asked.add_argument("--write", action="store_true")
    given = asked.parse_args()
    began = time.monotonic()
    against = (given.against or paths.profile(given.profile)).resolve()
    data = {"ROBUST_DATA": os.environ.get("ROBUST_DATA", str(against.parent / "data"))}
    todo = [(words, sys.executable, VARIANTS[words]) for words in given.only if can(words)]
    todo += [(torch_of(python), python, {}) for python in given.python]
    rows, flipped = [], []
    for words, python, told in todo:
        build = paths.build() / "portability" / words.replace("/", " ").strip().replace(" ", "-")
        made_ready(against.parent / "cache", build)
        print(f"{words}:", *instructions(python, told), sep="\n  ", flush=True)
        executed(python, {**data, **told}, build, given.chapters, given.profile)
        other = build / given.profile / "results"
        found = Agreement()
        for chapter in given.chapters:
            found += agreement(against / "results", other, chapter)
        rows.append(row(words, given.chapters, found))
        flipped += [f"{words}: {line}" for line in found.flipped]
    from tests.reference import committed

    print(committed.markdown(rows), *flipped, sep="\n")
    if given.write:
        committed.write(
            f"portability_{given.profile}", rows, title=f"{TITLE}, {given.profile}",
            convention=CONVENTION, profile=given.profile, seconds=time.monotonic() - began,
            command=f"make portability PROFILE={given.profile}",
        )  # fmt: skip
    return 1 if flipped else 0


if __name__ == "__main__":
    raise SystemExit(main())
