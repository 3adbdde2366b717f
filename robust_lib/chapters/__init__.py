"""One module a notebook, of the same name: its record, tables, galleries and key numbers."""

from importlib import import_module

from robust_lib import paths
from robust_lib.errors import InputError, one_of
from robust_lib.run.chapter import Chapter


def notebooks() -> tuple[str, ...]:
    """Return the names of the committed notebooks, in the book's order of names."""
    return tuple(sorted(path.stem for path in paths.notebooks().glob("*.ipynb")))


def chapter(notebook: str) -> Chapter:
    """Return the record of a notebook.

    Raises:
        InputError: there is no such notebook, or no module of its name.

    >>> chapter("inc_2_mce").networks
    'imagenet_c'
    """
    if notebook not in notebooks():
        raise InputError(one_of("chapter", notebook, notebooks()))
    # Numbers order notebooks; no module may begin with one.
    name = f"{__name__}.{notebook.lstrip('0123456789_')}"
    try:
        found: Chapter = import_module(name).CHAPTER
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise InputError(
            f"Expected a module {name} with the record CHAPTER for {notebook}.ipynb, but there is "
            "none. Write one: book/architecture.md has an example."
        ) from None
    return found


def all_chapters() -> tuple[Chapter, ...]:
    """Return the records of all notebooks, in the order of their names."""
    return tuple(chapter(notebook) for notebook in notebooks())
