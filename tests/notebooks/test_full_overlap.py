"""Overlaps on ImageNet-100 and the archive in their own layouts: a part of the classes of each."""

import json

import numpy as np
import pytest
import yaml
from PIL import Image

from robust_lib.datasets.imagenet_c import corrupt_stack
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.table import Results
from tests import tiny, trees
from tests.notebooks.test_full_profile import executed
from tests.tiny import warned

HUNDRED = trees.WNIDS[1::2]  # every second of the four classes stands for every tenth of a thousand
ARCHIVED = ("brightness", "snow", "frost")
TRAINED = (*ARCHIVED, "border")
SIDE, EACH = 48, 12
SETTINGS = {"severities": "[5]", "epochs": "25", "device": "cpu"}
GIVEN = {
    "overlap_1_matrix": SETTINGS,
    "overlap_2_balance_and_cover": SETTINGS,
}


def picture(wnid, number):
    """Return a picture whose class is where its light is: a corner for each of the four."""
    rng = np.random.default_rng(number)
    made = rng.integers(20, 90, (12, 16, 3))
    top, left = divmod(trees.WNIDS.index(wnid), 2)
    made[6 * top : 6 * top + 6, 8 * left : 8 * left + 8] += 150
    return Image.fromarray(made.astype(np.uint8)).resize((320, 240), Image.Resampling.BICUBIC)


def layouts(folder):
    """ImageNet's training and validation images, and an archive of the latter, all four classes."""
    tiny.real_layouts(folder)
    manifests, data = folder / "data_manifests", folder / "data"
    rows = [f"{n},{trees.WNIDS.index(w)},{w},name of {w}\n" for n, w in enumerate(HUNDRED)]
    table = manifests / "classes" / "imagenet_100.csv"
    table.write_text("index,imagenet,wnid,name\n" + "".join(rows), "utf-8")
    for name, images in (
        ("imagenet_val", 4 * EACH),
        ("imagenet_100", 2 * EACH),
        ("imagenet_train", 32),
    ):
        tiny.change(manifests / "datasets" / f"{name}.yaml", images=images)
    archive = manifests / "datasets" / "imagenet_c.yaml"
    contents = yaml.safe_load(archive.read_text("utf-8"))["contents"]
    tiny.change(archive, contents=[content | {"images": 4 * EACH} for content in contents])
    for place, wnid in enumerate(trees.WNIDS):
        for number in range(8):
            file = data / "imagenet_train" / "train" / wnid / f"{wnid}_{number}.JPEG"
            file.parent.mkdir(parents=True, exist_ok=True)
            picture(wnid, 100 + 8 * place + number).save(file)
        for number in range(EACH):
            # Numbers run through all classes, so files and folders sort otherwise.
            name = f"ILSVRC2012_val_{4 * number + 4 - place:08d}.JPEG"
            made = picture(wnid, EACH * place + number)
            put(data / "imagenet_val" / "val" / wnid / name, made)
            stack = Preprocessing(256, 224).apply(made)[None]
            for corruption in ARCHIVED:
                shown = corrupt_stack(stack, corruption, 5, ids=[name])[0]
                for severity in range(1, 6):
                    cell = data / "imagenet_c" / corruption / str(severity)
                    put(cell / wnid / name, Image.fromarray(shown))
    # Networks of the paper's size would take minutes; their rows keep all else.
    path = manifests / "models" / "torchvision.yaml"
    models = yaml.safe_load(path.read_text("utf-8"))
    for family in ("alexnet", "resnet50"):
        models[family] |= {"builder": "mini", "arguments": {"family": family}}
        models[family] |= {"preprocessing": {"resize": 56, "crop": SIDE}}
    for family in ("resnet18", "densenet121"):
        models[f"{family}_imagenet_100"] |= {"builder": "mini", "arguments": {"family": family}}
    models["resnet18_imagenet_100"]["preprocessing"] = {"resize": [SIDE, SIDE], "crop": SIDE}
    path.write_text(yaml.safe_dump(models, sort_keys=False), "utf-8")
    robust = manifests / "models" / "robust.yaml"
    first = yaml.safe_load(robust.read_text("utf-8"))["resnet50_sin_in"]
    kept = {key: first[key] for key in ("title", "classes", "reference", "licence")}
    row = models["resnet50"] | kept | {"weights": "random"}
    robust.write_text(yaml.safe_dump({"resnet50_sin_in": row}, sort_keys=False), "utf-8")
    networks = {"resnet50": "resnet50", "resnet50_sin_in": "resnet50_sin_in", "alexnet": "alexnet"}
    path = manifests / "profiles" / "full.yaml"
    # The first one's overlaps are drawn as a tree, and it learns more in so few steps.
    pairs = {name: f"{name}_imagenet_100" for name in ("densenet121", "resnet18")}
    studies = yaml.safe_load(path.read_text("utf-8"))["networks"]
    studies |= {"balance": networks, "overlap": pairs}
    tiny.change(path, networks=studies, training_corruptions=list(TRAINED))


