"""A page: the blocks that a notebook shows, and the files that it saves for the site."""

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from matplotlib.figure import Figure

from robust_book.figures import image_grids, phone, points, style
from robust_book.html import svg
from robust_book.html.item import block, loose
from robust_book.html.markup import Html
from robust_book.html.saved import saved
from robust_lib import atomic
from robust_lib.config.withheld import SHOWN, WITHHELD, all_shown, restricted
from robust_lib.datasets.user_folder import short_name
from robust_lib.errors import InputError, RunError
from robust_lib.results.compare import compare
from robust_lib.results.grounds import EVIDENCE, digests, packed
from robust_lib.results.key_number import KeyNumber, claim_numbers
from robust_lib.results.reported import CLAIMS, item, reported
from robust_lib.results.table import Results
from robust_lib.results.verdicts import Verdict, overall
from robust_lib.run import corrupted_sets
from robust_lib.run.experiments import in_words
from robust_lib.run.provenance import device_of, provenance
from robust_lib.run.run import Run
from robust_lib.types import Picture


@dataclass(frozen=True, eq=False)
class Page:
    """The blocks of one run; the page keeps its items until `save` writes them.

    Attributes:
        run: source of data, models and descriptions.
    """

    run: Run
    _items: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    _figures: dict[str, bytes] = field(default_factory=dict, repr=False)
    _rows: dict[str, Results] = field(default_factory=dict, repr=False)
    _claims: dict[str, KeyNumber] = field(default_factory=dict, repr=False)
    _verdicts: dict[str, tuple[Verdict, ...]] = field(default_factory=dict, repr=False)
    _without: list[str] = field(default_factory=list, repr=False)

    def item(
        self,
        name: str,
        results: Results | None = None,
        *,
        alt: str,
        convention: str,
        figure: Figure | None = None,
        table: Html | None = None,
        paper: Html | None = None,
        rows: Results | None = None,
        description: str | None = None,
        stand_ins: Mapping[str, str] = MappingProxyType({}),
        networks: Mapping[str, str] = MappingProxyType({}),
        built_in: bool | Collection[str] = False,
        defined: bool = True,
    ) -> Html:
        """Return the block of a ledger item, and keep its figure, rows and verdicts for `save`.

        Args:
            name: ledger id.
            results: rows of the run, compared with the paper's numbers for the item.
            alt: content of the figure, in a sentence.
            convention: everything that defines the numbers.
            figure: the item's figure.
            table: this run's table.
            paper: the paper's table.
            rows: content of the CSV file; by default the item's own rows.
            description: description of the content, if it differs from the run's own description.
            stand_ins: the paper's name of a part of its data -> our stand-in, if that is not a role
                of the profile.
            networks: the paper's name of a network -> ours, for numbers of another chapter's
                networks; these names precede the run's own.
            built_in: whether the images are composed so that a claim could hardly fail, or the
                paper's names of the data sets that are; such a claim that holds does so by
                construction, as does one whose note says so.
            defined: whether numbers are defined as the paper's; see `compare`.
        """
        entry = item(name)
        found = (
            () if results is None else self._compare(results, name, stand_ins, networks, defined)
        )
        why = {row.metric: row.note for row in reported(name) if row.note.startswith(HARDLY)}
        verdicts = tuple(
            _by_construction(one, COMPOSED if _built(one, built_in) else why.get(one.metric, ""))
            for one in found
        )
        self._claims.update(claim_numbers(name, verdicts))
        self._verdicts[name] = verdicts
        downloads = [] if figure is None else self._draw(name, figure, description)
        if results is not None:
            kept = results.select(item=name) if rows is None else rows
            if len(kept):
                self._rows[name] = kept
                downloads += [(kind, f"_static/results/{name}.{kind.lower()}") for kind in TABLES]
        self._items[name] = {
            "item": name,
            "title": entry.title,
            "verdict": overall(verdicts),
            "verdicts": [verdict.record() for verdict in verdicts],
        }
        return block(
            entry,
            words=description or self.run.description,
            alt=alt,
            convention=convention,
            verdicts=verdicts,
            command=self.run.command,
            drawn=None if figure is None else self._drawn(name),
            table_html=table,
            reported_html=paper,
            downloads=downloads,
        )

    def figure(
        self,
        name: str,
        figure: Figure,
        *,
        caption: str,
        alt: str,
        description: str | None = None,
        folded: bool = False,
    ) -> Html:
        """Return a themed figure that belongs to no ledger item, with its caption.

        Args:
            name: begins with "fig-".
            figure: the figure.
            caption: one sentence on what to notice.
            alt: alternative text, for readers who cannot see the figure.
            description: description of the content, if it differs from the run's.
            folded: whether only the caption is visible until the figure is opened.
        """
        if not name.startswith("fig-"):
            raise InputError(f'Expected the name of a figure to begin with "fig-", but got {name}.')
        # Other chapters have a figure of this name, too.
        file = f"{self.run.chapter.notebook}.{name}"
        drawn_as = self._draw(file, figure, description)
        wide, narrow = self._drawn(file)
        drawn = svg.theme_svg(wide, prefix=name, title=alt, narrow=narrow)
        return loose(name, drawn, caption=caption, downloads=drawn_as, folded=folded)

    def pictures(self, files: Mapping[str, Picture]) -> tuple[str, ...]:
        """Keep images as files that `save` writes next to the figures, and return their names.

        Images that may not be redistributed are grey.

        Args:
            files: file name -> 8-bit RGB.
        """
        for name, picture in files.items():
            shown = image_grids.blank(picture) if self._withholds else picture
            self._figures[name] = image_grids.webp(shown)
        return tuple(files)

    def does_without(self, profile: str) -> None:
        """Record that packages from pip were not available when this page was made.

        Args:
            profile: profile whose run is left out; `make book` makes the page again once its
                requirements are met.
        """
        self._without.append(profile)

    def save(
        self, results: Results | None = None, numbers: Mapping[str, KeyNumber] | None = None
    ) -> Html:
        """Write figures, rows, verdicts, numbers and provenance; return the content and its paths.

        Args:
            results: all rows.
            numbers: numbers by the key that the `{result}` role of the prose uses; the numbers of
                the items' claims are also saved.

        Raises:
            RunError: there are no rows, the disk is full, or the folder cannot be written.
        """
        left_out = "" if results is None else self._left_out(results)
        rows = {row.key: row for row in (results or Results()).rows}
        for name, shown in self._rows.items():  # a chapter's table has what blocks show, too
            own = shown.select(item=name).rows
            rows |= {row.key: row for row in own if row.key not in rows}
        every = Results.of(rows.values())
        notebook, profile = self.run.chapter.notebook, self.run.profile.name
        keyed = {
            f"{notebook}.{key}": asdict(one)
            for key, one in {**(numbers or {}), **self._claims}.items()
        }
        record = {
            "notebook": notebook,
            "profile": profile,
            "words": self.run.description + in_words(notebook, profile, self.run.parameters),
            "items": list(self._items.values()),
            "numbers": keyed,
            "provenance": self._provenance(),
        }
        if notes := self._notes:
            record["notes"] = notes
        if self._without:
            record["without"] = list(dict.fromkeys(self._without))
        if self._restricted:
            record["pictures"] = WITHHELD if self._withholds else SHOWN
        try:
            self._write(every, record)
        except OSError as error:
            raise RunError(
                f"The results of {notebook} could not be written below {self.run.folder}: "
                f"{error}. Free some space, or make the folder writable, and run the notebook "
                "again: cached results are not recomputed, and no incomplete file was left."
            ) from error
        return saved(record, len(every), (left_out, *notes))

    @property
    def _notes(self) -> list[str]:
        """Notes on networks that were named; a profile's own are left out by design."""
        return list(self.run.notes) if "models" in self.run.parameters else []

    def _left_out(self, results: Results) -> str:
        """Return the requested networks without a number, as text.

        Raises:
            RunError: the run has no numbers.
        """
        if not len(results):
            raise RunError(
                f"Expected {self.run.chapter.notebook} to compute numbers, but it computed none, "
                "so nothing was saved. Use other models, or more images."
            )
        if "models" not in self.run.parameters:
            return ""
        counted = {row.model for row in results.rows}
        without = [name for name in self.run.names if name not in counted]
        return f" Without a number here: {', '.join(without)}." if without else ""

    def _compare(
        self,
        results: Results,
        name: str,
        stand_ins: Mapping[str, str],
        networks: Mapping[str, str],
        defined: bool,
    ) -> tuple[Verdict, ...]:
        # What is about the paper's own data set needs no stand-in.
        present = {row.dataset for row in results.rows}
        data = {paper: ours for paper, ours in self._data().items() if paper not in present}
        roles = dict(self.run.paper_names) | dict(networks)
        datasets = data | dict(stand_ins)
        return compare(results, name, roles=roles, datasets=datasets, defined=defined)

    def _data(self) -> dict[str, str]:
        """Return the paper's name of a data set -> its stand-in in this run."""
        profile, role = self.run.profile, self.run.chapter.role
        named = {role: short_name(ours) for role, ours in profile.data.items()}
        data = {role: ours for role, ours in named.items() if role != ours}
        if profile.corrupted == "generated":
            data["imagenet_c"] = corrupted_sets.name_of(named[role])
        if role != "imagenet_val":
            data["imagenet_val"] = named[role]
        return data

    def _draw(
        self, name: str, figure: Figure, description: str | None = None
    ) -> list[tuple[str, str]]:
        words = description or self.run.description
        if self._withholds and image_grids.withhold(figure):
            words += "; images that may not be redistributed are grey"
        # A copied picture carries what it is of.
        badge(figure, words)
        self._figures[f"{name}.svg"] = style.svg(figure).encode()
        self._figures[f"{name}.png"] = style.png(figure)
        links = [(kind.upper(), f"_static/results/{name}.{kind}") for kind in ("png", "svg")]
        shown = points.drawn(figure)
        if len(shown):
            file = f"{name}.points.csv"
            self._figures[file] = shown.to_csv(index=False).encode()
            links.append(("CSV of the figure", f"_static/results/{file}"))
        if phone.fitted(figure):
            self._figures[f"{name}{svg.PHONE}.svg"] = style.svg(figure).encode()
        return links

    def _drawn(self, name: str) -> tuple[str, str | None]:
        """Return a figure as SVG, and its version for a phone if that differs."""
        narrow = self._figures.get(f"{name}{svg.PHONE}.svg")
        return self._figures[f"{name}.svg"].decode(), None if narrow is None else narrow.decode()

    @property
    def _withholds(self) -> bool:
        """Whether the run used images that may not be redistributed."""
        return bool(self._restricted) and not all_shown()

    @property
    def _restricted(self) -> tuple[str, ...]:
        """The data sets used so far whose images may not be redistributed."""
        return restricted(self.run.profile, self.run.image_sets_used)

    def _write(self, results: Results, record: Mapping[str, Any]) -> None:
        """Write all files or none, so that a failed run leaves those of the last one."""
        with atomic.folder(self.run.folder) as folder:
            for name, content in self._figures.items():
                atomic.write_bytes(folder / "figures" / name, content)
            stamp = f"{self.run.profile.name}/{self.run.chapter.notebook}"
            for name, rows in self._rows.items():
                named = rows.stamped(stamp)
                named.save(folder / "figures", name)
                records = named.frame.to_json(orient="records", indent=1, force_ascii=False)
                atomic.write_bytes(folder / "figures" / f"{name}.json", f"{records}\n".encode())
            notebook = self.run.chapter.notebook
            results.stamped(stamp).save(folder / "results", notebook)
            evidence = packed(results.rows, self._verdicts, self.run.store.used)
            atomic.write_bytes(folder / "results" / f"{notebook}.{EVIDENCE}", evidence)
            record = {**record, "files": digests(folder)}
            atomic.write_json(folder / "results" / f"{notebook}.json", record)
            self._drop_others(record["files"])

    def _drop_others(self, made: Collection[str]) -> None:
        """Remove drawings of an earlier run of the chapter that this one does not replace."""
        notebook = self.run.chapter.notebook
        last = self.run.folder / "results" / f"{notebook}.json"
        before = json.loads(last.read_text("utf-8")).get("files", {}) if last.exists() else {}
        for file in (self.run.folder / "figures").glob("*"):
            name, own = file.name, file.name.partition(".")[0] in (notebook, *self._items)
            if (own or name in before) and name not in made:
                file.unlink()

    def _provenance(self) -> dict[str, Any]:
        # What a page does not look at is not loaded to be named.
        images = self.run.image_sets_used.values()
        return provenance(
            profile=self.run.profile.name,
            parameters=self.run.parameters,
            seeds=self.run.profile.seeds,
            datasets={one.name: one.digest for one in images},
            weights=self.run.fingerprints,
            device=device_of(self.run.profile),
            seconds=time.monotonic() - self.run.began,
            command=self.run.command,
        )


