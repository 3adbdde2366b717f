"""Notebooks executed with papermill: parameters are checked, results complete or absent."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robust_book.commands.command_line import switched
from robust_book.engine.ready import kernels, skip_address_grammar
from robust_lib import atomic, paths
from robust_lib.config.manifests import is_dataset, load_dataset
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.config.withheld import WITH_PICTURES
from robust_lib.errors import NO_MEMORY, InputError, RunError, one_of, out_of_memory
from robust_lib.run import experiments
from robust_lib.run.parameters import BATCH, require_possible, typed

if TYPE_CHECKING:
    from robust_lib.run.run import Run

# What a kernel has to say of its sockets; errors of cells come another way.
QUIET = ["--IPKernelApp.log_level=50"]
UNBORN = "Kernel died before replying"  # as Jupyter's client says of one that could not begin
DIED = (
    "the process that executes the notebook died, probably because memory or the disk is full. "
    "Free memory or disk space, or set a smaller batch_size or limit in the profile."
)
NO_DISK = "Free some space, or check the disk, and run the notebook again."
LONGEST = 1500  # letters of a cell's error that are repeated; the notebook has all of them


def execute(
    notebook: str,
    profile: str,
    parameters: Mapping[str, Any],
    *,
    into_book: bool = False,
    with_pictures: bool = False,
    batch: int | None = None,
    jobs: int = 1,
    progress: bool = True,
) -> Path:
    """Return the path of the executed notebook, under build/<profile>/notebooks, for the site.

    With other parameters than the profile's it is under build/runs/<notebook>-<digest>/notebooks
    instead, so that an experiment replaces nothing of the book. Paths in the parameters are
    relative to the current folder.

    Args:
        into_book: whether the run enters the book even with other parameters.
        with_pictures: whether images are shown that may not be redistributed.
        batch: number of images per forward pass; None: the profile's.
        jobs: number of processes that compute the networks' predictions before the notebook reads
            them.

    Raises:
        InputError: the notebook or profile does not exist, or the notebook lacks a parameter.
        RunError: a cell failed; the message names it. The results of earlier runs are intact, and
            the notebook up to that cell is in the folder `failed` next to them.
    """
    source = find(notebook)
    parameters = read(source, parameters)
    chosen = load_profile(profile)
    require_possible(chosen, parameters)
    _require_supplies(source, chosen, parameters)
    switches = {experiments.INTO_BOOK: into_book, WITH_PICTURES: with_pictures, BATCH: batch}
    with switched(switches):
        if jobs > 1:
            _predict(source, {"profile": profile, **parameters}, jobs)
        return _execute(source, profile, parameters, progress)


def _require_supplies(source: Path, profile: Profile, parameters: Mapping[str, Any]) -> None:
    """Raise DataError for missing data before a kernel starts, unless all images are drawn here.

    A chapter's requirements are known once it is imported, which takes seconds. A profile that
    trains may already have the networks that it would need data for; in that case the run itself
    reports missing data.
    """
    if profile.trains:
        return
    sets = [load_dataset(name) for name in profile.data.values() if is_dataset(name)]
    if any(one.access != "generated" for one in sets):
        from robust_book.chapters import chapter
        from robust_book.engine.supplies import require

        require(chapter(source.stem), profile, parameters)


def _predict(source: Path, parameters: Mapping[str, Any], jobs: int) -> None:
    """Compute the predictions of a notebook's run with several processes."""
    # They import torch.
    from robust_lib.datasets.archive_writer.files import processes
    from robust_lib.run.side_by_side import fill

    make = partial(_begun, source.stem, experiments.defaults(source) | dict(parameters))
    with processes(jobs) as each:
        fill(make(), make, each)


def _begun(notebook: str, parameters: Mapping[str, Any]) -> "Run":
    from robust_book.chapters import chapter
    from robust_lib.run.start import start

    return start(chapter(notebook), **parameters)


