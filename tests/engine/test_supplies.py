"""Data sets and weights that chapters need, on trees that have some of them; sizes of weights."""

import shutil

import pytest
import timm
import torch

from robust_book.chapters import all_chapters, chapter
from robust_book.engine.supplies import estimated_bytes, require, supplies
from robust_lib import paths
from robust_lib.config.manifests import load_dataset, load_model
from robust_lib.config.profiles import load_profile
from robust_lib.errors import DataError
from robust_lib.fetch import archives
from robust_lib.fetch.verification import identity
from robust_lib.vocabulary import COMMON, EXTRA
from tests.supplied import class_folders, validation_and_archive

FULL, TRAINED, MINI = (load_profile(name) for name in ("full", "full_trained", "mini"))
BY_TRAINING = {
    "inc_4_icons50", "inc_5_auxiliary", "overlap_1_matrix", "overlap_2_balance_and_cover",
    "vid_3_detection",
}  # fmt: skip


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    return tmp_path


def test_with_validation_images_and_the_archive_alone_three_chapters_can_run(data):
    found = {one.notebook: supplies(one, FULL) for one in all_chapters()}
    assert not any(one.can_run for one in found.values())
    validation_and_archive(data)
    found = {one.notebook: supplies(one, FULL) for one in all_chapters()}
    ready = {name for name, one in found.items() if one.can_run}
    assert ready == {"00_tour", "inc_1_corruptions", "inc_2_mce"}
    # All others are named with what they lack, or with who has it.
    for name in found.keys() - ready:
        assert found[name].elsewhere or found[name].lacking


def test_a_run_without_its_data_is_refused_with_what_it_lacks(data):
    """Ordinary images of a chapter were missed minutes after its kernel had begun."""
    class_folders(data / "imagenet_a" / "imagenet-a", str(load_dataset("imagenet_a").classes))
    given = {"models": ["mine.py:net"]}
    with pytest.raises(DataError, match=r"set imagenet_val.*`robust fetch imagenet_val`"):
        require(chapter("nae_2_imagenet_a"), FULL, given)
    with pytest.raises(DataError, match=r"set imagenet_a.*set imagenet_val.*resnext101_32x4d"):
        require(chapter("nae_2_imagenet_a"), FULL, {"data": str(data / "elsewhere")})


def test_images_and_corruptions_of_a_run_are_what_it_needs(data):
    asked = chapter("inc_2_mce")
    require(asked, FULL, {"images": "folder:mine"})
    with pytest.raises(DataError, match=r"set imagenet_val .* set imagenet_c "):
        require(asked, FULL, {})
    validation_and_archive(data)
    require(asked, FULL, {})
    shutil.rmtree(data / "imagenet_c" / "fog")
    require(asked, FULL, {"corruptions": ["snow"]})
    with pytest.raises(DataError, match="data set imagenet_c"):
        require(asked, FULL, {"corruptions": ["fog"]})


def test_what_nobody_published_is_of_the_other_profile():
    elsewhere = {one.notebook for one in all_chapters() if supplies(one, FULL).elsewhere}
    assert elsewhere == BY_TRAINING
    assert "full_trained trains them" in supplies(chapter("overlap_1_matrix"), FULL).elsewhere
    assert not any(supplies(one, TRAINED).elsewhere for one in all_chapters())


def test_full_trains_nothing_and_full_trained_trains_what_it_lacks():
    from robust_book.engine.needs import needs

    for one in all_chapters():
        if not supplies(one, FULL).elsewhere:
            assert not any(needs(part, FULL).trained for part in one.parts(FULL)), one.notebook
    trained = [one for each in all_chapters() for one in needs(each, TRAINED).trained]
    assert len(set(trained)) > 40


def test_a_page_with_photographs_brings_them_itself_and_can_do_without():
    found = supplies(chapter("inc_2_mce"), MINI)
    assert found.can_run
    assert not found.left_out
    kinds = [one.kind for one in found.brought]
    assert (kinds.count("weights"), kinds.count("data")) == (3, 3)
    assert 60e6 < sum(one.bytes for one in found.brought) < 75e6
    assert not supplies(chapter("inc_3_enhancements"), MINI).brought


def test_the_miniature_needs_nothing_that_is_brought():
    for one in all_chapters():
        assert supplies(one, MINI).can_run, one.notebook


def test_the_archive_lacks_while_a_corruption_does(data):
    validation_and_archive(data)
    (data / "imagenet_c" / "spatter" / "4").unlink()
    found = supplies(chapter("inc_2_mce"), FULL)
    assert [one.name for one in found.lacking] == ["imagenet_c"]
    # ImageNet-C's five archives; nobody published more than whole gigabytes.
    assert (found.lacking[0].bytes, found.lacking[0].exactness) == (62_000_000_000, "about")
    assert found.lacking[0].fetched


READ = {
    "nae_1_construction": {"imagenet_a", "imagenet_o"},
    "nae_3_imagenet_o": {"imagenet_o", "imagenet_val", "dtd?", "places365_val?"},
    "nae_4_calibration": {"imagenet_a", "imagenet_val?"},
    "nao_2_map": {"coco_val", "nao", "openimages_train?", "openimages_boxes?"},
    "nao_3_blind_spots": {"coco_train", "nao", "openimages_train", "openimages_boxes"},
    "nao_4_attribution": {"coco_val", "nao", "backgrounds?", "openimages_boxes?"},
}