def put(path, made):
    path.parent.mkdir(parents=True, exist_ok=True)
    made.save(path, quality=95)


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    def make(folder):
        layouts(folder)
        commands = []
        for chapter, given in GIVEN.items():
            words = [word for key, value in given.items() for word in ("-p", key, value)]
            book = ("--profile", "full_trained", "--into-book")
            commands.append(("robust", "run", chapter, *book, *words))
        done = tiny.in_one_process(folder, commands)
        assert done.returncode == 0, done.stderr

    return tiny.shared(tmp_path_factory, "overlaps", make)


def saved(folder, chapter):
    results = folder / "build" / "full_trained" / "results"
    record = json.loads((results / f"{chapter}.json").read_text("utf-8"))
    return Results.load(results / f"{chapter}.parquet"), record


@pytest.mark.slow
@pytest.mark.parametrize("chapter", list(GIVEN))
def test_the_chapters_run_whole_on_the_archive(archived, chapter):
    notebook = executed(archived, "full_trained", chapter)
    assert warned(notebook) == []
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.slow
def test_the_archives_cells_are_the_hundred_classes_pictures(archived):
    """Of the other classes, or labelled by a thousand, networks would be right about none."""
    results, _ = saved(archived, "overlap_1_matrix")
    rows = results.select(metric="accuracy").rows
    assert len(rows) == 2 * (len(TRAINED) + 1)
    assert {(row.dataset, row.n, row.n_full) for row in rows} == {("imagenet_100", 24, 24)}
    for corruption in TRAINED:
        own = results.row(
            metric="robustness_score",
            model=f"densenet121_imagenet_100+{corruption}",
            corruption=corruption,
        )
        assert own.value > 0.6


@pytest.mark.slow
def test_cells_and_clean_pictures_are_shown_at_the_networks_side(archived):
    entries = (archived / "build" / "cache" / "store").rglob("*.json")
    described = [json.loads(path.read_text("utf-8"))["description"] for path in entries]
    small = [one for one in described if one.get("dataset") == "imagenet_100"]
    assert {tuple(one["preprocessing"]["resize"]) for one in small} == {(SIDE, SIDE)}
    cells = [one for one in described if str(one.get("dataset", "")).startswith("imagenet_c/")]
    assert {one["preprocessing"]["resize"] for one in cells} == {SIDE}


@pytest.mark.slow
def test_overlaps_are_compared_with_what_is_printed_of_the_hundred_classes(archived):
    _, record = saved(archived, "overlap_1_matrix")
    told = {v["metric"]: v for item in record["items"] for v in item["verdicts"]}
    assert told["batch_size"]["verdict"] == "as printed"
    assert told["models"]["verdict"] == "differs"  # the tiny study has fewer trainings
    assert not [v for v in told.values() if "and not imagenet_100" in v["arithmetic"]]


@pytest.mark.slow
def test_verdicts_on_overlaps_name_networks_that_have_overlaps(archived):
    _, record = saved(archived, "overlap_2_balance_and_cover")
    told = [
        v["arithmetic"]
        for item in record["items"]
        for v in item["verdicts"]
        if v["status"] == "direction" and v["metric"].startswith(("largest", "mean_overlap"))
    ]
    assert len(told) == 3
    # Whether 24 pictures show a gain, and so an overlap, is open; whose it would be is not.
    assert all("densenet121" in arithmetic for arithmetic in told), told
    assert not any("resnet50" in arithmetic for arithmetic in told)
    rows, _ = saved(archived, "overlap_2_balance_and_cover")
    assert {row.n for row in rows.select(metric="mean_error").rows} == {4 * EACH}
