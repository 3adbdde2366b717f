"""Roles become image sets: which play them in each profile, and how they belong together."""

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config import class_lists
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import changed, load_profile, profile_names
from robust_lib.datasets.clip_frames import ClipFrames
from robust_lib.datasets.clips import Clips
from robust_lib.errors import DataError, InputError
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.image_kinds import as_scenes
from robust_lib.run.image_sets import held_out, image_set, user_images
from robust_lib.run.roles import is_labelled, label_space, title
from robust_lib.types import UNKNOWN
from tests import coco_trees, tiny, trees, vid_release
from tests.datasets.test_cifar100 import written

AS_IS = Preprocessing(None, None)
OUT = ("candidates_o", "bernoulli_noise", "blobs", "textures", "places365")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def store(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return Store(made / "build" / "cache" / "store")


@pytest.fixture
def layouts(tmp_path, monkeypatch):
    folder = tiny.real_layouts(tmp_path)
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(folder / "data" / "imagenet_c", ["fog"])
    return tiny.enter(folder, monkeypatch)


def loaded(profile, role="imagenet_val", store=None):
    return image_set(load_profile(profile), role, store or Store(paths.cache()))


def role(name, store, **values):
    return image_set(changed(load_profile("tiny"), **values), name, store)


def test_every_profile_has_the_roles():
    wanted = {"imagenet_train_a", "imagenet_val_a", "imagenet_val_o", *OUT[1:]}
    for name in profile_names():
        data = load_profile(name).data
        if name.startswith("photos"):  # of photographs alone, for the pages that show them
            continue
        assert wanted <= set(data)
        assert ("candidates_a" in data) == ("candidates_o" in data) == (not name.startswith("full"))
    full = load_profile("full").data
    assert (full["imagenet_a"], full["imagenet_o"]) == ("imagenet_a", "imagenet_o")


def test_parts_are_the_pictures_of_the_whole(store):
    for name, whole, classes in (
        ("imagenet_train_a", "imagenet_train", ("ball", "heart")),
        ("imagenet_val_a", "imagenet_val", ("ball", "heart")),
        ("imagenet_val_o", "imagenet_val", ("box", "heart", "flag")),
    ):
        part, all_of_them = role(name, store), role(whole, store)
        assert part.class_names == classes
        assert (part.name, part.classes) == (load_dataset(part.name).name, f"scenes_{name[-1]}")
        shown = {item.split("/")[1] for item in part.ids}
        assert shown == set(classes)
        assert len(part) == sum(item.split("/")[1] in shown for item in all_of_them.ids)
        for place, item in enumerate(part.ids):
            other = all_of_them.ids.index(item)
            assert np.array_equal(part.read(place, AS_IS), all_of_them.read(other, AS_IS))
            assert part.class_names[part.labels[place]] == item.split("/")[1]


def test_a_part_of_fewer_training_scenes_is_a_part_of_those(store):
    few = role("imagenet_train_a", store, train_limit=16)
    assert len(few) == 8
    assert set(few.ids) < set(role("imagenet_train_a", store).ids)
    assert few.digest != role("imagenet_train_a", store).digest
    assert len(role("imagenet_val_a", store, train_limit=4)) == 12


def test_candidates_are_harder_scenes_of_the_classes(store):
    candidates = role("candidates_a", store)
    assert isinstance(candidates, Scenes)
    assert (candidates.classes, candidates.class_names) == ("scenes_a", ("ball", "heart"))
    assert all(item.startswith("candidate/") for item in candidates.ids)
    told = [candidates.compose(item) for item in candidates.ids]
    assert all(0.1 <= scene.difficulty <= 0.6 for scene in told)
    seen = role("imagenet_val", store)
    drawn = {seen.compose(item).drawing for item in role("imagenet_val_a", store).ids}
    assert {scene.drawing for scene in told} <= drawn


def test_fewer_candidates_are_the_first_of_all(store):
    few, every = role("candidates_a", store, candidates=5), role("candidates_a", store)
    assert few.ids == every.ids[:5]
    assert len(role("candidates_o", store, candidates=5)) == 5
    assert len(role("imagenet_val", store, candidates=5)) == 24


def test_strangers_are_shown_as_the_test_split_shows_its_classes(store):
    strangers = role("candidates_o", store)
    assert {item.split("/")[1] for item in strangers.ids} == {"dot", "ring"}
    assert {as_scenes(strangers).compose(item).difficulty for item in strangers.ids} == {0.0}


@pytest.mark.parametrize("name", OUT)
def test_out_of_distribution_sets_have_no_labels_and_the_inner_sets_classes(store, name):
    outer, inner = role(name, store), role("imagenet_val_o", store)
    assert set(outer.labels.tolist()) == {UNKNOWN}
    assert (outer.classes, outer.class_names) == (inner.classes, inner.class_names)
    assert outer.read(0, AS_IS).shape == inner.read(0, AS_IS).shape
    assert not set(outer.ids) & set(inner.ids)


@pytest.mark.parametrize("name", OUT[1:3])
def test_real_networks_choose_from_the_papers_classes(store, name):
    drawn = image_set(load_profile("full"), name, store)
    assert (drawn.classes, drawn.class_names) == ("imagenet_o", load_classes("imagenet_o").names)
    assert len(drawn) == 2000
    assert drawn.read(0, Preprocessing(256, 224)).shape == (224, 224, 3)


def test_noise_is_not_smoothed_on_its_way_to_the_networks(store):
    noise = image_set(load_profile("full"), "bernoulli_noise", store)
    assert set(np.unique(noise.read(0, Preprocessing(256, 224)))) == {0, 255}


def test_roles_of_the_miniature_are_scenes(store):
    test, train = (loaded("tiny", f"imagenet_{split}", store) for split in ("val", "train"))
    assert isinstance(test, Scenes)
    assert (test.split, len(test), train.split, len(train)) == ("test", 24, "train", 64)
    fewer = changed(load_profile("tiny"), train_limit=8)
    assert len(image_set(fewer, "imagenet_train", store)) == 8
    assert len(image_set(fewer, "imagenet_val", store)) == 24


def test_photographs_with_objects_have_limits_of_their_kind(store):
    profile = changed(load_profile("tiny"), train_limit=5, candidates=6, limit=2)
    roles = ("coco_train", "coco_val", "openimages")
    train, test, pool = (image_set(profile, role, store) for role in roles)
    assert [len(one) for one in (train, test, pool)] == [5, 8, 6]
    assert [one.ids[-1] for one in (train, pool)] == ["train/000004", "pool/000005"]
    assert len({one.digest for one in (train, test, pool)}) == 3
    assert pool.class_names == tuple(load_world("layouts").inside)
    assert not set(test.mixture.foreign_kinds) >= set(pool.world.outside)


def test_roles_of_full_are_folders(layouts):
    images = loaded("full")
    assert (images.name, len(images), images.classes) == ("imagenet_val", 4, "imagenet_1k")


def test_a_folder_is_verified_before_it_is_used(layouts):
    next((layouts / "data" / "imagenet_val").rglob("*.JPEG")).unlink()
    with pytest.raises(DataError, match=r"4 images.*found 3"):
        loaded("full")


def test_a_kind_that_nothing_reads_yet(store):
    profile = load_profile("tiny")
    other = profile.model_copy(update={"data": {"imagenet_val": "openimages_boxes"}})
    with pytest.raises(InputError, match=r"kind.*scenes.*icons50"):
        image_set(other, "imagenet_val", store)


def test_photographs_with_objects_are_verified_and_read(layouts):
    data, manifests = layouts / "data", layouts / "data_manifests" / "datasets"
    with pytest.raises(DataError, match=r"coco_val in .* is not complete"):
        loaded("full", "coco_val")
    stems = [path.stem for path in (coco_trees.nao(data / "nao") / "images").iterdir()]
    coco_trees.coco(data / "coco_val")
    coco_trees.coco(data / "coco_train", [[coco_trees.DOG]] * 3, split="train2017")
    coco_trees.openimages(data / "openimages_train", stems)
    dog = [("Dog", (0.0, 0.0, 1.0, 1.0))]
    coco_trees.openimages_boxes(data / "openimages_boxes", dict.fromkeys(stems, dog))
    boxes = data / "openimages_boxes" / "train-annotations-bbox.csv"
    boxes.rename(boxes.with_name(f"oidv6-{boxes.name}"))
    for name in ("nao", "coco_val", "coco_train"):
        tiny.change(manifests / f"{name}.yaml", contents=[{"path": "annotations"}], images=None)
    full, store = load_profile("full"), Store(paths.cache())
    roles = ("coco_train", "coco_val", "openimages", "nao")
    sets = [image_set(full, name, store) for name in roles]
    assert [(one.name, len(one)) for one in sets] == [
        ("coco_train", 3),
        ("coco_val", 2),
        ("openimages_train", 4),
        ("nao", 4),
    ]
    assert {label_space(full, name).name for name in roles} == {"coco"}
    assert not any(is_labelled(full, name) for name in roles)  # some show nothing of the 80
    fewer = changed(full, train_limit=2, candidates=1)
    assert [len(image_set(fewer, name, store)) for name in roles] == [2, 2, 1, 4]


def test_the_icons_of_the_miniature_are_a_gallery(store):
    icons = loaded("tiny", "icons50", store)
    assert icons.name == "icons50_open"
    assert {icon.style for icon in icons.icons} == {"google", "microsoft", "mozilla"}


def test_broad_icons_are_split_by_drawing_and_both_sides_know_every_subtype(store):
    train, test = (loaded("tiny", f"cifar100_{split}", store) for split in ("train", "test"))
    assert (train.name, test.name) == ("broad_icons_train", "broad_icons_test")
    assert set(train.ids).isdisjoint(test.ids)
    subtypes = [{(icon.label, icon.motif) for icon in one.icons} for one in (train, test)]
    assert subtypes[0] == subtypes[1]
    assert len(subtypes[0]) == 10
    assert train.digest != test.digest
    for number in (1, 2):
        lost = [
            {one.icons[place].motif for place in held_out(one, f"some_a_class:{number}").test}
            for one in (train, test)
        ]
        assert lost[0] == lost[1]
        assert len(lost[0]) == 2 * number


def test_cifar_100_is_verified_and_read_split_by_split(layouts):
    with pytest.raises(DataError, match=r"cifar100 in .* is not complete"):
        loaded("full", "cifar100_train")
    root = layouts / "data" / "cifar100" / "cifar-100-python"
    root.parent.mkdir(parents=True)
    written(root)
    (root / "test").write_bytes((root / "train").read_bytes())
    path = layouts / "data_manifests" / "datasets" / "cifar100.yaml"
    tiny.change(path, files=[], instructions="made for a test", access="terms")
    train, test = (loaded("full", f"cifar100_{split}") for split in ("train", "test"))
    assert (train.name, test.name) == ("cifar100_train", "cifar100_test")
    assert train.icons[7].subtype == "kind_7"


@pytest.mark.parametrize("form", ["folders", "array"])
def test_the_original_icons_are_read_from_folders_or_from_their_array(layouts, form):
    profile = changed(load_profile("full"), data=load_profile("full").data | {"icons50": "icons50"})
    folder = layouts / "data" / "icons50"
    classes = class_lists.load_classes("icons50").folders
    tiny.change(layouts / "data_manifests" / "datasets" / "icons50.yaml", images=100)
    if form == "folders":
        trees.icons50(folder, classes)
    else:
        folder.mkdir(parents=True)
        columns = {
            "class": np.arange(100) // 2,
            "style": np.array(["apple"] * 100),
            "rendition": np.array(["1", "2"] * 50),
            "subtype": np.array(["some_subtype"] * 100),
            "image": np.random.default_rng(0).integers(0, 255, (100, 3, 32, 32), np.uint8),
        }
        np.save(folder / "Icons-50.npy", columns, allow_pickle=True)
    icons = image_set(profile, "icons50", Store(paths.cache()))
    assert len(icons) == 100
    assert icons.icons[0].path == "airplane/apple_1_some_subtype.png"


def test_the_classes_of_every_role_are_known_before_a_picture_is(store):
    tiny_profile = load_profile("tiny")
    for name in ("imagenet_val", "imagenet_val_a", "imagenet_o", "blobs", "textures"):
        images = image_set(tiny_profile, name, store) if name != "imagenet_o" else None
        space = label_space(tiny_profile, name)
        if images is not None:
            assert (space.name, space.names) == (images.classes, images.class_names)
            assert is_labelled(tiny_profile, name) == (UNKNOWN not in images.labels)
    full = load_profile("full")
    assert label_space(full, "imagenet_a") == load_classes("imagenet_a")
    assert is_labelled(full, "imagenet_val")
    assert not is_labelled(full, "textures")
    assert not is_labelled(tiny_profile, "imagenet_o")


def test_a_profile_may_name_a_users_folder(store, tmp_path):
    trees.save(tmp_path / "goldfish" / "a.png", 0)
    profile = load_profile("tiny")
    profile = profile.model_copy(update={"data": {"mine": f"folder:{tmp_path}"}})
    images = image_set(profile, "mine", store)
    assert (images.ids, images.classes) == (("goldfish/a.png",), "imagenet_1k")
    assert images.name == f"folder:{tmp_path.name}"
    assert title(profile.data["mine"]) == f"the folder {tmp_path.name}"


def test_a_users_pictures_have_the_classes_of_the_role_that_they_play(store, tmp_path):
    profile = load_profile("tiny")
    space = label_space(profile, "imagenet_val")
    trees.save(tmp_path / space.names[1] / "a.png", 0)
    images = user_images(profile, "imagenet_val", f"folder:{tmp_path}")
    assert (images.classes, images.labels.tolist()) == (space.name, [1])
    foreign = user_images(profile, "imagenet_o", f"folder:{tmp_path}")
    assert foreign.labels.tolist() == [UNKNOWN]
    trees.save(tmp_path / "b.png", 0)
    with pytest.raises(DataError, match=r"class folders.*1"):
        user_images(profile, "imagenet_val", f"folder:{tmp_path}")


def test_stylized_imagenet_joins_imagenet_where_somebody_made_it(layouts):
    wnids = trees.WNIDS[1::2]
    rows = [f"{n},{2 * n + 1},{wnid},name of {wnid}\n" for n, wnid in enumerate(wnids)]
    table = layouts / "data_manifests" / "classes" / "imagenet_a.csv"
    table.write_text("index,imagenet,wnid,name\n" + "".join(rows), "utf-8")
    trees.class_folders(layouts / "data" / "imagenet_train" / "train", per_class=2, training=True)
    tiny.change(layouts / "data_manifests" / "datasets" / "imagenet_train.yaml", images=8)
    with pytest.raises(DataError, match=r"stylized_imagenet.* is not complete"):
        loaded("full", "stylized_and_imagenet_a")
    trees.class_folders(layouts / "data" / "stylized_imagenet" / "train", per_class=1)
    tiny.change(layouts / "data_manifests" / "datasets" / "stylized_imagenet.yaml", images=4)
    both, alone = (
        loaded("full", f"{name}_a") for name in ("stylized_and_imagenet", "stylized_imagenet")
    )
    assert both.labels.tolist() == [0, 0, 1, 1, 0, 1]
    assert both.ids[4:] == tuple(f"stylized_imagenet_a/{item}" for item in alone.ids)
    assert label_space(load_profile("full"), "stylized_and_imagenet_a").name == "imagenet_a"
    assert is_labelled(load_profile("full"), "stylized_and_imagenet_a")


CLIPS = {
    "vid_robust": "clips_val",
    "imagenet_vid_robust_boxes": "clips_val_large",
    "vid_train": "clips_train",
    "imagenet_vid_train_boxes": "clips_train_large",
}


def clips_of(name, store, **values):
    tiny_profile = load_profile("tiny")
    profile = tiny_profile.model_copy(update={"data": tiny_profile.data | CLIPS})
    return image_set(changed(profile, **values), name, store), profile


@pytest.mark.parametrize("name", CLIPS)
def test_vid_roles_of_the_miniature_are_clips(store, name):
    images, profile = clips_of(name, store)
    side = 128 if name.endswith("boxes") else 64
    assert images.read(0, AS_IS).shape == (side, side, 3)
    assert (images.name, images.classes) == (CLIPS[name], "scenes_vid")
    space = label_space(profile, name)
    assert (space.name, space.names) == (images.classes, images.class_names)
    assert is_labelled(profile, name)
    assert isinstance(images, ClipFrames if "train" in name else Clips)
    assert len(images.annotations) == len(images)


def test_a_profile_may_have_fewer_clips_and_fewer_training_frames(store):
    sets = {len(clips_of("vid_robust", store, clips=number)[0].footage.names) for number in (4, 99)}
    assert sets == {4, 6}
    whole, _ = clips_of("vid_train", store, clips=2)
    few, _ = clips_of("vid_train", store, train_limit=6)
    assert len(few) == 6 < len(whole) == 12
    assert few.ids == whole.ids[:6]
    one_a_class, _ = clips_of("vid_train", store, train_limit=3)
    assert len(one_a_class.footage.names) == 2


def test_vid_roles_of_full_are_sets_of_frames_and_videos_with_boxes(layouts):
    full = load_profile("full")
    roles = {"vid_robust": "imagenet_vid_robust", "vid_train": "imagenet_vid_train"}
    profile = full.model_copy(update={"data": full.data | roles, "train_limit": 3})
    store = Store(paths.cache())
    with pytest.raises(DataError, match=r"imagenet_vid_robust in .* is not complete"):
        image_set(profile, "vid_robust", store)
    data = layouts / "data"
    vid_release.write(data / "imagenet_vid_robust", frames=True)
    trees.vid_frames(data / "imagenet_vid")
    frames, videos = (image_set(profile, role, store) for role in roles)
    assert (len(frames), len(frames.sets), frames.classes) == (22179, 1109, "imagenet_vid")
    assert (len(videos), videos.name, videos.classes) == (3, "imagenet_vid_train", "imagenet_vid")
    for role in roles:
        assert label_space(profile, role) == load_classes("imagenet_vid")
        assert is_labelled(profile, role)


def test_random_pictures_of_the_pool_are_a_share_of_it(store):
    few = changed(load_profile("mini"), candidates=80)
    part, pool = (image_set(few, role, store) for role in ("openimages_random", "openimages"))
    assert len(part) == 20
    assert part.name == "layouts_random"
    assert set(part.ids) < set(pool.ids)
    assert part.ids != pool.ids[:20]
    place = pool.ids.index(part.ids[3])
    assert part.annotations[3].boxes.tolist() == pool.annotations[place].boxes.tolist()


def test_a_still_camera_shows_the_sets_of_the_clips(store):
    still, clips = (role(f"imagenet_vid_robust{end}", store) for end in ("_still", ""))
    assert (still.name, still.clips.digest) == ("clips_still", clips.digest)
    assert still.ids == clips.ids
