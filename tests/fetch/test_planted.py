"""Faults planted by a seed in small copies of every layout that is read, and found by verify.

    python -m tests.fetch.test_planted 20261129 100

plants a hundred of each kind and prints how many were found; the table of the book's page on
benchmarks is that.
"""

import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from robust_lib.fetch import pictures
from robust_lib.fetch.verification import verify
from tests import shards, trees

SEVERAL = 12  # pictures of the validation set, so that a plant has places to choose from


class Copy:
    """A small copy of a data set; what is planted in it goes by class folders, then it is laid out.

    Args:
        home: folder of its own.
    """

    name, wnids = "small_val", trees.WNIDS

    def __init__(self, home: Path, rng: random.Random) -> None:
        self.rng, self.folder, self.sorted = rng, home / "data" / self.name, home / "sorted"
        self.truth = [rng.choice(self.wnids) for _ in range(SEVERAL - len(self.wnids))]
        self.truth = rng.sample([*self.wnids, *self.truth], SEVERAL)
        self.fill()

    def fill(self) -> None:
        for number, wnid in enumerate(self.truth, 1):
            self.save(self.sorted / wnid / f"ILSVRC2012_val_{number:08d}.JPEG", number)

    def save(self, path: Path, seed: int) -> Path:
        return trees.save(path, seed, 24, 24)

    def pictures(self) -> list[Path]:
        return sorted(one for one in self.sorted.glob("*/*") if one.is_file())

    def one(self) -> Path:
        return self.rng.choice(self.pictures())

    def other_class(self, of: Path) -> Path:
        return self.sorted / self.rng.choice([w for w in self.wnids if w != of.parent.name])

    def class_out_of_order(self) -> None:
        """Two classes change places, as in a list that is sorted otherwise."""
        one, other = (self.sorted / name for name in self.rng.sample(self.wnids, 2))
        one.rename(self.sorted / "aside")
        other.rename(one)
        (self.sorted / "aside").rename(other)

    def swapped_label(self) -> None:
        """Two pictures change classes, so that every class has as many as before."""
        one = self.one()
        other = self.rng.choice([p for p in self.pictures() if p.parent != one.parent])
        homes = one.parent, other.parent
        one.rename(homes[1] / one.name)
        other.rename(homes[0] / other.name)

    def doubled_key(self) -> None:
        one = self.one()
        shutil.copy(one, self.other_class(one) / one.name)

    def missing_file(self) -> None:
        self.one().unlink()

    def extra_file(self) -> None:
        self.save(self.one().parent / f"IMG_{self.rng.randrange(9999):04d}.JPEG", 99)

    def missing_part(self) -> None:
        """A class folder, a shard or a condition."""
        shutil.rmtree(self.rng.choice(sorted(self.sorted.iterdir())))

    def remember(self) -> None:
        """Keep what is known of a whole copy, if its manifest does not have it."""

    def lay_out(self) -> None:
        shutil.copytree(self.sorted, self.folder / "val")

    def problems(self) -> Sequence[str]:
        return verify(self.name, self.folder, picture_sizes=True).problems


class Flat(Copy):
    """As the archive unpacks; a list beside it may tell the classes, and tell them wrongly."""

    def fill(self) -> None:
        super().fill()
        self.told = list(self.truth)

    def class_out_of_order(self) -> None:
        one, other = self.rng.sample(self.wnids, 2)
        turned = {one: other, other: one}
        self.told = [turned.get(wnid, wnid) for wnid in self.told]

    def swapped_label(self) -> None:
        place = self.rng.randrange(SEVERAL)
        other = self.rng.choice([n for n, w in enumerate(self.told) if w != self.told[place]])
        self.told[place], self.told[other] = self.told[other], self.told[place]

    def missing_part(self) -> None:
        self.told.pop()  # the end of the list

    def lay_out(self) -> None:
        for path in self.pictures():
            home = self.folder / "val"
            if (home / path.name).exists():  # a flat folder holds a second one only further below
                home /= path.parent.name
            home.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, home / path.name)
        (self.folder / "list.txt").write_text("\n".join(self.told))


class Parquet(Copy):
    hashed = False

    def fill(self) -> None:
        super().fill()
        self.order, self.lost, self.twice = list(self.wnids), 0, False

    def class_out_of_order(self) -> None:
        while self.order == list(self.wnids):
            self.rng.shuffle(self.order)

    def missing_part(self) -> None:
        self.lost = 1

    def doubled_key(self) -> None:
        self.twice = True

    def written(self) -> list[Path]:
        return shards.parquet(self.folder, self.sorted, wnids=self.order, suffixed=False)

    def lay_out(self) -> None:
        files = self.written()
        if self.lost:
            self.rng.choice(files).unlink()
        if self.twice:
            one, other = self.rng.sample(files, 2)
            other.write_bytes(one.read_bytes())


class WebDataset(Parquet):
    def written(self) -> list[Path]:
        return shards.webdataset(self.folder, self.sorted, wnids=self.order)


class LikeA(Copy):
    """As ImageNet-A, -O and -R are: names of their own, and no list, but the archive's table."""

    name, wnids = "small_a", shards.PART

    def fill(self) -> None:
        for number, wnid in enumerate(self.truth):
            name = f"0.0{number}_chameleon _ box turtle_0.5{number % 3}.jpg"
            trees.save(self.sorted / wnid / name, number, 24 + number, 24)

    def lay_out(self) -> None:
        shutil.copytree(self.sorted, self.folder / "a")

    def remember(self) -> None:
        """Write down what the archive has, as fetching does."""
        found = {f"{p.parent.name}/{p.name}": p.stat().st_size for p in self.pictures()}
        self.folder.mkdir(parents=True)
        (self.folder / pictures.TABLE).write_text(json.dumps(found))