_NARROW = 4.0  # inches of a figure that its badge may be wider than


def badge(figure: Figure, words: str) -> None:
    """Write a description of the run below a figure, once."""
    if figure.get_gid() != "badged":
        figure.set_gid("badged")
        narrow = figure.get_figwidth() < _NARROW  # words that stand out on one side push it there
        figure.text(
            0.5 if narrow else 1,
            -0.01,
            words,
            ha="center" if narrow else "right",
            va="top",
            fontsize=style.SMALLEST,
            alpha=0.75,
            color=svg.INK,
            gid=svg.STAMP,
        )


TABLES = ("CSV", "JSON")
"""The kinds of files that hold an item's rows."""
HARDLY = "can hardly fail"
"""How the note on a claim begins that comes true by the way in which its numbers are made."""
COMPOSED = "these images are composed so that it could hardly fail"


def _built(verdict: Verdict, built_in: bool | Collection[str]) -> bool:
    """Return whether a verdict concerns images that are composed to show its claim."""
    if isinstance(built_in, bool):
        return built_in
    return any(f"dataset={name}]" in verdict.metric for name in built_in)


def _by_construction(verdict: Verdict, why: str) -> Verdict:
    """Return the verdict on a claim; "by construction" if it holds and could hardly fail."""
    if not why or verdict.status not in CLAIMS or verdict.verdict != "holds":
        return verdict
    told = f"{verdict.arithmetic}; {why}"
    return replace(verdict, verdict="by construction", arithmetic=told)
