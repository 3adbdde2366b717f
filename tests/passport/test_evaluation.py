"""One model through the benchmarks: equal to the chapters' own numbers, and reasons where it is not
taken."""

import json
import re
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image

import robust_lib
from robust_book import chapters
from robust_book.passport.page import page
from robust_lib import seeds
from robust_lib.datasets.synthetic import Synthetic
from robust_lib.errors import DataError, InputError, ModelError
from robust_lib.passport import evaluation
from robust_lib.passport.benchmarks import Measured
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import corruption_error
from robust_lib.results.reported import alexnet_errors
from robust_lib.results.table import Results
from robust_lib.run.papers import inc
from robust_lib.run.run import Run
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON, OCCLUSION
from tests import tiny


def test_the_numbers_are_those_of_the_chapter(project, passports):
    section = passports["one"][0].passport.section("imagenet_c")
    run = start(chapters.chapter("inc_2_mce"), "tiny", models=["nets.py:one"])
    grid = run.grid()
    rows = corruption_error.results(grid, inc.normaliser(run, grid), samples=run.profile.bootstrap)
    expected = {
        (row.metric, row.corruption, row.severity): (row.value, row.low, row.high)
        for row in rows.select(model="one").rows
    }
    found = {
        (one.metric, one.corruption, one.severity): (one.value, one.low, one.high)
        for one in section.numbers
    }
    assert len(expected) > 100
    assert {key: found[key] for key in expected} == expected


def test_halves_and_occlusions_are_there_too(passports):
    section = passports["one"][0].passport.section("imagenet_c")
    means = {one.corruption for one in section.numbers if one.metric == "mean_ce"}
    ces = {one.corruption for one in section.numbers if one.metric == "ce"}
    assert means == {"set1", "set2"}
    assert {"border", "obstruction"} < ces
    half = [one.value for one in section.numbers if one.metric == "ce" and one.corruption in SET2]
    mean = next(one for one in section.numbers if one.corruption == "set2")
    assert mean.value == pytest.approx(np.mean(half))


SET2 = ("snow", "frost", "fog", "brightness", "contrast", "elastic_transform", "jpeg_compression")


def test_under_published_errors_the_baseline_is_asked_about_occlusions_alone(project, monkeypatch):
    asked = []
    grid = Run.grid

    def spied(run, clean=True):
        asked.append((tuple(map(str, run.networks)), run.corruptions, clean))
        return grid(run, clean)

    monkeypatch.setattr(Run, "grid", spied)
    found = robust_lib.evaluate("nets.py:one", profile="published", benchmarks=["imagenet_c"])
    assert asked == [
        (("one",), COMMON + OCCLUSION, True),
        (("alexnet_mini",), OCCLUSION, True),
    ]
    (section,) = found.passport.sections
    assert section.lacks == ()
    numbers = {one.title: one.number for one in section.headlines}
    run = start(chapters.chapter("inc_2_mce"), "tiny", models=["alexnet", "nets.py:one"],
                corruptions=["border"])  # fmt: skip
    one, base = (sum(run.grid().errors(name, "border")) for name in ("one", "alexnet_mini"))
    assert numbers["CE, border"].value == pytest.approx(one / base)
    assert "alexnet_mini, measured on the same images" in numbers["CE, border"].convention
    fog = [each for each in section.numbers if each.corruption == "fog"]
    errors = sum(each.value for each in fog if each.severity is not None)
    ce = next(each.value for each in fog if each.metric == "ce")
    assert ce == pytest.approx(errors / alexnet_errors()["fog"].sum())


def test_a_baseline_that_cannot_be_asked_is_a_reason_on_the_page(project, monkeypatch):
    grid = Run.grid

    def refused(run, clean=True):
        if run.corruptions == OCCLUSION:
            raise DataError("Expected weights, but there are none.")
        return grid(run, clean)

    monkeypatch.setattr(Run, "grid", refused)
    found = robust_lib.evaluate("nets.py:one", profile="published", benchmarks=["imagenet_c"])
    (section,) = found.passport.sections
    assert section.left_out is None
    assert {"mCE", "Clean error"} <= {one.title for one in section.headlines}
    assert not {"border", "obstruction"} & {
        one.corruption for one in section.numbers if one.metric == "ce"
    }
    (why,) = section.lacks
    assert why.startswith("CE of border and obstruction")
    assert "Expected weights" in why
    assert "CE of border and obstruction" in page(found.passport)


