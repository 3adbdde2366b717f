"""One model on every applicable benchmark: its passport, and images for the page.

Its numbers are compared with those in the same profile's book, in the papers, and of public
weights.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch

from robust_lib import paths
from robust_lib.config.profiles import Profile, default_profile, load_profile
from robust_lib.config.withheld import all_shown, is_withheld
from robust_lib.datasets import ImageSet
from robust_lib.datasets.archive_writer.files import Each, processes
from robust_lib.datasets.user_folder import COCO, PREFIX
from robust_lib.errors import InputError, RobustLibError, RunError, one_of
from robust_lib.models import adapter
from robust_lib.models.contract import Classifier
from robust_lib.models.detectors.contract import Detector
from robust_lib.passport.benchmarks import BENCHMARKS, Benchmark, Boxes, Measured, by_default
from robust_lib.passport.clean import checked
from robust_lib.passport.headlines import HEADLINES
from robust_lib.passport.others import others
from robust_lib.passport.record import (
    Answer,
    Headline,
    Kind,
    Made,
    Number,
    Passport,
    Section,
)
from robust_lib.passport.subject import Subject, subject, weights_of
from robust_lib.predict.answers_file import Judged
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.row import Row
from robust_lib.run.provenance import provenance
from robust_lib.run.run import Run
from robust_lib.run.side_by_side import fill, require_processor
from robust_lib.types import Picture
from robust_lib.vocabulary import is_answers_file

SHOWN = 6  # pictures of a kind
SIDE = 96  # pixels of a picture on the page


@dataclass(frozen=True)
class Evaluation:
    """A passport, with data that its file does not contain.

    Attributes:
        pictures: (image set, id) -> the image, if its terms allow showing it.
        geometry: the model's preprocessing; None: original size, or unknown.
    """

    passport: Passport
    answers: tuple[Predictions, ...] = ()
    pictures: Mapping[tuple[str, str], Picture] = field(default_factory=dict)
    judged: Mapping[str, Judged] = field(default_factory=dict)
    boxes: Boxes = field(default_factory=dict)
    geometry: Preprocessing | None = None


def evaluate(
    model: str | torch.nn.Module | Classifier | Detector | Callable[..., Any],
    *,
    benchmarks: Sequence[str] | None = None,
    profile: str | None = None,
    data: str | Path | None = None,
    images: str | None = None,
    name: str | None = None,
    preprocessing: Preprocessing | None = None,
    limit: int | None = None,
    device: str | None = None,
    geometry: str | None = None,
    batch_size: int | None = None,
    jobs: int = 1,
    validation: bool = False,
    progress: Callable[[str], None] = lambda line: None,
    require: Callable[[Subject], None] = lambda asked: None,
) -> Evaluation:
    """Return the model report of one model, with its results on every applicable benchmark.

    Benchmarks that are not applicable are listed with the reason: classes, kind, or missing data.

    Args:
        model: name of a network, "FILE.py:FUNCTION", "predictions:FILE", a torch module, a
            classifier or detector of this library, or a function from arrays to logits; see
            `subject`.
        benchmarks: keys of `BENCHMARKS`; None: those of `by_default`.
        profile: profile with the data; None: the default profile, the miniature.
        data: folder of the data sets; None: ROBUST_DATA.
        images: "folder:PATH", your own images in class folders, corrupted on the fly; or
            "coco:ANNOTATIONS,PICTURES", images with boxes for a detector.
        name: name of a bare module or function in tables.
        preprocessing: resizing and cropping for a bare module or function.
        limit: images per condition; None: the profile's.
        device: cpu, cuda, cuda:1; None: the profile's.
        geometry: size at which images are corrupted: "archive" or "network"; None: the profile's.
        batch_size: images per forward pass; None: the profile's, or 32 on a processor.
        jobs: number of parallel processes; several need a model by name or file.
        validation: whether to include the validation corruptions, if the profile has them.
        progress: function that receives one line per benchmark.
        require: function that raises an error if the model is unsuitable, before any evaluation.

    Raises:
        InputError: an unknown benchmark, or an object that is not a model.
        ModelError: a model that breaks its contract.

    >>> robust_lib.evaluate("my_net.py:build").passport.section("imagenet_a")  # doctest: +SKIP
    """
    began = time.monotonic()
    for one in benchmarks or ():
        if one not in BENCHMARKS:
            raise InputError(one_of("a benchmark", one, BENCHMARKS))
    chosen = _profile(profile or default_profile(), device)
    wanted = by_default(chosen) if benchmarks is None else tuple(benchmarks)
    if jobs > 1:
        _require_jobs(model, chosen)
    settings = {
        "images": images, "limit": limit, "device": device, "geometry": geometry,
        "batch_size": batch_size, "data": None if data is None else str(data),
    }  # fmt: skip
    given = {key: value for key, value in settings.items() if value is not None}
    if data is not None:
        paths.use_data(Path(data))
    classes = _classes(chosen, given)  # read for a bare module or function alone
    asked = subject(model, chosen, classes, name=name, preprocessing=preprocessing)
    require(asked)
    if getattr(asked.classifier, "assumed", False):
        progress(f"{asked.name} sees {adapter.seen(asked.classifier)}.")
    sections, found, about = [], [], _About()
    with processes(jobs) if jobs > 1 else nullcontext() as each:
        for key in wanted:
            first = partial(_fill, each, (model, key, chosen.name, given, name, preprocessing))
            benchmark = BENCHMARKS[key]
            if validation and chosen.extra:
                benchmark = benchmark.with_validation()
            section, measured = _section(benchmark, asked, chosen, given, about, first)
            progress(f"{section.title}: {section.left_out or f'{len(section.numbers)} numbers'}")
            sections.append(section)
            found += [] if measured is None else [measured]
    made = provenance(
        profile=chosen.name, parameters=given, seeds=(0,), datasets=about.digests,
        weights=about.fingerprints, device=chosen.device, seconds=time.monotonic() - began,
        command="",
    )  # fmt: skip
    seen = about.models.get(asked.name)
    called = model if isinstance(model, str) and not is_answers_file(model) else asked.name
    return Evaluation(
        Passport(
            model=asked.name,
            fingerprint=about.fingerprints.get(asked.name, ""),
            asks="detector" if asked.finds_boxes else "classifier",
            classes=str(getattr(seen, "classes", "")),
            outputs=int(getattr(seen, "outputs", 0)),
            sees=adapter.seen(seen),
            profile=chosen.name,
            words=about.words,
            sections=tuple(sections),
            made=Made(**{key: made[key] for key in Made.model_fields}),
            clean=checked(called, seen, [one for part in sections for one in part.numbers]),
            weights=weights_of(seen),
        ),
        tuple({one.dataset: one for part in found for one in part.answers}.values()),
        _pictures(sections, found),
        {name: one for part in found for name, one in part.judged.items()},
        {role: one for part in found for role, one in part.boxes.items()},
        getattr(seen, "preprocessing", None),
    )


@dataclass
class _About:
    """The provenance of the benchmarks' runs, collected."""

    words: str = ""
    digests: dict[str, str] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)

    def take(self, run: Run) -> None:
        """Add the data sets and versions that a run used."""
        self.words = self.words or run.description
        self.digests |= {images.name: images.digest for images in run.image_sets_used.values()}
        self.fingerprints |= run.fingerprints
        held = run._detectors or (run.models if "models" in run.__dict__ else {})
        self.models |= {name: by_seed[0] for name, by_seed in held.items()}


