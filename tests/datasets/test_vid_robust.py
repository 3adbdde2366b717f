"""ImageNet-Vid-Robust as it unpacks, in small and in the size of the release."""

import json

import numpy as np
import pytest
from PIL import Image

from robust_lib import paths
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, open_picture, picture_files, vid_robust
from robust_lib.datasets.decoded import decode
from robust_lib.datasets.vid_robust import (
    Counts,
    VidRobust,
    counts,
    read_frame_sets,
    released,
    require_index,
    require_wnid_map,
)
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.archives import extract
from robust_lib.preprocessing import Preprocessing
from tests import tiny, trees, vid_release

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
    with pytest.raises(InputError, match=r"class 3.*n02834778 \(bicycle\).*n01503061"):
        require_index(swapped, VID)
    by_wnid = {str(n): one for n, one in enumerate(sorted(INDEX.values()))}
    with pytest.raises(InputError, match=r"class 0.*every label"):
        require_index(by_wnid, VID)


def test_an_index_that_counts_from_one_or_lacks_a_class_is_refused():
    from_one = {str(int(number) + 1): one for number, one in INDEX.items()}
    with pytest.raises(InputError, match=r"class 0.*nothing"):
        require_index(from_one, VID)
    with pytest.raises(InputError, match=r"class 29.*nothing"):
        require_index({key: INDEX[key] for key in INDEX if key != "29"}, VID)


def test_the_releases_map_of_wordnet_ids_is_ours():
    require_wnid_map(wnid_map(), VID)
    for changed in (
        wnid_map() | {"n02058221": "n02062744"},  # an albatross that is a whale
        wnid_map() | {"n01440764": "n02062744"},  # a tench
        dict(list(wnid_map().items())[:-1]),
    ):
        with pytest.raises(InputError, match=r"288 ImageNet classes.*1 differ"):
            require_wnid_map(changed, VID)


SMALL = Preprocessing(16, 12)
VID = load_classes("imagenet_vid")
MANIFEST = load_dataset("imagenet_vid_robust")


def root(folder):
    return folder / MANIFEST.root


@pytest.fixture
def copy(tmp_path):
    return root(trees.vid_robust(tmp_path))


@pytest.fixture
def small(copy):
    return VidRobust(copy, read_frame_sets(copy, VID), VID)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return vid_release.write(tmp_path_factory.mktemp("release"), frames=True)


def change(path, edit):
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))


def test_the_layout_gives_frames_labels_and_sets(small):
    assert isinstance(small, ImageSet)
    assert small.ids[2] == "val/ILSVRC2015_val_00000000/000002.JPEG"
    assert (len(small), small.classes, len(small.class_names)) == (6, "imagenet_vid", 30)
    assert small.labels.tolist() == [0] * 5 + [1]
    assert small.sets.labels == ((0, 8),) * 5 + ((1,),)
    assert small.sets.offsets.tolist() == [[-2, -1, 0, 1, 2], [0] * 5]
    expected = SMALL.apply(open_picture(small.folder / small.ids[2]))
    np.testing.assert_array_equal(small.read(2, SMALL), expected)


def test_vid_counts_of_the_released_metadata_on_the_users_copy():
    folder = root(paths.data() / MANIFEST.name)
    if not (folder / vid_robust.SETS).is_file():
        pytest.skip("ImageNet-Vid-Robust is not here: `robust fetch imagenet_vid_robust` gets it")
    assert counts(read_frame_sets(folder, VID)) == released(MANIFEST)


def test_vid_counts_of_a_synthetic_copy_of_the_releases_structure(release):
    found = counts(read_frame_sets(root(release), VID))
    by_k = (2201, 4382, 6546, 8695, 10814, 12908, 14989, 17043, 19065, 21070)
    assert found == Counts(1109, 22179, by_k, 1, 1514, 79, 11)
    assert found == released(MANIFEST)


def test_the_whole_release_loads_as_its_manifest_says(release):
    images = vid_robust.load(folder=release)
    assert (images.name, len(images), len(images.sets)) == (MANIFEST.name, 22179, 1109)
    assert MANIFEST.images == len(images)
    assert images.ids == images.sets.frames
    assert images.read(22178, SMALL).shape == (12, 12, 3)


def test_a_limit_chooses_whole_sets_the_same_ones_each_time(release):
    few, fewer = (vid_robust.load(folder=release, limit=n) for n in (20, 5))
    assert (len(few.sets), len(fewer.sets)) == (20, 5)
    assert set(fewer.ids) < set(few.ids)
    assert fewer.digest == vid_robust.load(folder=release, limit=5).digest
    assert fewer.digest != vid_robust.load(folder=release, limit=5, seed=1).digest
    whole = read_frame_sets(root(release), VID)
    place = whole.frames.index(fewer.sets.frames[fewer.sets.anchors[0]])
    row = whole.anchors.tolist().index(place)
    assert (fewer.sets.members[0] >= 0).sum() == (whole.members[row] >= 0).sum()
    with pytest.raises(InputError, match=r"limit.*set.*frames.*0"):
        vid_robust.load(folder=release, limit=0)


def test_metadata_of_another_release_are_refused(release, tmp_path):
    trees.vid_robust(tmp_path)
    with pytest.raises(InputError, match=r"anchors 2 instead.*1109.*6"):
        vid_robust.load(folder=tmp_path)


def test_a_manifest_that_states_no_counts_reads_any_sets(tmp_path, monkeypatch):
    folder = tiny.real_layouts(tmp_path / "project")
    tiny.change(folder / "data_manifests/datasets/imagenet_vid_robust.yaml", options={})
    monkeypatch.setenv("ROBUST_ROOT", str(folder))
    assert released(load_dataset("imagenet_vid_robust")) is None
    assert len(vid_robust.load(folder=trees.vid_robust(tmp_path))) == 6


