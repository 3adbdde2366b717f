"""The catalogue of corruptions: complete, in step with the code, and silent where nobody knows."""

import shutil
import sys

import numpy as np
import pytest

from robust_lib import corruptions, paths
from robust_lib.config import corruption_cards
from robust_lib.config.corruption_cards import (
    catalogue,
    convention,
    cost_of,
    costs,
    is_canonical,
)
from robust_lib.corruptions import elastic, occlusion, spatter
from robust_lib.corruptions.blur import zoom_factors
from robust_lib.corruptions.table import CORRUPTIONS
from robust_lib.errors import ManifestError
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import NAMES, OWN, SEVERITIES

# What the constants are called in the module that computes the corruption, if not by its name.
TABLES = {
    "gaussian_noise": "GAUSSIAN_SIGMA",
    "shot_noise": "SHOT_RATE",
    "impulse_noise": "IMPULSE_SHARE",
    "defocus_blur": "DEFOCUS",
    "glass_blur": "GLASS",
    "motion_blur": "MOTION",
    "jpeg_compression": "QUALITY",
    "speckle_noise": "SPECKLE_SIGMA",
    "gaussian_blur": "GAUSSIAN_SIGMA",
}
# Where the catalogue tells them in the order of the formula.
ORDER = {"snow": (6, 0, 1, 2, 3, 4, 5)}


def told(name):
    """The constants of the catalogue, one row a severity."""
    return np.array([one.values for one in catalogue()[name].constants]).T


def computed(name):
    """The constants that the corruption is computed with, one row a severity."""
    if name == "zoom_blur":
        factors = [zoom_factors(severity) for severity in SEVERITIES]
        return [[len(found), found[1] - found[0], found[-1]] for found in factors]
    if name == "elastic_transform":
        return elastic.SIDE * np.array(elastic.ELASTIC)
    if name in ("border", "obstruction"):
        ends = {"border": occlusion.BORDER_THICKNESS, "obstruction": occlusion.OBSTRUCTION_SIDE}
        return [ends[name]] * len(SEVERITIES)
    module = sys.modules[CORRUPTIONS[name].apply.__module__]
    table = np.array(getattr(module, TABLES.get(name, name.upper())), dtype=float).reshape(
        len(SEVERITIES), -1
    )
    return table[:, ORDER.get(name, range(table.shape[1]))]


