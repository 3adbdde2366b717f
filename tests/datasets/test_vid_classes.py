"""The map of 30 classes to 288 outputs, and copies of the data set that mean other classes."""

import numpy as np
import pytest

from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.datasets.vid_classes import (
    MAPPED,
    class_of_output,
    require_index,
    require_wnid_map,
)
from robust_lib.errors import InputError

VID = load_classes("imagenet_vid")
INDEX = {str(one.index): [str(one.wnid), one.name] for one in VID.entries}


def wnid_map() -> dict[str, str]:
    whole = load_classes("imagenet_1k").folders
    return {whole[output]: str(one.wnid) for one in VID.entries for output in one.imagenet}


def with_outputs(name: str, *outputs: int) -> ClassList:
    entries = tuple(
        one.model_copy(update={"imagenet": outputs}) if one.name == name else one
        for one in VID.entries
    )
    return VID.model_copy(update={"entries": entries})


def test_vid_section_2_1_288_outputs_belong_to_30_classes():
    found = class_of_output()
    assert found.shape == (1000,)
    assert (found >= 0).sum() == MAPPED == 288
    assert set(found.tolist()) == set(range(-1, 30))
    for place, group in enumerate(VID.imagenet):
        np.testing.assert_array_equal(np.flatnonzero(found == place), group)


def test_birds_end_where_whales_begin():
    found, names = class_of_output(), (*VID.names, "none")
    assert {names[one] for one in found[127:147]} == {"bird"}
    assert {names[one] for one in found[147:149]} == {"whale"}
    assert [names[one] for one in found[[126, 149, 150, 151]]] == ["none", "none", "none", "dog"]


@pytest.mark.parametrize("outputs", [(147,), (146, 147), (147, 1000), (147, 148, 149)])
def test_a_map_of_other_outputs_is_refused(outputs):
    with pytest.raises(InputError, match="Expected 288 of the 1000 ImageNet outputs"):
        class_of_output(with_outputs("whale", *outputs))


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
