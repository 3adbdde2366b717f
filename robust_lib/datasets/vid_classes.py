"""The 30 classes of ImageNet-VID and the 288 ImageNet-1K outputs that belong to them.

A classifier with ImageNet's 1000 outputs is scored on the 30 classes: each of them is an ancestor
of some of the thousand in WordNet [vid, sec. 2.1]. The table is data_manifests/classes'
imagenet_vid; here it is checked against what a copy of the data set says.
"""

from collections.abc import Mapping, Sequence

from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.errors import InputError

OUTPUTS = 1000  # of a classifier for ImageNet-1K
MAPPED = 288
"""How many of them belong to one of the 30 classes [vid, sec. 2.1]."""


def require_index(index: Mapping[str, Sequence[str]], classes: ClassList) -> None:
    """Raise InputError for a class index whose classes are in another order than ours.

    Args:
        index: number as text -> (WordNet id, name), as in imagenet_vid_class_index.json; a class
            without such an id goes by its name. Entries after the last class, such as a root of all
            classes, are no label's and may be there.

    Raises:
        InputError: a class is missing or another one; the message names the first.

    >>> vid = load_classes("imagenet_vid")
    >>> require_index({str(n): [one.wnid, one.name] for n, one in enumerate(vid.entries)}, vid)
    """
    for place, entry in enumerate(classes.entries):
        said = index.get(str(place), ("nothing",))[0]
        if said != (entry.wnid or entry.name):
            raise InputError(
                f"Expected class {place} of the class index to be {entry.wnid} ({entry.name}), "
                f"but got {said}. The labels count in this index, so every label would be read "
                "as another class: use the index and the labels of one release."
            )


def require_wnid_map(wnid_map: Mapping[str, str], classes: ClassList) -> None:
    """Raise InputError if a map of WordNet ids assigns ImageNet's classes to other VID classes.

    Args:
        wnid_map: WordNet id of an ImageNet class -> that of its VID class, as in wnid_map.json.

    Raises:
        InputError: the two maps differ; the message names classes of ImageNet that do.

    >>> vid, whole = load_classes("imagenet_vid"), load_classes("imagenet_1k")
    >>> ours = [(one.wnid, output) for one in vid.entries for output in one.imagenet]
    >>> require_wnid_map({whole.entries[output].wnid: wnid for wnid, output in ours}, vid)
    """
    whole = load_classes("imagenet_1k").folders
    ours = {whole[output]: one.wnid for one in classes.entries for output in one.imagenet}
    differ = sorted(
        wnid for wnid in {*ours, *wnid_map} if ours.get(wnid, "") != wnid_map.get(wnid, "")
    )
    if differ:
        raise InputError(
            f"Expected the map of {len(ours)} ImageNet classes to the {len(classes)} of "
            f"{classes.name}, but got one in which {len(differ)} differ ({differ[0]} first). "
            "Scores would be taken from other outputs: use the map of the release."
        )
