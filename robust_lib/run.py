"""A run: what a notebook starts with, asks for data and predictions, and saves its results by."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from robust_lib import blocks, paths, profiles, reported, resolve
from robust_lib.blocks import Html
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, one_of
from robust_lib.figures import style
from robust_lib.profiles import Profile
from robust_lib.protocols import imagenet_c
from robust_lib.protocols.imagenet_c import Grid, Models, Normaliser
from robust_lib.provenance import provenance
from robust_lib.results import Results
from robust_lib.types import Picture
from robust_lib.vocabulary import COMMON, EXTRA, NAMES


@dataclass(frozen=True, eq=False)
class Run:
    """One execution of one notebook on one profile; made by `start`.

    Attributes:
        profile: what is used, with the notebook's parameters put in.
        notebook: its name.
        parameters: what was asked for beyond the profile.
        corruptions: those evaluated.
        names: names of the models evaluated.
        store: keeps predictions and weights.
        shows: the run in words, where the profile's own words do not fit the notebook.
    """

    profile: Profile
    notebook: str
    parameters: Mapping[str, Any]
    corruptions: tuple[str, ...]
    names: tuple[str, ...]
    store: Store
    shows: str | None = None
    _began: float = field(default_factory=time.monotonic, repr=False)
    _items: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path:
        """Return the folder of this profile's notebooks, results, figures and site."""
        return paths.profile(self.profile.name)

    def image_set(self, role: str) -> ImageSet:
        """Return the image set that plays a role, such as "imagenet_val"."""
        return resolve.image_set(self.profile, role, self.store)

    @cached_property
    def images(self) -> ImageSet:
        """Return the images that models are evaluated on."""
        return self.image_set("imagenet_val")

    @cached_property
    def models(self) -> Models:
        """Return the classifiers, checked: name -> one a seed."""
        return resolve.classifiers(self.profile, self.names, self.images, self.store)

    @property
    def words(self) -> str:
        """Return the run in words, for readers."""
        if self.shows is not None:
            return self.shows
        seeds = len(self.profile.seeds)
        shown = min(self.profile.limit or len(self.images), len(self.images))
        return self.profile.words.format(
            classes=f"{len(self.images.class_names):,}",
            images=f"{shown:,}",
            seeds=f"{seeds} seed{'s' if seeds > 1 else ''}",
        )

    def pictures(self, number: int) -> list[Picture]:
        """Return the first pictures of the evaluated set, as the first model sees them."""
        geometry = next(iter(self.models.values()))[0].preprocessing
        return [self.images.read(place, geometry) for place in range(number)]

    def class_of(self, number: int) -> list[str]:
        """Return the class names of the first pictures."""
        return [self.images.class_names[label] for label in self.images.labels[:number]]

    def training_curves(self) -> dict[str, list[float]]:
        """Return the training accuracy by epoch, in percent, of each network trained here."""
        return resolve.training_curves(self.profile, self.names, self.store)

    @property
    def baseline(self) -> str:
        """Return our model that plays the part of the baseline."""
        return self.profile.models.get(self.profile.baseline, self.profile.baseline)

    @property
    def severity_words(self) -> str:
        """Return the severities in words, such as "1, 2, 3, 4, 5"."""
        return ", ".join(str(severity) for severity in self.profile.severities)

    @property
    def interval_words(self) -> str:
        """Return what the intervals of this run are."""
        seeds = len(self.profile.seeds)
        if seeds > 1:
            return f"mean of {seeds} seeds, interval from the smallest to the largest"
        return (
            "95 % intervals over images (Clopper-Pearson for errors, "
            f"{self.profile.bootstrap:,} bootstrap resamples for ratios)"
        )

    def corruption_grid(self, progress: bool = True) -> Grid:
        """Return the predictions of all models on the clean images and on every cell."""
        source = resolve.corrupted(self.profile, self.images, self.models)
        return imagenet_c.evaluate(
            self.models,
            self.images,
            source.cell,
            corruptions=self.corruptions,
            severities=self.profile.severities,
            corrupted=source.name,
            storage=source.storage,
            store=self.store,
            cell_models=source.models,
            limit=self.profile.limit,
            batch_size=self.profile.batch_size,
            progress=progress,
        )

    def normaliser(self, grid: Grid) -> Normaliser:
        """Return what corruption errors are divided by in this profile."""
        if self.profile.normaliser == "published":
            return imagenet_c.published(self.profile.severities)
        return imagenet_c.measured(grid, self.baseline)

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
    ) -> Html:
        """Return the block of a ledger item, and keep its figure, rows and verdicts for `save`.

        Args:
            name: ledger id.
            results: the run's rows, judged against what the paper prints for the item.
            alt: what the figure shows, in a sentence.
            convention: all that gives the numbers their meaning.
            figure: the item's figure.
            table: this run's table.
            paper: the paper's table.
        """
        entry = reported.item(name)
        compared = () if results is None else self._compare(results, name)
        verdicts = [verdict.record() for verdict in compared]
        downloads = [] if figure is None else self._draw(name, figure)
        if results is not None:
            rows = results.select(item=name)
            if len(rows):
                rows.save(self.folder / "figures", name)
                downloads.append(("CSV", f"_static/results/{name}.csv"))
        self._items[name] = {
            "item": name,
            "title": entry.title,
            "verdict": reported.overall(compared),
            "verdicts": verdicts,
        }
        return blocks.block(
            entry,
            words=self.words,
            alt=alt,
            convention=convention,
            verdicts=verdicts,
            command=self.command,
            svg=None if figure is None else style.svg(figure),
            table_html=table,
            reported_html=paper,
            downloads=downloads,
        )

    def figure(self, name: str, figure: Figure, *, alt: str) -> Html:
        """Return a figure that belongs to no ledger item, themed; `name` begins with "fig-"."""
        if not name.startswith("fig-"):
            raise InputError(f'Expected the name of a figure to begin with "fig-", but got {name}.')
        self._draw(name, figure)
        drawn = blocks.theme_svg(style.svg(figure), prefix=name, title=alt)
        return Html(f'<figure class="rb-figure" id="{name}">{drawn}</figure>')

    def save(
        self, results: Results | None = None, numbers: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Html:
        """Write the run's rows, verdicts, numbers and provenance; return a line that says where.

        Args:
            results: all rows.
            numbers: key -> {text, value, convention, n}, for the `{result}` role of the prose.
        """
        folder = self.folder / "results"
        stamp = f"{self.profile.name}/{self.notebook}"
        (results or Results()).stamped(stamp).save(folder, self.notebook)
        keyed = {f"{self.notebook}.{key}": value for key, value in (numbers or {}).items()}
        record = {
            "notebook": self.notebook,
            "profile": self.profile.name,
            "words": self.words,
            "items": list(self._items.values()),
            "numbers": keyed,
            "provenance": self._provenance(),
        }
        write_json(folder / f"{self.notebook}.json", record)
        count = 0 if results is None else len(results)
        return Html(
            f'<p class="rb-saved">{count:,} numbers and {len(self._items)} items saved as '
            f"<code>{self.notebook}</code>, profile <code>{self.profile.name}</code>.</p>"
        )

    @property
    def command(self) -> str:
        """Return the papermill command that makes this run again."""
        given = {"profile": self.profile.name} | dict(self.parameters)
        words = [f"-y '{json.dumps({key: value})}'" for key, value in given.items()]
        return f"papermill notebooks/{self.notebook}.ipynb out.ipynb " + " ".join(words)

    def _compare(self, results: Results, name: str) -> tuple[reported.Verdict, ...]:
        roles = dict(self.profile.models)
        data = {role: ours for role, ours in self.profile.data.items() if role != ours}
        if self.profile.corrupted == "generated":
            data["imagenet_c"] = f"{self.profile.data['imagenet_val']}_c"
        return reported.compare(results, name, roles=roles, datasets=data)

    def _draw(self, name: str, figure: Figure) -> list[tuple[str, str]]:
        # A copied picture carries what it is of.
        badge(figure, self.words)
        folder = self.folder / "figures"
        write_bytes(folder / f"{name}.svg", style.svg(figure).encode())
        write_bytes(folder / f"{name}.png", style.png(figure))
        return [(kind.upper(), f"_static/results/{name}.{kind}") for kind in ("png", "svg")]

    def _provenance(self) -> dict[str, Any]:
        evaluated = "models" in self.__dict__
        weights = (
            {m.name: m.fingerprint for runs in self.models.values() for m in runs}
            if evaluated
            else {}
        )
        return provenance(
            profile=self.profile.name,
            parameters=self.parameters,
            seeds=self.profile.seeds,
            datasets={self.images.name: self.images.digest},
            weights=weights,
            device=self.profile.device,
            seconds=time.monotonic() - self._began,
            command=self.command,
        )


def start(
    profile: str,
    notebook: str,
    *,
    models: Sequence[str] | None = None,
    corruptions: Sequence[str] | None = None,
    severities: Sequence[int] | None = None,
    limit: int | None = None,
    seeds: Sequence[int] | int | None = None,
    device: str | None = None,
    storage: str | None = None,
    data: str | None = None,
    recompute: bool = False,
    shows: str | None = None,
) -> Run:
    """Return a run of a notebook on a profile; None leaves a value to the profile.

    Args:
        profile: a file of data_manifests/profiles.
        notebook: the notebook's name.
        models: names as `resolve.classifiers` takes them.
        corruptions: names of corruptions.
        severities: of 1 to 5.
        limit: images a cell.
        seeds: of the networks trained here: a list, or how many.
        device: where models run.
        storage: "jpeg85" or "memory".
        data: folder of the data sets, instead of ROBUST_DATA.
        recompute: compute again what the store has.
        shows: the run in words, where the profile's own do not fit; see `Run`.

    Raises:
        InputError: an unknown name or an impossible value.
    """
    import cv2
    import torch

    # Several threads on busy cores collapse; parallel processes do not.
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    if data is not None:
        paths.use_data(Path(data))
    counted = range(seeds) if isinstance(seeds, int) else seeds
    chosen = profiles.changed(
        profiles.load_profile(profile),
        severities=severities,
        limit=limit,
        seeds=None if counted is None else tuple(counted),
        device=device,
        storage=storage,
    )
    for name in corruptions or ():
        if name not in NAMES:
            raise InputError(one_of("corruption", name, NAMES))
    evaluated = COMMON + EXTRA if chosen.extra else COMMON
    given = {
        "models": models,
        "corruptions": corruptions,
        "severities": severities,
        "limit": limit,
        "seeds": seeds,
        "device": device,
        "storage": storage,
    }
    return Run(
        chosen,
        notebook,
        {key: value for key, value in given.items() if value is not None},
        tuple(evaluated if corruptions is None else corruptions),
        _with_baseline(chosen, models),
        Store(paths.cache() / "store", recompute),
        shows,
    )


def _with_baseline(profile: Profile, models: Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(profile.models if models is None else models)
    if not names:
        return ()
    needed = profile.normaliser == "measured" and not {
        profile.baseline,
        profile.models.get(profile.baseline),
    } & set(names)
    return (profile.baseline, *names) if needed else names


def badge(figure: Figure, words: str) -> None:
    """Write below a figure what it was made of, once."""
    if figure.get_gid() != "badged":
        figure.set_gid("badged")
        figure.text(1, -0.01, words, ha="right", va="top", fontsize=6.5, alpha=0.75)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        aside.write_bytes(content)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record as JSON, whole or not at all."""
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode())

