"""The forecast, by hand: images, passes and hours; rates are those of the files that hold them."""

import pandas as pd
import pytest

from robust_book.chapters import all_chapters, chapter
from robust_book.engine import forecast
from robust_book.engine.forecast import Machine, Reading, Work
from robust_book.engine.supplies import supplies
from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.run.network import Network

FULL = load_profile("full")


def test_the_work_of_the_corruption_errors():
    found = forecast.work(chapter("inc_2_mce"), FULL)
    assert found.pictures == 50_000 * (1 + 19 * 5)
    assert found.archive == 50_000 * 19 * 5
    assert found.passes == 7 * found.pictures
    # torchvision's own counts of the seven networks.
    flops = 0.714 + 0.349 + 7.609 + 19.632 + 19.632 + 1.814 + 4.089
    assert found.gigaflops == pytest.approx(found.pictures * flops, rel=1e-3)
    assert found.training == 0


def test_the_work_of_trainings_is_that_of_their_recipes():
    profile = load_profile("full_trained")
    found = forecast.work(chapter("overlap_1_matrix"), profile)
    # 40 epochs of about a tenth of ImageNet; 17 corruptions, and none, of each of two networks.
    assert found.training == pytest.approx(40 * 128_117 * 18 * (1.814 + 2.834), rel=1e-3)


def test_what_is_corrupted_here_lies_in_no_archive():
    found = forecast.work(chapter("overlap_2_balance_and_cover"), load_profile("full_trained"))
    assert 0 < found.archive < found.pictures
    mini = forecast.work(chapter("inc_2_mce"), load_profile("mini"))
    assert mini.archive == 0
    generated = FULL.model_copy(update={"corrupted": "generated"})
    found = forecast.work(chapter("inc_2_mce"), generated)
    assert (found.archive, found.corrupted) == (0, 50_000 * 19 * 5)


def test_what_nobody_counted_is_named():
    profile = load_profile("full_trained")
    found = forecast.work(chapter("vid_1_dataset"), profile)
    assert found.uncounted == ("imagenet_vid_train",)
    assert forecast.work(chapter("inc_2_mce"), profile).uncounted == ()


def test_a_network_of_unknown_size_counts_as_a_large_one():
    assert forecast.gigaflops(Network("my_net.py:build")) == forecast.UNKNOWN
    assert forecast.gigaflops(Network("dpn98")) == forecast.UNKNOWN
    # Its pictures are of 32 pixels.
    assert forecast.gigaflops(Network("resnet20")) == pytest.approx(forecast.UNKNOWN / 49)


def test_one_that_is_trained_here_counts_as_its_architecture():
    assert forecast.gigaflops(Network("resnet18")) == pytest.approx(1.814)
    assert forecast.gigaflops(Network("resnet18_imagenet_100", "fog")) == pytest.approx(1.814)


def test_gates_are_those_that_a_run_can_pass():
    found = forecast.gates_of(chapter("nae_2_imagenet_a"), FULL)
    hard = {gate.model for gate in found if gate.dataset == "imagenet_a"}
    assert "resnet34" in hard
    # Their references come from pictures that were normalised otherwise.
    assert not {"dpn68", "dpn98"} & hard
    archive = [g for g in forecast.gates_of(chapter("inc_2_mce"), FULL) if g.corruption]
    assert len(archive) == 15


def test_every_chapter_of_full_has_a_forecast():
    for one in all_chapters():
        if not supplies(one, FULL).elsewhere:
            assert forecast.work(one, FULL).passes >= 0


SECOND = Reading(1000.0, 1000.0, "made up")


def test_the_slower_of_reading_and_computing_decides_where_others_read():
    work = Work("one", 1000, 1000, 5000.0, 0.0)
    slow = Machine("reads slowly", SECOND, 1e9, 1.0, readers=8)
    assert slow.hours(work) == pytest.approx(1000 / 8 / 3600)
    slow = Machine("computes slowly", SECOND, 1.0, 1.0, readers=8)
    assert slow.hours(work) == pytest.approx(5000 / 3600)