def _execute(source: Path, profile: str, parameters: Mapping[str, Any], progress: bool) -> Path:
    home = experiments.folder(source.stem, profile, parameters)
    target, failed = home / "notebooks" / source.name, home / "failed" / source.name
    try:
        with atomic.folder(target.parent) as made:
            values = {"profile": profile, **parameters}
            _run(source, made / source.name, values, failed, progress)
    except OSError as error:
        raise RunError(
            f"{source.stem} could not be executed and written to {target}: {error}. Free some "
            "space, or make the folder writable, and run the notebook again; results of earlier "
            "runs are unchanged."
        ) from None
    failed.unlink(missing_ok=True)
    return target


def require_papermill() -> None:
    """Raise RunError if papermill is not installed."""
    skip_address_grammar()
    try:
        import papermill  # noqa: F401
    except ImportError:
        raise RunError(
            "Expected papermill to execute notebooks with, but it is not installed, although the "
            "library requires it. Install the library again with its dependencies: pip install "
            "robust-lib"
        ) from None


def _run(
    source: Path, written: Path, parameters: Mapping[str, Any], failed: Path, progress: bool
) -> None:
    require_papermill()
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    began = time.monotonic()
    executed = partial(
        papermill.execute_notebook,
        str(source),
        str(written),
        dict(parameters),
        progress_bar=progress,
        kernel_name="python3",
        extra_arguments=QUIET,
    )
    try:
        _begun_at_last(source.stem, executed)
    except (PapermillExecutionError, DeadKernelError) as error:
        failed.parent.mkdir(parents=True, exist_ok=True)
        written.replace(failed)
        raise RunError(
            f"{source.stem} failed {_where(error)} after {time.monotonic() - began:.0f} s: "
            f"{_said(error)} The notebook up to this cell is saved as {failed}; results of "
            "earlier runs are unchanged."
        ) from None


def _begun_at_last(notebook: str, executed: Callable[..., Any]) -> None:
    """Execute a notebook; if its kernel cannot start, try again with plain Python's kernel."""
    for given in (kernels(), {}):
        try:
            executed(**given)
            return
        except RuntimeError as error:
            # As no cell was executed, nothing is done twice.
            if UNBORN not in str(error):
                raise
    raise RunError(
        f"{notebook} could not start: twice, {DIED} No cell was executed; results of earlier runs "
        "are unchanged."
    )


def _where(error: Any) -> str:
    """Return the label or first line of the cell that failed."""
    source = getattr(error, "source", None)
    if source is None:
        return "in a cell"
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    label = next((line.removeprefix("#| label: ") for line in lines if "#| label" in line), None)
    first = next((line for line in lines if not line.startswith("#")), "an empty cell")
    return f"in cell [{error.exec_count or error.cell_index}] ({label or first})"


def _said(error: Any) -> str:
    """Return the error of a cell as one paragraph."""
    if not hasattr(error, "evalue"):
        return DIED
    said = " ".join(f"{error.ename}: {error.evalue}".split())
    if len(said) > LONGEST:
        said = f"{said[:LONGEST]} ..."
    said = said if said.endswith((".", "!", "?")) else f"{said.removesuffix(':')}."
    if error.ename == "OSError":  # of the disk; what is wrong with a path has a name of its own
        return f"{said} {NO_DISK}"
    return f"{said} {NO_MEMORY}" if out_of_memory(error.ename, error.evalue) else said


def find(notebook: str) -> Path:
    """Return the path of a committed notebook; raise InputError, with a list, if there is none."""
    name = Path(notebook).stem
    known = {path.stem: path for path in sorted(paths.notebooks().glob("*.ipynb"))}
    if name not in known:
        raise InputError(one_of("notebook", name, known))
    return known[name]


def read(source: Path, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as a notebook's parameters cell types them.

    Raises:
        InputError: a parameter that the cell does not have, or that has another type.
    """
    known, kinds = tuple(experiments.defaults(source)), experiments.kinds(source)
    if "profile" in parameters:
        raise InputError(
            "Expected the profile as --profile NAME, not as a parameter: it also determines where "
            "the executed notebook is written. Nothing was run."
        )
    for name in parameters:
        if name not in known:
            raise InputError(
                f"{one_of(f'a parameter of {source.stem}', name, known)} Nothing was run."
            )
    return {
        name: typed(name, value, kinds[name]) if name in kinds else value
        for name, value in parameters.items()
    }
