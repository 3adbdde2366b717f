import numpy as np
import pytest

from robust_lib.config.class_lists import ClassEntry, ClassList, load_classes
from robust_lib.datasets import ImageSet, imagenet_22k
from robust_lib.datasets.imagenet_22k import ImageNet22K, read_hierarchy, subtypes_of
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.verification import verify
from robust_lib.preprocessing import Preprocessing
from tests import shards, trees

CATS, DOGS = "n02121620", "n02084071"
TABBY, PERSIAN, SIAMESE, KITTEN = "n02123045", "n02123394", "n02123597", "n02122298"
BEAGLE, MONGREL, HYBRID = "n02088364", "n02084732", "n99999999"
HIERARCHY = (
    (CATS, TABBY), (CATS, KITTEN), (KITTEN, PERSIAN), (KITTEN, SIAMESE), (TABBY, SIAMESE),
    (DOGS, BEAGLE), (DOGS, MONGREL), (CATS, HYBRID), (DOGS, HYBRID), ("n00001740", CATS),
)  # fmt: skip
ONE_K = (TABBY, PERSIAN, BEAGLE)


def broad(*wnids):
    entries = tuple(ClassEntry(index=i, name=f"the {w}", wnid=w) for i, w in enumerate(wnids))
    return ClassList(name="broad", title="broad", source="a test", entries=entries)


@pytest.fixture
def folder(tmp_path):
    return trees.imagenet_22k(tmp_path, HIERARCHY, per_synset=6)


def part(folder, name, **changes):
    told = subtypes_of(read_hierarchy(folder / "wordnet.is_a.txt"), broad(CATS, DOGS), ONE_K)
    given = {"tested": 2, "trained": 3, "name": name} | changes
    return ImageNet22K(folder / "imagenet22k", broad(CATS, DOGS), told, name, **given)


def test_subtypes_are_told_apart_by_what_imagenet_1k_has(folder):
    found = subtypes_of(read_hierarchy(folder / "wordnet.is_a.txt"), broad(CATS, DOGS), ONE_K)
    assert found.seen == {TABBY: 0, PERSIAN: 0, BEAGLE: 1}
    assert found.unseen == {KITTEN: 0, SIAMESE: 0, MONGREL: 1}
    assert found.shared == (HYBRID,)


def test_the_broad_class_is_no_subtype_of_itself(folder):
    for name in ("train", "seen", "unseen"):
        images = part(folder, name)
        assert not {CATS, DOGS, HYBRID, "n00001740"} & set(images.subtypes)
        assert images.shared == (HYBRID,)


def test_no_picture_is_trained_on_and_tested(folder):
    train, seen = part(folder, "train"), part(folder, "seen")
    assert not set(train.ids) & set(seen.ids)
    assert set(train.subtypes) == set(seen.subtypes) == set(ONE_K)
    assert (len(train), len(seen)) == (9, 6)
    all_of_it = part(folder, "train", trained=300)
    assert set(all_of_it.ids) | set(seen.ids) == {
        f"{wnid}/{wnid}_{n}.JPEG" for wnid in ONE_K for n in range(6)
    }


def test_a_test_never_takes_more_than_half_of_a_seen_subtype(folder):
    seen, train = part(folder, "seen", tested=50), part(folder, "train", tested=50)
    assert (len(seen), len(train)) == (9, 9)
    assert len(part(folder, "unseen", tested=50)) == 18  # nobody trains on these


def test_labels_are_broad_classes_and_ids_paths(folder):
    unseen = part(folder, "unseen")
    assert isinstance(unseen, ImageSet)
    assert (unseen.classes, unseen.class_names) == ("broad", (f"the {CATS}", f"the {DOGS}"))
    labels = dict(zip(unseen.subtypes, unseen.labels.tolist(), strict=True))
    assert labels == {KITTEN: 0, SIAMESE: 0, MONGREL: 1}
    assert unseen.read(0, Preprocessing(16, 12)).shape == (12, 12, 3)
    assert unseen.read(0, Preprocessing(16, 12)).dtype == np.uint8


def test_digests_tell_parts_apart(folder):
    assert len({part(folder, name).digest for name in ("train", "seen", "unseen")}) == 3
    assert part(folder, "seen").digest == part(folder, "seen").digest


