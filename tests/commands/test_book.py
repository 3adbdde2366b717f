"""`robust book`: what it prints, what a failure costs, that any interruption does no harm."""

import os
import re
import signal

import pytest

from robust_book.commands.book import _forget_lost
from robust_book.engine import jobs
from robust_book.engine.jobs import Job
from robust_lib import atomic
from robust_lib.config.withheld import WITH_PICTURES
from robust_lib.errors import FetchError
from tests import chain

pytestmark = pytest.mark.slow
STOPPED = "Stopped. Finished results are kept; run the same command again to continue.\n"


def lines(printed):
    """Return the names of the jobs that were done, in their order."""
    return re.findall(r"^draw (\w+): \d+ s; ", printed, re.MULTILINE)


def test_jobs_are_done_once_and_each_adds_a_line(tmp_path):
    planned = chain.jobs(one="", two="one")
    status, printed = chain.make(tmp_path, planned)
    assert status == 0, printed
    assert re.fullmatch(
        r"On 2 cores: 2 jobs left, less than a minute\.\n"
        r"draw one: \d+ s; 1 job left, less than a minute\.\n"
        r"draw two: \d+ s; nothing left\.\n"
        r"Done\.\n",
        printed,
    )
    assert chain.made(tmp_path) == {"draw-one": "one is written.", "draw-two": "two is written."}
    assert chain.make(tmp_path, planned) == (0, "Nothing has changed.\n")


@pytest.mark.parametrize(
    ("did", "asked", "again"),
    [
        ("withheld", True, True), ("withheld", False, False), ("shown", False, True),
        ("shown", True, False), (None, True, False), (None, False, False),
    ],
)  # fmt: skip
def test_a_page_is_made_again_if_it_shows_other_pictures_than_asked(
    tmp_path, monkeypatch, did, asked, again
):
    """Of runs that looked at no restricted data, the record says nothing."""
    job = Job("notebook-toy", "notebook", ("run", "toy"), (), 1.0)
    for path in ("notebooks/toy.ipynb", "done/notebook-toy.txt"):
        atomic.write_bytes(tmp_path / path, b"")
    record = {} if did is None else {"pictures": did}
    atomic.write_json(tmp_path / "results" / "toy.json", record)
    monkeypatch.delenv(WITH_PICTURES, raising=False)
    if asked:
        monkeypatch.setenv(WITH_PICTURES, "1")
    _forget_lost([job], tmp_path)
    assert jobs.stamp("notebook-toy", tmp_path).exists() != again


@pytest.mark.parametrize("can_be_had", [True, False])
def test_a_page_without_photographs_is_made_again_once_pip_brings_them(
    tmp_path, monkeypatch, can_be_had
):
    from robust_book.chapters import photographs

    def bring(run):
        if not can_be_had:
            raise FetchError("pip could not bring foolbox. Check the network.")

    monkeypatch.setattr(photographs, "bring", bring)
    planned = [Job(f"notebook-{one}", "notebook", ("run", one), (), 1.0) for one in ("a", "b")]
    for one, record in (("a", {"without": ["photos_few"]}), ("b", {})):
        atomic.write_bytes(tmp_path / "notebooks" / f"{one}.ipynb", b"")
        atomic.write_bytes(jobs.stamp(f"notebook-{one}", tmp_path), b"")
        atomic.write_json(tmp_path / "results" / f"{one}.json", record)
    _forget_lost(planned, tmp_path)
    assert jobs.stamp("notebook-a", tmp_path).exists() != can_be_had
    assert jobs.stamp("notebook-b", tmp_path).exists()


def test_a_job_that_fails_is_named_and_costs_no_other_ones_work(tmp_path):
    (tmp_path / "one.broken").touch()
    planned = chain.jobs(one="", two="", three="one")
    status, printed = chain.make(tmp_path, planned)
    assert status == 1
    log = chain.home(tmp_path) / "logs" / "draw-one.log"
    assert (
        "Could not draw one: Expected one to be whole, but it is broken. Mend it. The full "
        f"output is in {log}\n"
    ) in printed
    assert printed.endswith(
        "1 job failed; the results of the other jobs are kept. Correct the cause, and run the "
        "same command again to continue.\n"
    )
    assert list(chain.made(tmp_path)) == ["draw-two"]
    (tmp_path / "one.broken").unlink()
    status, printed = chain.make(tmp_path, planned)
    assert (status, lines(printed)) == (0, ["one", "three"])


def test_two_at_a_time_are_refused_until_the_first_is_gone(tmp_path):
    (tmp_path / "one.held").touch()
    planned = chain.jobs(one="")
    with chain.start(tmp_path, planned) as first:
        job = chain.begun(tmp_path, "one")
        status, printed = chain.make(tmp_path, planned)
        os.killpg(first.pid, signal.SIGKILL)
    assert status == 1
    assert f"another `make book` is running there, process {first.pid}. Wait" in printed
    assert chain.ends(job)
    (tmp_path / "one.held").unlink()
    assert chain.make(tmp_path, planned)[0] == 0


def test_a_book_that_is_interrupted_again_and_again_goes_on_each_time(tmp_path):
    """All its processes at once, as a terminal does it, and the first of them alone."""
    moments = [
        (signal.SIGKILL, os.killpg),
        (signal.SIGINT, os.killpg),
        (signal.SIGTERM, os.kill),
        (signal.SIGKILL, os.kill),
    ]
    names = ("one", "two", "three", "four")
    planned = chain.jobs(**dict(zip(names, ("", *names), strict=False)))
    for name in names:
        (tmp_path / f"{name}.held").touch()
    for at, (number, to) in enumerate(moments):
        with chain.start(tmp_path, planned) as process:
            job = chain.begun(tmp_path, names[at])
            to(process.pid, number)
            printed, _ = process.communicate(timeout=60)
        killed = number == signal.SIGKILL
        assert process.returncode == (-number if killed else 128 + number), printed
        assert killed or printed.endswith(STOPPED)
        assert chain.ends(job), "a job goes on for a book that is no more"
        done = [] if at == 0 else [names[at - 1]]
        # Whoever is killed may not have had the time to say what is done.
        assert lines(printed) == done or (killed and lines(printed) == [])
        (tmp_path / f"{names[at]}.held").unlink()
    status, printed = chain.make(tmp_path, planned)
    assert (status, lines(printed)) == (0, ["four"]), printed
    assert sorted(chain.made(tmp_path)) == sorted(f"draw-{name}" for name in names)


def test_jobs_that_are_killed_are_named_and_done_by_the_next_call(tmp_path):
    names = ("one", "two", "three")
    planned = chain.jobs(one="", two="", three="", four="", five="one")
    numbers = dict(zip(names, (signal.SIGKILL, signal.SIGTERM, signal.SIGINT), strict=True))
    for name in names:
        (tmp_path / f"{name}.held").touch()
    with chain.start(tmp_path, planned) as process:
        for name, number in numbers.items():
            os.kill(chain.begun(tmp_path, name), number)
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 1, printed
    for name in names:
        assert f"Could not draw {name}: its process was killed" in printed
        (tmp_path / f"{name}.held").unlink()
    assert "3 jobs failed; the results of the other jobs are kept." in printed
    assert list(chain.made(tmp_path)) == ["draw-four"]
    status, printed = chain.make(tmp_path, planned)
    assert (status, sorted(lines(printed))) == (0, ["five", "one", "three", "two"]), printed
