"""Tables, dots, settings and the prose's numbers, of known predictions of all networks."""

from dataclasses import replace

import pytest

from robust_book.chapters.inc_3_enhancements import numbers
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, corruption_label


def mce_of(rows, item, model):
    return 100 * numbers.mce_row(rows, item, model).value


def test_stability_training_has_a_row_a_network_those_without_it_first(rows, of):
    members = of(enhancements.STABILITY)
    frame = numbers.stability_frame(rows, members, "resnet18_mini")
    assert frame["Network"].tolist()[:2] == ["ResNet-18-like", "ResNet-18-like (tuned)"]
    assert frame["Network"].tolist()[2:4] == ["Noise 0.01, weight 0.01", "Noise 0.01, weight 0.05"]
    assert frame["± mCE"].tolist()[0] is None
    mce = [mce_of(rows, enhancements.STABILITY, ours) for ours in members.values()]
    assert [cell.value for cell in frame["± mCE"][1:]] == pytest.approx(
        [value - mce[0] for value in mce[1:]]
    )
    errors = [
        rows.row(item=enhancements.STABILITY, model=ours, metric="ce", corruption="shot_noise")
        for ours in list(members.values())[:2]
    ]
    change = 100 * (errors[1].value - errors[0].value)
    assert frame["± Shot noise"][1].value == pytest.approx(change)


def test_the_map_has_noises_across_and_weights_down(rows, of):
    frame, beside = numbers.stability_map(rows, of(enhancements.STABILITY))
    assert list(frame.index) == list(frame.columns) == ["0.01", "0.05", "0.1"]
    value = mce_of(rows, enhancements.STABILITY, "resnet18_mini_stability_3_1")
    assert frame.loc["0.01", "0.1"] == pytest.approx(value)
    assert list(beside) == ["ResNet-18-like", "ResNet-18-like (tuned)"]
    plain = mce_of(rows, enhancements.STABILITY, "resnet18_mini")
    assert beside["ResNet-18-like"] == pytest.approx(plain)
    assert numbers.map_words(*numbers.stability_map(Results(), {})) == "none in this run"
    assert numbers.mce_row(Results(), "inc-fig4", "resnet18_mini") is None


def test_changes_are_differences_of_the_numbers_beside_them(rows, of):
    item = "inc-claim-clahe"
    frame = numbers.changes_frame(rows, item, of(item), "resnet18_mini")
    for head, change in (("Clean error", "± clean error"), ("mCE", "± mCE")):
        below = [cell.value for cell in frame[head]]
        found = [cell.value for cell in frame[change][1:]]
        assert found == pytest.approx([value - below[0] for value in below[1:]])
    assert frame["Lower CEs"].tolist()[0] is None
    assert frame["Lower CEs"][1].split()[0] == "0"
    assert "Lower CEs" not in numbers.changes_frame(rows, "inc-fig4", {"a": "resnet34_mini"}, None)


def test_falls_stand_in_points_of_the_error_where_mce_is_set_against_it(rows, of):
    heads = [
        numbers.changes_frame(rows, item, of(item), "resnet34_mini").columns
        for item in ("inc-fig4", "inc-claim-tencrop", "inc-claim-denoise")
    ]
    assert ["± corrupted error" in found for found in heads] == [True, True, False]


def test_a_point_of_error_is_more_points_of_mce_where_alexnet_errs_less(run, known):
    _, grid, divisor = known
    assert numbers.mce_points(divisor) == pytest.approx(1 / divisor.errors["fog"].mean())
    told = numbers.convention_numbers(run, divisor)
    assert told["mce_points"].text.endswith("here and 1.3 with the paper's AlexNet")
    assert told["sizes"].text.startswith("64 pixels for ")
    # The network of Figure 3 sees 48 pixels, AlexNet's stand-in 64.
    grid = replace(grid, storage="jpeg85 at the network's own size")
    words = numbers.size_words(run, grid, {"a": "resnet34_mini"})
    assert words.endswith("own size: 64 pixels, AlexNet-like; 48 pixels, ResNet-34-like.")
    assert numbers.size_words(run, grid, {"a": "resnet18_mini"}) == ""
    stored = replace(grid, storage="archive")
    assert numbers.size_words(run, stored, {"a": "resnet34_mini"}) == ""


def test_small_networks_stand_with_those_of_their_accuracy(rows, of):
    frame = numbers.size_frame(rows, "inc-claim-small", of("inc-claim-small"))
    assert frame.columns.tolist() == ["Network", "Clean error", "mCE"]
    assert frame["Network"].tolist() == [
        "CondenseNet (4)-like", "CondenseNet (8)-like", "DenseNet-121-like", "VGG-19+BN-like",
        "VGG-19-like",
    ]  # fmt: skip


def test_what_stability_training_adds_stands_in_a_networks_row():
    assert numbers.stability_of("resnet18_mini_stability_3_1~2").noise == 0.1
    assert numbers.stability_of("resnet18_mini") is None
    assert numbers.stability_of("my_net.py:build") is None


def test_changes_as_dots_are_those_of_each_corruption_and_of_the_mean(rows, of):
    item = "inc-claim-denoise"
    found = numbers.change_dots(rows, item, of(item), "resnet18_mini")
    assert list(found) == ["Denoised"]
    assert numbers.rows_of(found) == [*map(corruption_label, COMMON), "mCE"]
    ce = {
        model: rows.row(item=item, model=model, metric="ce", corruption="fog").value
        for model in ("resnet18_mini", "resnet18_mini_nlm")
    }
    change = 100 * (ce["resnet18_mini_nlm"] - ce["resnet18_mini"])
    assert found["Denoised"]["Fog"][0] == pytest.approx(change)
    assert numbers.change_dots(rows, item, of(item), None) == {}
    assert numbers.change_dots(Results(), item, of(item), "resnet18_mini") == {}