def test_a_broad_class_without_pictures_is_named(folder):
    for file in (folder / "imagenet22k" / MONGREL).iterdir():
        file.unlink()
    with pytest.raises(DataError, match=f"unseen subtypes of each .*none of the {DOGS}"):
        part(folder, "unseen")
    assert len(part(folder, "seen")) == 6


def test_missing_or_wrong_files_are_errors(folder):
    with pytest.raises(InputError, match="train, seen, unseen"):
        part(folder, "validation")
    with pytest.raises(DataError, match=r"Download wordnet.is_a.txt"):
        read_hierarchy(folder / "none.txt")
    path = folder / "wordnet.is_a.txt"
    path.write_text(f"{CATS} {TABBY}\n\n{CATS}\n")
    with pytest.raises(DataError, match=r"is_a.txt:3: expected two WordNet ids"):
        read_hierarchy(path)
    path.write_text(f"{CATS} {TABBY}\n")
    with pytest.raises(DataError, match=f"synsets below the {DOGS}"):
        part(folder, "seen")
    told, none = subtypes_of({CATS: (TABBY,)}, broad(CATS), ONE_K), folder / "none"
    with pytest.raises(DataError, match="folder of images"):
        ImageNet22K(none, broad(CATS), told, "seen", tested=1, trained=1, name="none")


def test_a_circle_in_the_hierarchy_ends():
    found = subtypes_of({CATS: (KITTEN,), KITTEN: (TABBY, CATS), TABBY: ()}, broad(CATS), [TABBY])
    assert (found.seen, set(found.unseen)) == ({TABBY: 0}, {KITTEN, CATS})


def test_the_manifest_is_read_with_all_25_classes(tmp_path):
    classes = load_classes("inc_22k")
    known = iter(load_classes("imagenet_1k").folders)
    pairs = [
        pair for one in classes.folders for pair in ((one, next(known)), (one, f"n{one[1:]}x"))
    ]
    trees.imagenet_22k(tmp_path, pairs, per_synset=2)
    images = imagenet_22k.load("imagenet_22k_seen", tmp_path)
    assert sorted(images.labels.tolist()) == list(range(25))
    assert len(imagenet_22k.load("imagenet_22k_train", tmp_path, limit=5)) == 5
    assert len(imagenet_22k.load("imagenet_22k_unseen", tmp_path)) == 50
    for wrong in ("imagenet_22k", "imagenet_val"):
        with pytest.raises(InputError, match="a part of ImageNet-22K"):
            imagenet_22k.load(wrong, tmp_path)


def test_shards_of_all_synsets_give_the_pictures_of_their_folders(tmp_path):
    """As timm/imagenet-22k-wds has them: the name of a sample tells its synset, no label need."""
    classes = load_classes("inc_22k")
    known = iter(load_classes("imagenet_1k").folders)
    pairs = [
        pair for one in classes.folders for pair in ((one, next(known)), (one, f"n9{one[2:]}"))
    ]
    folders = trees.imagenet_22k(tmp_path / "folders", pairs, per_synset=2)
    root, packed = folders / "imagenet22k", tmp_path / "packed"
    wnids = sorted(one.name for one in root.iterdir())
    shard = "imagenet22k-train-{:04d}.tar"
    shards.webdataset(packed, root, shard=shard, wnids=wnids)
    (folders / "wordnet.is_a.txt").rename(packed / "wordnet.is_a.txt")
    assert verify("imagenet_22k", packed).problems == ()
    (packed / "wordnet.is_a.txt").rename(folders / "wordnet.is_a.txt")
    assert not verify("imagenet_22k", packed).ok
    (packed / "wordnet.is_a.txt").write_text((folders / "wordnet.is_a.txt").read_text())
    for name in ("imagenet_22k_seen", "imagenet_22k_train", "imagenet_22k_unseen"):
        ours, twin = imagenet_22k.load(name, packed), imagenet_22k.load(name, folders)
        labelled = dict(zip(ours.ids, ours.labels.tolist(), strict=True))
        assert labelled == dict(zip(twin.ids, twin.labels.tolist(), strict=True))
    whole = Preprocessing(None, None)
    np.testing.assert_array_equal(
        ours.read(0, whole), twin.read(twin.ids.index(ours.ids[0]), whole)
    )
