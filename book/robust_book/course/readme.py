"""The two texts in a course folder: for everyone, and for the teacher."""

import re
from collections.abc import Iterable, Mapping, Sequence

COURSE = """# {title}

This folder contains notebooks with exercises on robustness. They run on a laptop without an
internet connection, because the folder also contains the rendered images, the trained networks and
their predictions. The run uses profile `{profile}`: {words}.

## The first ten minutes

1. Open `site/index.html` in a browser, which needs no internet connection. Read {page}.
2. Install the packages once, as explained below (five minutes if the folder contains wheels).
3. Open `student/{first}.ipynb` in JupyterLab, VS Code or a similar program. Run all cells.
4. The exercises are at the end. Replace `None` with your answer, run the cell, then the one below.
   It prints *right*, or a hint about the mistake. It never prints the right answer.

Open the folder as a whole: a notebook looks for its images and predictions in `build/`, next
to `student/`. Copy the folder to a disk first: a notebook saves its results, which is impossible in
a read-only folder, such as a locked memory stick or a share.

## Install

You need {python} and about {room} of free disk space, but no compiler and no GPU. In this folder:

```bash
python3 -m venv .venv
{install}
```

{wheels}
On Windows, use `.venv\\Scripts\\pip` and `.venv\\Scripts\\python` instead.
These commands also install Jupyter Notebook: `.venv/bin/jupyter notebook` opens it. The kernel of
the notebooks is *Robustness course*; if another program asks for a kernel, select this one.

If an exercise contains `robust run NAME`, run this command in this folder, with `.venv/bin/robust`
in place of `robust`. Commands in this folder use the profile `{profile}` by default. A run with
other settings may have to compute predictions or train a network, which takes seconds to minutes.

## What is here

| folder | contents | size |
|---|---|---|
{sizes}

`SHA256SUMS` has the checksum of every file here: `sha256sum --quiet -c SHA256SUMS` checks whether a
copy is complete (`shasum -a 256 --quiet -c SHA256SUMS` on a Mac).

Chapters: {chapters}.

The icons in the images belong to open projects with licences of their own; `site/data.html`
credits each. The numbers in the text of a notebook are from the packed run; its cells compute their
output when you run them. Code and text are under Apache-2.0.
"""

TEACHER = """# For the teacher

1. **Prepare.** Move this folder, `teacher/`, elsewhere and hand out the rest. The file `SHA256SUMS`
   next to it has the checksums of what you hand out, the one in here those of `teacher/`. Install
   the packages on one of the machines and run one notebook of `student/`.
2. **In class.** Begin with the page in `site/`, then use its notebook. The notebooks here
   have the solutions, and each check prints the given answer next to its verdict.
3. **Collect.** Students save their notebooks with outputs and hand in only these. Put them into a
   folder `handed_in` next to this one: a folder for each student, or the files as Canvas and Moodle
   export them, whose names begin with the student's. Then run:

```bash
robust course collect handed_in
```

   It writes `handed_in_marks/`: `marks.csv` with one row for each exercise of each student, the
   gradebooks `canvas.csv` and `moodle.csv`, and a page of feedback for each student. `--roster
   FILE` reads a gradebook exported by Canvas or Moodle: the tables then contain its numbers and
   addresses of students, and list the students who handed in nothing.

Collecting reads files and executes nothing. If you open a student's notebook and run it, its code
runs with your rights, like any other program.

Each state is read from the check's output, not from its wording, and your installed library checks
each answer again that can be stored in a file: a check that was corrected later also applies to
notebooks that were handed in before. The column `checked` shows this. Functions, images and answers
from a run with other parameters keep the verdict of the student's run.

The exercises are for learning, not for marks. The library in `wheels/` has neither the folded
solutions nor `solutions.py` nor the good answers to questions. All of these
remain accessible to a determined student: a check computes the right answer with installed code,
and the public site and repository show the solutions. Three checks only test whether an answer
works, so made-up values pass them: the blocks of `inc_1_corruptions` (2), the losses of
`nae_2_imagenet_a` (3) and the pairs of `nae_4_calibration` (3).

- The notebooks here were run when the course was made, and every check passed. Their code and
  students' answers go through the same checks.
- A check prints *no answer yet*, *right*, *not yet* with what is wrong, or *not in this run*: if
  a small run has too few networks or images for an exercise, it is skipped.
- A check computes the right answer from the library or from the results that the notebook has just
  saved. If a student changes a parameter, the right answer changes accordingly.
- Exercises without an automatic check end with a checklist.
- The site in `site/` is the book's without the folded solutions. Its buttons open the student's
  notebook; buttons that lead to the repository's notebook, with the solutions, are left out.

{checked} answers are checked in {exercises} exercises; {listed} more exercises have a checklist.
"""

