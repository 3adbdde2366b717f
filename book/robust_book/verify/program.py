"""Check every number of a rendered site against its results; plain Python 3, nothing to install.

    python verify.py SITE [--cache CACHE] [--values]

A site carries `claims.json`: the numbers of each page as they are shown, the row of the results
that they are, and the SHA-256 of every file. This program reads the pages again, follows numbers to
their rows, and judges printed numbers again, and claims from their stored draws. With --cache it
reads predictions, weights and images as well, as far as they are available. With --values it skips
the checksums of files, so that all findings follow from the values alone.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import struct
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from robust_book.verify.again import Found, Grounds, comparison_faults
from robust_book.verify.pages import NUMBER, Page, rounds_to, value_of

Check = Callable[[], Iterator[str]]
FORMAT = 2
COUNTED = ("pages", "numbers", "rows", "keys", "verdicts", "judged", "stored")
CLAIMS, PROGRAM = "claims.json", "verify.py"
RESULTS, EVIDENCE = "_static/results", "evidence.json.gz"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


PRINTED = ("match", "within interval", "differs", "as printed")
WORDS = (
    *("does not hold", "differs", "holds", "within interval", "match", "not decided"),
    *("premise fails", "not comparable", "missing", "as printed", "by construction", "shown"),
)


def texts(record: Mapping[str, Any]) -> list[str]:
    """Return the texts that a run saved of its verdicts and for its prose."""
    verdicts = [one for item in record.get("items", ()) for one in item["verdicts"]]
    names = ("arithmetic", "sentence", "paper", "here", "reported", "locator")
    found = [one[name] for one in verdicts for name in names]
    found += [item["title"] for item in record.get("items", ())]
    for one in record.get("numbers", {}).values():
        found += [one["text"], one["convention"]]
        found += [f"n = {one['n']:,}"] if one["n"] is not None else []
    return [str(one) for one in found if one]


def alike(listed: list[dict[str, Any]], rows: list[dict[str, str]]) -> bool:
    """Return whether rows of a JSON file equal those of a CSV file."""
    if len(listed) != len(rows):
        return False
    return all(
        told == cell or (told is None and not cell) or _is_number(told, cell)
        for one, row in zip(listed, rows, strict=True)
        for told, cell in ((one.get(name), cell) for name, cell in row.items())
    )


def _is_number(told: Any, cell: str) -> bool:
    """Return whether a cell equals a number, to the ten digits of JSON files."""
    try:
        return bool(abs(float(cell) - told) <= 1e-9)
    except (TypeError, ValueError):
        return False


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def has_row(verdict: Mapping[str, Any], rows: list[dict[str, str]]) -> bool:
    """Return whether our number is in a row with all conditions that the verdict names."""
    base, _, end = verdict["metric"].rpartition("_")
    names = ("corruption", "severity", "k")
    for row in rows:
        same = all(row[name] == _cell(verdict[name]) for name in names)
        metric, column = verdict["metric"], "value"
        if row["metric"] == base and end in ("low", "high"):
            metric, column = base, end
        same = same and row["metric"] == metric and row["model"] == (verdict["our_model"] or "")
        if not same or row["dataset"] != verdict["our_dataset"]:
            continue
        told = [(column, verdict["ours"]), ("n", verdict["n"])]
        told += [] if column != "value" else [(one, verdict[one]) for one in ("low", "high")]
        if all((float(row[one]) if row[one] else None) == number for one, number in told):
            return True
    return False


def consistent(verdict: Mapping[str, Any]) -> bool:
    """Return whether decimals and difference follow from the printed number and ours."""
    printed, unit = verdict["reported"], verdict["unit"]
    if not NUMBER.fullmatch(printed):
        return True
    number = value_of(printed)[0] / (100.0 if unit in ("percent", "points") else 1.0)
    off = 0.0 if verdict["difference"] is None else verdict["difference"] + number - verdict["ours"]
    digits = len(printed.partition("e")[0].partition(".")[2])
    return abs(off) < 1e-9 and verdict["decimals"] in (None, digits)


CLAIMS_ON = {"direction", "range", "construction"}


def words_of(status: str, found: Found) -> set[str]:
    """Return the verdicts that a claim may have, after it was judged again."""
    if status == "construction":
        absent = found.word in ("missing", "premise fails")
        return {found.word} if absent else {"by construction"}
    by_construction = {"by construction"} if found.word == "holds" else set()
    return {found.word, *by_construction} | ({"not comparable"} if status == "range" else set())


def printed_word(verdict: Mapping[str, Any]) -> str | None:
    """Return the word that follows from a printed number and ours; None if it is not judged."""
    if verdict["status"] not in ("printed", "setting") or verdict["ours"] is None:
        return None
    if not NUMBER.fullmatch(verdict["reported"]):
        return None
    number, half = value_of(verdict["reported"])
    scale = 100.0 if verdict["unit"] in ("percent", "points") else 1.0
    number, half, ours = number / scale, half / scale, verdict["ours"]
    if abs(ours - number) <= half * (1 + 1e-9):
        return "as printed" if verdict["status"] == "setting" else "match"
    low, high = verdict["low"], verdict["high"]
    if low is not None and high is not None and low <= number <= high:
        return "within interval"
    return "differs"


class Site:
    """A rendered site, its claims, and their faults."""

    def __init__(
        self, folder: str | Path, cache: Path | None = None, *, checksums: bool = True
    ) -> None:
        self.folder, self.cache, self.checksums = Path(folder), cache, checksums
        self.counts = dict.fromkeys(COUNTED, 0)
        path = self.folder / CLAIMS
        if not path.is_file():
            raise SystemExit(f"Expected {path}, which rendering writes, but there is none.")
        self.claims = json.loads(path.read_text("utf-8"))
        if self.claims.get("format") != FORMAT:
            raise SystemExit(
                f"Expected {path} to be of format {FORMAT}, but its format is different. Use the "
                "verify.py of the release that contains the site."
            )

    def units(self) -> dict[str, tuple[set[str], Check]]:
        """Return name -> (files that a check reads, the check), one for each page and chapter."""
        known: dict[str, tuple[set[str], Check]] = {"claims": ({CLAIMS}, self.seal)}
        results: dict[str, list[str]] = {}
        for name in self.claims["chapters"]:
            files = results[name] = [f"{RESULTS}/{name}.{one}" for one in ("json", "csv", EVIDENCE)]
            items = self.claims["chapters"][name]["parts"]
            parts = [f"{RESULTS}/{one}.{kind}" for one in items for kind in ("csv", "json")]
            read = {*files, *parts, f"{name}.html"}
            known[f"results of {name}"] = (read, partial(self.results, name))
        for page, told in self.claims["pages"].items():
            read = {page, *results.get(told["chapter"], ())}
            known[page] = (read, partial(self.page, page))
        if self.checksums:
            for name in self.claims["files"]:
                known[f"checksum of {name}"] = ({name}, partial(self.file, name))
            known["list of files"] = (set(), self.others)
        if self.checksums and self.cache is not None:
            for name in self.claims["stored"]:
                known[f"stored {name}"] = ({f"cache/{name}"}, partial(self.stored, name))
        return known

    def faults(self) -> list[str]:
        """Return all faults, one line each."""
        return [fault for _, check in self.units().values() for fault in readable(check)]

    def seal(self) -> Iterator[str]:
        """Yield a fault if claims.json was changed alone."""
        told = {key: value for key, value in self.claims.items() if key != "seal"}
        if self.checksums and sealed(told) != self.claims.get("seal"):
            yield f"{CLAIMS} was changed after it was written"

    def file(self, name: str) -> Iterator[str]:
        """Yield a fault if a file differs from the rendered one, or from its job's record."""
        path = self.folder / name
        if not path.is_file() or digest(path) != self.claims["files"][name]:
            yield f"{name} is missing or has changed since rendering: its checksum differs"

    def others(self) -> Iterator[str]:
        """Yield the pages and results that were not rendered."""
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.suffix in (".html", ".csv") and name not in self.claims["files"]:
                yield f"{name} was not rendered with this site"

    def text(self, name: str) -> str:
        """Return a file's text; empty if the file is missing."""
        path = self.folder / name
        return path.read_text("utf-8", "replace") if path.is_file() else ""

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a CSV file of results, one mapping per row."""
        return list(csv.DictReader(io.StringIO(self.text(f"{RESULTS}/{name}.csv"))))

    def saved(self, chapter: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
        """Return the record of a chapter's run, and its rows."""
        return json.loads(self.text(f"{RESULTS}/{chapter}.json")), self.rows(chapter)

    def evidence(self, chapter: str) -> dict[str, Any] | None:
        """Return the basis of a chapter's verdicts; None if its run stored nothing."""
        path = self.folder / RESULTS / f"{chapter}.{EVIDENCE}"
        return json.loads(gzip.decompress(path.read_bytes())) if path.is_file() else None

    def page(self, name: str) -> Iterator[str]:
        """Yield the numbers of a page that differ from its results."""
        told = self.claims["pages"][name]
        found = Page(self.text(name))
        self.counts["pages"] += 1
        self.counts["numbers"] += len(found.shown)
        expected = told["shown"].split(" ") if told["shown"] else []
        if found.shown != expected:
            both = zip([*found.shown, ""], [*expected, ""], strict=False)
            at = next((at for at, (one, other) in enumerate(both) if one != other), 0)
            near = " ".join(found.shown[max(0, at - 2) : at + 3])
            yield f"{name}: number {at + 1} is not the one that was rendered, near: {near}"
            return
        held: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {}
        for chapter in {one for one, _, _ in told["rows"].values()} | {
            key.partition(".")[0] for key, _ in found.words
        }:
            held[chapter] = self.saved(chapter)
        for place, (chapter, row, column) in told["rows"].items():
            rows, shown = held[chapter][1], found.shown[int(place)]
            self.counts["rows"] += 1
            value = rows[row].get(column) if row < len(rows) else None
            if not value or not rounds_to(float(value), shown):
                where = f"row {row + 1} of {chapter}.csv ({value})"
                yield f"{name}: {shown} is not the {column} in {where}"
        for key, words in found.words:
            chapter = key.partition(".")[0]
            entry = held[chapter][0].get("numbers", {}).get(key)
            self.counts["keys"] += 1
            said = None if entry is None else str(entry["text"]).split()
            if words.split() != said:
                yield f"{name}: {key} is {words!r} on the page, but {said} in the results"
        items = self.saved(told["chapter"])[0].get("items", ()) if told["chapter"] else ()
        saved = {one["item"]: one["verdict"] for one in items}
        for item, word in found.verdicts:
            if item in saved and saved[item] != word:
                yield f"{name}: the verdict of {item} is {word!r}, but {saved[item]!r} in its run"

    def results(self, chapter: str) -> Iterator[str]:
        """Yield the faults of a chapter's rows, saved numbers and verdicts."""
        record, rows = self.saved(chapter)
        told = self.claims["chapters"][chapter]
        named = f"{chapter}.csv"
        for place, row in enumerate(rows):
            low, value, high = (float(row[one] or "nan") for one in ("low", "value", "high"))
            if value < low - 1e-9 or value > high + 1e-9:
                yield f"{named}: the value of row {place + 1} is outside its interval"
        if len(rows) != told["rows"]:
            yield f"{named}: {len(rows)} rows, but {told['rows']} were rendered"
        if record.get("provenance", {}) != told["inputs"]:
            yield f"{chapter}.json: its provenance is not that of the run that was rendered"
        for name, recorded in record.get("files", {}).items():
            known = self.claims["files"].get(f"{RESULTS}/{name}")
            if known is not None and known != recorded:
                yield f"{name}: its checksum is not the one that the run of {chapter} recorded"
        page, shown = self.text(f"{chapter}.html"), told["said"]
        if page and Page(page).says(texts(record)) != shown:
            yield f"{chapter}.json: its page shows texts that differ from the {shown} rendered ones"
        every = {tuple(row.values()) for row in rows}
        for item in told["parts"]:
            if lost := [one for one in self.rows(item) if tuple(one.values()) not in every]:
                yield f"{item}.csv: {len(lost)} of its rows are not in {named}"
            listed = json.loads(self.text(f"{RESULTS}/{item}.json") or "null")
            if listed is not None and not alike(listed, self.rows(item)):
                yield f"{item}.json: its rows are not those of {item}.csv"
        parts = {tuple(one.values()) for item in told["parts"] for one in self.rows(item)}
        for place, row in enumerate(rows):
            if tuple(row.values()) not in parts and place not in told["alone"]:
                yield f"{named}: row {place + 1} is not in the rows of its item"
        stored = self.evidence(chapter)
        follow = 0 if stored is None else Grounds(stored, rows).reproduced()
        if follow != told["reproduced"]:
            yield f"{named}: {follow} rows follow from their draws, instead of {told['reproduced']}"
        yield from self.verdicts(chapter, record, rows)

    def verdicts(
        self, chapter: str, record: Mapping[str, Any], rows: list[dict[str, str]]
    ) -> Iterator[str]:
        """Yield the verdicts of a chapter that do not follow from its numbers."""
        for item in record.get("items", ()):
            words = {one["verdict"] for one in item["verdicts"]}
            most = next((word for word in WORDS if word in words), "shown")
            if item["verdict"] != most:
                yield f"{item['item']}: {item['verdict']!r}, but {most!r} follows from its verdicts"
            for one in item["verdicts"]:
                self.counts["verdicts"] += 1
                where = f"{item['item']}, {one['metric']} of {one['model']}"
                word = one["verdict"]
                is_row = one["ours"] is None or one["status"] == "setting" or has_row(one, rows)
                if not is_row:
                    yield f"{where}: {one['ours']} is not in {chapter}.csv"
                if not consistent(one):
                    yield f"{where}: the record of the printed number contradicts itself"
                expected = printed_word(one)
                if expected is not None and word in PRINTED and word != expected:
                    yield f"{where}: {word!r}, but {expected!r} follows from its numbers"
        yield from self.claimed(chapter, record, rows)

    def claimed(
        self, chapter: str, record: Mapping[str, Any], rows: list[dict[str, str]]
    ) -> Iterator[str]:
        """Yield the verdicts on claims that do not follow from the stored draws."""
        stored = self.evidence(chapter)
        if stored is None:
            return
        grounds = Grounds(stored, rows)
        kept = {(one["item"], one["claim"], one["dataset"]): one for one in stored["claims"]}
        for one in (one for item in record.get("items", ()) for one in item["verdicts"]):
            if one["status"] not in CLAIMS_ON:
                continue
            where = f"{one['item']}, {one['metric']}"
            part = kept.get((one["item"], one["metric"], one["dataset"]))
            if part is None:
                yield f"{where}: its draws are not stored"
                continue
            as_printed = one["status"] != "direction" and one["verdict"] != "not comparable"
            found = grounds.judge(one["metric"], part, as_printed)
            self.counts["judged"] += 1
            if one["verdict"] not in words_of(one["status"], found):
                yield f"{where}: {one['verdict']!r}, but {found.word!r} follows from its draws"
            for fault in comparison_faults(one["arithmetic"], found.steps):
                yield f"{where}: {fault}"
        yield from grounds.faults

    def stored(self, name: str) -> Iterator[str]:
        """Yield stored predictions, weights or images that differ from a job's record."""
        path, (what, recorded) = (self.cache or Path()) / name, self.claims["stored"][name]
        if path.is_file():
            self.counts["stored"] += 1
            if digest(path) != recorded:
                yield f"{name} ({what}) is not the file from which the results were computed"


