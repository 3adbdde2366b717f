"""Profile `full` on small copies of the real layouts: the notebook itself, folder to figure."""

import json
import shutil

import nbformat
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.results.reported import alexnet_errors
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON
from tests import tiny, trees
from tests.tiny import warned

OWN = """
import torch

from robust_lib.preprocessing import Preprocessing


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(12, {outputs})
    )


class Plain:
    '''A classifier of one's own class, which is no dataclass.'''

    name, classes, outputs, fingerprint = "plain", "imagenet_1k", {outputs}, "first try"
    preprocessing = Preprocessing(256, 224)

    def __init__(self):
        self.network = network().eval()

    def __call__(self, images):
        with torch.inference_mode():
            return self.network(images)
"""

ITEMS = ("inc-alexnet", "inc-tab1", "inc-tab2", "inc-fig2")


def saved(folder, profile, name="inc_2_mce"):
    results = folder / "build" / profile / "results"
    record = json.loads((results / f"{name}.json").read_text("utf-8"))
    return Results.load(results / f"{name}.parquet"), record


def executed(folder, profile, name="inc_2_mce"):
    path = folder / "build" / profile / "notebooks" / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


def run(folder, profile, values, cwd=None, name="inc_2_mce"):
    words = [word for key, value in values.items() for word in ("-p", key, value)]
    done = tiny.run(folder, name, "--profile", profile, "--into-book", *words, cwd=cwd)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    """The chapter run on the archive, fifteen corruptions, two severities."""
    values = {
        "models": '["resnet18", "squeezenet1_1", "my_nets.py:Plain"]',
        "corruptions": json.dumps(COMMON),  # extra.tar was not downloaded
        "severities": "[2, 4]",
        "device": "cpu",
    }

    def make(folder):
        tiny.real_layouts(folder)
        trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
        trees.imagenet_c(folder / "data" / "imagenet_c", COMMON)
        (folder / "my_nets.py").write_text(OWN.format(outputs=4))
        run(folder, "full", values)

    return tiny.shared(tmp_path_factory, "archived", make)


@pytest.mark.slow
def test_the_archive_gives_all_rows(archived):
    results, record = saved(archived, "full")
    assert {row.model for row in results.rows} == {"resnet18", "squeezenet1_1", "plain"}
    for model in ("resnet18", "squeezenet1_1", "plain"):
        errors = results.select(metric="error", model=model)
        assert len(errors) == 1 + 15 * 2
        assert len(results.select(metric="ce", model=model)) == 15
        assert len(results.select(metric="mce", model=model)) == 1
        assert len(results.select(metric="relative_mce", model=model)) == 1
    assert {row.dataset for row in results.rows} == {"imagenet_val", "imagenet_c"}
    assert {(row.n, row.n_full) for row in results.select(metric="error").rows} == {(4, 4)}
    assert {row.run for row in results.rows} == {"full/inc_2_mce"}
    assert record["words"] == (
        "ImageNet validation, 4 images, 4 classes, public weights, "
        "models resnet18 squeezenet1_1 my_nets.py:Plain, 15 corruptions, severities 2 4"
    )


@pytest.mark.slow
def test_the_published_normaliser_divides(archived):
    results, _ = saved(archived, "full")
    table = alexnet_errors()
    for name in ("fog", "jpeg_compression"):
        cells = results.select(metric="error", model="resnet18", corruption=name).rows
        mine = sum(row.value for row in cells if row.severity is not None)
        published = table[name][1] + table[name][3]
        row = results.row(metric="ce", model="resnet18", corruption=name)
        assert row.value == pytest.approx(mine / published)
        assert row.convention == "archive, divided by AlexNet's published errors on ImageNet-C"


@pytest.mark.slow
def test_verdicts_and_figures_are_there(archived):
    _, record = saved(archived, "full")
    assert [item["item"] for item in record["items"]] == list(ITEMS)
    judged = {v["verdict"] for item in record["items"] for v in item["verdicts"]}
    assert judged - {"missing"}
    table = next(item for item in record["items"] if item["item"] == "inc-tab1")
    compared = [v for v in table["verdicts"] if v["model"] == "resnet18"]
    assert compared
    assert all(v["ours"] is not None for v in compared)
    figures = archived / "build" / "full" / "figures"
    for item in ITEMS:
        assert (figures / f"{item}.svg").read_text("utf-8").startswith("<?xml")
        assert (figures / f"{item}.png").stat().st_size > 1000


