"""A release in one folder: packages, site, PDF, results, descriptions and checksums.

Nothing is uploaded, and nothing is written unless all parts are available.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from robust_book.commands import evidence, pdf, site
from robust_book.commands.release import crate, croissant, deposit, networks, packages, state
from robust_book.verify import program as verify
from robust_lib import paths
from robust_lib.config.strict_yaml import read_yaml
from robust_lib.errors import RunError
from robust_lib.fetch import sums

PLAIN = ("CITATION.cff", "LICENSE", "README.md", "CHANGELOG.md")
KINDS = (".json", ".csv", ".parquet", ".gz")
SITE, BOOK, NOTES = "site.zip", "book.pdf", "NOTES.md"


@dataclass(frozen=True)
class Steps:
    """The steps of a release; tests replace them by steps without browser and network.

    Attributes:
        render: home of a profile -> the folder of its site, rendered again.
        print: home of a profile, moment -> the book as a PDF.
        build: project, folder, seconds since 1970 -> wheel and source distribution.
        trained: profile, runs -> keys of the networks that were trained for them.
    """

    render: Callable[[Path], Path]
    print: Callable[[Path, state.Version], Path]
    build: Callable[[Path, Path, int], list[Path]]
    trained: Callable[[str, networks.Runs], list[str]]


def _print(home: Path, version: state.Version) -> Path:
    return pdf.make(home, when=version.when)


STEPS = Steps(render=site.build, print=_print, build=packages.build, trained=networks.trained)


def make(
    profile: str, *, steps: Steps = STEPS, told: Callable[[str], None] = lambda line: None
) -> Path:
    """Return the folder of a new release of a profile's book.

    Args:
        told: function that receives a line before each step.

    Raises:
        RunError: the checkout is not clean, versions do not agree, results are missing or may not
            be redistributed, the release exists already, or a step failed. No files are left then.
    """
    root, home = paths.root(), paths.profile(profile)
    version, commit = state.version(root), state.commit()
    runs = state.records(home / "results")
    target = paths.build() / "release" / f"{version.name}-{version.number}"
    if target.exists():
        raise RunError(
            f"Expected a new release {target.name}, but {target} exists already. Delete that "
            "folder, or set the next version number in pyproject.toml."
        )
    aside = target.with_name(f".{target.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        told("Render the site with the version's number.")
        rendered = steps.render(home)
        told("Print the book.")
        shutil.copyfile(steps.print(home, version), aside / BOOK)
        told("Build wheel and source distribution.")
        built = steps.build(root, aside / "packages", int(version.when.timestamp()))
        told("Pack the networks.")
        # Of images that may not be passed on, nobody has said that what was trained on them may.
        own = all("pictures" not in run for run in runs.values())
        keys = steps.trained(profile, runs) if own else []
        about = {"version": f"{version.name} {version.number}", "commit": commit,
                 "profile": profile}  # fmt: skip
        packs = networks.write(aside, keys, runs, about, version.when)
        told("Pack the site, describe the release, and compute checksums.")
        (aside / verify.PROGRAM).write_text(evidence.program(), "utf-8", newline="\n")
        packages.archive(rendered, aside / SITE, version.when)
        _copy(root, home, aside, version)
        repository = str(read_yaml(paths.book() / "_config.yml")["repository"]["url"])
        _deposit(root, aside, version, repository, commit, profile, runs)
        said = {
            SITE: f"The site: unpack it and open index.html; profile {profile}",
            BOOK: "The whole book, printed",
            NOTES: "What changed",
            verify.PROGRAM: "Checks every number of the unpacked site: python verify.py SITE",
            **packs,
            deposit.ZENODO: "Metadata of the deposit, for Zenodo",
            deposit.CODEMETA: "Metadata of the software, as CodeMeta",
            deposit.CODECHECK: "Record with which a CODECHECK begins",
            **{f"packages/{one.name}": "The library, to install" for one in built},
        }
        record = crate.describe(aside, version, commit, repository, runs, said)
        _write_json(aside / crate.FILE, record)
        sums.write(aside)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def _copy(root: Path, home: Path, aside: Path, version: state.Version) -> None:
    """Copy results with their provenance and the project's plain files; describe the data sets."""
    results = aside / "results"
    results.mkdir()
    for file in sorted((home / "results").iterdir()):
        if file.suffix in KINDS and not file.name.startswith("."):
            shutil.copyfile(file, results / file.name)
    for name in PLAIN:
        shutil.copyfile(root / name, aside / name)
    notes = f"# {version.name} {version.number}, {version.date}\n\n{version.notes}\n"
    (aside / NOTES).write_text(notes, "utf-8", newline="\n")
    (aside / croissant.FOLDER).mkdir()
    for name, told in croissant.described().items():
        _write_json(aside / croissant.FOLDER / f"{name}.json", told)


def _deposit(
    root: Path,
    aside: Path,
    version: state.Version,
    repository: str,
    commit: str,
    profile: str,
    runs: Mapping[str, Mapping[str, Any]],
) -> None:
    """Write the workflow, and the metadata of a release for archives and reviewers."""
    (aside / crate.WORKFLOW).parent.mkdir()
    shutil.copyfile(root / crate.WORKFLOW, aside / crate.WORKFLOW)
    _write_json(aside / deposit.ZENODO, deposit.zenodo(version, repository))
    _write_json(aside / deposit.CODEMETA, deposit.codemeta(version, repository, commit, root))
    files = [path.relative_to(aside).as_posix() for path in aside.rglob("*") if path.is_file()]
    checked = deposit.codecheck(version, repository, profile, runs, files)
    said = yaml.safe_dump(checked, sort_keys=False, allow_unicode=True, width=120)
    head = f"# The person who checks this release adds {', '.join(deposit.TO_CHECK)}.\n"
    (aside / deposit.CODECHECK).write_text(f"{head}---\n{said}", "utf-8", newline="\n")


def _write_json(path: Path, record: Mapping[str, Any]) -> None:
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", "utf-8", newline="\n")


def check(folder: Path) -> list[str]:
    """Return the files of a release that differ from its checksums; empty if all agree.

    Raises:
        RunError: there are no checksums.
    """
    if not (folder / sums.NAME).exists():
        raise RunError(f"Expected {sums.NAME} in {folder}, but it is not there.")
    found = []
    for name, wanted in sums.read(folder).items():
        with suppress(FileNotFoundError):
            if sums.sha256(folder / name) == wanted:
                continue
        found.append(name)
    return found