def _classes(profile: Profile, given: Mapping[str, Any]) -> Callable[[], ImageSet]:
    """Return a function that reads the images whose classes a bare module or function predicts."""
    return partial(Subject.images_of, BENCHMARKS["imagenet_c"].chapter, profile, given)


def _profile(name: str, device: str | None) -> Profile:
    profile = load_profile(name)
    return profile if device is None else profile.model_copy(update={"device": device})


def _require_jobs(model: object, profile: Profile) -> None:
    require_processor(profile.device)
    if not isinstance(model, str):
        raise InputError(
            "Expected the name of a model or FILE.py:FUNCTION for several jobs, since each job "
            f"loads it, but got {type(model).__name__}. Return it from a function in a file, or "
            "use one job."
        )


def _fill(each: Each | None, of: tuple[Any, ...], run: Run) -> None:
    """Let other processes, if there are any, evaluate a run's networks first."""
    if each is not None:
        fill(run, partial(_run, *of), each)


def _run(
    model: str,
    benchmark: str,
    profile: str,
    given: Mapping[str, Any],
    name: str | None,
    preprocessing: Preprocessing | None,
) -> Run:
    """Return the run of a benchmark on a model, in a process of its own."""
    if "data" in given:
        paths.use_data(Path(given["data"]))
    chosen = _profile(profile, given.get("device"))
    classes = _classes(chosen, given)
    asked = subject(model, chosen, classes, name=name, preprocessing=preprocessing)
    return asked.run(BENCHMARKS[benchmark].chapter, chosen, **given)