def test_accuracy_on_hard_pictures_is_counted_anew(project, passports):
    evaluated, _ = passports["one"]
    numbers = {one.title: one.number for one in evaluated.passport.section("imagenet_a").headlines}
    whole = {one.dataset: one for one in evaluated.answers}
    name = numbers["Accuracy, hard images"].dataset
    run = start(chapters.chapter("nae_2_imagenet_a"), "tiny", models=["nets.py:one"])
    hard = run.image_set("imagenet_a")
    kept = [run.images.class_names.index(one) for one in hard.class_names]
    columns = {one: at for at, one in enumerate(run.image_set("imagenet_train").class_names)}
    kept = [columns[one] for one in hard.class_names]
    said = whole[name].logits[:, kept].argmax(1)
    assert numbers["Accuracy, hard images"].value == (said == hard.labels).mean()


def test_what_a_model_cannot_take_is_named_with_the_reason(passports):
    left = {one.benchmark: one.left_out for one in passports["one"][0].passport.sections}
    assert left["imagenet_c"] is None
    assert left["nao"] == "It is for detectors, and one is a classifier."


def test_data_that_is_not_there_is_a_reason_and_no_error(project, monkeypatch):
    monkeypatch.setattr(
        evaluation, "load_profile", lambda name: _without(load(name), "imagenet_vid_robust")
    )
    load = robust_lib.config.profiles.load_profile
    found = robust_lib.evaluate("nets.py:one", profile="tiny", benchmarks=["imagenet_vid_robust"])
    assert found.passport.sections[0].left_out == "Profile tiny has no imagenet_vid_robust."


def _without(profile, role):
    data = {name: one for name, one in profile.data.items() if name != role}
    return profile.model_copy(update={"data": data})


def test_other_classes_are_a_reason(project):
    ten = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64 * 64 * 3, 10))
    model = robust_lib.TorchClassifier(
        module=ten, name="ten", classes="digits", outputs=10,
        preprocessing=robust_lib.Preprocessing(None, 64),
    )  # fmt: skip
    found = robust_lib.evaluate(model, profile="tiny", benchmarks=["imagenet_c"])
    assert "Expected" in found.passport.sections[0].left_out
    assert found.answers == ()


def test_a_bare_module_and_a_function_answer_in_the_images_classes(project):
    rng = seeds.generator("weights")
    weights = rng.normal(size=(3, 4)).astype(np.float32)

    def colours(images):
        return images.mean((2, 3)) @ weights

    module = torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(3, 4, bias=False)
    )
    module[2].weight.data = torch.from_numpy(weights.T.copy())
    asked = {"profile": "tiny", "benchmarks": ["imagenet_c"], "limit": 4}
    by_function = robust_lib.evaluate(colours, **asked)
    by_module = robust_lib.evaluate(module, name="mine", **asked)
    assert (by_function.passport.model, by_module.passport.model) == ("colours", "mine")
    assert by_function.passport.section("imagenet_c").left_out is None
    assert by_module.passport.section("imagenet_c").left_out is None


