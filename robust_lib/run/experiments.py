"""Experiments: runs whose parameters differ from the book's, each in its own folder."""

import ast
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError

INTO_BOOK = "ROBUST_INTO_BOOK"
"""If this environment variable is set, every run belongs to the book."""

_ANYWHERE = ("profile", "data", "device", "batch_size")
_TOLD = ("limit", "seeds", "epochs", "images")  # by every run in words
_SPELT_OUT = 3  # values of a list
_KINDS = r"\b(?:bool|int|float|str|list|None)\b"
_FIELDS = ("severities", "limit", "seeds", "storage", "geometry", "epochs")


@dataclass(frozen=True)
class Experiment:
    """A run whose parameters differ from the book's.

    Attributes:
        folder: folder build/runs/<name>, with its notebook, results, figures and, once rendered,
            its site.
        date: date on which it was saved; None if its notebook failed before that.
    """

    folder: Path
    notebook: str
    profile: str
    parameters: Mapping[str, Any]
    date: str | None

    @property
    def name(self) -> str:
        """Return the experiment's name: the notebook's name and a few hexadecimal digits."""
        return self.folder.name


def folder(notebook: str, profile: str, parameters: Mapping[str, Any]) -> Path:
    """Return the folder of a run's notebook, results and figures.

    The book's runs use the profile unchanged. Every other run has a folder under build/runs, always
    the same for the same parameters, so that an experiment never replaces the book's results.
    """
    asked = changed(notebook, profile, parameters)
    if not asked or os.environ.get(INTO_BOOK):
        return paths.profile(profile)
    return _beside(notebook, profile, asked)


def table_folder(name: str, profile: str, parameters: Mapping[str, Any]) -> Path:
    """Return the folder for the table of a command that runs no notebook.

    The table of the unchanged profile is in the profile's folder, every other one under build/runs.
    """
    asked = changed(name, profile, parameters)
    return _beside(name, profile, asked) if asked else paths.profile(profile) / name


def _beside(name: str, profile: str, asked: Mapping[str, Any]) -> Path:
    said = json.dumps([name, profile, asked], sort_keys=True, default=str)
    return paths.runs() / f"{name}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def changed(notebook: str, profile: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters by which a run differs from the book's.

    The data folder and the device change nothing; neither does a value that is the notebook's or
    the profile's own.

    >>> changed("inc_2_mce", "mini", {"seeds": 1, "corruptions": '["fog"]', "device": "cuda"})
    {'corruptions': ['fog']}
    """
    source = paths.notebooks() / f"{notebook}.ipynb"
    own = defaults(source) if source.is_file() else {}
    fields = load_profile(profile).model_dump(include=set(_FIELDS), mode="json")
    told = {name: as_list(value) for name, value in parameters.items()}
    return {
        name: value
        for name, value in told.items()
        if value is not None
        and name not in _ANYWHERE
        and (name not in own or value != own[name])
        and (name not in fields or _listed(name, value) != fields[name])
    }


def in_words(notebook: str, profile: str, parameters: Mapping[str, Any]) -> str:
    """Return the parameters that distinguish a run from the book's, for its description."""
    apart = changed(notebook, profile, parameters)
    return "".join(f", {_told(*one)}" for one in apart.items() if one[0] not in _TOLD)


def _told(name: str, value: Any) -> str:
    """Return a parameter in words; a long list as its length, since figures show the line."""
    if not isinstance(value, list):
        return f"{name} {value}"
    if len(value) > _SPELT_OUT:
        return f"{len(value)} {name}"
    return f"{name} {' '.join(map(str, value)) or 'none'}"


def found() -> tuple[Experiment, ...]:
    """Return the experiments that were saved or failed so far, the latest first.

    An experiment that was stopped left no results and is not included.
    """
    every = filter(None, map(_read, sorted(paths.runs().glob("*"))))
    return tuple(sorted(every, key=_latest, reverse=True))


def _latest(one: Experiment) -> tuple[str, int]:
    """Return the sort key of an experiment: its date, then the time when it was written."""
    return one.date or "", one.folder.stat().st_mtime_ns


def defaults(source: Path) -> dict[str, Any]:
    """Return name -> value of the assignments in a notebook's cell of parameters.

    Raises:
        InputError: the notebook has no such cell, or several.
    """
    return {name: _literal(node.value) for name, node in _assigned(source)}


def kinds(source: Path) -> dict[str, tuple[str, ...]]:
    """Return the types that a notebook's parameters may have, from its cell of parameters.

    A parameter without an annotation has the type of its value; if that is None, any type is
    allowed.

    Returns:
        name -> some of "bool", "int", "float", "str", "list" and "None".

    Raises:
        InputError: the notebook has no cell of parameters, or several.
    """
    found = {}
    for name, node in _assigned(source):
        value = _literal(node.value)
        if isinstance(node, ast.AnnAssign):
            found[name] = tuple(re.findall(_KINDS, ast.unparse(node.annotation)))
        elif value is not None:
            found[name] = (type(value).__name__,)
    return found


def _assigned(source: Path) -> list[tuple[str, ast.Assign | ast.AnnAssign]]:
    """Return each name that a notebook's parameters cell assigns, with the statement."""
    cells = json.loads(source.read_text("utf-8"))["cells"]
    tagged = [c for c in cells if "parameters" in c.get("metadata", {}).get("tags", [])]
    if len(tagged) != 1:
        raise InputError(
            f"Expected one cell tagged parameters in {source}, but found {len(tagged)}."
        )
    return [
        (target.id, node)
        for node in ast.parse("".join(tagged[0]["source"])).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]


def as_list(value: Any) -> Any:
    """Return the list that a text spells out, in papermill's -p form; any other value is unchanged.

    >>> as_list('["fog", "snow"]'), as_list("fog")
    (['fog', 'snow'], 'fog')
    """
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            return yaml.safe_load(value)
        except yaml.YAMLError:
            return value
    return value


def _literal(node: ast.expr | None) -> Any:
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None


def _listed(name: str, value: Any) -> Any:
    if name == "seeds" and isinstance(value, int):
        return list(range(value))
    return list(value) if isinstance(value, tuple) else value


def _read(home: Path) -> Experiment | None:
    notebook = home.name.rpartition("-")[0]
    saved, failed = home / "results" / f"{notebook}.json", home / "failed" / f"{notebook}.ipynb"
    if saved.is_file():
        told = json.loads(saved.read_text("utf-8"))["provenance"]
        return Experiment(home, notebook, told["profile"], told["parameters"], told["date"])
    if not failed.is_file():  # stopped, or what another command writes there
        return None
    metadata = json.loads(failed.read_text("utf-8"))["metadata"]
    given = dict(metadata.get("papermill", {}).get("parameters", {}))
    return Experiment(home, notebook, given.pop("profile", ""), given, None)
