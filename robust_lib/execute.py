"""Execute a notebook: papermill, plus refusal of unknown parameters and a whole result or none."""

import ast
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robust_lib import paths
from robust_lib.errors import InputError, RunError, one_of


def execute(
    notebook: str, profile: str, parameters: Mapping[str, Any], *, progress: bool = True
) -> Path:
    """Return the executed notebook, under build/<profile>/notebooks.

    Args:
        notebook: its name, such as "inc_2_mce".
        profile: a file of data_manifests/profiles.
        parameters: values for the notebook's parameters cell.
        progress: whether to show papermill's bar.

    Raises:
        InputError: no such notebook, or a parameter that it does not have.
        RunError: a cell failed; the message names it. What earlier runs left is intact.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError

    source = find(notebook)
    check(source, parameters)
    folder = paths.profile(profile) / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    aside, target = folder / f".{notebook}.running.ipynb", folder / f"{notebook}.ipynb"
    began = time.monotonic()
    try:
        papermill.execute_notebook(
            str(source),
            str(aside),
            {"profile": profile, **parameters},
            progress_bar=progress,
            cwd=str(paths.root()),
            kernel_name="python3",
        )
    except PapermillExecutionError as error:
        failed = folder / f"{notebook}.failed.txt"
        aside.replace(failed)
        raise RunError(
            f"{notebook} failed in cell {error.exec_count or error.cell_index} after "
            f"{time.monotonic() - began:.0f} s: {error.ename}: {error.evalue} The notebook up to "
            f"there is {failed}; results of earlier runs are untouched."
        ) from None
    aside.replace(target)
    return target


def find(notebook: str) -> Path:
    """Return the committed notebook of a name; raise InputError with those that exist."""
    name = Path(notebook).stem
    known = {path.stem: path for path in sorted(paths.notebooks().glob("*.ipynb"))}
    if name not in known:
        raise InputError(one_of("notebook", name, known))
    return known[name]


def check(source: Path, parameters: Mapping[str, Any]) -> None:
    """Raise InputError for a parameter that a notebook's parameters cell does not have."""
    known = parameter_names(source)
    for name in parameters:
        if name not in known:
            raise InputError(
                f"{one_of(f'a parameter of {source.stem}', name, known)} Nothing was run."
            )


def parameter_names(source: Path) -> tuple[str, ...]:
    """Return the names that a notebook's parameters cell assigns."""
    cells = json.loads(source.read_text("utf-8"))["cells"]
    tagged = [c for c in cells if "parameters" in c.get("metadata", {}).get("tags", [])]
    if len(tagged) != 1:
        raise InputError(
            f"Expected one cell tagged parameters in {source}, but found {len(tagged)}."
        )
    tree = ast.parse("".join(tagged[0]["source"]))
    return tuple(
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    )
