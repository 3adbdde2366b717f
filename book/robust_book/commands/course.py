"""The commands for a class: they make its folder from the book and collect its notebooks."""

import json
import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import typer
from filelock import FileLock, Timeout
from typer.core import TyperGroup

from robust_book.commands import site
from robust_book.commands.command_line import DataFolder, ProfileName
from robust_book.commands.execute import QUIET, require_papermill
from robust_book.course.classroom import MARK
from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.config.withheld import restricted
from robust_lib.errors import InputError, RunError, one_of

_LONGEST = 3600  # seconds of a cell; what is stored is only read
_MAKE = "make"


class _Group(TyperGroup):
    """A group that passes words that are no command on to `make`, as chapters and options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {*self.commands, "--help"}
        return super().parse_args(ctx, args if args and args[0] in known else [_MAKE, *args])


app = typer.Typer(
    cls=_Group,
    help="Make a folder for a class (the default), or check the notebooks that students handed in.",
)


@app.command(_MAKE, epilog="Example: robust course inc_2_mce --profile smoke")
def course(
    profile: ProfileName,
    chapters: Annotated[
        list[str] | None,
        typer.Argument(metavar="CHAPTER...", help="Chapters (default: all of the book)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output folder (default: build/course/PROFILE)."),
    ] = None,
    wheelhouse: Annotated[
        Path | None,
        typer.Option(help="Folder of wheels to pack, made by `make wheelhouse` (default: none)."),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Make a folder for a class from the built book: notebooks, data and separate solutions."""
    from robust_book.course import folder, readme

    built = require_book(profile, chapters or ())
    if wheelhouse is not None and not any(wheelhouse.glob("*.whl")):
        raise InputError(
            f"Expected wheels in {wheelhouse}, but there are none. Fill the folder on a machine "
            f"with an internet connection: make wheelhouse WHEELHOUSE={wheelhouse}"
        )
    record = paths.profile(profile) / "results" / f"{built[0]}.json"
    words = json.loads(record.read_text("utf-8"))["words"]
    plan = folder.Plan(profile, words, built, wheelhouse)
    target = (out or paths.build() / "course" / profile).expanduser().resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(paths.build() / "course.lock", timeout=0):
            made = folder.made(plan, target, executed, typer.echo)
    except Timeout:
        raise RunError(
            f"Expected no other run, but another `make course` is running in {paths.build()}. "
            "Wait until that run is finished, or stop it: notebooks that are already executed are "
            "kept."
        ) from None
    typer.echo(
        f"{made}: {len(built)} chapters, {readme.readable(folder.size(made))}. Open README.md in "
        "this folder; move the subfolder `teacher` elsewhere before you hand out the rest."
    )


@app.command(epilog="Example: robust course collect handed_in")
def collect(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder of handed-in notebooks: one folder per student, or files that begin "
            "with the students' names, as exported by Canvas and Moodle."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output folder (default: FOLDER_marks)."),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            help="Gradebook exported by Canvas or Moodle, to match files with students (default: "
            "none)."
        ),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(
            help="Teacher's folder of the course (default: the folder `teacher` next to FOLDER)."
        ),
    ] = None,
) -> None:
    """Write the marks of a class as a table, gradebooks and feedback, without running notebooks."""
    from robust_book.course import folder as course_folder
    from robust_book.course import handed_in, marks
    from robust_lib.results.table import Results  # imports pandas

    people = marks.read_roster(roster) if roster else ()
    home = folder.resolve()
    known = teacher or home.parent / course_folder.TEACHER
    mark = next((one / MARK for one in (home.parent, known.parent) if (one / MARK).is_file()), None)
    chapters = json.loads(mark.read_text("utf-8"))["chapters"] if mark else ()

    def rows_of(chapter: str, of: str) -> Results | None:
        places = [known / course_folder.RESULTS]
        if of.isidentifier():  # it stands in a file that somebody handed in
            places.append(paths.profile(of) / "results")
        files = (one / f"{chapter}.parquet" for one in places)
        return next((Results.load(file) for file in files if file.is_file()), None)

    found = handed_in.rows(home, lru_cache(rows_of), chapters)
    target = (out or home.with_name(f"{home.name}_marks")).expanduser()
    written = marks.write(found, target, people)
    odd = sum(row.state == handed_in.NO_NOTEBOOK for row in found)
    theirs = sum(row.checked == handed_in.THEIRS for row in found)
    typer.echo(
        f"{target / marks.TABLE}: {len({row.student for row in found})} students, {len(found)} "
        f"rows; {odd} files are not notebooks, and {theirs} exercises could not be checked again. "
        f"{len(written) - 1} more files are in the same folder."
    )


def require_book(profile: str, chapters: Sequence[str]) -> tuple[str, ...]:
    """Return the chapters of the built book for a course, in their order.

    Args:
        chapters: names of notebooks; empty: all that are built.

    Raises:
        InputError: an unknown chapter, or images that may not be redistributed.
        RunError: the book is not built, or was built from other versions of the notebooks.
    """
    chosen = load_profile(profile)
    if withheld := restricted(chosen, chosen.data):
        raise InputError(
            f"Expected a profile whose images may be redistributed, but {profile} has "
            f"{', '.join(withheld)}, which may not be. Make the course from a profile of the "
            "miniature."
        )
    known = sorted(path.stem for path in paths.notebooks().glob("*.ipynb"))
    for name in chapters:
        if name not in known:
            raise InputError(one_of("chapter", name, known))
    home = paths.profile(profile)
    built = [name for name in known if (home / "notebooks" / f"{name}.ipynb").exists()]
    wanted = [name for name in known if name in chapters] if chapters else built
    lacking = [name for name in wanted if name not in built]
    if not built or lacking or not (home / "site" / "index.html").exists():
        what = ", ".join(lacking) or "its site"
        only = f" CHAPTERS={','.join(chapters)}" if chapters else ""
        raise RunError(
            f"Expected the built book of profile {profile} in {home}, but {what} is missing. Run "
            f"`make book PROFILE={profile}{only}` first."
        )
    told = [
        fault
        for name in wanted
        for fault in site.faults(home / "notebooks" / f"{name}.ipynb", home / "results")
    ]
    if told:
        raise RunError(
            f"Expected a book made from the current notebooks, but {' '.join(told)} Run `make book "
            f"PROFILE={profile}` first."
        )
    return tuple(wanted)


def executed(source: Path, target: Path) -> None:
    """Execute a notebook of a course, in the folder that it is in.

    Raises:
        RunError: a cell failed, or the packages that execute notebooks are not installed.
    """
    require_papermill()
    import papermill
    from papermill.exceptions import PapermillExecutionError

    made = target.with_name(f".{target.name}")
    try:
        papermill.execute_notebook(
            str(source), str(made), cwd=str(source.parent), progress_bar=False,
            kernel_name="python3", execution_timeout=_LONGEST, extra_arguments=QUIET,
        )  # fmt: skip
        shutil.move(made, target)
    except PapermillExecutionError as error:
        made.unlink(missing_ok=True)
        raise RunError(
            f"The teacher's copy of {source.stem} failed in cell {error.cell_index}: "
            f"{error.ename}: {error.evalue}"
        ) from None
