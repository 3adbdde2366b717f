"""The map of 30 classes to 288 outputs, and copies of the data set that mean other classes."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.vid_classes import (
    require_index,
    require_wnid_map,
)
from robust_lib.errors import InputError

VID = load_classes("imagenet_vid")
INDEX = {str(one.index): [str(one.wnid), one.name] for one in VID.entries}


def wnid_map() -> dict[str, str]:
    whole = load_classes("imagenet_1k").folders
    return {whole[output]: str(one.wnid) for one in VID.entries for output in one.imagenet}


def test_vid_section_2_1_288_outputs_belong_to_30_classes():
    outputs = [output for group in VID.imagenet for output in group]
    assert len(VID.imagenet) == 30
    assert len(set(outputs)) == len(outputs) == 288
    assert 0 <= min(outputs) <= max(outputs) < 1000


def test_birds_end_where_whales_begin():
    names = {output: one.name for one in VID.entries for output in one.imagenet}
    assert {names[output] for output in range(127, 147)} == {"bird"}
    assert {names[output] for output in range(147, 149)} == {"whale"}
    assert [names.get(one, "none") for one in (126, 149, 150, 151)] == ["none"] * 3 + ["dog"]


def test_the_same_index_passes_whatever_the_names_and_with_a_root_behind_it():
    require_index(INDEX, VID)
    require_index(INDEX | {"9": ["n02121808", "domestic_cat"]}, VID)
    require_index(INDEX | {"30": ["n00001740", "entity"]}, VID)


def test_an_index_of_another_order_is_refused():
    swapped = INDEX | {"3": INDEX["4"], "4": INDEX["3"]}
    with pytest.raises(InputError, match=r"class 3 .* n02834778 \(bicycle\), but got n01503061"):
        require_index(swapped, VID)
    by_wnid = {str(n): one for n, one in enumerate(sorted(INDEX.values()))}
    with pytest.raises(InputError, match=r"Expected class 0 .* every label would be read"):
        require_index(by_wnid, VID)


def test_an_index_that_counts_from_one_or_lacks_a_class_is_refused():
    from_one = {str(int(number) + 1): one for number, one in INDEX.items()}
    with pytest.raises(InputError, match=r"class 0 .*, but got nothing"):
        require_index(from_one, VID)
    with pytest.raises(InputError, match=r"class 29 .*, but got nothing"):
        require_index({key: INDEX[key] for key in INDEX if key != "29"}, VID)


def test_the_releases_map_of_wordnet_ids_is_ours():
    require_wnid_map(wnid_map(), VID)
    for changed in (
        wnid_map() | {"n02058221": "n02062744"},  # an albatross that is a whale
        wnid_map() | {"n01440764": "n02062744"},  # a tench
        dict(list(wnid_map().items())[:-1]),
    ):
        with pytest.raises(InputError, match=r"map of 288 ImageNet classes .* 1 differ"):
            require_wnid_map(changed, VID)
