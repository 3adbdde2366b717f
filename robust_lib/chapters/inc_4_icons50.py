"""Surface variation on ICONS-50 [inc, sec. 4.2]: networks meet icons unlike those they learnt."""

from collections.abc import Iterable, Sequence

from robust_lib.chapters import tables
from robust_lib.chapters.tables import icons50
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets.hold_outs import HoldOut
from robust_lib.datasets.icons50 import Icons50
from robust_lib.datasets.subset import Subset
from robust_lib.protocols.surface_variation import RANDOM, Answers, protocols
from robust_lib.run import image_sets
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network
from robust_lib.run.run import Run

ROLE = "icons50"


def per_hold_out(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model trained without each protocol's icons; the first also style by style.

    >>> from robust_lib.config.profiles import load_profile
    >>> str(per_hold_out(["resnet20"], load_profile("mini"))[0])
    'resnet20@style:microsoft'
    """
    styles = load_dataset(profile.data[ROLE]).options["styles"]
    every = [Network(model, hold_out=name) for model in models for name in protocols().values()]
    first = [
        Network(models[0], hold_out=name) for name in (RANDOM, *(f"style:{one}" for one in styles))
    ]
    return tuple(dict.fromkeys([*every, *first]))


CHAPTER = Chapter(
    "inc_4_icons50",
    networks="icons50",
    role=ROLE,
    variants=per_hold_out,
    every_image=True,
    description="{title}: {images} icons of {classes} classes, {seeds}",
)
COMMITTED: tables.Committed = {"surface": icons50.accuracies_frame}


def icons(run: Run) -> Icons50:
    """Return the evaluated images as the icons that they are."""
    return image_sets.as_icons(run.images)


def held_out(run: Run, names: Iterable[str]) -> dict[str, HoldOut]:
    """Return name -> which of the run's icons a hold-out takes.

    Args:
        run: has the icons.
        names: as `datasets.hold_outs.named` takes them.

    Raises:
        InputError: another name.
    """
    return {name: image_sets.held_out(run.images, name) for name in names}


def predictions(run: Run, hold_outs: Sequence[str], models: Sequence[str] | None = None) -> Answers:
    """Return the predictions of networks trained without the icons of each hold-out on them.

    Args:
        run: has the networks.
        hold_outs: names as `datasets.hold_outs.named` takes them; all are looked up before the
            first network is trained.
        models: names of networks; None: the run's.
    """
    found = {}
    for name, hold_out in held_out(run, hold_outs).items():
        taken = Subset(icons(run), tuple(hold_out.test.tolist()))
        wanted = [Network(model, hold_out=name) for model in models or model_names(run)]
        by_network = run.predict(taken, networks=wanted).predictions
        found[name] = {Network.read(one).model: by_seed for one, by_seed in by_network.items()}
    return found


def training_curves(run: Run, hold_outs: Sequence[str]) -> dict[str, list[float]]:
    """Return the training accuracy by epoch, in percent, of each network and hold-out."""
    wanted = [Network(model, hold_out=name) for model in model_names(run) for name in hold_outs]
    return run.training_curves(wanted)


def model_names(run: Run) -> tuple[str, ...]:
    """Return the models of the run's networks, each once."""
    return tuple(dict.fromkeys(network.model for network in run.networks))
