"""Which subtypes are held out, which networks learn from the others, and what those say."""

from collections.abc import Sequence

import numpy as np

from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.protocols import held_out_subtypes as protocol
from robust_lib.protocols.held_out_subtypes import ByNumber
from robust_lib.run import image_kinds, image_sets
from robust_lib.run.chapter import Chapter, is_trained_here
from robust_lib.run.experiments import as_list
from robust_lib.run.network import Network
from robust_lib.run.run import Run

ROLE, TRAINED_ON = "cifar100_test", "cifar100_train"


def record(notebook: str, also: tuple[Chapter, ...] = ()) -> Chapter:
    """Return the record of a chapter that shows networks pictures of held-out subtypes.

    >>> record("inc_5_auxiliary").role
    'cifar100_test'
    """
    return Chapter(
        notebook,
        networks="cifar100",
        role=ROLE,
        variants=per_number,
        every_image=True,
        description="{title}: {images} pictures of {classes} broad classes, {seeds}",
        also=also,
    )


def per_number(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model trained without one, two, three and four subtypes of each class.

    >>> from robust_lib.config.profiles import load_profile
    >>> [str(one) for one in per_number(["net"], load_profile("mini"))][:2]
    ['net@some_a_class:1', 'net@some_a_class:2']
    """
    return tuple(
        Network(model, hold_out=protocol.hold_out(number))
        for model in models
        for number in protocol.NUMBERS
    )


def numbers(run: Run, named: object = None) -> tuple[int, ...]:
    """Return how many subtypes are held out of each class, one number a setting.

    Args:
        run: has the pictures.
        named: the numbers, or the text of a list; None: all that leave a subtype to learn from.

    Raises:
        InputError: no number, one that leaves no subtype on one of the sides, or a network of the
            run that does not learn from these classes' training pictures.

    >>> numbers(run), numbers(run, [2])
    ((1, 2), (2,))
    """
    for network in run.networks:
        if not is_trained_here(network) or load_model(network.model).trained_on != TRAINED_ON:
            raise InputError(
                f"Expected a network that is trained here on {run.profile.data[TRAINED_ON]}, so "
                f"that subtypes can be held out of it, but got {network.model}. Name one whose row "
                f"in data_manifests/models has a recipe and `trained_on: {TRAINED_ON}`, such as "
                f"{next(iter(run.paper_names.values()))}."
            )
    subtypes = min(map(len, protocol.by_class(pictures(run).icons).values()))
    possible = [number for number in protocol.NUMBERS if number < subtypes]
    given = possible if named is None else as_list(named)
    asked = list(given) if isinstance(given, list | tuple) else [given]
    wanted = tuple(one for one in asked if type(one) is int and one in possible)
    if not asked or len(wanted) < len(asked):
        raise InputError(
            f"Expected numbers of subtypes to hold out of each class, each from 1 to "
            f"{possible[-1]}, for each class of {run.images.name} has {subtypes}, but got "
            f"{named!r}. Name some, such as '[1, 2]', or none for all."
        )
    return tuple(dict.fromkeys(wanted))


def pictures(run: Run) -> Icons50:
    """Return the test pictures, each with its subtype.

    >>> pictures(run).icons[0].subtype
    'duck'
    """
    return image_kinds.as_icons(run.images)


def unseen(run: Run, held_out: Sequence[int]) -> dict[int, np.ndarray]:
    """Return which test pictures each setting holds out.

    >>> {number: int(mask.sum()) for number, mask in unseen(run, [1, 2]).items()}
    {1: 10, 2: 20}
    """
    places = {one: image_sets.held_out(run.images, protocol.hold_out(one)).test for one in held_out}
    return {one: np.isin(np.arange(len(run.images)), found) for one, found in places.items()}


def networks(run: Run, held_out: Sequence[int]) -> list[Network]:
    """Return the run's networks of some settings.

    >>> [str(one) for one in networks(run, [2])]
    ['wrn40_2_mini@some_a_class:2']
    """
    wanted = [protocol.hold_out(one) for one in held_out]
    return [one for one in run.networks if one.hold_out in wanted]


def predictions(run: Run, held_out: Sequence[int]) -> ByNumber:
    """Return what networks that were trained in each setting say of all test pictures.

    >>> {number: list(found) for number, found in predictions(run, [1]).items()}
    {1: ['wrn40_2_mini']}
    """
    found = {}
    for one in held_out:
        said = run.predict(run.images, networks=networks(run, [one])).predictions
        found[one] = {Network.read(name).model: by_seed for name, by_seed in said.items()}
    return found
