"""Plant edits in a copy of a rendered site, one at a time, and count those that verify.py finds.

    python workflow/plant.py SITE [--cache CACHE] [--plant 1000] [--seed 0] [--values]

Each edit changes one digit: of the text of a page, of a cell of a table, of a figure's data, of a
chapter's rows or of what its run saved; or the word of a claim's verdict, in all that the run saved
of it; or one bit of what verdicts follow from, of predictions, weights or images. The site itself
is read before, and must have no fault. With --values, checksums are left aside.
"""

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from robust_book.verify import program as verify

DIGIT = re.compile(rb"\d")
IN_TEXT = re.compile(rb">[^<>]*?(\d)[^<>]*<")
IN_CELL = re.compile(rb"<td[^>]*>(?:<[^>]+>)*[^<>]*?(\d)")
SILENT = re.compile(rb"<(script|style|pre)\b.*?</\1>", re.DOTALL)
STORED = {"predictions": "predictions", "boxes": "predictions", "images": "images"}
STORED |= {"trained network": "weights", "trained detector": "weights"}
WORDS = ("holds", "does not hold", "not decided")


def main() -> int:
    """Print how many of the planted edits were found, by kind; return 1 if any was missed."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    asked.add_argument("site", type=Path)
    asked.add_argument("--cache", type=Path)
    asked.add_argument("--plant", type=int, default=1000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--values", action="store_true")
    given, began = asked.parse_args(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "site"
        shutil.copytree(given.site, copy)
        site = verify.Site(copy, given.cache, checksums=not given.values)
        for fault in site.faults():
            sys.stdout.write(f"Before anything was planted: {fault}\n")
            return 1
        site.cache = Path(folder) / "cache"
        found, planted = Counter[str](), Counter[str]()
        rng = random.Random(given.seed)
        places = _places(site, given.cache)
        while planted.total() < given.plant:
            kind = rng.choice(sorted(places))
            name = rng.choice(places[kind])
            if (caught := _plant(site, kind, name, given.cache, rng)) is None:
                continue
            planted[kind] += 1
            found[kind] += caught
            if not caught:
                sys.stdout.write(f"Missed: {kind} of {name}\n")
    for kind in sorted(planted):
        sys.stdout.write(f"{kind}: {found[kind]} of {planted[kind]} found\n")
    sys.stdout.write(
        f"In all {found.total()} of {planted.total()} edits were found, seed {given.seed}, in "
        f"{time.monotonic() - began:.0f} s.\n"
    )
    return int(found.total() < planted.total())


def _places(site: verify.Site, cache: Path | None) -> dict[str, list[str]]:
    """Return kind of edit -> the files in which it can be planted."""
    chapters, results = site.claims["chapters"], verify.RESULTS
    pages = sorted(site.claims["pages"])
    every = sorted(path.name for path in (site.folder / results).iterdir())
    found = {
        "digit of a page": pages,
        "cell of a table": [one for one in pages if one.removesuffix(".html") in chapters],
        "data of a table": [f"{results}/{one}" for one in every if _is_table(one, chapters)],
        "data of a figure": [f"{results}/{one}" for one in every if one.endswith(".points.csv")],
        "row of results": [f"{results}/{one}.csv" for one in sorted(chapters)],
        "what a run saved": [f"{results}/{one}.json" for one in sorted(chapters)],
        "word of a verdict": [f"{results}/{one}.json" for one in sorted(chapters)],
        "draws": [f"{results}/{one}" for one in every if one.endswith(verify.EVIDENCE)],
    }
    if cache is not None and site.checksums:
        for name, (what, _) in site.claims["stored"].items():
            if (cache / name).is_file():
                found.setdefault(f"stored {STORED.get(what, 'images')}", []).append(name)
    return {kind: names for kind, names in found.items() if names}


def _is_table(name: str, chapters: dict[str, object]) -> bool:
    stem, _, kind = name.partition(".")
    return kind in ("csv", "json") and stem not in chapters


def _plant(
    site: verify.Site, kind: str, name: str, cache: Path | None, rng: random.Random
) -> bool | None:
    """Return whether an edit was found; None where the file has nothing to edit."""
    stored = kind.startswith("stored")
    path = (site.cache if stored else site.folder) / name
    if stored:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(cache / name, path)
    before = path.read_bytes()
    after = _edited(before, kind, rng)
    if after is None:
        return None
    path.write_bytes(after)
    read = f"cache/{name}" if stored else name
    checks = [check for files, check in site.units().values() if read in files]
    caught = any(verify.readable(check) for check in checks)
    path.write_bytes(before)
    if stored:
        path.unlink()
    return caught


def _edited(content: bytes, kind: str, rng: random.Random) -> bytes | None:
    if kind.startswith("stored") or kind == "draws":
        at = rng.randrange(len(content))
        return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    if kind == "word of a verdict":
        return _reworded(content, rng)
    if kind in ("digit of a page", "cell of a table"):
        hidden = [found.span() for found in SILENT.finditer(content)]
        pattern = IN_TEXT if kind == "digit of a page" else IN_CELL
        at = [found.start(1) for found in pattern.finditer(content)
              if not any(low <= found.start(1) < high for low, high in hidden)]  # fmt: skip
    else:
        at = [found.start() for found in DIGIT.finditer(content)]
    if not at:
        return None
    place = rng.choice(at)
    other = rng.choice([digit for digit in b"0123456789" if digit != content[place]])
    return content[:place] + bytes([other]) + content[place + 1 :]


def _reworded(content: bytes, rng: random.Random) -> bytes | None:
    """Return what a run saved with another word for one claim, in its arithmetic as well."""
    record = json.loads(content)
    verdicts = [one for item in record["items"] for one in item["verdicts"]]
    judged = [one for one in verdicts if one["status"] == "direction" and one["verdict"] in WORDS]
    if not judged:
        return None
    told = rng.choice(judged)
    word = rng.choice([one for one in WORDS if one != told["verdict"]])
    told["arithmetic"] = told["arithmetic"].replace(told["verdict"], word)
    told["verdict"] = word
    for item in record["items"]:
        words = {one["verdict"] for one in item["verdicts"]}
        item["verdict"] = next((one for one in verify.WORDS if one in words), "shown")
    return json.dumps(record, indent=1).encode()


if __name__ == "__main__":
    sys.exit(main())
