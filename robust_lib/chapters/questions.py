"""What the networks of a run are asked about pictures as they are, or with other colours."""

from collections.abc import Sequence

import pandas as pd

from robust_lib.chapters.nae import difficulty, galleries, settings
from robust_lib.curation.decisions import Filtration
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, one_of
from robust_lib.explain.interventions import Edited
from robust_lib.miniworld import review
from robust_lib.models import class_subset
from robust_lib.protocols.grid import Models
from robust_lib.protocols.nae import asking
from robust_lib.protocols.nae.asking import Asked
from robust_lib.protocols.nae.networks import PLAIN
from robust_lib.results.table import Results
from robust_lib.run import filtered_sets, networks
from robust_lib.run import image_sets as roles
from robust_lib.run.run import Run
from robust_lib.training import zoo
from robust_lib.vocabulary import is_own


def ask(run: Run, role: str, among: str | None = None) -> Asked:
    """Return what the run's networks say of the images of a role, masked to some classes.

    Args:
        run: has the networks.
        role: whose images they are shown.
        among: role among whose classes they choose; None: the same. Networks that do not know all
            of these classes are left out.
    """
    images = run.image_set(role)
    return _ask(run, run.models, images, images if among is None else run.image_set(among))


def ask_all(run: Run, roles: Sequence[str], among: str) -> list[Asked]:
    """Return what the run's networks say of the images of several roles."""
    return [ask(run, role, among) for role in roles]


def ask_edited(run: Run, role: str, edits: Sequence[str], network: str) -> dict[str, Asked]:
    """Return edit -> what one network says of the images of a role with other colours.

    Args:
        run: has the network.
        role: whose images.
        edits: names, as `explain.interventions` has them.
        network: our name of it.
    """
    images = run.image_set(role)
    models = {network: run.models[network]}
    return {edit: _ask(run, models, Edited(images, edit), images) for edit in edits}


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


def network(run: Run, name: str) -> str:
    """Return our name of one of the run's networks, called by ours or by the paper's.

    Raises:
        InputError: the run has no such network.
    """
    ours = run.profile.models.get(name, name)
    asked = {*run.names, *(networks.own_name(run.profile, one) for one in run.names)}
    # What a file of one's own is called is known once it is loaded; all else before training.
    if (ours not in asked and not any(map(is_own, asked))) or ours not in run.models:
        raise InputError(one_of("a network of this run", name, run.names))
    return ours


def training_settings(run: Run) -> Results:
    """Return how the run's networks on the classes of ImageNet-A were trained, as rows."""
    names = run.profile.models
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
    told = _ask(run, {name: run.models[name]}, built.candidates, built.candidates)
    hardness = [review.hardness(scenes, item) for item in built.candidates.ids]
    return difficulty.curve(built.filtration, hardness, told, name)


def _ask(run: Run, models: Models, images: ImageSet, choice: ImageSet) -> Asked:
    able = {
        name: found
        for name, (one, *_) in models.items()
        if (
            found := class_subset.outputs_of(
                one.classes, one.outputs, choice.classes, choice.class_names
            )
        )
    }
    if not able:
        raise InputError(
            f"Expected a network that knows the classes of {choice.name} ({choice.classes}), but "
            f"{', '.join(models)} do not. Name one of the profile's networks."
        )
    return asking.ask(
        {name: models[name] for name in able},
        images,
        able,
        store=run.store,
        batch_size=run.profile.batch_size,
        progress=False,
    )
