"""The networks of the paper's first table, and its augmentations, by the paper's names."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

STILLS = "resnet50"
DETECTOR = "resnet50_detection"
LARGEST = "resnet152_finetune"
"""The paper's best network, which it evaluates class by class."""

TYPES: Mapping[str, str] = MappingProxyType(
    {
        STILLS: "trained on still images",
        "resnet50_augmented": "with noise augmentation",
        "feature_denoise": "against attacks",
        "resnet50_finetune": "fine-tuned on video",
        LARGEST: "fine-tuned on video, larger",
        DETECTOR: "detector, most confident box",
    }
)
"""The six types of [vid, table 1] -> description of their training."""

FINE_TUNED = ("alexnet_finetune", "vgg16_finetune", "resnet50_finetune", LARGEST)
"""The fine-tuned networks of [vid, table 4]."""

AUGMENTED = "resnet50_imagenet_augment_"
"""Beginning of the paper's names of networks that are trained with one corruption each."""


def typical(names: Mapping[str, str], known: Collection[str]) -> tuple[str, ...]:
    """Return the available networks of the six types, then those without a role in a paper.

    If there are none, all known networks are returned.

    Args:
        names: the paper's name of a network -> ours.

    >>> typical({"resnet50": "a", "vgg11": "b"}, ["b", "mine", "a"])
    ('a', 'mine')
    """
    types = [names[paper] for paper in TYPES if names.get(paper) in known]
    own = [one for one in known if one not in names.values()]
    return tuple(dict.fromkeys([*types, *own])) or tuple(known)


def type_of(paper: str) -> str:
    """Return the type of a network by its name in the paper.

    >>> type_of("vgg16_finetune"), type_of("resnet50_imagenet_augment_shot_noise"), type_of("vgg11")
    ('fine-tuned on video', 'with noise augmentation', 'trained on still images')
    """
    if paper.startswith(AUGMENTED):
        return TYPES["resnet50_augmented"]
    if "_finetune" in paper:
        return TYPES["resnet50_finetune"]
    return TYPES.get(paper, TYPES[STILLS])


def paper_name(name: str, names: Mapping[str, str]) -> str:
    """Return the paper's name of one of our networks, or our own name if it has no role.

    If it has several names, the last one is returned, which is more specific than that in [vid,
    table 1].

    >>> paper_name("mine", {"resnet50_augmented": "mine", f"{AUGMENTED}contrast_change": "mine"})
    'resnet50_imagenet_augment_contrast_change'
    """
    return {ours: theirs for theirs, ours in names.items()}.get(name, name)