EXTRAS = "detect,explain,course"
_NAMED = {"00_tour": "the tour"}
_WHEELS = {
    True: "The wheels are in `wheels/`. A different version of Python or kind of machine requires "
    "different wheels.",
    False: "The folder has no wheels of other packages: the command downloads them once.",
}


def course(
    *,
    title: str,
    profile: str,
    words: str,
    chapters: Sequence[str],
    sizes: Mapping[str, tuple[str, int]],
    wheel: str,
    wheels: Sequence[str],
) -> str:
    """Return the text for everyone.

    Args:
        sizes: folder -> its content, and its size in bytes.
        wheels: file names of all other packages, if they are included.
    """
    source = "--no-index --find-links wheels " if wheels else ""
    install = [
        f".venv/bin/pip install {source}'{wheel}[{EXTRAS}]'",
        ".venv/bin/python -m ipykernel install --user --name robust "
        "--display-name 'Robustness course'",
    ]
    rows = [f"| `{name}/` | {what} | {readable(size)} |" for name, (what, size) in sizes.items()]
    return COURSE.format(
        title=title,
        profile=profile,
        words=words,
        first=chapters[0],
        page=f"{_NAMED.get(chapters[0], 'the first chapter')}, `site/{chapters[0]}.html`",
        install="\n".join(install),
        python=needed(wheels),
        wheels=_WHEELS[bool(wheels)],
        room=readable(7_000_000_000),
        sizes="\n".join(rows),
        chapters=", ".join(f"`{name}`" for name in chapters),
    )


def needed(wheels: Iterable[str]) -> str:
    """Return the required version of Python; compiled wheels fit one, on one kind of machine.

    >>> needed(["numpy-2.3.5-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"])
    'Python 3.11 on Linux x86_64, as packed,'
    >>> needed(["torch-2.9.1-cp312-none-macosx_11_0_arm64.whl", "toy-1.0-py3-none-any.whl"])
    'Python 3.12 on macOS arm64, as packed,'
    >>> needed([])
    'Python 3.11 or newer'
    """
    found = filter(None, map(_COMPILED.search, wheels))
    kinds = {f"Python 3.{one[1]} on {_SYSTEMS[one[2]]} {one[3]}" for one in found}
    return f"{' or '.join(sorted(kinds))}, as packed," if kinds else "Python 3.11 or newer"


# A stable interface (abi3) and a Mac's universal2 fit more than the one that packed them.
_COMPILED = re.compile(
    r"-cp3(\d+)-(?:cp3\1|none)-\w*?(linux|macosx|win)\d*(?:_\d+)*_((?!universal)[a-z]\w*)\."
)
_SYSTEMS = {"linux": "Linux", "macosx": "macOS", "win": "Windows"}


def readable(size: int) -> str:
    """Return a number of bytes as text with a unit.

    >>> readable(66_000_000), readable(2_500_000_000), readable(900)
    ('66 MB', '2.5 GB', '1 kB')
    """
    if size >= 1e9:
        return f"{size / 1e9:.1f} GB"
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{max(size / 1e3, 1):.0f} kB"