def test_a_core_reads_and_computes_one_after_the_other():
    work = Work("one", 1000, 1000, 5000.0, 0.0)
    assert Machine("a core", SECOND, 1.0, 1.0).hours(work) == pytest.approx(6000 / 3600)


def test_photographs_cost_more_than_pictures_of_the_archive():
    reading = Reading(1.0, 5.0, "made up")
    assert reading.seconds(Work("one", 3000, 0, 0.0, 0.0, archive=3000)) == pytest.approx(3)
    assert reading.seconds(Work("one", 3000, 0, 0.0, 0.0, archive=1000)) == pytest.approx(11)


def test_a_picture_is_read_once_and_corrupted_for_each_condition():
    reading = Reading(1.0, 5.0, "made up", corrupted=2.0)
    assert reading.seconds(Work("one", 3000, 0, 0.0, 0.0, corrupted=2000)) == pytest.approx(9)
    table = pd.read_csv(paths.manifests() / "measured" / "corruption_cost.csv")
    assert forecast.reading_cost().corrupted == pytest.approx(table["ours"][:-1].mean())


def test_each_machine_trains_at_its_own_rate():
    work = Work("one", 0, 0, 0.0, 7200.0)
    assert Machine("a core", SECOND, 1.0, 1.0).hours(work) == pytest.approx(2)
    assert Machine("a GPU", SECOND, 1.0, 100.0).hours(work) == pytest.approx(0.02)
    found = forecast.machines()
    assert found["gpu"].training > 100 * found["core"].training


def test_eight_devices_are_less_than_eight_times_one():
    work = Work("one", 1000, 1000, 5000.0, 60.0)
    one = Machine("one", SECOND, 10.0, 10.0, share=0.9)
    assert one.hours(work) / one.hours(work, 8) == pytest.approx(8 * 0.9)


def test_the_overlaps_are_hours_of_a_gpu_and_not_days():
    found = forecast.work(chapter("overlap_1_matrix"), load_profile("full_trained"))
    assert 7 < forecast.machines()["gpu"].hours(found) < 15


def test_reading_costs_what_was_measured(tmp_path, monkeypatch):
    kept = paths.manifests() / "measured" / "reading_cost.csv"
    table = pd.read_csv(kept).set_index("read")["CPU ms"]
    found = forecast.reading_cost()
    assert found.archived == table["an image of the archive"]
    assert found.photograph == table["a photograph of 500 x 375 pixels"]
    # Another measurement changes the hours; no copy of the old one is left anywhere.
    (tmp_path / "measured").mkdir()
    slower = kept.read_text().replace(f"{found.archived:.2f}", "60.0")
    (tmp_path / "measured" / kept.name).write_text(slower)
    cost = kept.with_name("corruption_cost.csv")
    (tmp_path / "measured" / cost.name).write_text(cost.read_text())
    about = kept.with_suffix(".yaml")
    (tmp_path / "measured" / about.name).write_text(about.read_text())
    (tmp_path / "rates.csv").write_text((paths.manifests() / "rates.csv").read_text())
    work = Work("one", 1_000_000, 0, 0.0, 0.0, archive=1_000_000)
    before = forecast.machines()["core"].hours(work)
    monkeypatch.setattr(paths, "manifests", lambda: tmp_path)
    after = forecast.machines()["core"].hours(work)
    assert after / before == pytest.approx(60 / found.archived)


def test_rates_say_when_and_on_what_they_were_measured_or_that_they_were_not():
    reading, core, gpu, here = forecast.rates_in_words()
    assert "measured (2026-" in reading
    assert "EPYC" in reading
    assert "timed by hand" in core
    assert "trainings are assumed" in core
    assert "measured (NVIDIA H200, 2026-" in gpu
    assert "share a host is assumed" in gpu
    assert "nothing is timed here" in here
