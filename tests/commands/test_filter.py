"""`robust filter` and `robust review`, as a user types them."""

import json
import re
from pathlib import Path

import pytest

from robust_lib.curation import decisions as made
from tests import tiny, trees

REPOSITORY = Path(__file__).resolve().parents[2]
NETS = """
import torch
from robust_lib.models.adapter import TorchClassifier
from robust_lib.preprocessing import Preprocessing

def net(name, classes, outputs, seed):
    torch.manual_seed(seed)
    module = torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, outputs))
    return TorchClassifier(module=module, name=name, classes=classes, outputs=outputs,
                           preprocessing=Preprocessing(32, 28))

def public():
    return net("public", "imagenet_1k", 1000, 0)

def tuned():
    return net("tuned", "imagenet_a", 200, 1)

def seven():
    return net("seven", "seven", 7, 2)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "nets.py").write_text(NETS)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    for number, name in enumerate(("n01498041", "goldfinch", "junco")):
        for picture in range(4):
            trees.save(folder / "pool" / name / f"{picture}.jpg", 10 * number + picture)
    (folder / "pool" / "README.txt").write_text("beside")
    return folder


@pytest.fixture
def robust(project, monkeypatch, capsys):
    return lambda *words: tiny.command(monkeypatch, capsys, *words)


A = ("filter", "pool", "--rule", "imagenet-a", "--classes", "imagenet_a")
NAMES = ("--models", "nets.py:public", "nets.py:tuned")


def test_candidates_become_a_reviewed_list(robust, project):
    status, printed, _ = robust(*A, *NAMES, "--confidence", "1", "--most", "3")
    assert status == 0
    counts = [line.split(maxsplit=1) for line in printed.splitlines()[:4]]
    steps = ["candidates", "fooled", "unconfident in truth", "shortlisted"]
    assert [step for _, step in counts] == steps
    assert [int(count) for count, _ in counts[:2]] == [12, 11]
    assert printed.endswith("Written: manifest.csv\n")
    told = made.load(project / "manifest.csv")
    assert told.filters == ("public", "tuned")
    assert told.settings["most"] == 3
    assert {one.truth for one in told} == {"stingray", "goldfinch", "junco"}
    assert len(told.class_names) == 200
    assert set(told.settings["crops"]) == {28}

    status, printed, _ = robust("review", "pool", "--manifest", "manifest.csv")
    assert status == 0
    assert f"{len(told.places)} images to review" in printed
    page = (project / "pool" / "review.html").read_text("utf-8")
    digest = json.loads(page.split('id="data">')[1].split("</script>")[0])["digest"]
    for name in ("ada", "bob"):
        decisions = dict.fromkeys(told.shortlisted, "keep")
        saved = {"format": 1, "sheet": digest, "reviewer": name, "decisions": decisions}
        (project / f"decisions-{name}.json").write_text(json.dumps(saved))
    words = ("--manifest", "manifest.csv", "--read", "decisions-ada.json", "decisions-bob.json")
    status, printed, _ = robust("review", "pool", *words)
    assert status == 0
    assert "agreement: 100.0 % of pairs of votes" in printed
    assert (project / "pool" / "reviewed.csv").read_text().count(",2,0,0,keep") == len(told.places)

    # The page of the book goes on from here.
    page = (REPOSITORY / "book" / "filter_and_review.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    space = {}
    exec(compile(block.replace('"candidates"', '"pool"'), "block", "exec"), space)
    assert space["final"].shortlisted == told.shortlisted
    assert space["final"].funnel()["reviewed"]["total"] == len(told.places)


def test_any_pictures_for_the_rule_of_imagenet_o(robust, project):
    trees.save(project / "pool" / "deep" / "er" / "x.png")
    trees.save(project / "pool" / "y.png")
    words = ("--rule", "imagenet-o", "--classes", "imagenet_o", "--models", "nets.py:public")
    status, _, _ = robust("filter", "pool", *words, "--confidence", "0", "--out", "o.csv")
    assert status == 0
    told = made.load(project / "o.csv")
    assert len(told.places) == 14
    assert {"deep/er/x.png", "y.png"} <= set(told.ids)
    assert {one.truth for one in told} == {None}


def test_without_a_class_list_all_of_the_models_classes_count(robust, project):
    words = ("filter", "pool", "--rule", "imagenet-a", "--models", "nets.py:public")
    assert robust(*words)[0] == 0
    assert len(made.load(project / "manifest.csv").class_names) == 1000


def test_a_second_call_asks_no_model(robust, project, monkeypatch):
    assert robust(*A, *NAMES)[0] == 0
    before = (project / "manifest.csv").read_bytes()
    monkeypatch.setattr(
        "robust_lib.predict.classify.checked_logits", lambda *_: pytest.fail("asked")
    )
    assert robust(*A, *NAMES)[0] == 0
    assert (project / "manifest.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*A, "--models", "nets.py:seven"), "seven to have 200 outputs, .* it has 7 of seven"),
        ((*A, "--models", "nets.py:public", "torchvision/resnet81"), "the name of a model, but"),
        ((*A[:-1], "imagenet_z", *NAMES), "class list to be one of backgrounds"),
        (
            ("filter", "pool", "--rule", "imagenet-o", "--classes", "coco", *NAMES[:2]),
            "to have 80 outputs, one per class of coco",
        ),
        (("filter", "pool", "--rule", "imagenet-o", *NAMES), "Expected one model"),
        (("filter", "nowhere", *A[2:], *NAMES), "Expected a folder of images at nowhere"),
        (
            ("filter", "pool", "--rule", "imagenet-a", "--models", "nets.py:seven"),
            "but they are called seven. Set --classes to one of backgrounds",
        ),
        ((*A, *NAMES, "--confidence", "15"), "15 % is 0.15"),
        ((*A, *NAMES, "--device", "gpu"), "a device such as cpu, cuda"),
        (("review", "nowhere"), "there is no such folder"),
        (("review", "pool", "--manifest", "none.csv"), "`robust filter` to write it"),
        (("review", "pool", "--read", "none.json"), "Expected decisions in none.json"),
    ],
)
def test_what_is_refused_with_one_paragraph(robust, project, words, told):
    status, _, complaint = robust(*words)
    assert status == 1
    assert re.search(told, complaint)
    assert not (project / "manifest.csv").exists()
