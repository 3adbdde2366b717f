"""What a job asks a cluster for: memory, minutes, cores. On one machine, nobody looks at it."""

import math
from dataclasses import dataclass

from robust_book.engine.jobs import Job

SHORTEST = 60  # minutes: a busy file system, and imports from it
LONGEST = 24 * 60  # minutes: many clusters allow no more, and what was computed is kept
SLOWER = 4  # times what is expected, on a machine that nobody measured


@dataclass(frozen=True)
class Resources:
    """What a job asks for.

    Attributes:
        mem_mb: memory, in MB.
        runtime: minutes after which it may be ended.
        cpus: cores.
    """

    mem_mb: int
    runtime: int
    cpus: int


def resources(job: Job, attempt: int = 1) -> Resources:
    """Return what a job asks for; each further attempt asks for as much again.

    Args:
        job: of a plan.
        attempt: 1, or more after it was lost.

    >>> resources(Job("draw-a", "draw", ("draw", "a"), (), 9.0, memory=900), attempt=2)
    Resources(mem_mb=1800, runtime=120, cpus=1)
    """
    minutes = max(SHORTEST, math.ceil(SLOWER * job.seconds / 60))
    return Resources(attempt * job.memory, min(LONGEST, attempt * minutes), job.cores)