def test_every_corruption_is_there_in_the_order_of_the_vocabulary():
    assert tuple(catalogue()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_constants_are_those_of_the_code(name):
    assert told(name) == pytest.approx(np.array(computed(name)), rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_chance_is_told_where_there_is_chance(name):
    assert (catalogue()[name].draws is not None) == CORRUPTIONS[name].random


def test_the_drops_of_spatter_change_where_the_formula_says():
    formula = catalogue()["spatter"].formula
    assert f"severity 1 to {spatter.FIRST_MUD - 1}" in formula
    assert f"severity {spatter.FIRST_MUD} and 5" in formula


@pytest.mark.parametrize("name", NAMES)
def test_a_definition_is_one_short_sentence_and_one_formula(name):
    entry = catalogue()[name]
    assert entry.says.endswith(".")
    assert entry.says.count(".") == 1
    assert len(entry.says.split()) <= 25
    assert "y" in entry.formula
    assert "=" in entry.formula
    assert entry.formula.count("{") == entry.formula.count("}")
    for prose in (entry.says, entry.where, entry.draws, entry.quirk):
        assert (prose or "").count("$") % 2 == 0


def test_what_quirks_say_of_severities_is_so():
    errors = alexnet_errors()
    for name in ("snow", "elastic_transform"):
        assert errors[name][1] > errors[name][2]
    assert errors["saturate"].argmin() + 1 == 3
    out_of_order = {n for n, e in errors.items() if len(e) > 1 and (np.diff(e) < 0).any()}
    assert out_of_order == {"snow", "elastic_transform", "saturate"}


def test_the_constants_of_a_severity_can_be_read():
    assert catalogue()["fog"].told(3) == "strength 2.5, decay of the variations 1.7"
    assert catalogue()["jpeg_compression"].told(1) == "quality 25"


@pytest.fixture
def manifests(tmp_path, monkeypatch):
    folder = tmp_path / "data_manifests"
    (folder / "measured").mkdir(parents=True)
    shutil.copy(paths.manifests() / "corruptions.yaml", folder)
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    return folder


def test_a_corruption_too_few_or_out_of_order_is_refused(manifests):
    file = manifests / "corruptions.yaml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("\nfog:", "\nmist:"), "utf-8")
    with pytest.raises(ManifestError, match=r"entry.*gaussian_noise.*mist"):
        catalogue()
    file.write_text("- fog\n", "utf-8")
    with pytest.raises(ManifestError, match=r"but found list\."):
        catalogue()


def test_four_constants_are_refused_with_their_line(manifests):
    file = manifests / "corruptions.yaml"
    text = file.read_text("utf-8")
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "60, 25, 12, 5, 3" in row)
    file.write_text(text.replace("60, 25, 12, 5, 3", "60, 25, 12, 5"), "utf-8")
    with pytest.raises(ManifestError, match=rf"corruptions\.yaml:{line}: .*at least 5 items"):
        catalogue()


def test_of_a_papers_corruption_the_code_knows_the_convention():
    for name in set(NAMES) - set(OWN):
        assert convention(name) == corruptions.convention(name)
        assert is_canonical(name) == corruptions.is_canonical(name)
    assert not is_canonical("rain.py:rain")


def test_a_corruption_of_no_paper_is_never_as_published(manifests, monkeypatch):
    monkeypatch.setattr(corruption_cards, "OWN", (*OWN, "fog"))
    file = manifests / "corruptions.yaml"
    with pytest.raises(ManifestError, match=r"expected a convention .*but fog has none\."):
        catalogue()
    text = file.read_text("utf-8")
    file.write_text(text.replace("\nfog:", "\nfog:\n  convention: drawn by us"), "utf-8")
    assert convention("fog") == "drawn by us"
    assert not is_canonical("fog")
    monkeypatch.setattr(corruption_cards, "OWN", OWN)
    with pytest.raises(ManifestError, match="for no others, but fog has 'drawn by us'"):
        catalogue()


def write(manifests, *rows):
    file = manifests / "measured" / "corruption_speed.csv"
    file.write_text("\n".join(rows) + "\n", "utf-8")


def test_costs_are_empty_until_somebody_measures(manifests):
    assert costs() == ()
    assert cost_of("fog", costs(), 3) is None


def test_costs_are_those_of_the_nearest_severity(manifests):
    write(
        manifests,
        "corruption,severity,ours_ms,peer_ms,ratio",
        "fog,1,1.5,9,6",
        "fog,5,2,10,5",
        "border,3,0.1,,",
    )
    measured = costs()
    assert (cost_of("fog", measured, 4).ours_ms, cost_of("fog", measured, 4).peer_ms) == (2, 10)
    assert cost_of("fog", measured, 2).severity == 1
    assert cost_of("border", measured, 1).peer_ms is None
    assert cost_of("snow", measured, 1) is None


def test_a_table_of_costs_with_other_columns_is_refused(manifests):
    write(manifests, "corruption,severity,ours", "fog,1,2")
    with pytest.raises(ManifestError, match=r"ours_ms, peer_ms.*among"):
        costs()


def test_a_cost_that_is_no_number_is_refused(manifests):
    write(manifests, "corruption,severity,ours_ms,peer_ms", "fog,1,quick,2")
    with pytest.raises(ManifestError, match="corruption_speed"):
        costs()


def test_the_committed_costs_are_of_corruptions_there_are():
    if not (paths.manifests() / "measured" / "corruption_speed.csv").exists():
        pytest.skip("no speeds are committed; the page says that they are not measured")
    measured = costs()
    assert {one.corruption for one in measured} <= set(NAMES)
    assert all(cost_of(name, measured, 3) for name in NAMES[:15])