def test_chapters_evaluate_ones_own_model_in_three_lines(project, monkeypatch, capsys):
    """The blocks "Use this metric on your model", as they are printed, one after another."""
    few = partial(robust_lib.evaluate, profile="tiny", limit=4)
    monkeypatch.setattr(robust_lib, "evaluate", few, raising=False)
    nets = (project / "nets.py").read_text()
    (project / "my_net.py").write_text(nets.replace("def one()", "def build()"))
    (project / "my_detector.py").write_text(nets.replace("def nothing()", "def build()"))
    texts = [
        "".join(cell["source"])
        for path in sorted((project / "notebooks").glob("*.ipynb"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    ]
    block = re.compile(r"```python\n(from robust_lib import evaluate\n.*?)```", re.DOTALL)
    blocks = [found for one in texts for found in block.findall(one)]
    assert len(blocks) == 5
    page = (tiny.REPOSITORY / "book" / "passport.md").read_text("utf-8")
    (of_page,) = re.findall(r"```python\n(import robust_lib\n.*?)```", page, re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(of_page, "passport.md", "exec"), scope)
    assert scope["found"].passport.section("imagenet_c").headlines[1].title == "mCE"
    for one in blocks:
        assert len(one.splitlines()) == 3
        exec(compile(one, one, "exec"), {})
        assert re.search(r"^\S.*: \d\.\d{3}$", capsys.readouterr().out, re.MULTILINE), one


def test_the_readmes_python_runs_with_a_readers_model_and_images(project, monkeypatch):
    readme = (tiny.REPOSITORY / "README.md").read_text("utf-8")
    (typed,) = re.findall(r"```pycon\n(.*?)```", readme, re.DOTALL)
    (model,) = re.findall(r"```python\n(import torch\n.*?)```", readme, re.DOTALL)
    (project / "my_net.py").write_text(model)
    few = partial(robust_lib.evaluate, profile="tiny", limit=4)
    monkeypatch.setattr(robust_lib, "evaluate", few, raising=False)
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64 * 64 * 3, 1000))
    theirs = robust_lib.TorchClassifier(  # whose weights would be fetched
        module=net, name="resnet50", classes="imagenet", outputs=1000,
        preprocessing=robust_lib.Preprocessing(None, 64),
    )  # fmt: skip
    monkeypatch.setattr(robust_lib, "load", {"torchvision/resnet50": theirs}.get, raising=False)
    picture = Image.fromarray(np.zeros((64, 64, 3), dtype=np.uint8))
    for name in ("goldfish", "tench"):
        (project / "my_pictures" / name).mkdir(parents=True)
        picture.save(project / "my_pictures" / name / "one.png")
    scope = {"images": torch.zeros(2, 3, 64, 64), "names": ["a", "b"]}
    lines = re.sub(r"^>>> ", "", typed, flags=re.MULTILINE).splitlines()
    assert len(lines) == 4
    for line in lines:
        exec(compile(line, line, "exec"), scope)
    assert scope["foggy"].shape == (2, 3, 64, 64)


def test_an_unknown_benchmark_and_a_broken_model_are_refused(project):
    with pytest.raises(InputError, match="a benchmark"):
        robust_lib.evaluate("nets.py:one", profile="tiny", benchmarks=["imagenet_x"])
    with pytest.raises(ModelError):
        robust_lib.evaluate(lambda images: images, profile="tiny")


def test_pictures_are_kept_where_they_may_be_shown(passports, monkeypatch):
    evaluated, _ = passports["one"]
    answers = evaluated.passport.section("imagenet_c").answers
    kinds = {"surest mistakes", "surest and right", "least sure and right"}
    assert {"surest mistakes", "surest and right"} <= {one.kind for one in answers} <= kinds
    assert {(one.images, one.id) for one in answers} <= set(evaluated.pictures)
    sure = [one.confidence for one in answers if one.kind == "surest mistakes"]
    assert sure == sorted(sure, reverse=True)


def test_the_best_are_the_surest_right_answers_and_none_stands_twice():
    labels = np.zeros(10, np.int64)
    logits = np.stack([np.arange(10) - 1.5, np.zeros(10)], 1).astype(np.float32)  # 2 are wrong
    ids = tuple("abcdefghij")
    said = Predictions.from_logits(logits, ids=ids, labels=labels, model="m", dataset="toy")

    images = Synthetic("toy", "blobs", 10, 32, "two", ("one", "two"))
    found = list(evaluation._worth_a_look(Measured(Results.of([]), shown=(said,), sets=(images,))))
    by_kind = {kind: [one.id for one in found if one.kind == kind] for kind in
               ("surest mistakes", "surest and right", "least sure and right")}  # fmt: skip
    assert by_kind == {
        "surest mistakes": ["a", "b"],
        "surest and right": ["j", "i", "h", "g", "f", "e"],
        "least sure and right": ["c", "d"],
    }


def test_pictures_that_may_not_be_passed_on_are_not_kept(project, monkeypatch):
    monkeypatch.setattr(evaluation, "is_withheld", lambda name: True)
    found = robust_lib.evaluate("nets.py:one", profile="tiny", benchmarks=["imagenet_c"])
    assert found.passport.section("imagenet_c").answers
    assert found.pictures == {}
