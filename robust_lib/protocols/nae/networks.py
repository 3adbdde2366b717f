"""Which networks the paper sets beside each other, by the paper's names."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

Pair = tuple[str, str]

FILTER = "resnet50"
TUNED = f"{FILTER}_a"
"""The two networks by which candidates fall; the second is fine-tuned on the subset of classes."""

ATTENTION: tuple[Pair, ...] = (
    ("resnext101_32x4d", "resnext101_32x4d_se"),
    ("resnet152", "resnet152_se"),
)
"""Without and with squeeze-and-excitation."""

SIZES: tuple[Pair, ...] = (
    ("resnet34", "resnet152"),
    ("resnext50_32x4d", "resnext101_64x4d"),
    ("dpn68", "dpn98"),
)
"""A smaller and a larger network of three families."""

PLAIN = "resnext50_32x4d_200"

ROBUST: Mapping[str, str] = MappingProxyType(
    {
        PLAIN: "ordinary",
        f"{PLAIN}_noise": "uniform noise",
        f"{PLAIN}_fgsm": "FGSM",
        f"{PLAIN}_pgd10": "PGD, 10 steps",
        f"{PLAIN}_sin": "other textures",
        f"{PLAIN}_sin_in": "both textures",
    }
)
"""Networks trained from scratch on the classes of ImageNet-A -> what on, in words."""


def whole(names: Mapping[str, str], known: Collection[str]) -> tuple[str, ...]:
    """Return those of some networks that were trained on all classes in the ordinary way.

    Args:
        names: the paper's name -> ours.
        known: our names of the networks.

    >>> whole({"resnet50": "a", "resnet50_a": "b", PLAIN: "c"}, ["a", "b", "c", "mine"])
    ('a', 'mine')
    """
    others = {names.get(paper) for paper in (TUNED, *ROBUST)}
    return tuple(one for one in known if one not in others)


def present(
    pairs: Sequence[Pair], names: Mapping[str, str], known: Collection[str]
) -> tuple[Pair, ...]:
    """Return those pairs, in our names, of which both networks were asked.

    >>> present(SIZES, {"dpn68": "a", "dpn98": "b", "resnet34": "c"}, ["a", "b", "c"])
    (('a', 'b'),)
    """
    ours = [(names.get(one, ""), names.get(other, "")) for one, other in pairs]
    return tuple(pair for pair in ours if set(pair) <= set(known))
