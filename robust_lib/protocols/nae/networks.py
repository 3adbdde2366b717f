"""The networks that the paper compares, by its own names."""

from collections.abc import Collection, Mapping, Sequence

Pair = tuple[str, str]

FILTER = "resnet50"
TUNED = f"{FILTER}_a"
"""The two networks that reject candidates; the second is fine-tuned on the subset of classes."""

ATTENTION: tuple[Pair, ...] = (
    ("resnext101_32x4d", "resnext101_32x4d_se"),
    ("resnet152", "resnet152_se"),
)
"""Pairs of networks without and with squeeze-and-excitation."""

SIZES: tuple[Pair, ...] = (
    ("resnet34", "resnet152"),
    ("resnext50_32x4d", "resnext101_64x4d"),
    ("dpn68", "dpn98"),
)
"""Pairs of a smaller and a larger network, from three families."""

PLAIN = "resnext50_32x4d_200"

ROBUST = (
    PLAIN,
    f"{PLAIN}_noise",
    f"{PLAIN}_fgsm",
    f"{PLAIN}_pgd10",
    f"{PLAIN}_sin",
    f"{PLAIN}_sin_in",
    f"{PLAIN}_texture",
    f"{PLAIN}_texture_in",
)
"""Networks trained from scratch on the classes of ImageNet-A, the first in the ordinary way.

The last two are no networks of the paper: random textures for those who lack Stylized ImageNet."""


def is_filter(paper: str) -> bool:
    """Return whether a network, by the paper's name, was used to select the images of both sets.

    >>> is_filter("resnet50"), is_filter("resnet18")
    (True, False)
    """
    return paper == FILTER


def knows_all_classes(paper: str) -> bool:
    """Return whether a network, by the paper's name, has more classes than ImageNet-A.

    >>> knows_all_classes("resnet50"), knows_all_classes("resnet50_a"), knows_all_classes(PLAIN)
    (True, False, False)
    """
    return paper not in (TUNED, *ROBUST)


def is_paired(paper: str) -> bool:
    """Return whether the paper compares a network with a larger one or one with self-attention.

    >>> is_paired("dpn98"), is_paired("alexnet")
    (True, False)
    """
    return any(paper in pair for pair in (*ATTENTION, *SIZES))


def of_all_classes(names: Mapping[str, str], known: Collection[str]) -> tuple[str, ...]:
    """Return the networks with more classes than ImageNet-A.

    >>> of_all_classes({"resnet50": "a", "resnet50_a": "b", PLAIN: "c"}, ["a", "b", "c", "mine"])
    ('a', 'mine')
    """
    others = {ours for paper, ours in names.items() if not knows_all_classes(paper)}
    return tuple(one for one in known if one not in others)


def alone(names: Mapping[str, str], known: Collection[str]) -> tuple[str, ...]:
    """Return the networks, by our names, that belong to none of the paper's pairs in this run.

    >>> alone({"dpn68": "a", "dpn98": "b", "resnet34": "c"}, ["a", "b", "c", "mine"])
    ('c', 'mine')
    """
    paired = {one for pair in present((*ATTENTION, *SIZES), names, known) for one in pair}
    return tuple(one for one in known if one not in paired)


def present(
    pairs: Sequence[Pair], names: Mapping[str, str], known: Collection[str]
) -> tuple[Pair, ...]:
    """Return the pairs, by our names, with both networks available.

    >>> present(SIZES, {"dpn68": "a", "dpn98": "b", "resnet34": "c"}, ["a", "b", "c"])
    (('a', 'b'),)
    """
    ours = [(names.get(one, ""), names.get(other, "")) for one, other in pairs]
    return tuple(pair for pair in ours if set(pair) <= set(known))
