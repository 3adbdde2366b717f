"""This machine's pace: sampled once, followed by plans, and corrected by what jobs take."""

from types import SimpleNamespace

import pytest

from robust_book.commands import book
from robust_book.engine import pace
from robust_book.engine.jobs import Job
from robust_book.engine.pace import Pace
from robust_lib.errors import RunError

TRAIN = Job("train-a", "train", (), (), 400.0)
TOUR = Job("notebook-tour", "notebook", (), (), 30.0)
SITE = Job("site", "site", (), (), 20.0)
HERE = Pace("here", {"train": 60.0, "notebook": 60.0}, {"train": 150.0, "notebook": 66.0})


@pytest.fixture
def probed(tmp_path, monkeypatch):
    """Return what the samples say, one after the other; each start of one is counted."""
    said, begun = [], []

    def start(command, **given):
        begun.append(given["env"]["OMP_NUM_THREADS"])
        text = said[len(begun) - 1]
        return SimpleNamespace(communicate=lambda timeout: (text, None), kill=lambda: None)

    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    monkeypatch.setattr(pace.subprocess, "Popen", start)
    return SimpleNamespace(said=said, begun=begun)


def test_a_plan_follows_the_pace_of_each_kind_of_work():
    on_gpu = Job("predict-a", "predict", (), (), 100.0, gpu=True)
    found = HERE.of([TRAIN, TOUR, SITE, on_gpu])
    # Pages are Python as notebooks are, and of predictions nothing is known here.
    assert [job.seconds for job in found] == pytest.approx([1000.0, 33.0, 22.0, 100.0])


def test_what_jobs_took_outweighs_the_samples():
    train, tour, _ = HERE.of([TRAIN, TOUR, SITE])
    after = HERE.after([(train, 800.0), (tour, 30.0)])
    assert after.planned["train"] == pytest.approx(460.0)
    assert after.times("train") == pytest.approx(950 / 460)
    assert after.times("notebook") == pytest.approx(96 / 90)
    # The next run's jobs are planned at another pace, and mean the same.
    (again,) = after.of([TRAIN])
    assert after.after([(again, 800.0)]).times("train") == pytest.approx(1750 / 860)


def test_an_old_pace_is_forgotten():
    once = Pace("here", {"train": 7000.0}, {"train": 7000.0})
    (train,) = once.of([Job("train-b", "train", (), (), 7400.0)])
    after = once.after([(train, 2 * 7400.0)])
    assert after.planned["train"] == pytest.approx(pace.KEPT)
    assert after.times("train") == pytest.approx(21800 / 14400)


def test_a_machine_is_sampled_once_on_all_its_cores(probed):
    probed.said += ['{"train": 2.0, "draw": 1.0}', '{"train": 3.0, "draw": 1.2}']
    found = pace.of_this_machine(2)
    assert (found.times("train"), found.times("draw")) == pytest.approx((2.5, 1.1))
    assert pace.of_this_machine(2) == found
    assert probed.begun == ["1", "1"]
    pace.keep(found.after([(TRAIN, 300.0)]))
    assert pace.of_this_machine(2).times("train") < 2.5
    # With more at once each is slower, so that is another machine.
    probed.said += 3 * ['{"train": 4.0}']
    assert pace.of_this_machine(3).times("train") == 4.0
    assert pace.of_this_machine(2).times("train") < 2.5


@pytest.mark.parametrize("kept", ["", "[]", '{"x": {"planned": 1}}'])
def test_a_file_that_is_bent_is_sampled_anew(probed, kept):
    pace._file().parent.mkdir(parents=True)
    pace._file().write_text(kept)
    probed.said.append('{"train": 2.0}')
    assert pace.of_this_machine(1).times("train") == 2.0


def test_a_book_is_made_without_samples_too(probed, capsys):
    probed.said.append("Killed")
    assert book._pace([TRAIN], 1) is None
    assert "The times shown are those of the reference machine." in capsys.readouterr().out
    probed.said.append("")
    with pytest.raises(RunError, match="this machine's speed to be measured"):
        pace.of_this_machine(1)


def test_a_short_plan_is_worth_no_samples(probed):
    assert book._pace([TOUR, SITE], 1) is None
    assert probed.begun == []


def test_the_pace_is_said_before_the_plan(probed, capsys):
    probed.said.append('{"train": 2.0, "notebook": 1.04}')
    assert book._pace([TRAIN], 1).times("train") == 2.0
    said = capsys.readouterr().out
    assert "1 at once, training in " in said
    assert said.endswith("as long: training 2.0, notebooks 1.0.\n")