@pytest.mark.parametrize("name", READ)
def test_all_that_a_chapter_reads_is_known_and_what_it_does_without_is_optional(data, name):
    """Else a chapter that can run, by the plan, fails in its middle."""
    found = [one for one in supplies(chapter(name), FULL).supplies if one.kind == "data"]
    assert {one.name + "?" * one.optional for one in found} == READ[name]
    lacking = {one.name for one in supplies(chapter(name), FULL).lacking if one.kind == "data"}
    assert lacking == {one for one in READ[name] if not one.endswith("?")}
    left_out = {f"{one.name}?" for one in supplies(chapter(name), FULL).left_out}
    assert left_out == READ[name] - lacking


def test_either_edition_of_imagenet_vid_serves(data):
    """That of 2015 has boxes of 487 of 1,109 sets, which are scored as a set of their own."""
    lacking = {one.name for one in supplies(chapter("vid_3_detection"), TRAINED).lacking}
    assert "imagenet_vid" in lacking
    video = data / "imagenet_vid" / "ILSVRC2015" / "Annotations" / "VID" / "val" / "a"
    video.mkdir(parents=True)
    (video / "000000.xml").write_text("<annotation/>")
    lacking = {one.name for one in supplies(chapter("vid_3_detection"), TRAINED).lacking}
    assert "imagenet_vid" not in lacking


def test_what_is_unpacked_or_downloaded_is_not_asked_of_the_disk_again(data):
    manifest = load_dataset("imagenet_c")
    folder = data / "imagenet_c"
    folder.mkdir()
    for file in manifest.files[:3]:
        archives.mark_unpacked(file.name, folder, identity(file))
    (folder / "digital.tar").touch()
    (lacking,) = supplies(chapter("inc_2_mce"), FULL).lacking[1:]
    assert (lacking.name, lacking.bytes) == ("imagenet_c", manifest.files[4].about)


def test_empty_folders_are_not_there(data):
    (data / "imagenet_val" / "val" / "n01440764").mkdir(parents=True)
    for name in COMMON + EXTRA:
        (data / "imagenet_c" / name / "1").mkdir(parents=True)
    lacking = {one.name for one in supplies(chapter("inc_2_mce"), FULL).lacking}
    assert lacking == {"imagenet_val", "imagenet_c"}


def test_a_joined_set_is_there_with_its_parts(data):
    class_folders(data / "imagenet_train" / "train")
    found = supplies(chapter("nae_2_imagenet_a"), TRAINED)
    there = {one.name: one.there for one in found.supplies if one.kind == "data"}
    assert there["imagenet_train"]
    assert not there["stylized_imagenet"]
    assert "stylized_and_imagenet_a" not in there


def test_sizes_say_how_exact_they_are(data):
    lacking = {
        one.name: one
        for name in ("nae_2_imagenet_a", "nao_2_map", "inc_2_mce")
        for one in supplies(chapter(name), FULL).supplies
    }
    assert (lacking["imagenet_a"].bytes, lacking["imagenet_a"].exactness) == (687_552_512, "")
    # Of the development kit nobody says a size.
    kit = lacking["imagenet_val"]
    assert (kit.bytes, kit.exactness) == (6_744_924_160, "at least")
    assert (lacking["nao"].bytes, lacking["nao"].exactness) == (None, "")
    network = lacking["vit_l_14_clip"]
    assert network.exactness == "about"
    assert 1.1e9 < network.bytes < 1.3e9  # 304 million parameters
    assert lacking["alexnet"].exactness == ""


def test_weights_that_come_by_themselves_hold_nothing_up(data):
    validation_and_archive(data)
    found = supplies(chapter("inc_2_mce"), FULL)
    weights = [one for one in found.supplies if one.kind == "weights"]
    assert len(weights) == 7
    assert not any(one.there for one in weights)
    assert found.can_run
    place = paths.data() / "weights"
    place.mkdir()
    for one in ("alexnet-owt-7be5be79", "resnet18-f37072fd"):
        (place / f"{one}.pth").write_bytes(b"")
    found = supplies(chapter("inc_2_mce"), FULL)
    assert sum(one.there for one in found.supplies if one.kind == "weights") == 2


def test_a_file_that_several_rows_name_is_needed_once(data):
    found = supplies(chapter("inc_3_enhancements"), FULL)
    names = [one.name for one in found.supplies if one.kind == "weights"]
    assert len(names) == len(set(names))
    assert len(names) < len(FULL.networks["enhancements"])


def test_weights_that_torchvision_publishes_are_as_large_as_it_says(tmp_path):
    from torchvision.models import ResNet18_Weights

    said = ResNet18_Weights.IMAGENET1K_V1.meta["_file_size"] * 2**20
    assert abs(estimated_bytes(load_model("resnet18")) / said - 1) < 0.01


def test_of_timms_networks_the_parameters_are_counted(tmp_path):
    row = load_model("dpn68")
    file = tmp_path / "weights.pt"
    torch.save(timm.create_model(row.arguments["name"]).state_dict(), file)
    assert abs(estimated_bytes(row) / file.stat().st_size - 1) < 0.02


def test_nobody_can_count_what_nobody_here_knows():
    row = load_model("resnet18").model_copy(update={"builder": "efficientdet"})
    assert estimated_bytes(row) is None
