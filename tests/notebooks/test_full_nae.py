"""ImageNet-A and ImageNet-O in the layouts of their archives: unpacked, verified, and judged."""

import json
import shutil

import pytest

from robust_lib.results.table import Results
from tests import tiny, trees

HARD, FOREIGN = trees.WNIDS[1::2], trees.WNIDS[::2]
CHAPTERS = ("nae_1_construction", "nae_2_imagenet_a", "nae_3_imagenet_o", "nae_4_calibration")
MODELS = '["resnet18", "squeezenet1_1", "my_nets.py:Plain"]'
GIVEN = {
    "nae_1_construction": {"network": "resnet18"},
    "nae_2_imagenet_a": {"models": MODELS, "network": "resnet18", "judge": "squeezenet1_1"},
    "nae_3_imagenet_o": {"models": MODELS, "network": "resnet18"},
    "nae_4_calibration": {"models": MODELS},
}

OWN = """
import torch

from robust_lib.preprocessing import Preprocessing


class Plain:
    '''A classifier of all four classes that always prefers the first, then the last.'''

    name, classes, outputs, fingerprint = "plain", "imagenet_1k", 4, "first try"
    preprocessing = Preprocessing(256, 224)

    def __call__(self, images):
        return torch.tensor([[4.0, 1.0, 0.0, 3.0]]).repeat(len(images), 1)
"""


def layouts(folder):
    """The archives as tar files, in class folders named by WordNet ids; four classes in all."""
    tiny.real_layouts(folder)
    manifests, data = folder / "data_manifests", folder / "data"
    places = {wnid: place for place, wnid in enumerate(trees.WNIDS)}
    for name, wnids in (("imagenet_a", HARD), ("imagenet_o", FOREIGN)):
        rows = [f"{n},{places[wnid]},{wnid},name of {wnid}\n" for n, wnid in enumerate(wnids)]
        table = manifests / "classes" / f"{name}.csv"
        table.write_text("index,imagenet,wnid,name\n" + "".join(rows), "utf-8")
    trees.class_folders(data / "imagenet_val" / "val", per_class=6)
    trees.imagenet_a(folder / "made", HARD, per_class=3)
    trees.imagenet_a(folder / "made_o", FOREIGN, per_class=2)
    (folder / "made_o" / "imagenet-a").rename(folder / "made_o" / "imagenet-o")
    for name, made in (("imagenet_a", "made"), ("imagenet_o", "made_o")):
        root = f"imagenet-{name[-1]}"
        (data / name).mkdir(parents=True)
        archive = trees.tar(folder / made, data / name / f"{root}.tar")
        file = {"name": archive.name, "bytes": archive.stat().st_size, "into": "."}
        told = {"files": [file], "instructions": "made for a test", "access": "terms"}
        images = 3 * len(HARD) if name == "imagenet_a" else 2 * len(FOREIGN)
        tiny.change(manifests / "datasets" / f"{name}.yaml", images=images, **told)
    trees.textures(data / "dtd")
    trees.places(data / "places365_val")
    for name, images in (("imagenet_val", 24), ("imagenet_val_a", 12), ("imagenet_val_o", 12),
                         ("dtd", 4), ("places365_val", 4)):  # fmt: skip
        tiny.change(manifests / "datasets" / f"{name}.yaml", images=images)
    for name in ("bernoulli_noise", "blobs"):
        options = {"pattern": name, "images": 4, "size": 256}
        tiny.change(manifests / "datasets" / f"{name}.yaml", images=4, options=options)
    (folder / "my_nets.py").write_text(OWN)


def words(chapter, **changes):
    given = {"device": "cpu"} | GIVEN[chapter] | changes
    parameters = [word for key, value in given.items() for word in ("-p", key, value)]
    return chapter, "--profile", "full_trained", "--into-book", *parameters


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    def make(folder):
        layouts(folder)
        fetched = [("robust", "fetch", name) for name in ("imagenet_a", "imagenet_o")]
        made = [("robust", "run", *words(chapter)) for chapter in CHAPTERS]
        done = tiny.in_one_process(folder, [*fetched, *made])
        assert done.returncode == 0, done.stderr

    return tiny.shared(tmp_path_factory, "natural", make)


def saved(folder, chapter):
    results = folder / "build" / "full_trained" / "results"
    record = json.loads((results / f"{chapter}.json").read_text("utf-8"))
    return Results.load(results / f"{chapter}.parquet"), record


