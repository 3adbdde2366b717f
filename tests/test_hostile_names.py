"""Names that others chose, on every page: text, or one paragraph of error; never markup.

A page with a hostile name has no element, attribute, script or style that one with a harmless name
has not, and says the name itself. `NAMES` is a corpus of what was ever bad or is known to be.
"""

import json
import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust_book.figures import bars, style
from robust_book.html.item import block
from robust_book.html.mistakes import Behind, Mistake, mistakes
from robust_book.html.saved import saved
from robust_book.html.svg import theme_svg
from robust_book.html.table import table
from robust_book.html.what_if import choice, what_if
from robust_book.passport import comparison, page
from robust_lib.curation import annotation_sheet, review_sheet
from robust_lib.curation.candidate_set import Category, Labelled, Photograph
from robust_lib.errors import LONGEST, RobustLibError
from robust_lib.passport import record
from robust_lib.results.interval import PercentInterval
from robust_lib.results.reported import item
from tests.few_or_many import few_or_many

HARMLESS = "harmless"
NAMES = (
    "<img src=x onerror=alert(1)>",
    '" onload="alert(1)" x="',
    "' onload='alert(1)' x='",
    "</script><script>alert(1)</script>",
    "</title></style></textarea><svg onload=alert(1)>",
    "<!--",
    "--><b>",
    "]]><b>",
    "&lt;b&gt; &#60;b&#62;",
    "javascript:alert(1)",
    "$\\frac{1}{0$",
    "$x$",
    "$$",
    "\\[x\\] \\(x\\)",
    "{{7*7}} {% raw %} {result}`a`",
    "/*DATA*/ /*SCRIPT*/",
    "[a](javascript:alert(1)) ![](x) `b` **c**",
    "_legend",
    "%(a)s %s {0} {a}",
    "\u202eabc\u2066",
    "\U0001f98a \ufffe \x85 \u2028",
    "NaN",
    "=1+1",
    "../../outside",
)


def number(name: str) -> record.Number:
    return record.Number(
        item="nae-fig2", metric="accuracy", dataset=name, corruption=name, severity=1, value=0.5,
        low=0.4, high=0.6, n=9, n_full=9, convention=name,
    )  # fmt: skip


def report(name: str) -> record.Passport:
    other = record.Other(network=name, value=0.4, source="here")
    headline = record.Headline(title=name, better="higher", number=number(name), others=(other,))
    ce = number(name).model_copy(update={"metric": "ce"})
    error = number(name).model_copy(update={"metric": "error"})
    kinds = ("surest mistakes", "least sure and right")
    section = record.Section(
        benchmark="a", title=name, paper="nae", headlines=(headline,), numbers=(ce, error),
        lacks=(name,), sets=(name,), corrupted=name,
        answers=tuple(
            record.Answer(
                kind=kind, images=name, id=name, label=name, predicted=name, confidence=1.0
            )
            for kind in kinds
        ),
    )  # fmt: skip
    left = record.Section(benchmark="b", title=name, paper="nae", left_out=name)
    made = record.Made(
        commit=name, dirty=True, date=name, seconds=1.0, device=name, versions={name: name},
        datasets={name: name},
    )  # fmt: skip
    return record.Passport(
        model=name, fingerprint=name, asks="classifier", classes=name, outputs=2, sees=name,
        profile=name, words=name, sections=(section, left), made=made, weights=3,
    )  # fmt: skip


def reported(name: str, _: Path) -> str:
    picture = np.zeros((2, 2, 3), np.uint8)
    return page.page(report(name), {(name, name): picture})


def compared(name: str, _: Path) -> str:
    one = report(name)
    return comparison.comparison_page(one, one, comparison.differences(one, one))


def reviewed(name: str, folder: Path) -> str:
    shown = review_sheet.Shown(
        f"{name}.png", name, name, (review_sheet.Panel(f"{name}.png", name),)
    )
    sheet = review_sheet.Sheet(folder, (shown,), title=name)
    sheet.write(folder / "sheet.html")
    return (folder / "sheet.html").read_text("utf-8")


def annotated(stage: annotation_sheet.Stage) -> Callable[[str, Path], str]:
    def made(name: str, folder: Path) -> str:
        sheet = annotation_sheet.Sheet(
            stage=stage,
            title=name,
            photographs=(Photograph(name, 4, 4),),
            categories=(Category(1, name),),
            tasks=(annotation_sheet.Task(name, 0, (0.0, 0.0, 1.0, 1.0), name),),
            proposals=((Labelled((0.0, 0.0, 1.0, 1.0), 0),),),
        )
        return sheet.page(
            {name: annotation_sheet.sheet_page.address(folder / f"{name}.png", folder / "a.html")}
        )

    return made


