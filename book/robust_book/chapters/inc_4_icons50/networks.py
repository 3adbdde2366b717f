"""Networks that were trained without some icons, and their predictions on these."""

from collections.abc import Iterable, Sequence

from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError, one_of
from robust_lib.protocols import surface_variation
from robust_lib.protocols.surface_variation import RANDOM, ByHoldOut
from robust_lib.run import image_kinds, image_sets
from robust_lib.run.experiments import as_list
from robust_lib.run.network import Network
from robust_lib.run.run import Run

ROLE = "icons50"


def per_hold_out(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model trained without each protocol's icons; the first also vendor by vendor.

    >>> from robust_lib.config.profiles import load_profile
    >>> str(per_hold_out(["resnet20"], load_profile("mini"))[0])
    'resnet20@style:microsoft'
    """
    icons = profile.data[ROLE]
    vendors = load_dataset(icons).options["styles"]
    in_turn = map(surface_variation.style_hold_out, vendors)
    every = [
        Network(model, hold_out=name)
        for model in models
        for name in surface_variation.protocols(match=surface_variation.rule(icons)).values()
    ]
    first = [Network(models[0], hold_out=name) for name in (RANDOM, *in_turn)]
    return tuple(dict.fromkeys([*every, *first]))


def icons(run: Run) -> Icons50:
    """Return the evaluated images as the icons that they are."""
    return image_kinds.as_icons(run.images)


def model_names(run: Run) -> tuple[str, ...]:
    """Return the models of the run's networks, each once."""
    return tuple(dict.fromkeys(network.model for network in run.networks))


def rule(run: Run, match: str | None) -> str:
    """Return the rule that holds out icons: the one named, else that of the run's icons."""
    return match or surface_variation.rule(run.images.name)


def held_out(run: Run, style: str, match: str) -> dict[str, str]:
    """Return protocol -> name of its hold-out, each of which the run's icons allow.

    Args:
        style: the vendor whose icons are held out.
        match: "exact" or "authors".

    Raises:
        InputError: another match, or a vendor that no icon is of.
    """
    found = surface_variation.protocols(style, match)
    for name in found.values():
        image_sets.held_out(run.images, name)
    return found


def vendors(run: Run, named: Sequence[str] | str | None = None) -> list[str]:
    """Return the vendors to leave out in turn.

    Args:
        named: names of vendors, or the text of a list; None: all.

    Raises:
        InputError: a vendor that no icon is of.
    """
    known = sorted({icon.style for icon in icons(run).icons})
    wanted = known if named is None else as_list(named)
    for name in wanted:
        if name not in known:
            raise InputError(one_of("style", name, known))
    return list(wanted)


def label_of(run: Run, name: str) -> int:
    """Return the label of a class by its name.

    Raises:
        InputError: no such class.
    """
    names = run.images.class_names
    if name not in names:
        raise InputError(one_of("a class", name, names))
    return names.index(name)


def predictions(
    run: Run, hold_outs: Iterable[str], models: Sequence[str] | None = None
) -> ByHoldOut:
    """Return the predictions of networks trained without the icons of each hold-out on them.

    Args:
        hold_outs: names as `datasets.hold_outs.named` takes them; all are looked up before the
            first network is trained.
        models: names of networks; None: the run's.
    """
    tested = {name: image_sets.held_out(run.images, name).test for name in hold_outs}
    found = {}
    for name, places in tested.items():
        wanted = [Network(model, hold_out=name) for model in models or model_names(run)]
        by_network = run.predict(
            Subset(run.images, tuple(places.tolist())), networks=wanted
        ).predictions
        found[name] = {Network.read(one).model: by_seed for one, by_seed in by_network.items()}
    return found