@pytest.mark.slow
def test_answers_are_masked_to_the_archives_classes(archived):
    """Unmasked, the network says the first class, which is none of them; masked, the last."""
    results, record = saved(archived, "nae_2_imagenet_a")
    row = results.row(item="nae-fig2", metric="accuracy", model="plain", dataset="imagenet_a")
    assert row.value == 0.5
    assert row.n == 6
    assert row.convention == "2 of 4 outputs, the others masked before the softmax"
    assert record["words"] == (
        "ImageNet-A: 6 images, 2 classes, 1 seed, models resnet18 squeezenet1_1 my_nets.py:Plain, "
        "network resnet18, judge squeezenet1_1"
    )


@pytest.mark.slow
def test_a_readme_in_the_root_is_no_class_and_odd_names_are_read(archived):
    _, record = saved(archived, "nae_1_construction")
    tab = next(item for item in record["items"] if item["item"] == "nae-tab1")
    counts = {(v["metric"], v["dataset"]): v["ours"] for v in tab["verdicts"]}
    assert counts["images", "imagenet_a"] == 6
    assert counts["images", "imagenet_o"] == 4
    funnel = next(item for item in record["items"] if item["item"] == "nae-funnel")
    counts = {v["verdict"] for v in funnel["verdicts"] if v["metric"] == "images"}
    assert counts == {"missing"}  # nobody has the candidates


@pytest.mark.slow
def test_the_ordinary_side_is_imagenets_own_pictures_of_the_listed_classes(archived):
    results, _ = saved(archived, "nae_3_imagenet_o")
    chance = results.row(metric="aupr", model="chance")
    assert chance.value == pytest.approx(4 / 16)
    constant = results.row(item="nae-fig3", metric="aupr", model="plain")
    assert constant.value == pytest.approx(4 / 16)  # the same confidence for all is no detector
    sets = {row.dataset for row in results.select(metric="low_level_auroc").rows}
    assert sets == {"imagenet_o", "bernoulli_noise", "blobs", "dtd", "places365_val"}


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_chapter_opened_is_what_its_record_names(archived, chapter, monkeypatch):
    tiny.enter(archived, monkeypatch)
    named, _ = tiny.read_by(chapter, "full_trained")
    assert set(saved(archived, chapter)[1]["provenance"]["datasets"]) == named


@pytest.mark.slow
def test_without_earlier_sets_the_main_number_is_the_same_and_they_are_named(archived, tmp_path):
    folder = tiny.copy(archived, tmp_path / "without")
    for name in ("dtd", "places365_val"):
        shutil.rmtree(folder / "data" / name)
    done = tiny.run(folder, *words("nae_3_imagenet_o"))
    assert done.returncode == 0, done.stderr
    results, _ = saved(folder, "nae_3_imagenet_o")
    whole, _ = saved(archived, "nae_3_imagenet_o")
    assert results.select(metric="aupr").rows == whole.select(metric="aupr").rows
    sets = {row.dataset for row in results.select(metric="low_level_auroc").rows}
    assert sets == {"imagenet_o", "bernoulli_noise", "blobs"}
    page = folder / "build" / "full_trained" / "notebooks" / "nae_3_imagenet_o.ipynb"
    assert "textures (dtd) and scenes (places365_val)" in page.read_text("utf-8")


@pytest.mark.slow
def test_too_few_pictures_have_no_calibration_error(archived):
    results, record = saved(archived, "nae_4_calibration")
    assert not results.select(metric="rms_calibration_error").rows
    assert record["numbers"]["nae_4_calibration.error"]["text"] == "an undefined share"


@pytest.mark.slow
def test_wrong_input_is_told_before_anything_is_asked(archived, tmp_path):
    folder = tiny.copy(archived, tmp_path / "copy")
    (folder / "my_nets.py").write_text(OWN.replace('4, "first', '5, "first'))
    done = tiny.run(folder, *words("nae_2_imagenet_a"))
    assert done.returncode == 1
    assert "5" in done.stderr
    assert "outputs" in done.stderr
    done = tiny.run(archived, *words("nae_2_imagenet_a", judge="resnet50"))
    assert "a network of this run to be one of" in done.stderr
    removed = next((folder / "data" / "imagenet_a").rglob("*.jpg"))
    removed.unlink()
    done = tiny.run(folder, *words("nae_1_construction"))
    assert done.returncode == 1
    assert "imagenet_a" in done.stderr
