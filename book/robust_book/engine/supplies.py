"""The data sets and published weights that chapters need, both present and missing ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from robust_book.engine.needs import Needs, needs, played, training_set, whole_of
from robust_lib import paths
from robust_lib.config.manifests import (
    ModelManifest,
    is_dataset,
    load_dataset,
    load_model,
    model_names,
)
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.datasets.imagenet_c import FROST, authors_frost
from robust_lib.errors import DataError, InputError
from robust_lib.fetch import archives
from robust_lib.fetch.verification import identity, seems_there, verify
from robust_lib.models.weight_files import WeightFile, weight_file
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.vocabulary import COMMON, EXTRA

Exactness = Literal["", "about", "at least"]


@dataclass(frozen=True)
class Supply:
    """One data set, or one file of weights.

    Attributes:
        fetched: whether `robust fetch` downloads it; otherwise a person must.
        bytes: published size of its files to download; None: not published.
        how: the command that downloads it, or the instruction for a person.
        exactness: exactness of the bytes: "at least" if the size of some files is unknown, "about"
            if they are rounded or estimated; "" if they are exact.
        optional: whether the chapter runs without it, and says so.
        by_itself: whether the chapter downloads it when it runs.
    """

    kind: Literal["data", "weights"]
    name: str
    there: bool
    fetched: bool
    bytes: int | None
    how: str
    exactness: Exactness = ""
    optional: bool = False
    by_itself: bool = False


@dataclass(frozen=True)
class Supplies:
    """The data sets and weights that a chapter needs in a profile.

    Attributes:
        elsewhere: reason why no download would help: networks or roles that the profile lacks.
    """

    notebook: str
    supplies: tuple[Supply, ...] = ()
    elsewhere: str | None = None

    @property
    def lacking(self) -> tuple[Supply, ...]:
        """Return the missing supplies that the chapter does not download by itself."""
        return tuple(
            one for one in self.supplies if not one.there and not one.optional and not one.by_itself
        )

    @property
    def left_out(self) -> tuple[Supply, ...]:
        """Return the missing supplies without which the chapter can run."""
        return tuple(
            one for one in self.supplies if one.optional and not one.there and not one.by_itself
        )

    @property
    def brought(self) -> tuple[Supply, ...]:
        """Return the missing supplies that the chapter downloads when it runs."""
        return tuple(one for one in self.supplies if one.by_itself and not one.there)

    @property
    def can_run(self) -> bool:
        """Return whether the chapter can be made."""
        return self.elsewhere is None and not self.lacking


def supplies(chapter: Chapter, profile: Profile) -> Supplies:
    """Return the data sets and weights that a chapter needs in a profile.

    >>> from robust_lib.config.profiles import load_profile
    >>> found = supplies(Chapter("one", networks="overlap"), load_profile("full"))
    >>> found.can_run, found.elsewhere.partition(",")[0]
    (False, 'its networks (overlap) are trained')
    """
    try:
        parts = chapter.parts(profile)
        wanted = [needs(part, profile) for part in parts]
    except InputError:
        return Supplies(chapter.notebook, elsewhere=_elsewhere(chapter, profile))
    found: dict[str, Supply] = {}
    for one in _data(parts, wanted, profile):
        if one.name not in found or not one.optional:
            found[one.name] = one
    names = dict.fromkeys(network.model for need in wanted for network in need.networks)
    # Several rows may name one file.
    files = {one.place: one for name in names if name in model_names() for one in _files(name)}
    weights = tuple(supply_of(file, profile.name) for file in files.values())
    besides = (*_frost(parts, profile), *_beside(chapter, profile))
    return Supplies(chapter.notebook, (*found.values(), *weights, *besides))


def require(chapter: Chapter, profile: Profile, parameters: Mapping[str, Any]) -> None:
    """Raise DataError, with the remedy, if supplies of a chapter's run are missing or incomplete.

    Args:
        parameters: parameters of the run. A user's images replace the chapter's; the needs of
            networks that the user names are unknown.
    """
    if parameters.get("data") is not None:
        paths.use_data(Path(parameters["data"]))
    known = {
        setting: value
        for name, value in parameters.items()
        if (setting := chapter.settings.get(name, name)) in ("corruptions", "images", "models")
        and value is not None
    }
    if isinstance(known.get("corruptions"), list | tuple):
        chapter = replace(chapter, corruptions=tuple(known["corruptions"]))
    own = profile.data.get(chapter.role) if "images" in known else None
    lacking = [
        one
        for one in supplies(chapter, profile).lacking
        if not (one.kind == "weights" and "models" in known)
        and not (own is not None and one.name in (whole_of(own), profile.data.get("imagenet_c")))
    ]
    archive = [f"{one}/" for one in chapter.evaluated_corruptions(profile)]
    told = []
    for one in lacking:
        if one.kind == "weights":
            told.append(f"There are no weights of {one.name}: {one.how}.")
            continue
        # A glance found it wanting; what is wrong is told by a look at all of it.
        only = archive if one.name == profile.data.get("imagenet_c") else ()
        complaint = verify(one.name, only=only).complaint
        told += [] if complaint is None else [str(complaint)]
    if told:
        raise DataError(f"{' '.join(told)} Nothing was run.")


def _beside(chapter: Chapter, profile: Profile) -> Iterator[Supply]:
    """Yield the optional pip packages for the photographs of a chapter's page."""
    if chapter.on_photographs is None or profile.beside is None:
        return
    photos = load_profile(profile.beside)
    for name in dict.fromkeys(photos.data.values()):
        yield from (replace(one, optional=True, by_itself=True) for one in _set(name))
    yield from _textures(profile)
    for model in photos.networks["imagenet_c"].values():
        yield from (replace(supply_of(one, photos.name), optional=True) for one in _files(model))


