"""The pace of this machine: time per kind of work, relative to the reference machine.

The costs of jobs are CPU-seconds of one machine. Before the first long plan, small samples of the
same work are timed here, on as many cores at once as jobs will run. Then each book adds the times
of its own jobs, and the plan uses these. Both are CPU-seconds, so the load from other programs
changes neither; the progress of a run reports it.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from robust_book.engine.jobs import Job, Kind
from robust_book.engine.ready import ALONE
from robust_lib import atomic, paths
from robust_lib.errors import RunError

LIKE: Mapping[Kind, Kind] = {"site": "notebook"}  # Python, where the others compute
LONG = 300.0  # seconds of planned work for which a pace is worth the wait
PROBED = 60.0  # seconds of work that a sample counts for beside what jobs took
KEPT = 7200.0  # seconds of work from which on the oldest counts less
PATIENCE = 300.0  # seconds that samples may take
WORDS: Mapping[Kind, str] = {
    "draw": "drawing", "train": "training", "predict": "predictions", "notebook": "notebooks",
    "site": "pages",
}  # fmt: skip


@dataclass(frozen=True)
class Pace:
    """The time that a machine takes for work.

    Attributes:
        machine: description of the machine: processor, number of parallel jobs, versions.
        planned: kind of jobs -> seconds on the reference machine for the work that was timed here.
        took: kind of jobs -> CPU-seconds that they took.
    """

    machine: str
    planned: Mapping[Kind, float]
    took: Mapping[Kind, float]

    def times(self, kind: Kind) -> float:
        """Return the ratio of the time for a kind of work here to that on the reference machine.

        >>> Pace("", {"train": 60.0}, {"train": 150.0}).times("train")
        2.5
        """
        known = kind if kind in self.planned else LIKE.get(kind, kind)
        return self.took[known] / self.planned[known] if known in self.planned else 1.0

    def of(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """Return jobs with the seconds that they take on this machine; GPU jobs keep theirs."""
        return tuple(
            job if job.gpu else replace(job, seconds=job.seconds * self.times(job.kind))
            for job in jobs
        )

    def after(self, worked: Iterable[tuple[Job, float]]) -> "Pace":
        """Return the pace after some jobs, as returned by `of`, with the time that each took."""
        planned, took = dict(self.planned), dict(self.took)
        for job, seconds in worked:
            if not job.gpu:
                kind = job.kind
                planned.setdefault(kind, 0.0)
                took.setdefault(kind, 0.0)
                planned[kind] += job.seconds / self.times(kind)
                took[kind] += seconds
        for kind, seconds in planned.items():
            share = min(1.0, KEPT / seconds) if seconds else 1.0
            planned[kind], took[kind] = share * seconds, share * took[kind]
        return replace(self, planned=planned, took=took)

    @property
    def words(self) -> str:
        """Return the pace as text.

        >>> Pace("", {"train": 60.0}, {"train": 150.0}).words
        'training 2.5'
        """
        return ", ".join(f"{WORDS[kind]} {self.times(kind):.1f}" for kind in self.planned)


def of_this_machine(jobs: int) -> Pace:
    """Return the pace of this machine with parallel jobs, sampled now if it is not known.

    Raises:
        RunError: the samples failed.
    """
    if (known := if_known(jobs)) is not None:
        return known
    command = [sys.executable, "-m", "robust_book.engine.probe"]
    probes = [
        subprocess.Popen(command, env=os.environ | ALONE, stdout=subprocess.PIPE)
        for _ in range(jobs)
    ]
    planned: dict[Kind, float] = {}
    took: dict[Kind, float] = {}
    try:
        for probe in probes:
            said, _ = probe.communicate(timeout=PATIENCE)
            for kind, times in json.loads(said).items():
                planned[kind] = PROBED
                took[kind] = took.get(kind, 0.0) + PROBED * times / jobs
    except (ValueError, subprocess.TimeoutExpired) as error:
        raise RunError(f"Expected this machine's speed to be measured, but got {error}.") from None
    finally:
        for probe in probes:
            probe.kill()
    pace = Pace(name(jobs), planned, took)
    keep(pace)
    return pace


def if_known(jobs: int) -> Pace | None:
    """Return the pace of this machine with parallel jobs, if it was sampled before."""
    known = _kept().get(machine := name(jobs))
    return None if known is None else Pace(machine, **known)


def keep(pace: Pace) -> None:
    """Store a machine's pace for the next plan."""
    about = asdict(pace)
    atomic.write_json(_file(), _kept() | {about.pop("machine"): about})


def name(jobs: int) -> str:
    """Return a description of this machine with everything on which its pace depends."""
    import torch

    from robust_lib.training.precision import computes_in_bfloat16

    precision = "bfloat16" if computes_in_bfloat16("cpu") else "float32"
    said = (
        _processor(),
        f"{jobs} at once",
        f"training in {precision}",
        f"torch {torch.__version__}",
    )
    return ", ".join([*said, *filter(None, [os.environ.get("ONEDNN_MAX_CPU_ISA")])])


def _processor() -> str:
    """Return the processor's name; only Linux has it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return "".join(names[:1]) or platform.processor() or platform.machine()


def _file() -> Path:
    return paths.cache() / "pace.json"


def _kept() -> dict[str, dict[str, dict[Kind, float]]]:
    """Return machine -> its pace; empty if the file is missing or has an older format."""
    try:
        found = json.loads(_file().read_bytes())
        return {
            machine: {key: dict(row[key]) for key in ("planned", "took")}
            for machine, row in found.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
