"""The dots of the figures: the right numbers by the right titles."""

import pytest

from robust_book.chapters.inc_3_enhancements import dots
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.vocabulary import COMMON, corruption_label


def of(item, run, grid):
    return enhancements.members(item, run.paper_names, grid.models)


def test_changes_are_those_of_each_corruption_and_of_the_mean(run, known):
    rows, grid, _ = known
    item = "inc-claim-denoise"
    found = dots.change_dots(rows, item, of(item, run, grid), "resnet18_mini")
    assert list(found) == ["Denoised"]
    assert dots.rows_of(found) == [*map(corruption_label, COMMON), "mCE"]
    ce = {
        model: rows.row(item=item, model=model, metric="ce", corruption="fog").value
        for model in ("resnet18_mini", "resnet18_mini_nlm")
    }
    change = 100 * (ce["resnet18_mini_nlm"] - ce["resnet18_mini"])
    assert found["Denoised"]["Fog"][0] == pytest.approx(change)
    assert dots.change_dots(rows, item, of(item, run, grid), None) == {}


def test_figure_3_has_three_noises_of_four_networks(run, known):
    rows, grid, _ = known
    found = dots.noise_dots(rows, "inc-fig3", of("inc-fig3", run, grid))
    assert list(found) == ["ResNet-34-like", "DenseNet-121-like", "MSDNet-like", "Multigrid-like"]
    assert {name for values in found.values() for name in values} == {
        "Gaussian noise", "Shot noise", "Impulse noise",
    }  # fmt: skip


def test_figure_4_has_both_numbers_of_the_paper_and_of_the_run(run, known):
    rows, grid, _ = known
    ours = dots.both(rows, "inc-fig4", list(of("inc-fig4", run, grid).values()))
    assert len(ours) == len(dots.printed_both("inc-fig4")) == 5
    error, mce = dots.printed_both("inc-fig4")["ResNeXt-101"]
    assert (error[0], mce[0]) == pytest.approx((21.0, 62.2))
    assert all(low <= value <= high for both in ours.values() for value, low, high in both)


def test_panels_set_the_papers_numbers_beside_ours(run, known):
    rows, grid, _ = known
    item = "inc-claim-small"
    panels = dots.both_panels(rows, item, of(item, run, grid))
    assert list(panels) == ["clean error", "mCE"]
    assert panels["mCE"]["the paper"]["CondenseNet (8)-like"][0] == pytest.approx(84.6)
    assert panels["mCE"]["this run"].keys() > panels["mCE"]["the paper"].keys()
