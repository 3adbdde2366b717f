"""What search engines, messengers and hosts read of a page."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes

from robust_book.commands import site
from robust_book.sphinx_ext import host
from robust_book.sphinx_ext.nodes import drawn
from robust_lib.errors import RunError

ADDRESS = "https://example.org/book/"


def page_of(*several):
    """Return a page of some paragraphs; what is markup begins with a tag."""
    section = nodes.section()
    for told in several:
        node = nodes.paragraph()
        for part in told:
            node += drawn(part) if part.startswith("<") else nodes.Text(part)
        section += node
    return section


@pytest.fixture
def doctree():
    made = page_of(
        ("This run (images: 9): the error is ", "<b>5 %<span class='x'></span></b>", " of all.")
    )
    question = nodes.paragraph()
    question += nodes.strong("", "Is it so?")
    made.insert(0, question)
    return made


@pytest.fixture
def app(tmp_path):
    config = SimpleNamespace(html_title="The book")
    return SimpleNamespace(
        outdir=tmp_path, srcdir=tmp_path, config=config, builder=SimpleNamespace(format="html"),
        env=SimpleNamespace(found_docs={"index", "api/a", "404"}),
    )  # fmt: skip


def head(app, page, doctree):
    context = {"title": "A <em>title</em>", "metatags": '<meta name="viewport" content="w">\n<x>'}
    host.head(app, page, "page.html", context, doctree)
    return context


def test_a_chapter_is_described_by_its_question_and_the_runs_answer(doctree):
    assert host.description(doctree) == "Is it so? The error is 5 % of all."


def test_another_page_is_described_by_its_first_words():
    assert host.description(page_of(("First & last.",), ("Second.",))) == "First & last."


def test_without_an_address_nothing_absolute_is_said(app, doctree, monkeypatch):
    monkeypatch.delenv(site.ADDRESS, raising=False)
    context = head(app, "api/a", doctree)
    tags = context["metatags"]
    assert "viewport" not in tags
    assert "og:url" not in tags
    assert "pageurl" not in context
    assert 'property="og:title" content="A title"' in tags
    assert re.search(r'og:image" content="\.\./_images/\w{20}\.png"', tags)
    host.tell_robots(app, None)
    assert not (app.outdir / "sitemap.xml").exists()
    assert (app.outdir / "robots.txt").read_text() == "User-agent: *\nAllow: /\n"


def test_with_an_address_all_is_whole(app, doctree, monkeypatch):
    monkeypatch.setenv(site.ADDRESS, "https://example.org/book")
    context = head(app, "api/a", doctree)
    assert f'og:url" content="{ADDRESS}api/a.html"' in context["metatags"]
    assert f'og:image" content="{ADDRESS}_images/' in context["metatags"]
    assert context["pageurl"] == f"{ADDRESS}api/a.html"
    assert f'<base href="{ADDRESS}">' in head(app, "404", None)["metatags"]
    host.tell_robots(app, None)
    listed = re.findall("<loc>(.*?)</loc>", (app.outdir / "sitemap.xml").read_text())
    assert listed == [f"{ADDRESS}api/a.html", f"{ADDRESS}index.html"]
    assert f"Sitemap: {ADDRESS}sitemap.xml" in (app.outdir / "robots.txt").read_text()


def test_what_is_no_address_is_refused(monkeypatch):
    monkeypatch.setenv(site.ADDRESS, "example.org/book")
    with pytest.raises(RunError, match=r"SITE_URL to be .* but got 'example\.org/book'"):
        site.published()


def test_the_page_that_a_host_shows_for_none_finds_the_book(app, monkeypatch):
    monkeypatch.delenv(site.ADDRESS, raising=False)
    tags = head(app, "404", None)["metatags"]
    assert "objects.inv" in tags
    assert "<base" not in tags
    assert list(host.missing(app)) == [("404", {}, "notfound.html")]