UNREADABLE = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, OSError, TypeError, ValueError),
    *(struct.error, zlib.error),
)


def readable(check: Check) -> list[str]:
    """Return the findings of a check, or a message that its input has another format."""
    try:
        return list(check())
    except UNREADABLE as error:
        return [f"A file has changed since rendering: {type(error).__name__}, {error}"]


def sealed(claims: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all claims."""
    return hashlib.sha256(json.dumps(claims, sort_keys=True).encode()).hexdigest()


def main() -> int:
    """Print the faults of a site, and return the exit status."""
    asked = argparse.ArgumentParser(description="Check every number of a rendered site.")
    asked.add_argument("site", type=Path)
    asked.add_argument("--cache", type=Path)
    asked.add_argument("--values", action="store_true")
    given, began = asked.parse_args(), time.monotonic()
    site = Site(given.site, given.cache, checksums=not given.values)
    faults = site.faults()
    told, stored = site.counts, len(site.claims["stored"])
    near = "found" if given.cache else "available (pass their folder to --cache)"
    sys.stdout.write(
        "".join(f"{fault}\n" for fault in faults)
        + f"Compared {told['numbers']:,} numbers on {told['pages']} pages with the rendered ones; "
        f"traced {told['rows']:,} of them to their rows, and {told['keys']:,} results in the prose "
        f"to the runs; judged {told['judged']:,} of {told['verdicts']:,} verdicts again from their "
        f"draws; checked {told['stored']:,} of {stored:,} files of predictions, weights and "
        f"images, all that were {near}; in {time.monotonic() - began:.0f} s: "
        f"{len(faults) or 'no'} fault{'' if len(faults) == 1 else 's'}.\n"
    )
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