def _frost(parts: Sequence[Chapter], profile: Profile) -> Iterator[Supply]:
    """Yield the authors' frost textures if frost is drawn with them; they are optional."""
    shown = [one for part in parts for one in part.shows if isinstance(one, OnCorruptions)]
    drawn = any("frost" in part.evaluated_corruptions(profile) for part in parts)
    if shown and drawn and profile.corrupted == "generated" and profile.with_authors_frost:
        yield from _textures(profile)


def _textures(profile: Profile) -> Iterator[Supply]:
    if authors_frost() is None:  # their place is not a data set's, which is for all runs
        fetched, size, _, exactness = _brought(FROST[0])
        how = f"robust fetch --profile {profile.name}"
        yield Supply("data", FROST[0], False, fetched, size, how, exactness, True, True)


def _elsewhere(chapter: Chapter, profile: Profile) -> str:
    missing = [
        part.networks
        for part in chapter.parts(profile)
        if part.networks and part.networks not in profile.networks
    ]
    if missing and not profile.trains:
        return (
            f"its networks ({', '.join(missing)}) are trained, because none are published; profile "
            f"{profile.name}_trained trains them"
        )
    return f"profile {profile.name} does not have its networks or its images"


def _data(parts: Sequence[Chapter], wanted: Sequence[Needs], profile: Profile) -> Iterator[Supply]:
    for part, need in zip(parts, wanted, strict=True):
        for role, optional in part.roles(profile).items():
            yield from _set(whole_of(played(role, profile)), optional)
        for network in need.trained:
            yield from _set(whole_of(training_set(network, profile)))
        if profile.corrupted == "archive":
            shown = [one for one in part.shows if isinstance(one, OnCorruptions)]
            asked = [name for name in part.evaluated_corruptions(profile) if name in COMMON + EXTRA]
            if shown and asked:
                yield _archive(profile.data.get("imagenet_c", "imagenet_c"), asked)


