"""The settings of the enhancements: the paper's, where the run has them."""

from dataclasses import replace

from robust_book.chapters.inc_3_enhancements import settings
from robust_lib.results.compare import compare
from robust_lib.results.table import Results


def test_settings_are_the_papers_and_the_runs(run):
    rows = settings.results(run, "few")
    noises = rows.select(metric="uniform_noise").rows
    assert [(row.severity, row.value) for row in noises] == [(1, 0.01), (2, 0.05), (3, 0.1)]
    assert rows.row(metric="crops").value == 10
    epochs = {row.item: row.value for row in rows.select(metric="epochs").rows}
    assert epochs == {"inc-claim-stability": 5, "inc-claim-clahe": 5}


def test_a_run_cut_to_fewer_epochs_is_smaller_than_the_paper_and_does_not_differ(run):
    cut = replace(run, profile=run.profile.model_copy(update={"epochs": 1}))
    for one, word in ((run, "as printed"), (cut, "not comparable")):
        found = compare(settings.results(one, "few"), "inc-claim-stability")
        (verdict,) = (each for each in found if each.metric == "epochs")
        assert verdict.verdict == word
    assert verdict.arithmetic.endswith("a subset of 1 of 5")


def test_a_run_without_enhanced_networks_has_no_settings(run):
    networks = run.profile.networks | {"enhancements": {"resnet50": "resnet18_mini"}}
    bare = replace(run, profile=run.profile.model_copy(update={"networks": networks}))
    assert settings.results(bare, "few") == Results()


def test_one_noise_of_three_keeps_its_number(run):
    names = {"resnet50_stability_3_2": "resnet18_mini_stability_3_2"}
    networks = run.profile.networks | {"enhancements": names}
    fewer = replace(run, profile=run.profile.model_copy(update={"networks": networks}))
    rows = settings.results(fewer, "few")
    noise, weight = (rows.row(metric=name) for name in ("uniform_noise", "stability_weight"))
    assert (noise.severity, noise.value, weight.severity, weight.value) == (3, 0.1, 2, 0.05)