def _section(
    benchmark: Benchmark,
    asked: Subject,
    profile: Profile,
    given: Mapping[str, Any],
    about: _About,
    first: Callable[[Run], None],
) -> tuple[Section, Measured | None]:
    """Return a benchmark's results for a model, or why the model cannot take it.

    Args:
        first: function called with its run before the results are computed.
    """
    named = {"benchmark": benchmark.key, "title": benchmark.title, "paper": benchmark.paper}
    reason = _misfit(benchmark, asked, profile, given)
    if reason is None:
        try:
            run = asked.run(benchmark.chapter, profile, **given)
            first(run)
            measured = benchmark.of(asked, run)
        except RunError:
            raise  # of a process, not of the model
        except RobustLibError as error:
            reason = str(error)
    if reason is not None:
        return Section(**named, left_out=reason), None
    about.take(run)
    numbers = [_number(row) for row in measured.results.rows]
    return (
        Section(
            **named,
            headlines=tuple(_headlines(benchmark.key, measured.results.rows, profile, run, asked)),
            numbers=tuple(numbers),
            answers=tuple(_worth_a_look(measured)),
            lacks=measured.lacks,
            corrupted=measured.corrupted,
            sets=tuple(run.image_set(role).name for role in _roles(benchmark, run)),
        ),
        measured,
    )


def _misfit(
    benchmark: Benchmark, asked: Subject, profile: Profile, given: Mapping[str, Any]
) -> str | None:
    """Return why a benchmark does not fit a model, if that is known before it runs."""
    if asked.finds_boxes != (benchmark.asks == "detectors"):
        kind = "a detector" if asked.finds_boxes else "a classifier"
        return f"It is for {benchmark.asks}, and {asked.name} is {kind}."
    own = given.get("images")
    if own is not None:
        begins = COCO if own.startswith(COCO) else PREFIX
        if benchmark.own_images == begins:
            return None
        fitting = [one.title for one in BENCHMARKS.values() if one.own_images == begins]
        return f"--images {begins}... provides images only for {' and '.join(fitting)}."
    lacking = [role for role in benchmark.roles if role not in profile.data]
    if lacking:
        return f"Profile {profile.name} has no {', '.join(lacking)}."
    return None


def _roles(benchmark: Benchmark, run: Run) -> tuple[str, ...]:
    return (run.chapter.role,) if "images" in run.parameters else benchmark.roles


def _number(row: Row) -> Number:
    kept = {name: getattr(row, name) for name in Number.model_fields}
    return Number(**kept)


def _headlines(
    key: str, rows: Sequence[Row], profile: Profile, run: Run, asked: Subject
) -> list[Headline]:
    found = []
    own = "images" in run.parameters
    for headline in HEADLINES[key]:
        if own and headline.role not in (None, run.chapter.role):
            continue
        dataset = None if headline.role is None else run.image_set(headline.role).name
        for row in (row for row in rows if headline.fits(row, dataset)):
            found.append(
                Headline(
                    # A title of two parts says what the benchmark's own images are.
                    title=headline.title.partition(", ")[0]
                    if own and headline.role
                    else headline.title,
                    better=headline.better,
                    number=_number(row),
                    others=others(headline, row, profile, asked.name, own=own),
                )
            )
            break
    return found


def _worth_a_look(measured: Measured) -> Iterator[Answer]:
    """Yield confident mistakes, the most and least confident hits, and confident OOD images.

    No image occurs twice: if few are correct, the most confident come first.
    """
    sets = {images.name: images for images in measured.sets}
    for one in measured.shown:
        images = sets[one.dataset]
        foreign = (one.labels < 0).all()
        names = measured.sets[-1].class_names if foreign else images.class_names
        surest = one.by_confidence
        wrong = [place for place in surest if not one.correct[place]]
        right = [place for place in surest[::-1] if one.correct[place]]
        kinds: dict[Kind, list[int]] = (
            {"surest of foreign things": wrong}
            if foreign
            else {
                "surest mistakes": wrong,
                "surest and right": right[::-1],
                "least sure and right": right[: max(0, len(right) - SHOWN)],
            }
        )
        for kind, places in kinds.items():
            for place in places[:SHOWN]:
                yield Answer(
                    kind=kind,
                    images=one.dataset,
                    id=one.ids[place],
                    label="" if foreign else images.class_names[one.labels[place]],
                    predicted=names[one.predicted[place]],
                    confidence=float(one.confidence[place]),
                )


def _pictures(
    sections: Sequence[Section], found: Sequence[Measured]
) -> dict[tuple[str, str], Picture]:
    """Return the images that a page may show: those drawn here, and the user's own."""
    sets = {images.name: images for one in found for images in one.sets}
    free = {name: images for name, images in sets.items() if all_shown() or not is_withheld(name)}
    places = {name: {one: at for at, one in enumerate(images.ids)} for name, images in free.items()}
    return {
        (answer.images, answer.id): free[answer.images].read(
            places[answer.images][answer.id], Preprocessing(SIDE, SIDE)
        )
        for section in sections
        for answer in section.answers
        if answer.images in free
    }