def _set(name: str, optional: bool = False) -> Iterator[Supply]:
    """Yield a data set and those that are read with it, unless it is drawn here."""
    if not is_dataset(name) or load_dataset(name).access == "generated":
        return
    manifest = load_dataset(name)
    if manifest.kind == "joined":  # of others; it has no place of its own
        for part in manifest.options["parts"]:
            yield from _set(whole_of(part), optional)
        return
    yield Supply("data", name, seems_there(name), *_brought(name), optional=optional)
    if manifest.kind == "openimages":
        yield from _set(manifest.options["boxes"], optional)
    if "foreign" in manifest.options:
        yield from _set(manifest.options["foreign"], optional=True)


def _archive(name: str, corruptions: Iterable[str]) -> Supply:
    """Return ImageNet-C, which is present if all conditions of these corruptions are present."""
    there = seems_there(name, only=[f"{one}/" for one in corruptions])
    return Supply("data", name, there, *_brought(name))


def _brought(name: str) -> tuple[bool, int | None, str, Exactness]:
    """Return whether a data set is fetched, its remaining bytes, the command, and their exactness.

    Raises:
        InputError: there is no such manifest.
    """
    manifest = load_dataset(name)
    fetched = manifest.access == "open" and all(file.is_fetched for file in manifest.files)
    folder = paths.data() / name
    left = [
        file
        for file in manifest.files
        if not (folder / file.name).exists()
        and not archives.is_unpacked(file.name, folder, identity(file))
    ]
    sizes = [file.bytes or file.about for file in left]
    known = sum(size or 0 for size in sizes) or None
    exactness: Exactness = "" if all(file.bytes for file in left) else "about"
    if not all(sizes):
        exactness = "at least"
    command = f"robust fetch {name}"
    how = command if fetched else f"{command}  # says how: {manifest.access}"
    return fetched, known, how, exactness if known is not None else ""


def _files(name: str) -> Iterator[WeightFile]:
    """Yield the files of a model's published weights and of the model that it starts from."""
    row = load_model(name)
    start = row.starts_from if row.weights is None else None
    if start is not None:
        yield from _files(start)
    file = weight_file(row)
    if file is not None:
        yield file


def unique(found: Iterable[Supply]) -> tuple[Supply, ...]:
    """Return supplies without duplicates, data sets first; one chapter makes a supply required."""
    by_name: dict[tuple[str, str], Supply] = {}
    for one in sorted(found, key=lambda one: (one.kind != "data", one.name, one.optional)):
        by_name.setdefault((one.kind, one.name), one)
    return tuple(by_name.values())


def supply_of(file: WeightFile, profile: str) -> Supply:
    """Return a file of weights as a supply of a profile.

    If its size was not published, it is estimated from the network's parameters.
    """
    how = f"put {file.name} into {file.place.parent}: {file.hint}"
    how = how if file.by_hand else f"robust fetch --profile {profile}"
    estimated = None if file.bytes or file.there else estimated_bytes(load_model(file.model))
    return Supply(
        "weights",
        file.model,
        file.there,
        not file.by_hand,
        file.bytes or estimated,
        how,
        "about" if estimated else "",
        by_itself=not file.by_hand,
    )


FLOAT = 4  # bytes: published weights are float32


def estimated_bytes(manifest: ModelManifest) -> int | None:
    """Return the approximate bytes of a model's weights; None if they cannot be counted.

    >>> from robust_lib.config.manifests import load_model
    >>> estimated_bytes(load_model("resnet18"))  # torchvision counts 11,689,512 parameters
    46758048
    """
    number = _parameters(manifest.builder, str(manifest.arguments.get("name")))
    return None if number is None else FLOAT * number


@cache
def _parameters(builder: str, name: str) -> int | None:
    if builder == "timm":
        import timm
        import torch

        with torch.device("meta"):  # shapes alone: nothing is drawn, no memory is taken
            return sum(one.numel() for one in timm.create_model(name).parameters())
    if builder.startswith("torchvision"):
        from torchvision import models

        published = next(iter(models.get_model_weights(name)))
        return int(published.meta["num_params"])
    return None
