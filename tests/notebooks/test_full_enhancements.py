"""The chapter on enhancements on the archive's layout: public weights by name, trained on here."""

import json

import nbformat
import pytest
import yaml

from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON
from tests import tiny, trees

CHAPTER = "inc_3_enhancements"
ASKED = (
    "resnet50",
    "resnet50_tuned",
    "resnet50_stability_1_1",
    "resnet50_nlm",
    "resnet50_equalised",
    "resnet50_clahe",
    "resnet50_onecrop",
    "resnet50_tencrop",
    "densenet121",
    "resnext50_32x4d",
)


def layouts(folder):
    """ImageNet's training and validation images and the archive; smaller networks, by lot."""
    tiny.real_layouts(folder)
    manifests, data = folder / "data_manifests", folder / "data"
    tiny.change(manifests / "datasets" / "imagenet_train.yaml", images=2 * len(trees.WNIDS))
    trees.class_folders(data / "imagenet_train" / "train", per_class=2, training=True)
    trees.class_folders(data / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(data / "imagenet_c", COMMON)
    # Networks of the paper's size would take minutes; their rows keep all else.
    for name in ("enhanced", "torchvision"):
        path = manifests / "models" / f"{name}.yaml"
        models = yaml.safe_load(path.read_text("utf-8"))
        for called, row in models.items():
            if called in ASKED and row.get("arguments", {}).get("name", called) in ASKED:
                row["builder"] = "mini"
                row["arguments"] = {"family": "resnet18"}
        path.write_text(yaml.safe_dump(models, sort_keys=False), "utf-8")


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    def make(folder):
        layouts(folder)
        values = {
            "models": json.dumps(ASKED),
            "severities": "[3]",
            "device": "cpu",
        }
        words = [word for key, value in values.items() for word in ("-p", key, value)]
        done = tiny.run(folder, CHAPTER, "--profile", "full_trained", "--into-book", *words)
        assert done.returncode == 0, done.stderr

    return tiny.shared(tmp_path_factory, "enhancements", make)


def saved(folder):
    results = folder / "build" / "full_trained" / "results"
    record = json.loads((results / f"{CHAPTER}.json").read_text("utf-8"))
    return Results.load(results / f"{CHAPTER}.parquet"), record


@pytest.mark.slow
def test_every_network_of_an_item_has_its_errors_on_the_archive(archived):
    results, record = saved(archived)
    assert {row.dataset for row in results.rows} == {"imagenet_val", "imagenet_c"}
    for model in ASKED:
        assert results.select(metric="mce", model=model).rows
    assert [item["item"] for item in record["items"]] == [
        "inc-claim-stability",
        "inc-claim-denoise",
        "inc-claim-small",
        "inc-claim-clahe",
        "inc-fig3",
        "inc-fig4",
        "inc-claim-tencrop",
    ]


@pytest.mark.slow
def test_weights_are_those_of_the_standard_network_or_trained_from_them(archived):
    results, _ = saved(archived)

    def errors(model):
        found = results.select(item="inc-claim-clahe", metric="ce", model=model).rows
        return {row.corruption: row.value for row in found}

    assert errors("resnet50").keys() == set(COMMON)
    tuned = (archived / "build" / "cache" / "store").rglob("*.json")
    described = [json.loads(path.read_text("utf-8"))["description"] for path in tuned]
    trained = [one for one in described if "recipe" in one]
    assert len(trained) == 3  # with nothing added, with stability training, and equalised


@pytest.mark.slow
def test_what_has_no_public_weights_is_named_on_the_page(archived):
    path = archived / "build" / "full_trained" / "notebooks" / f"{CHAPTER}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert tiny.warned(notebook) == []
    shown = "".join(
        output["data"].get("text/html", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    )
    for names in ("condensenet_4, condensenet_8", "msdnet, multigrid"):
        assert f"Not evaluated: {names}." in shown
