"""What a job asks a cluster for: memory, minutes, cores. A laptop asks nobody."""

import math
from dataclasses import dataclass

from robust_lib.config.profiles import Profile
from robust_lib.datasets.decoded import IN_MEMORY
from robust_lib.run import costs
from robust_lib.run.jobs import Job, Kind
from robust_lib.run.plan import on_gpu

MB = 1_000_000
IMPORTED = 1_500  # MB: torch, OpenCV and pandas in a process, or in the kernel of a notebook
ON_GPU = 3_000  # MB: CUDA's libraries, and weights on their way to the device
OUTPUTS, LOGIT = 1_000, 4  # classes that a network knows, at most; bytes of its answer to each
SHORTEST = 20  # minutes: a busy file system, and imports from it
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


def resources(job: Job, profile: Profile, attempt: int = 1) -> Resources:
    """Return what a job asks for; each further attempt asks for as much again.

    Args:
        job: of a plan.
        profile: that it was planned for.
        attempt: 1, or more after it was lost.

    >>> from robust_lib.config.profiles import load_profile
    >>> resources(Job("draw-a", "draw", ("draw", "a"), (), 9.0), load_profile("mini"), 2).runtime
    40
    """
    minutes = max(SHORTEST, math.ceil(SLOWER * job.seconds / 60))
    return Resources(
        mem_mb=attempt * memory(job.kind, profile),
        runtime=min(LONGEST, attempt * minutes),
        cpus=1 + profile.workers * job.gpu,  # threads that read ahead of a GPU
    )


def memory(kind: Kind, profile: Profile) -> int:
    """Return the memory that a kind of job needs in a profile, MB.

    Training holds its pictures, and copies of them that are corrupted, up to the size from which
    on they stay on disk. Predicting and the notebooks hold the logits of all networks for as many
    images as there are to validate, and once more while they are put together.

    >>> from robust_lib.config.profiles import load_profile
    >>> memory("draw", load_profile("mini")), memory("predict", load_profile("full"))
    (1500, 17700)
    """
    networks = max((len(section) for section in profile.networks.values()), default=1)
    images = costs.images(profile.data.get("imagenet_val", ""), profile)
    logits = 2 * networks * images * OUTPUTS * LOGIT
    held = {"train": 2 * IN_MEMORY, "predict": logits, "notebook": logits}.get(kind, 0)
    computes = kind in ("train", "predict", "notebook") and on_gpu(profile)
    return IMPORTED + ON_GPU * computes + math.ceil(held / MB)
