"""The commands that evaluate one model: its report, two compared, its predictions as a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from robust_book.commands.command_line import (
    Batch,
    DataFolder,
    Device,
    Jobs,
    ProfileName,
    open_in_browser,
)
from robust_lib import atomic
from robust_lib.errors import InputError, RobustLibError, RunError

if TYPE_CHECKING:
    from robust_lib.passport.record import Passport
    from robust_lib.passport.subject import Subject
    from robust_lib.passport.timm_form import Shown

PASSPORTS = Path("passports")


def passport(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL",
            help="Models: NAME, FILE.py:FUNCTION or predictions:FILE; with --compare, two reports "
            "(.json).",
        ),
    ],
    profile: ProfileName,
    benchmarks: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY...", help="Benchmarks (default: all that apply)."),
    ] = None,
    data: DataFolder = None,
    images: Annotated[
        str | None,
        typer.Option(
            help="Your own images: folder:PATH, which contains class folders; for a detector, "
            "coco:ANNOTATIONS,PICTURES, a JSON file and the folder of its images."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Number of images per condition (default: all).")
    ] = None,
    device: Device = None,
    geometry: Annotated[
        str | None,
        typer.Option(
            help="Size at which images are corrupted: archive, shorter side 256 and central crop "
            "224 before the network's own resizing; or network, the network's input size (default: "
            "archive if errors are divided by published ones, otherwise network)."
        ),
    ] = None,
    batch: Batch = None,
    jobs: Jobs = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Output folder (default: passports/<model>; passports for several models; the "
            "folder of the first report with --compare).",
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare two existing model reports on one page.")
    ] = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser.")
    ] = False,
) -> None:
    """Write a report on a model from all benchmarks that apply to it, or compare two reports.

    For several models, write one report each and tables that rank the models.
    """
    if compare:
        made = _compared(models, output)
    else:
        wanted = None if not benchmarks or benchmarks == ["all"] else benchmarks
        settings = {
            "benchmarks": wanted, "profile": profile, "data": data, "images": images,
            "limit": limit, "device": device, "geometry": geometry, "batch_size": batch,
            "jobs": jobs,
        }  # fmt: skip
        if len(models) > 1:
            _ranked(models, output or PASSPORTS, settings)
            return
        made, _ = _made(models[0], output, PASSPORTS, settings)
    typer.echo(f"The page is {made}.")
    if open_page:
        open_in_browser(made)


def _made(
    model: str, output: Path | None, beside: Path, settings: Mapping[str, Any]
) -> tuple[Path, "Shown"]:
    """Write the report of a model; return its page, and its entries in tables.

    Args:
        output: folder of the report; None: a folder with the model's name in `beside`.
    """
    from robust_book.passport.files import write
    from robust_lib.passport.evaluation import evaluate

    found = evaluate(model, progress=typer.echo, **settings)
    _require_taken(found.passport)
    made = write(found, output or beside / _as_file(found.passport.model))
    clean = found.passport.clean
    if clean is not None and found.passport.is_refused:
        raise RunError(f"{clean.words}. The page is {made}; no table of results was written.")
    if clean is not None:
        typer.echo(f"{clean.words}.")
    return made, (found.passport, found.geometry)


def _ranked(models: list[str], folder: Path, settings: Mapping[str, Any]) -> None:
    """Write a report on each model, and tables of all; a failure does not stop the others."""
    from robust_book.passport.files import write_side_by_side

    shown: dict[str, Shown] = {}
    failed: dict[str, RobustLibError] = {}

    def require(asked: "Subject") -> None:
        if asked.name in shown:
            raise InputError(
                f"Expected models with different names, but two are called {asked.name}. Change "
                "one of the functions to return a model with a unique name."
            )

    for model in dict.fromkeys(models):
        typer.echo(f"{model}:")
        try:
            made, one = _made(model, None, folder, {**settings, "require": require})
        except RobustLibError as error:
            failed[model] = error
            typer.echo(f"left out: {error}")
            continue
        shown[one[0].model] = one
        typer.echo(f"The page is {made}.")
    if not shown:
        raise next(iter(failed.values()))
    for table in write_side_by_side(list(shown.values()), folder.expanduser().resolve()):
        typer.echo(f"The table is {table}.")
    if failed:
        raise RunError(
            f"Expected a report on each of {len(models)} models, but {', '.join(failed)} failed; "
            "the reasons are printed above, and the tables contain the other models."
        )


def _as_file(model: str) -> str:
    return model.replace("/", "_").replace(" ", "_")


def _require_taken(passport: "Passport") -> None:
    """Raise InputError if no benchmark applies to the model."""
    if all(one.left_out for one in passport.sections):
        reasons = "; ".join(f"{one.title}: {one.left_out}" for one in passport.sections)
        raise InputError(
            f"Expected a benchmark that applies to {passport.model}, but there is none, so no "
            f"report was written. {reasons}"
        )


def _compared(files: list[str], output: Path | None) -> Path:
    from robust_book.passport import comparison
    from robust_lib.passport.paired import said_in
    from robust_lib.passport.record import read

    if len(files) != 2:
        raise InputError(
            f"Expected two model reports to compare, but got {len(files)}. Pass both files: "
            "robust passport --compare A.json B.json"
        )
    paths = [Path(one) for one in files]
    one, other = (read(path) for path in paths)
    said = said_in(one, paths[0].parent), said_in(other, paths[1].parent)
    found = comparison.differences(one, other, said)
    typer.echo(comparison.in_words(found))
    for title, why in comparison.other_data(one, other).items():
        typer.echo(f"{title}: left out, {why}.")
    if said_of := comparison.seen(one, other):
        typer.echo(said_of.strip())
    folder = output or paths[0].parent
    target = folder.resolve() / f"{_as_file(one.model)}-and-{_as_file(other.model)}.html"
    atomic.write_bytes(target, comparison.comparison_page(one, other, found).encode())
    return target


def export(
    model: Annotated[str, typer.Argument(help="Model: NAME or FILE.py:FUNCTION.")],
    profile: ProfileName,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .parquet or .npz; for a detector, a .json file whose path "
            "contains {role}, which is replaced by the role of the images.",
        ),
    ],
    benchmarks: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY...", help="Benchmarks (default: all that apply)."),
    ] = None,
    data: DataFolder = None,
    limit: Annotated[
        int | None, typer.Option(help="Number of images per condition (default: all).")
    ] = None,
    device: Device = None,
    batch: Batch = None,
    jobs: Jobs = 1,
) -> None:
    """Write a network's predictions for the benchmarks to a file, to be used as predictions:FILE.

    A detector's boxes are written as COCO results files that identify images by content.
    """
    from robust_book.passport.files import write_answers_of, write_boxes_of
    from robust_lib.passport.benchmarks import BENCHMARKS
    from robust_lib.passport.evaluation import evaluate
    from robust_lib.predict.answers_file import KINDS
    from robust_lib.run.boxes_of_files import ROLE

    boxes = output.suffix == ".json"
    if output.suffix not in (*KINDS, ".json"):  # before a network is asked
        raise InputError(
            f"Expected a file that ends in {' or '.join(KINDS)}, or in .json for a detector, but "
            f"got {output}. Use one of these endings, which determine the format."
        )
    if boxes and ROLE not in str(output):
        raise InputError(
            f"Expected {ROLE} in the name of a file of boxes, since there is one file for each "
            f"set of images, but got {output}. Use the name {output.stem}-{ROLE}.json."
        )

    for key in benchmarks or ():
        if key in BENCHMARKS and not BENCHMARKS[key].is_kept:
            raise InputError(
                f"Expected benchmarks whose predictions can be written to a file, but got {key}: "
                f"boxes in corrupted images cannot be written. Omit {key}, or use `robust "
                f"passport {model} --benchmarks {key}`, which writes the results."
            )

    def require(asked: "Subject") -> None:
        if boxes != asked.finds_boxes:
            kind, end = ("detector", f"-{ROLE}.json") if not boxes else ("classifier", ".parquet")
            raise InputError(
                f"Expected a file for a {kind}, because {asked.name} is one, but got {output}. "
                f"Use the name {output.stem.replace(ROLE, '').strip('-') or 'mine'}{end}."
            )

    found = evaluate(
        model, benchmarks=benchmarks, profile=profile, data=data, limit=limit, device=device,
        batch_size=batch, jobs=jobs, require=require,
        validation=True,  # so that the chapters find all that they show
    )  # fmt: skip
    _require_taken(found.passport)
    if boxes:
        for made in write_boxes_of(found, output):
            typer.echo(f"{made}: a COCO results file.")
        return
    typer.echo(f"{write_answers_of(found, output)}: {len(found.answers)} image sets.")
