"""What the networks of a run are asked about pictures as they are, or with other colours."""

from collections.abc import Sequence

import pandas as pd

from robust_lib.chapters.nae import difficulty, galleries, settings
from robust_lib.curation.decisions import Filtration
from robust_lib.datasets import ImageSet
from robust_lib.explain.interventions import Edited
from robust_lib.miniworld import review
from robust_lib.models import class_subset
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae.networks import PLAIN
from robust_lib.results.table import Results
from robust_lib.run import filtered_sets
from robust_lib.run import image_sets as roles
from robust_lib.run.run import Run
from robust_lib.training import zoo


def ask_all(run: Run, roles: Sequence[str], classes_of: str) -> list[MaskedPredictions]:
    """Return the predictions of the run's networks on the images of several roles."""
    return [run.predict(role, classes_of) for role in roles]


def ask_edited(
    run: Run, role: str, edits: Sequence[str], network: str
) -> dict[str, MaskedPredictions]:
    """Return edit -> one network's predictions on the images of a role with other colours.

    Args:
        run: has the network.
        role: whose images.
        edits: names, as `explain.interventions` has them.
        network: our name of it.
    """
    images = run.image_set(role)
    return {edit: run.predict(Edited(images, edit), networks=[network]) for edit in edits}


def ten_answers(run: Run, network: str, *, limit: int) -> dict[int, list[int]]:
    """Return place -> what the first seed of a network says of ten crops of a hard picture.

    Args:
        run: has the network.
        network: our name of it.
        limit: pictures, a fixed choice.
    """
    images = run.images
    model = class_subset.restrict(run.models[network][0], images.classes, images.class_names)
    return galleries.ten_answers(model, images, limit=limit)


def training_settings(run: Run) -> Results:
    """Return how the run's networks on the classes of ImageNet-A were trained, as rows."""
    names = run.paper_names
    if PLAIN not in names:
        return Results()
    return settings.training(names, *zoo.plan(names[PLAIN], run.profile.epochs))


def image_sets(run: Run, roles: Sequence[str]) -> dict[str, ImageSet]:
    """Return role -> the image set that plays it."""
    return {role: run.image_set(role) for role in roles}


def filtration(run: Run, role: str, **rule: float | int | None) -> Filtration | None:
    """Return at which step each candidate for a role fell; None where others chose the pictures.

    Args:
        run: its profile says what plays the role.
        role: such as "imagenet_a".
        rule: thresholds instead of the data set's own.
    """
    if not filtered_sets.is_constructed(run.profile, role):
        return None
    return filtered_sets.construction(run.profile, role, run.store, **rule).filtration


def harder_pool(run: Run, name: str, role: str = "imagenet_a") -> pd.DataFrame:
    """Return how a network fares on candidates by their difficulty, before and after the filter.

    Args:
        run: has the network.
        name: our name of it.
        role: whose candidates.

    Returns:
        See `protocols.nae.difficulty.curve`; no rows where others chose the pictures.
    """
    if not filtered_sets.is_constructed(run.profile, role):
        return pd.DataFrame(columns=list(difficulty.COLUMNS))
    built = filtered_sets.construction(run.profile, role, run.store)
    scenes = roles.as_scenes(built.candidates)
    told = run.predict(built.candidates, networks=[name])
    hardness = [review.hardness(scenes, item) for item in built.candidates.ids]
    return difficulty.curve(built.filtration, hardness, told, name)
