"""The engine behind `robust book`: snakemake, which ends with the process that started it."""

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from robust_book.engine import gpus, lifetime, ready
from robust_book.engine.jobs import Job, stamp, write
from robust_lib import paths
from robust_lib.errors import InputError, one_of

# A job that fails or is killed must not cost the others' work; what was begun is made again. A lock
# that outlives its process is of no use: `robust book` has one that does not.
OPTIONS = (
    *("--rerun-triggers", "mtime", "params", "input"),
    *("--keep-going", "--rerun-incomplete", "--nolock", "--scheduler", "greedy"),
    *("--quiet", "rules"),
    # Snakemake looks anew once a timespan for every look before: by default once a second, which a
    # hundred jobs later is a hundred times a second, and a quarter of a core.
    *("--max-jobs-per-timespan", "10000/1h"),
)
CANCELS = 60.0  # seconds that a cluster has to take its jobs back
CLUSTER = "--workflow-profile"
# What jobs and kernels stand on.
IMPORTS = (
    *("robust_book.chapters:all_chapters", "robust_book.commands.execute", "papermill"),
    *("robust_book.commands.cli", "robust_lib.run.start", "ipykernel.kernelapp"),
    "robust_lib.models.torchvision_alone:import_torchvision",
)


def log(home: Path) -> Path:
    """Return the engine's log file."""
    return home / "logs" / "engine.log"


def on_cluster(name: str) -> tuple[str, ...]:
    """Return the options that send jobs to a cluster, a folder of workflow/profiles.

    Raises:
        InputError: no such cluster is prepared.

    >>> on_cluster("slurm")[0]
    '--workflow-profile'
    """
    prepared = paths.snakefile().parent / "profiles"
    known = sorted(path.name for path in prepared.iterdir() if path.is_dir())
    if name not in known:
        raise InputError(one_of("a cluster", name, known))
    return CLUSTER, str(prepared / name)


@contextmanager
def started(
    planned: Sequence[Job],
    home: Path,
    cores: int | None,
    options: Sequence[str],
    shared: Sequence[str] = (),
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the engine within the block; at its end, the engine and its jobs end.

    Args:
        planned: jobs to run if they are missing or stale.
        cores: number of parallel jobs; None: the number in the cluster's profile, which also counts
            the GPUs.
        shared: CUDA names of the GPUs that jobs share, one each; none: jobs on the GPU take turns.
    """
    plan = home / "plan.json"
    write(planned, plan)
    command = [sys.executable, "-c", "from robust_book.engine.execution import main; main()"]
    command += ["--snakefile", str(paths.snakefile()), "--directory", str(home), *OPTIONS]
    if CLUSTER not in options:
        # Never two renderings at once; on a cluster, its profile says so.
        limits = (f"gpu={len(shared) or 1}", "site=1")
        command += ["--cores", str(cores), "--resources", *limits]
    command += [] if cores is None else ["--jobs", str(cores)]
    told = (f"profile={home.name}", f"plan={plan}", f"cores={cores or len(planned)}")
    command += [*options, "--config", *told, "--"]
    command += [str(stamp(job.name, home)) for job in planned]
    env = os.environ | {lifetime.PARENT: str(os.getpid()), gpus.SHARED: ",".join(shared)}
    # A process that has begun to use a GPU may not be divided, and a cluster's jobs are elsewhere.
    elsewhere = any(option.startswith((CLUSTER, "--executor")) for option in options)
    served = ready.possible() and not elsewhere and not any(job.gpu for job in planned)
    env[ready.IMPORTS] = " ".join(IMPORTS)
    # What is built is copied, which a socket cannot be.
    with TemporaryDirectory(prefix="robust-", ignore_cleanup_errors=True) as own:
        env[ready.SERVER] = str(Path(own) / "ready") if served else ""
        with log(home).open("wb") as file:
            engine = subprocess.Popen(command, stdout=file, stderr=file, env=env)
        try:
            yield engine
        finally:
            if CLUSTER in options:  # whose jobs are not this machine's to end
                engine.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    engine.wait(CANCELS)
            engine.kill()
            engine.wait()


def main() -> None:
    """Run snakemake with this process's arguments."""
    lifetime.end_with_parent()
    if CLUSTER in sys.argv:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # to take jobs back
    ready.start()
    ready.skip_address_grammar()
    try:
        from snakemake.cli import main as snakemake
    except ImportError:
        raise SystemExit(
            "Expected snakemake, which runs the jobs, but it is not installed. Install the book's "
            "packages: pip install 'robust-lib[book]'."
        ) from None
    status = 1
    try:
        snakemake(sys.argv[1:])
    except SystemExit as end:
        status = int(end.code or 0)
    except Exception:
        traceback.print_exc()
    # Its clocks, which would ring within an hour, are not waited for.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
