"""Links from the code of a chapter's cells to the source of the functions that it calls."""

import ast
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import robust_book
import robust_lib
from robust_book.commands import launch
from robust_book.html.markup import text
from robust_book.sphinx_ext.page import page_of

_PACKAGES = {
    "robust_lib": ("robust_lib", Path(robust_lib.__path__[0])),
    "robust_book": ("book/robust_book", Path(robust_book.__path__[0])),
}
_CELL = re.compile(r'<div class="cell_input.*?</pre>', re.DOTALL)
_CALL = re.compile(
    r'(?:<span class="n">(\w+)</span><span class="o">\.</span>)?<span class="n">(\w+)</span>'
    r'(?=<span class="p">\()'
)


def lead(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Turn the functions that a chapter's cells call into links, at the commit of its run."""
    record = page_of(app, page).results.get(page)
    if record is None or doctree is None:
        return
    cells = json.loads((Path(app.srcdir) / f"{page}.ipynb").read_text("utf-8"))["cells"]
    code = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")
    options = app.config.html_theme_options
    known = launch.place(record) is not None
    commit = record["provenance"]["commit"] if known else options["repository_branch"]
    home = f"{str(options['repository_url']).rstrip('/')}/blob/{commit}"
    context["body"] = led(context["body"], called(code), home)


def called(code: str) -> dict[str, str]:
    """Return each function of the two packages that code calls -> its file and line.

    >>> called("from robust_lib.run.start import start; start(1).grid()")
    {'start': 'robust_lib/run/start.py#L26'}
    """
    tree = ast.parse(code)
    names = {
        one.asname or one.name: f"{node.module}.{one.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in names:
                shown, whole = name, names[name]
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)):
                shown, whole = f"{module}.{name}", f"{names.get(module, '')}.{name}"
            case _:
                continue
        if place := _definition(whole):
            found[shown] = place
    return found


def led(body: str, places: Mapping[str, str], home: str) -> str:
    """Return a page whose cells link each call to its function.

    Args:
        places: a call, as it is written -> file and line of its function.
        home: the address of the folder of these files.

    >>> call = '<span class="n">a</span><span class="o">.</span><span class="n">b</span>'
    >>> cell = f'<div class="cell_input"><pre>{call}<span class="p">()</span></pre>'
    >>> led(cell, {"a.b": "a.py#L3"}, "https://here")[:77]
    '<div class="cell_input"><pre><a class="rb-source" href="https://here/a.py#L3"'
    """

    def call(found: re.Match[str]) -> str:
        place = places.get(".".join(filter(None, found.groups())))
        if place is None:
            return found[0]
        return f'<a class="rb-source" href="{text(f"{home}/{place}")}">{found[0]}</a>'

    return _CELL.sub(lambda cell: _CALL.sub(call, cell[0]), body)


def _definition(name: str) -> str | None:
    """Return file and line of one of our functions or classes; None for any other name."""
    module, _, own = name.rpartition(".")
    package, *parts = module.split(".")
    if package not in _PACKAGES:
        return None
    shown, folder = _PACKAGES[package]
    inside = ["/".join([*parts[:-1], f"{parts[-1]}.py"])] if parts else []
    for place in [*inside, "/".join([*parts, "__init__.py"])]:
        if (folder / place).is_file():
            break
    else:
        return None
    for node in _parsed(folder / place):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == own:
            return f"{shown}/{place}#L{node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                if own == (one.asname or one.name):
                    return _definition(f"{node.module}.{one.name}")
    return None


@lru_cache(maxsize=256)
def _parsed(file: Path) -> list[ast.stmt]:
    return ast.parse(file.read_text("utf-8")).body
