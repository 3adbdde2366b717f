"""Studies: chapters that train networks of their own, on data of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError, one_of
from robust_lib.protocols.surface_variation import RANDOM, protocols
from robust_lib.vocabulary import COMMON, OCCLUSION


@dataclass(frozen=True)
class Study:
    """A chapter with networks of its own.

    Attributes:
        chapters: names of its notebooks.
        role: of the data set that its networks are evaluated on.
        each_corruption: whether each network is joined by one trained with each corruption.
        hold_outs: whether each network is trained without each of ICONS-50's hold-outs.
        asked: roles of the data sets that its networks are shown as they are, by job; they choose
            among the classes of the job's first one.
        corrupted: whether its networks are shown corrupted images.
        baseline: whether it needs the model that normalises corruption errors.
        words: its runs in words, where a profile's own do not fit; all its images are shown then.
        together: networks that are trained by one job, half a minute's work at least.
    """

    chapters: tuple[str, ...]
    role: str
    each_corruption: bool = False
    hold_outs: bool = False
    asked: tuple[tuple[str, ...], ...] = ()
    corrupted: bool = True
    baseline: bool = False
    words: str | None = None
    together: int = 6


STUDIES: Mapping[str, Study] = MappingProxyType(
    {
        "overlap": Study(("overlap_1_matrix",), "imagenet_100", each_corruption=True),
        "balance": Study(("overlap_2_balance_and_cover",), "balance", baseline=True),
        "icons50": Study(
            ("inc_4_icons50",),
            "icons50",
            hold_outs=True,
            corrupted=False,
            words="{title}: {images} icons of {classes} classes, {seeds}",
        ),
        "nae": Study(
            ("nae_1_construction", "nae_2_imagenet_a", "nae_3_imagenet_o", "nae_4_calibration"),
            "imagenet_a",
            asked=(
                ("imagenet_a", "imagenet_val_a"),
                (
                    "imagenet_o",
                    "imagenet_val_o",
                    "bernoulli_noise",
                    "blobs",
                    "textures",
                    "places365",
                ),
            ),
            corrupted=False,
            words="{title}: {images} images, {classes} classes, {seeds}",
            together=1,
        ),
    }
)
"""Name of a study, a key of a profile's `studies` -> what it is."""


def load_study(name: str, profile: Profile) -> Study:
    """Return a study of a profile.

    Raises:
        InputError: an unknown study, or one that the profile has no networks for.
    """
    if name not in STUDIES or name not in profile.studies:
        raise InputError(one_of("a study of the profile", name, profile.studies))
    return STUDIES[name]


def corruptions(profile: Profile) -> tuple[str, ...]:
    """Return the corruptions that the studies' networks are trained with and shown."""
    return profile.training_corruptions or COMMON + OCCLUSION


def severities(profile: Profile) -> tuple[int, ...]:
    """Return the severities at which the studies' networks are trained and tested."""
    return profile.training_severities or profile.severities


def among(name: str, role: str) -> str:
    """Return the role among whose classes a study's networks choose when shown another role's.

    Raises:
        InputError: a role that the study's networks are not asked about.

    >>> among("nae", "textures")
    'imagenet_o'
    """
    known = {each: group[0] for group in STUDIES[name].asked for each in group}
    if role not in known:
        raise InputError(one_of("a role of the study", role, known))
    return known[role]


def networks(name: str, profile: Profile) -> tuple[str, ...]:
    """Return the names of all networks of a study, as `resolve.classifiers` takes them.

    >>> from robust_lib.config.profiles import load_profile
    >>> networks("icons50", load_profile("mini"))[0]
    'resnet20@style:microsoft'
    """
    study = load_study(name, profile)
    ends: tuple[str, ...] = ("",)
    if study.each_corruption:
        ends += tuple(f"+{one}" for one in corruptions(profile))
    models = tuple(profile.studies[name])
    if study.hold_outs:
        ends = tuple(f"@{one}" for one in protocols().values())
        styles = load_dataset(profile.data[study.role]).options["styles"]
        left_out = [f"{models[0]}@{RANDOM}", *(f"{models[0]}@style:{style}" for style in styles)]
        every = [f"{model}{end}" for model in models for end in ends]
        return tuple(dict.fromkeys([*every, *left_out]))
    return tuple(f"{model}{end}" for model in models for end in ends)