def shown_item(name: str, folder: Path) -> str:
    frame = pd.DataFrame({"model": [name, "b"], "of|all": [name, name], "n": [1, 2]})
    return str(
        block(
            item("inc-tab1"), words=name, alt=name, convention=name, verdicts=(), command=name,
            drawn=("<svg></svg>", None), table_html=table(frame, caption=name, name=name),
            downloads=[(name, "a.csv")],
        )
    )  # fmt: skip


def script(name: str, _: Path) -> str:
    wrong = Behind(name, name, name, (Mistake(name, name, 0.5),))
    controls = [choice(name, name, {name: name}, name)]
    asked = what_if("toy", name, controls, table(pd.DataFrame({"a": [name]}), caption=name),
                    {name: name}, convention=name)  # fmt: skip
    kept = {"text": name, "convention": name, "n": 1}
    saved_ = {"notebook": name, "profile": name, "items": [], "numbers": {name: kept}}
    return f"{mistakes([[wrong]], convention=name)}{asked}{saved(saved_, 1, [name])}"


PAGES: dict[str, Callable[[str, Path], str]] = {
    "model report": reported,
    "two reports": compared,
    "review": reviewed,
    "questions": annotated(1),
    "boxes": annotated(2),
    "item": shown_item,
    "scripts": script,
}


class Reader(HTMLParser):
    """What a page is made of, its text, and the data in its scripts."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.parts: set[tuple[str, ...]] = set()
        self.text: list[str] = []
        self.data: list[str] = []
        self.inside = ""
        self.feed(content)
        self.close()

    def handle_starttag(self, tag, attrs):
        active = [
            f"{name}={value}"
            for name, value in attrs
            if name.startswith("on")
            or (name in ("href", "src") and (value or "").lower().startswith("javascript:"))
        ]
        if tag != "bdi":
            self.parts.add((tag, *sorted(name for name, _ in attrs), *active))
        self.inside = tag
        self.text += [value or "" for _, value in attrs]

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_decl(self, decl):
        self.parts.add(("declaration", decl))

    def handle_comment(self, data):
        self.parts.add(("comment", data))

    def handle_pi(self, data):
        self.parts.add(("instruction", data))

    def handle_data(self, data):
        if self.inside == "script":
            self.data.append(data)
        elif self.inside == "style":
            self.parts.add(("style", data))
        else:
            self.text.append(data)


@pytest.fixture(scope="module", params=PAGES)
def shown(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("named") / "pages"  # the folder above it is watched, too
    folder.mkdir()
    make = PAGES[request.param]
    harmless = Reader(make(HARMLESS, folder))
    for number in ("0", "0e0"):  # columns of numbers are sorted as such, and have a class
        harmless.parts |= Reader(make(number, folder)).parts
    return make, folder, harmless


def tried(shown, name: str) -> None:
    make, folder, harmless = shown
    before = set(folder.parent.rglob("*"))
    try:
        made = make(name, folder)
        made.encode()
    except RobustLibError as error:
        told = str(error)
        assert told.strip()
        assert len(told) <= LONGEST
        assert not re.search(r"\n\s*\n|Traceback", told)
        return
    found = Reader(made)
    assert found.parts <= harmless.parts
    assert name in "\n".join(found.text + [str(known(one)) for one in found.data])
    assert set(folder.parent.rglob("*")) <= before | {folder / "sheet.html"}


def known(content: str) -> object:
    """Return what a page gives its scripts, as one text; programs themselves are not data."""
    try:
        return "\n".join(texts(json.loads(content)))
    except ValueError:
        return ""


def texts(data: object) -> list[str]:
    if isinstance(data, dict):
        return [one for pair in data.items() for part in pair for one in texts(part)]
    if isinstance(data, list):
        return [one for part in data for one in texts(part)]
    return [str(data)]


def test_a_bad_name_is_text_on_every_page(shown):
    for name in NAMES:
        tried(shown, name)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_bad_names_are_text_in_a_figure():
    def drawn(names: Sequence[str]) -> Reader:
        ours = {"mCE": {name: PercentInterval((50.0, 40.0, 60.0)) for name in names}}
        made = style.svg(bars.architectures(ours, {}, words=(names[0], names[-1])))
        return Reader(str(theme_svg(made, prefix="toy", title=names[0])))

    found = drawn(NAMES)
    assert found.parts <= drawn([HARMLESS, "other"]).parts
    assert [name for name in NAMES if name not in "\n".join(found.text)] == []


# A name with a control character is refused before it gets anywhere.
LETTERS = st.characters(exclude_categories=("Cc", "Cs"))


@pytest.mark.parametrize(
    "examples", [pytest.param(3, id="few"), pytest.param(1000, marks=pytest.mark.soak)]
)
def test_any_name_is_text_on_every_page(shown, examples):
    @few_or_many(examples)
    @given(st.lists(st.text(LETTERS, max_size=8) | st.sampled_from(NAMES), min_size=1, max_size=4))
    def check(parts: list[str]) -> None:
        name = "".join(parts)[: record.LONGEST]
        if name.strip():
            tried(shown, name)

    check()
