"""Settings of the trainings from scratch, ours beside the paper's."""

import pytest

from robust_book.chapters import inc_2_mce
from robust_book.chapters import nae_2_imagenet_a as chapter
from robust_book.chapters.nae_2_imagenet_a import settings
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import load_profile
from robust_lib.results.compare import compare
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from robust_lib.run.start import start
from robust_lib.training import zoo
from robust_lib.training.recipes import load_recipe

NAMES = load_profile("full_trained").networks["nae"]
PLAIN = NAMES["resnext50_32x4d_200"]


def rows(names, model):
    manifest = load_model(model)
    return settings.settings(names, manifest, load_recipe(manifest.recipe))


def test_the_real_networks_are_trained_as_the_paper_says():
    found = compare(rows(NAMES, PLAIN), "nae-fig8", roles=NAMES)
    ours = [one for one in found if one.status == "setting"]
    assert len(ours) == 15
    for one in ours:
        assert one.ours == pytest.approx(float(one.ours))
        assert one.verdict in ("as printed", "not comparable"), one
    values = {(one.metric, one.severity): one.ours for one in ours if one.model == PLAIN}
    assert values["epochs", None] == 90
    assert values["warmup_epochs", None] == pytest.approx(5)
    assert [values["milestone", number] for number in (1, 2, 3)] == pytest.approx([30, 60, 80])
    assert values["epsilon", None] == pytest.approx(8 / 255)


def test_a_cosine_has_no_drops():
    mini = load_profile("mini").networks["nae"]
    metrics = {row.metric for row in rows(mini, mini["resnext50_32x4d_200"]).rows}
    assert "milestone" not in metrics
    assert "attack_steps" in metrics


def test_a_runs_settings_are_those_of_its_profile():
    (row,) = settings.results(start(chapter.CHAPTER, "smoke")).select(metric="epochs").rows
    assert row.value == load_profile("smoke").epochs
    (row,) = settings.results(start(chapter.CHAPTER, "mini", epochs=2)).select(metric="epochs").rows
    assert (row.model, row.value) == ("resnext50_200_mini", 2)


def test_a_run_without_networks_from_scratch_has_no_settings():
    run = start(inc_2_mce.CHAPTER, "smoke")
    assert settings.results(run) == Results()


def test_what_stands_for_stylized_imagenet_is_named():
    mini, full = (load_profile(name).networks["nae"] for name in ("mini", "full_trained"))
    assert "of random convolutions in its place" in settings.textures(mini)
    assert settings.textures(full) == settings.textures({}) == ""


def test_the_papers_networks_on_stylized_imagenet_are_trained_on_it():
    """The stand-ins have names of their own, which no printed number has."""
    names = load_profile("full_trained").networks["nae"]
    for suffix, role in (("sin", "stylized_imagenet_a"), ("sin_in", "stylized_and_imagenet_a")):
        network, recipe = zoo.plan(names[f"{PLAIN}_{suffix}"])
        assert (network.trained_on, recipe) == (role, zoo.plan(names[PLAIN])[1])
        assert load_profile("full_trained").data[role] == role
    stand_ins = {f"{PLAIN}_texture", f"{PLAIN}_texture_in"}
    assert stand_ins <= set(names)
    assert not stand_ins & {row.model for row in reported("nae-fig8")}