@pytest.mark.slow
def test_the_executed_notebook_has_no_warnings(archived):
    notebook = executed(archived, "full")
    assert warned(notebook) == []
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.slow
def test_the_archives_pictures_are_resized_no_second_time(archived):
    """What is stored about the cells says how their pictures were prepared."""
    entries = (archived / "build" / "cache" / "store").rglob("*.json")
    described = [json.loads(path.read_text("utf-8"))["description"] for path in entries]
    cells = [one for one in described if one.get("dataset", "").startswith("imagenet_c/")]
    assert len(cells) == 3 * 15 * 2
    assert {one["preprocessing"]["resize"] for one in cells} == {None}
    clean = [one for one in described if one.get("dataset") == "imagenet_val"]
    assert {one["preprocessing"]["resize"] for one in clean} == {256}


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The chapter run on the flat folder with all 1000 classes, corrupted on the fly."""
    values = {
        "models": '["squeezenet1_1", "my_nets.py:network"]',
        "corruptions": '["gaussian_noise", "frost", "saturate"]',
        "severities": "[3]",
        "limit": "3",
        "data": "../elsewhere",
    }

    def make(folder):
        classes = tiny.real_layouts(folder) / "data_manifests" / "classes"
        shutil.copy(tiny.REPOSITORY / "data_manifests" / "classes" / "imagenet_1k.csv", classes)
        profiles = folder / "data_manifests" / "profiles"
        shutil.copy(profiles / "full.yaml", profiles / "made.yaml")
        tiny.change(profiles / "made.yaml", name="made", corrupted="generated", device="cpu")
        elsewhere = folder / "elsewhere" / "imagenet_val"
        trees.flat_validation(elsewhere, 4)
        trees.devkit(elsewhere, trees.WNIDS[::-1], trees.WNIDS)
        (folder / "mine").mkdir()
        (folder / "mine" / "my_nets.py").write_text(OWN.format(outputs=1000))
        run(folder, "made", values, cwd=folder / "mine")

    return tiny.shared(tmp_path_factory, "generated", make)


@pytest.mark.slow
def test_the_flat_folder_is_corrupted_on_the_fly(generated):
    results, record = saved(generated, "made")
    assert {row.model for row in results.rows} == {"squeezenet1_1", "my_nets.network"}
    assert {row.dataset for row in results.rows} == {"imagenet_val", "imagenet_val_c"}
    errors = results.select(metric="error").rows
    assert len(errors) == 2 * (1 + 3)
    assert {(row.n, row.n_full) for row in errors} == {(3, 4)}
    told = {row.convention for row in results.select(metric="ce").rows}
    frost = "; frost: drawn stand-ins for the frost pictures, not canonical"
    assert told == {
        f"jpeg85 of 224 pixels, made as the archive{made}, divided by AlexNet's published "
        "errors on ImageNet-C"
        for made in ("", frost)
    }
    assert "saturate" not in {row.corruption for row in results.select(metric="ce").rows}
    assert len(results.select(metric="mce")) == 0
    assert record["words"] == (
        "ImageNet validation, 3 images, 1,000 classes, public weights, models squeezenet1_1 "
        "my_nets.py:network, corruptions gaussian_noise frost saturate, severities 3"
    )


@pytest.mark.slow
def test_a_part_of_the_corruptions_makes_a_whole_page(generated):
    notebook, (_, record) = executed(generated, "made"), saved(generated, "made")
    assert warned(notebook) == []
    assert [item["item"] for item in record["items"]] == list(ITEMS)
    assert record["numbers"]["inc_2_mce.best_mce"]["text"] == "not defined"


@pytest.mark.slow
def test_pictures_were_decoded_once(generated):
    decoded = list((generated / "build" / "cache" / "decoded").glob("*.npy"))
    assert len(decoded) == 1


@pytest.mark.slow
def test_the_original_icons_by_the_authors_rule(tmp_path):
    """ICONS-50's chapter on its own folders, with a network of the paper's size."""
    tiny.real_layouts(tmp_path)
    classes = load_classes("icons50").folders
    subtypes = ("duck", "rubber_duck", "books", "owl")
    trees.icons50(
        tmp_path / "data" / "icons50", classes, styles=("apple", "microsoft"), subtypes=subtypes
    )
    path = tmp_path / "data_manifests" / "datasets" / "icons50.yaml"
    tiny.change(
        path,
        images=50 * 2 * 2 * len(subtypes),
        options={
            "styles": ["apple", "microsoft"],
            "held_out_subtypes": ["duck", "books"],
            "match": load_dataset("icons50").options["match"],
        },
    )
    values = {
        "models": '["resnet20"]', "epochs": "1", "device": "cpu", "styles": '["apple"]',
    }  # fmt: skip
    run(tmp_path, "full_trained", values, name="inc_4_icons50")
    results, record = saved(tmp_path, "full_trained", "inc_4_icons50")
    rows = {row.dataset: row for row in results.select(metric="accuracy").rows}
    assert set(rows) == {
        "icons50_style", "icons50_version", "icons50_subtype", "icons50_random",
        "icons50_style/apple",
    }  # fmt: skip
    assert rows["icons50_style"].n == 400
    # Both ducks and the books of every class, and all else in the folder `books`.
    assert rows["icons50_subtype"].n == 50 * 4 * 3 + 4
    (verdict,) = [
        one
        for item in record["items"]
        for one in item["verdicts"]
        if (one["item"], one["model"]) == ("inc-icons-style", "resnet20")
        and one["status"] == "printed"
    ]
    assert verdict["verdict"] in ("match", "within interval", "differs")