def test_figure_3_has_three_noises_of_four_networks(rows, of):
    found = numbers.noise_dots(rows, "inc-fig3", of("inc-fig3"))
    assert list(found) == ["ResNet-34-like", "DenseNet-121-like", "MSDNet-like", "Multigrid-like"]
    assert {name for values in found.values() for name in values} == {
        "Gaussian noise", "Shot noise", "Impulse noise",
    }  # fmt: skip
    row = rows.row(item="inc-fig3", model="resnet34_mini", metric="ce", corruption="shot_noise")
    assert found["ResNet-34-like"]["Shot noise"] == row.percent


def test_figure_4_has_both_numbers_of_the_run(rows, of):
    ours = numbers.both(rows, "inc-fig4", list(of("inc-fig4").values()))
    assert len(ours) == 5
    assert all(low <= value <= high for both in ours.values() for value, low, high in both)
    assert numbers.both(Results(), "inc-fig4", ["vgg11"]) == {}


def test_panels_set_the_papers_numbers_beside_ours(rows, of):
    item = "inc-claim-small"
    panels = numbers.both_panels(rows, item, of(item))
    assert list(panels) == ["clean error", "mCE"]
    assert panels["mCE"]["the paper"]["CondenseNet (8)-like"][0] == pytest.approx(84.6)
    assert panels["clean error"]["the paper"]["CondenseNet (4)-like"][0] == pytest.approx(26.3)
    assert panels["mCE"]["this run"].keys() > panels["mCE"]["the paper"].keys()


def test_settings_are_the_papers_and_the_runs(run):
    rows = numbers.settings(run, "few")
    noises = rows.select(metric="uniform_noise").rows
    assert [(row.severity, row.value) for row in noises] == [(1, 0.01), (2, 0.05), (3, 0.1)]
    assert rows.row(metric="crops").value == 10
    epochs = {row.item: row.value for row in rows.select(metric="epochs").rows}
    assert epochs == {"inc-claim-stability": 5, "inc-claim-clahe": 5}


def test_a_run_cut_to_fewer_epochs_is_smaller_than_the_paper_and_does_not_differ(run):
    cut = replace(run, profile=run.profile.model_copy(update={"epochs": 1}))
    for one, word in ((run, "as printed"), (cut, "not comparable")):
        found = compare(numbers.settings(one, "few"), "inc-claim-stability")
        (verdict,) = (each for each in found if each.metric == "epochs")
        assert verdict.verdict == word
    assert verdict.arithmetic.endswith("a subset, 1 of 5")


def test_networks_that_a_run_lacks_have_no_settings_and_one_noise_of_three_keeps_its_number(run):
    def settings(names):
        networks = run.profile.networks | {"enhancements": names}
        profile = run.profile.model_copy(update={"networks": networks})
        return numbers.settings(replace(run, profile=profile), "few")

    assert settings({"resnet50": "resnet18_mini"}) == Results()
    rows = settings({"resnet50_stability_3_2": "resnet18_mini_stability_3_2"})
    noise, weight = (rows.row(metric=name) for name in ("uniform_noise", "stability_weight"))
    assert (noise.severity, noise.value, weight.severity, weight.value) == (3, 0.1, 2, 0.05)


def test_key_numbers_are_differences_to_the_standard_network(run, known):
    rows, grid, _ = known
    found = numbers.key_numbers(rows, grid, run.paper_names)
    assert found["standard"].text == "ResNet-18-like"
    standard = mce_of(rows, enhancements.STABILITY, "resnet18_mini")
    assert found["standard_mce"].text == f"{standard:.1f} %"
    assert found["stability"].text.startswith("9 of 9 networks have a higher mCE")
    assert found["stability_least"].text.endswith("% (noise 0.01, weight 0.01)")
    places = {name: place for place, name in enumerate(grid.models)}
    names = run.paper_names
    later = places[names["resnet50_nlm"]] - places[names["resnet50"]]
    # Each network errs once more of twenty.
    assert found["denoise_error"].value == pytest.approx(later / 20)
    # A fall of mCE is one of the error divided by AlexNet's: the two are no points of one kind.
    beyond = found["crops_error"].value - found["crops_corrupted"].value
    assert found["crops_beyond"].value == pytest.approx(beyond)
    assert abs(found["crops_corrupted"].value) < abs(found["crops_mce"].value)
    assert "not measured" not in {number.text for number in found.values()}


def test_numbers_against_the_network_that_was_only_tuned(run, known):
    rows, grid, _ = known
    names = run.paper_names
    found = numbers.key_numbers(rows, grid, names)

    def mce(paper):
        return rows.row(item="inc-claim-clahe", metric="mce", model=names[paper]).value

    alone = mce("resnet50_clahe") - mce("resnet50_tuned")
    assert found["clahe_over_tuned"].value == pytest.approx(alone)
    assert alone != pytest.approx(found["clahe_mce"].value)
    assert "that of resnet18_mini_tuned" in found["stability_over_tuned"].convention
    without = {paper: ours for paper, ours in names.items() if paper != "resnet50_tuned"}
    lacking = numbers.key_numbers(rows, grid, without)
    assert lacking["clahe_over_tuned"].text == "not measured"
    assert lacking["stability_over_tuned"].text == "not measured"
    assert lacking["stability"].text == found["stability"].text


def test_what_was_not_evaluated_is_said_in_words(run, known):
    _, grid, _ = known
    found = numbers.key_numbers(Results(), grid, {})
    assert {number.text for number in found.values()} == {"not measured"}
    assert found.keys() == numbers.key_numbers(known[0], grid, run.paper_names).keys()
