"""One module per notebook, with the same name: the chapter's record and the page's content.

`inc_2_mce` is the model. Its notebook computes in the open (`grid = run.grid()`, a protocol's rows)
and then calls one function per block; no caption, alternative text or convention is in a cell.

1. `CHAPTER` comes first: the record that `start`, the engine and the book read. 2. Then the blocks
in the page's order, `corruption_errors(page, results, ...) -> Html`: each hands its figure, tables,
alternative text and convention to `page.item` or `page.figure`. 3. Public functions of rows, which
do not depend on a page, follow: `..._frame` returns a data frame, `key_numbers` the numbers in the
prose, and an image gallery is named for its content. The verdict of each claim is added to the
numbers automatically: `inc-tab1-claim-1`, as a verb phrase `...-verb`, our numbers `...-here`. 4.
`COMMITTED` contains the committed tables, of runs that not every reader repeats. 5. Code that
several chapters of a paper share is in `<paper>.py`; code that papers share is in `view`. 6. A
module that would exceed 400 lines becomes a folder of its name: `CHAPTER` and the blocks are in its
`__init__`, their numbers in `numbers`. 7. As in a notebook, examples in docstrings can use the
chapter's `run` and `page`, made of toys. They can also use `toys`, for other inputs, and
`texts(block, "td")`, the texts of a block's elements: see `conftest.py`.
"""

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType

from robust_lib import paths
from robust_lib.config.papers import papers
from robust_lib.errors import InputError, one_of
from robust_lib.run.chapter import Chapter


def notebooks() -> tuple[str, ...]:
    """Return the names of the committed notebooks, in the book's order of names.

    >>> notebooks()[:3]
    ('00_tour', 'inc_1_corruptions', 'inc_2_mce')
    """
    return tuple(sorted(path.stem for path in paths.notebooks().glob("*.ipynb")))


START, MORE = "Start", "More chapters"


def parts(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return heading -> the notebooks under it, in the book's order; no part is empty.

    Numbered notebooks come first, then a part for each paper; notebooks of no paper come last.

    >>> parts(["nao_2_map", "inc_2_mce", "00_tour", "inc_1_corruptions"]).values()
    dict_values([('00_tour',), ('inc_1_corruptions', 'inc_2_mce'), ('nao_2_map',)])
    """
    heading = {paper.key: paper.short for paper in papers()}
    found: dict[str, tuple[str, ...]] = {START: (), **dict.fromkeys(heading.values(), ()), MORE: ()}
    for name in sorted(names):
        prefix = name.partition("_")[0]
        found[START if prefix.isdigit() else heading.get(prefix, MORE)] += (name,)
    return {caption: own for caption, own in found.items() if own}


def chapter(notebook: str) -> Chapter:
    """Return the record of a notebook.

    Raises:
        InputError: there is no such notebook, or no module of its name.

    >>> chapter("inc_2_mce").networks
    'imagenet_c'
    """
    record: Chapter = module(notebook).CHAPTER
    return record


def module_name(notebook: str) -> str:
    """Return the name of a notebook's module and of the YAML file next to it.

    >>> module_name("00_tour")
    'tour'
    """
    return notebook.lstrip("0123456789_")  # numbers order notebooks; no module may begin with one


def module(notebook: str) -> ModuleType:
    """Return the module of a notebook.

    Raises:
        InputError: there is no such notebook, or no module of its name.

    >>> module("00_tour").__name__
    'robust_book.chapters.tour'
    """
    if notebook not in notebooks():
        raise InputError(one_of("chapter", notebook, notebooks()))
    name = f"{__name__}.{module_name(notebook)}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise InputError(
            f"Expected a module {name} with the record CHAPTER for {notebook}.ipynb, but there is "
            "none. Write this module: book/architecture.md has an example."
        ) from None


def all_chapters() -> tuple[Chapter, ...]:
    """Return the records of all notebooks, ordered by name.

    >>> [one.notebook for one in all_chapters() if one.baseline]
    ['00_tour', 'inc_2_mce', 'inc_3_enhancements', 'overlap_2_balance_and_cover']
    """
    return tuple(chapter(notebook) for notebook in notebooks())
