"""The start of a run: a profile and a notebook's parameters, checked before anything is done."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config import profiles
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError, one_of
from robust_lib.run import chapter, networks
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON, EXTRA, NAMES, is_own


def start(
    profile: str,
    notebook: str,
    *,
    models: Sequence[str] | None = None,
    corruptions: Sequence[str] | None = None,
    severities: Sequence[int] | str | None = None,
    limit: int | None = None,
    seeds: Sequence[int] | int | str | None = None,
    device: str | None = None,
    storage: str | None = None,
    data: str | None = None,
    epochs: int | None = None,
    recompute: bool = False,
    shows: str | None = None,
    told_of: str | None = None,
    study: str | None = None,
    trained_with: Sequence[str] | None = None,
    own: str | None = None,
    baseline: bool = True,
    parameters: Mapping[str, Any] | None = None,
) -> Run:
    """Return a run of a notebook on a profile; None leaves a value to the profile.

    A list may come as its text, such as '["alexnet"]': papermill's -p hands lists over so.

    Args:
        profile: a file of data_manifests/profiles.
        notebook: the notebook's name.
        models: names as `resolve.classifiers` takes them.
        corruptions: names of corruptions.
        severities: of 1 to 5, evaluated; networks that train with a corruption train at these, too.
        limit: images a cell.
        seeds: of the networks trained here: a list, or how many.
        device: where models run.
        storage: "jpeg85" or "memory".
        data: folder of the data sets, instead of ROBUST_DATA.
        epochs: of the networks trained here, instead of their recipes'.
        recompute: compute again what the store has.
        shows: the run in words, where the profile's own do not fit; see `Run`.
        told_of: role of the data set that the badge tells of, where it is not the evaluated one.
        study: a key of the profile's studies, whose networks `models` then names.
        trained_with: corruptions; each model is joined by one trained with each of them. None:
            with each of the study's, if it has such networks.
        own: a corruption of one's own, <file>.py:<function>, that joins those of the study.
        baseline: whether the model that normalises is joined to those named.
        parameters: the notebook's own, where they are not called as these arguments are.

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
    models, corruptions = _spelled_out(models), _spelled_out(corruptions)
    severities, seeds = _spelled_out(severities), _spelled_out(seeds)
    for what, names in (("models", models), ("corruptions", corruptions)):
        listed = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        if not listed and names is not None:
            raise InputError(
                f"Expected {what} as a list of names, such as '[\"{names}\"]', but got {names!r}."
            )
    counted = range(seeds) if isinstance(seeds, int) else seeds
    chosen = profiles.changed(
        profiles.load_profile(profile),
        severities=severities,
        limit=limit,
        seeds=list(counted) if isinstance(counted, range) else counted,
        device=device,
        storage=storage,
        epochs=epochs,
    )
    _require_corruptions("corruption", corruptions or ())
    evaluated: tuple[str, ...] = COMMON + EXTRA if chosen.extra else COMMON
    role = "imagenet_val"
    joined: tuple[str, ...] = ()
    if study is not None:
        about = chapter.load_study(study, chosen)
        added = () if own is None else (own,)
        _require_corruptions("corruption of your own", added)
        evaluated, role = chapter.corruptions(chosen) + added, about.role
        levels = chosen.severities if severities else chapter.severities(chosen)
        groups = chosen.networks | {"imagenet_c": chosen.networks[study]}
        chosen = chosen.model_copy(update={"networks": groups, "severities": levels})
        if about.words is not None:
            many = "" if chosen.epochs == 1 else "s"
            cut = f", {chosen.epochs} epoch{many} each" if chosen.epochs else ""
            chosen = chosen.model_copy(update={"words": about.words + cut, "limit": None})
        joined = evaluated if about.each_corruption else ()
        baseline = baseline and about.baseline
    trained_with = _spelled_out(trained_with)
    spoilt = joined if trained_with is None else tuple(trained_with)
    names = _names(chosen, models, with_baseline=baseline)
    networks.require_known(chosen, names)
    given = parameters or {
        "models": models,
        "corruptions": corruptions,
        "severities": severities,
        "limit": limit,
        "seeds": seeds,
        "device": device,
        "storage": storage,
        "epochs": epochs,
    }
    return Run(
        chosen,
        notebook,
        {key: value for key, value in given.items() if value is not None},
        tuple(evaluated if corruptions is None else corruptions),
        tuple(f"{name}{end}" for name in names for end in _endings(spoilt)),
        Store(paths.cache() / "store", recompute),
        shows,
        role,
        told_of or role,
    )


def _spelled_out(value: Any) -> Any:
    """Return the list that a text spells out; anything else as it is."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            return yaml.safe_load(value)
        except yaml.YAMLError:
            return value
    return value


def _require_corruptions(what: str, names: Sequence[str]) -> None:
    from robust_lib.corruptions import own  # imports OpenCV

    for name in names:
        if is_own(name):
            own.load(name)
        elif name not in NAMES:
            raise InputError(one_of(what, name, NAMES))


def _endings(trained_with: Sequence[str]) -> tuple[str, ...]:
    _require_corruptions("corruption to train with", trained_with)
    return ("", *(f"+{name}" for name in trained_with))


def _names(
    profile: Profile, models: Sequence[str] | None, *, with_baseline: bool
) -> tuple[str, ...]:
    names = tuple(profile.models if models is None else models)
    if not names or not with_baseline:
        return names
    needed = profile.normaliser == "measured" and not {
        profile.baseline,
        profile.models.get(profile.baseline),
    } & set(names)
    return (profile.baseline, *names) if needed else names