class Archive(Copy):
    """Two conditions of ImageNet-C, of which one has the fault."""

    name = "small_c"

    def lay_out(self) -> None:
        places = [self.folder / "fog" / severity for severity in "12"]
        faulty = self.rng.choice(places)
        for place in places:
            if place == faulty:
                shutil.copytree(self.sorted, place)
            else:
                for number, wnid in enumerate(self.truth, 1):
                    self.save(place / wnid / f"ILSVRC2012_val_{number:08d}.JPEG", number)
        if not self.pictures():
            shutil.rmtree(faulty)

    def missing_part(self) -> None:
        shutil.rmtree(self.sorted)
        self.sorted.mkdir()


class All(Copy):
    """ImageNet-22K's layout: a folder a synset, and names that tell the synset."""

    name = "small_22k"

    def fill(self) -> None:
        for number, wnid in enumerate(self.truth):
            self.save(self.sorted / wnid / f"{wnid}_{number}.JPEG", number)
        self.hierarchy = True

    def missing_part(self) -> None:
        self.hierarchy = False

    def lay_out(self) -> None:
        shutil.copytree(self.sorted, self.folder / "all")
        if self.hierarchy:
            (self.folder / "wordnet.is_a.txt").write_text("n1 n2")


COPIES: dict[str, type[Copy]] = {
    "class folders": Copy,
    "a flat folder": Flat,
    "Parquet": Parquet,
    "WebDataset": WebDataset,
    "class folders without a list": LikeA,
    "conditions of ImageNet-C": Archive,
    "synsets of ImageNet-22K": All,
}
FAULTS: dict[str, Callable[[Copy], None]] = {
    "classes out of order": lambda one: one.class_out_of_order(),
    "swapped labels": lambda one: one.swapped_label(),
    "a doubled key": lambda one: one.doubled_key(),
    "a missing file": lambda one: one.missing_file(),
    "an extra file": lambda one: one.extra_file(),
    "a missing part": lambda one: one.missing_part(),
}
UNKNOWN = {("synsets of ImageNet-22K", "a missing file")}
"""How many pictures a synset has is not published, so nobody can miss one."""


def project(home: Path) -> None:
    """Write the manifests that copies are held against."""
    shards.small_project(home / "project")
    places = home / "project" / "data_manifests" / "datasets"
    cells = {"path": "fog/[1-2]", "matches": 2, "images": SEVERAL, "folders": "imagenet_1k"}
    all_of_it = {"name": "small_22k", "kind": "imagenet_22k", "named": True, "classes": None}
    for name, keys in {
        "small_val": {"images": SEVERAL, "options": {"list": "list.txt"}},
        "small_a": {"images": SEVERAL},
        "small_c": {"contents": [cells]},
        "small_22k": all_of_it | {"contents": [{"path": "all"}, {"path": "wordnet.is_a.txt"}]},
    }.items():
        known = places / f"{name.replace('22k', 'c')}.yaml"
        manifest = yaml.safe_load(known.read_text()) | keys
        if name == "small_22k":
            del manifest["members_of"]
        (places / f"{name}.yaml").write_text(yaml.safe_dump(manifest))


def found(reader: str, fault: str | None, seed: int, home: Path) -> bool:
    """Return whether verify complains of a copy, with a fault or without."""
    copy = COPIES[reader](home, random.Random(f"{reader} {fault} {seed}"))
    numbers = "".join(f"{trees.WNIDS.index(wnid)}\n" for wnid in copy.truth)
    (home / "project" / "data_manifests" / "truth" / "small_val.csv").write_text(
        f"index\n{numbers}"
    )
    copy.remember()
    if fault is not None:
        FAULTS[fault](copy)
    copy.lay_out()
    return bool(copy.problems())


@pytest.fixture
def home(tmp_path, monkeypatch):
    project(tmp_path)
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path / "project"))
    return tmp_path


@pytest.mark.parametrize("reader", COPIES)
def test_what_is_planted_is_found_and_nothing_else(reader, home):
    for fault in (None, *FAULTS):
        for seed in range(2):
            missed = fault is None or (reader, fault) in UNKNOWN
            assert found(reader, fault, seed, _new(home)) == (not missed), (fault, seed)


def _new(home: Path) -> Path:
    """Empty a home, all but its manifests."""
    for name in ("data", "sorted"):
        shutil.rmtree(home / name, ignore_errors=True)
    return home


def table(seed: int, many: int) -> Iterator[str]:
    """Yield the lines of a table of how many of each fault were found, in each layout."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ |= {"ROBUST_ROOT": str(home / "project"), "ROBUST_BUILD": str(home / "build")}
        project(home)
        yield f"| planted in | {' | '.join(FAULTS)} |"
        yield f"|---|{'---|' * len(FAULTS)}"
        for reader in COPIES:
            rng = random.Random(f"{seed} {reader}")
            counts = [
                sum(found(reader, fault, rng.randrange(10**9), _new(home)) for _ in range(many))
                for fault in FAULTS
            ]
            wrong = sum(found(reader, None, one, _new(home)) for one in range(many))
            assert not wrong, f"{wrong} of {many} whole copies of {reader} are said to be faulty"
            yield f"| {reader} | {' | '.join(f'{count} of {many}' for count in counts)} |"


if __name__ == "__main__":
    for line in table(*map(int, sys.argv[1:3])):
        sys.stdout.write(f"{line}\n")