def test_a_manifest_of_another_kind_is_an_input_error():
    with pytest.raises(InputError, match=r"imagenet_a.*video frames"):
        vid_robust.load("imagenet_a")


def test_the_archive_reads_as_it_unpacks(tmp_path):
    archive = trees.tar(trees.vid_robust(tmp_path / "source"), tmp_path / "a.tar.gz", mode="w:gz")
    folder = root(extract(archive, tmp_path / "data"))
    assert len(VidRobust(folder, read_frame_sets(folder, VID), VID)) == 6


def test_no_picture_is_opened_for_metadata(copy, monkeypatch):
    def refuse(*_):
        raise AssertionError("a picture was opened")

    monkeypatch.setattr(Image, "open", refuse)
    small = VidRobust(copy, read_frame_sets(copy, VID), VID)
    assert counts(small.sets).frames == len(small)
    assert small.digest
    for picture in (copy / "val").rglob("*.JPEG"):
        picture.unlink()
    assert counts(read_frame_sets(copy, VID)).frames == 6


def test_a_frame_is_decoded_once_whatever_the_networks_and_k(copy, tmp_path, monkeypatch):
    shared = "val/ILSVRC2015_val_00000000/000003.JPEG"
    before = "val/ILSVRC2015_val_00000000/000002.JPEG"
    change(copy / vid_robust.SETS, lambda sets: sets.update({shared: [before]}))
    images = VidRobust(copy, read_frame_sets(copy, VID), VID)
    assert (len(images.sets), len(images), images.ids.count(shared)) == (3, 6, 1)
    opened = []

    def counted(path):
        opened.append(path)
        return open_picture(path)

    monkeypatch.setattr(picture_files, "open_picture", counted)
    ready = decode(images, SMALL, tmp_path / "store")
    for _ in ("one network", "another"):
        for k in (0, 3, 10):
            for place in images.sets.members[images.sets.within(k)]:  # more than the frames
                ready.read(int(place), SMALL)
    # The first is looked at beforehand, for its size.
    assert (len(opened), len(set(opened)), opened.count(opened[0])) == (7, 6, 2)


def test_the_digest_knows_labels_and_sets(copy, small):
    frame = small.ids[0]
    change(copy / vid_robust.LABELS, lambda labels: labels.update({frame: [0, 9]}))
    labelled = VidRobust(copy, read_frame_sets(copy, VID), VID)
    change(copy / vid_robust.SETS, lambda sets: sets[small.ids[2]].remove(small.ids[4]))
    fewer = VidRobust(copy, read_frame_sets(copy, VID), VID)
    assert len({small.digest, labelled.digest, fewer.digest}) == 3


def test_frames_that_are_not_there_are_told_before_any_is_read(copy):
    sets = read_frame_sets(copy, VID)
    for name in ("000001", "000003"):
        (copy / f"val/ILSVRC2015_val_00000000/{name}.JPEG").unlink()
    with pytest.raises(DataError, match=r"6 frames.*2.*missing \(.*000001.JPEG.*3.JPEG"):
        VidRobust(copy, sets, VID)
    with pytest.raises(DataError, match="but there is none"):
        VidRobust(copy / "none", sets, VID)


@pytest.mark.parametrize(
    ("file", "edit", "message"),
    [
        (vid_robust.LABELS, lambda c: c.popitem(), "all 2 anchors of the frame sets, but 1 have"),
        (vid_robust.LABELS, lambda c: c.pop(next(iter(c))), "all 4 neighbours .* but 1 have none"),
        (vid_robust.LABELS, lambda c: c.update({next(iter(c)): [30]}), r"0 to 29 .* got \[30\]"),
        (
            vid_robust.INDEX,
            lambda c: c.update({"0": c["1"]}),
            "Expected class 0 of the class index",
        ),
        (vid_robust.WNIDS, lambda c: c.popitem(), "map of 288 ImageNet classes"),
        (vid_robust.SETS, lambda c: c.clear(), "at least one set"),
    ],
)
def test_metadata_that_do_not_fit_together_are_input_errors(copy, file, edit, message):
    change(copy / file, edit)
    with pytest.raises(InputError, match=message):
        read_frame_sets(copy, VID)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "metadata of the frame sets at .*pmsets.json, but there is no such file"),
        ("{", "Expected JSON in .*pmsets.json"),
        ("[]", "Expected a mapping of names to lists of texts in"),
        ('{"a": [], "b": [], "a": []}', r"cannot be read \(a occurs twice\)"),
        ('{"val/a/000001.JPEG": [["val/a/000002.JPEG"]]}', "names to lists of texts"),
        ('{"val/a/000001.JPEG": "val/a/000002.JPEG"}', "names to lists of texts"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_a_data_error(copy, text, message):
    path = copy / vid_robust.SETS
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_frame_sets(copy, VID)


def test_the_sets_of_2015_are_a_part_whose_boxes_are_in_the_edition_of_2015(release, monkeypatch):
    monkeypatch.setattr(vid_robust, "released", lambda manifest: None)  # those of the real release
    part = vid_robust.load("imagenet_vid_robust_2015", release)
    assert (len(part.sets), part.name) == (487, "imagenet_vid_robust_2015")
    assert {one[:15] for one in part.ids} == {"val/ILSVRC2015_"}


def test_an_older_archive_lies_one_folder_higher(tmp_path):
    outer = trees.vid_robust(tmp_path) / "imagenet_vid_ytbb_robust"
    assert MANIFEST.below(tmp_path) == outer / "imagenet-vid-robust"
    (outer / "imagenet-vid-robust").rename(tmp_path / "imagenet-vid-robust")
    assert MANIFEST.below(tmp_path) == tmp_path / "imagenet-vid-robust"
