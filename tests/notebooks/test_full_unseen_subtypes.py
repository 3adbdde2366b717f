"""ImageNet-22K in its own layout: two broad classes, networks tuned on a few pictures, Figure 8."""

import pytest
import yaml

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import imagenet_22k
from robust_book.page import Page
from robust_lib.errors import DataError
from robust_lib.protocols import imagenet_22k_subtypes as protocol
from robust_lib.run.start import start
from tests import tiny, trees

FISH, SHARKS = "n02512053", "n01482330"
UNSEEN = ("n01439121", "n01495493", "n01494475")
BOTH = "n01480516"
PAIRS = (
    (FISH, trees.WNIDS[0]), (FISH, trees.WNIDS[1]), (FISH, UNSEEN[0]), (FISH, BOTH),
    (SHARKS, trees.WNIDS[2]), (SHARKS, trees.WNIDS[3]), (SHARKS, UNSEEN[1]), (UNSEEN[1], UNSEEN[2]),
    (SHARKS, BOTH),
)  # fmt: skip
NETWORKS = ("squeezenet1_1", "resnet18")


def layouts(folder):
    """imagenet22k/<wnid>/<wnid>_<number>.JPEG and wordnet.is_a.txt, beside ImageNet-1K."""
    tiny.real_layouts(folder)
    manifests, data = folder / "data_manifests", folder / "data"
    table = f"index,wnid,name\n0,{FISH},Fish\n1,{SHARKS},Sharks\n"
    (manifests / "classes" / "inc_22k.csv").write_text(table, "utf-8")
    trees.class_folders(data / "imagenet_val" / "val", per_class=2)
    tiny.change(manifests / "datasets" / "imagenet_val.yaml", images=8)
    trees.imagenet_22k(data / "imagenet_22k", PAIRS, per_synset=6)
    path = manifests / "profiles" / "full.yaml"
    networks = yaml.safe_load(path.read_text("utf-8"))["networks"]
    networks["imagenet_22k"] = {name: f"{name}_22k" for name in NETWORKS}
    tiny.change(path, networks=networks, batch_size=8, workers=0, bootstrap=100)


@pytest.fixture
def project(tmp_path_factory, monkeypatch):
    made = tiny.shared(tmp_path_factory, "broad_classes", layouts)
    tiny.enter(made, monkeypatch)
    return made


def begun(part):
    return start(part, "full_trained", device="cpu", epochs=1)


@pytest.mark.slow
def test_networks_are_tuned_to_seen_subtypes_and_meet_unseen_ones(project):
    tuned, before = begun(imagenet_22k.TUNED), begun(imagenet_22k.BEFORE)
    answers = imagenet_22k.predictions(tuned, before)
    assert answers.networks == tuple(f"{name}_22k" for name in NETWORKS)
    assert dict(answers.before) == {f"{name}_22k": name for name in NETWORKS}
    assert set(answers.subtypes["seen"]) == set(trees.WNIDS)
    assert set(answers.subtypes["unseen"]) == set(UNSEEN)
    assert answers.shared == 1
    results = protocol.results(answers)
    assert results.row(metric="classes").value == 2
    for name in answers.networks:
        rows = results.select(model=name, metric="accuracy")
        assert {row.dataset: row.n for row in rows.rows} == {
            "imagenet_22k_seen": 12,
            "imagenet_22k_unseen": 18,
            "imagenet_val": 8,
        }
    page = Page(begun(chapter.CHAPTER))
    block = imagenet_22k.gap(page, tuned, results, answers)
    assert "1 subtype that belongs to two classes is left out" in str(block)
    assert "18 images of 2 classes" in str(block)
    verdicts = page._items["inc-fig8"]["verdicts"]
    (claim,) = [one for one in verdicts if one["status"] == "direction"]
    assert claim["verdict"] in ("holds", "does not hold", "not decided")
    train = tuned.image_set("imagenet_22k_train")
    assert not set(train.ids) & set(tuned.image_set("imagenet_22k_seen").ids)


def test_a_tree_without_the_hierarchy_is_refused_before_work(project, tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    (tmp_path / "imagenet_22k" / "imagenet22k").mkdir(parents=True)
    with pytest.raises(DataError, match=r"wordnet.is_a.txt.* is not there"):
        begun(imagenet_22k.TUNED).image_set("imagenet_22k_seen")
