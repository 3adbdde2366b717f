"""The list of functions that an API page begins with, read from the page itself."""

import inspect
import re
from importlib import import_module
from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry
from sphinx.environment import BuildEnvironment

import robust_lib
from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.page import Page

_NAMED = re.compile(r"^\.\. auto(?:function|class|module):: (\S+)", re.MULTILINE)


def draw(page: Page, *others: str) -> Html:
    """Return one line per object with its first sentence; from other pages if any are named."""
    names = others or (page.name,)
    return lines('<ul class="rb-functions">', *(_of(page, name) for name in names), "</ul>")


def _of(page: Page, name: str) -> Html:
    source = (page.folder / f"{name}.md").read_text("utf-8")
    home = "" if name == page.name else page.to(f"{name}.html")
    return lines(*(_line(one, home) for one in _NAMED.findall(source)))


def _line(name: str, home: str) -> str:
    first = first_sentence(name)
    short = name.removeprefix("robust_lib.")
    return f'<li><a href="{home}#{text(name)}"><code>{text(short)}</code></a> {text(first)}</li>'


def put_short_names(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Index `robust_lib.metrics.anomaly.auroc` also under the short name `robust_lib.auroc`."""
    described: dict[str, ObjectEntry] = env.domaindata["py"]["objects"]
    for name in robust_lib.__all__:
        found = inspect.unwrap(getattr(robust_lib, name))
        long = f"{found.__module__}.{name}"
        if long in described:
            described[f"robust_lib.{name}"] = described[long]._replace(aliased=True)
    return []


def named(name: str) -> Any:
    """Return the module, class or function that has a name."""
    module, _, attribute = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(import_module(module), attribute)


def first_sentence(name: str) -> str:
    """Return the first sentence of the docstring of an object of the library.

    >>> first_sentence("robust_lib.metrics.accuracy.top1").startswith("Return")
    True
    """
    told = (inspect.getdoc(named(name)) or "").partition("\n\n")[0]
    return " ".join(told.replace("`", "").split())
