"""What the theme brings and no page shows: its rules and icons go, those that are shown stay."""

import importlib.util
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from robust_book.sphinx_ext import theme

THEME = Path(importlib.util.find_spec("pydata_sphinx_theme").origin).parent
PAGE = '<i class="fa-solid fa-magnifying-glass"></i><i class="fab fa-github"></i><p class="note">'


@pytest.fixture
def site(tmp_path):
    static = THEME / "theme" / "pydata_sphinx_theme" / "static"
    shutil.copytree(static, tmp_path / "_static")
    (tmp_path / "_static" / "sphinx-design.min.css").write_text(".sd-card{x:1}.sd-tab{x:2}")
    (tmp_path / "_static" / "other.css").write_text('.more:after { content: "\\f107" }')
    (tmp_path / "_static" / "locales" / "de").mkdir(parents=True)
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "_static" / "own.js").write_text("element.classList.add('sd-card')")
    return tmp_path


def run(site, exception=None, kind="html"):
    builder = SimpleNamespace(format=kind)
    theme.remove_unused(SimpleNamespace(outdir=site, builder=builder), exception)


def sheet(site):
    return (site / "_static/styles/pydata-sphinx-theme.css").read_text("utf-8")


def letters(site, name):
    font = site / "_static/vendor/fontawesome/webfonts" / f"fa-{name}.woff2"
    return {chr(one) for one in TTFont(font).getBestCmap()}


def test_icons_that_pages_show_stay_and_the_others_go(site):
    run(site)
    assert {"\uf002", "\uf107"} <= letters(site, "solid-900")
    assert "\uf09b" in letters(site, "brands-400")
    assert len(letters(site, "solid-900")) < 20
    assert '.fa-magnifying-glass:before{content:"\\f002"}' in sheet(site)
    assert "fa-anchor" not in sheet(site)


def test_the_family_of_the_icons_is_still_said(site):
    run(site)
    families = [one for one in sheet(site).split("}") if "Font Awesome" in one]
    assert any("@font-face" in one for one in families)
    assert any(".fa-solid" in one.split("{")[0].split(",") for one in families)


def test_what_a_script_names_stays(site):
    run(site)
    assert (site / "_static/sphinx-design.min.css").read_text("utf-8") == ".sd-card{x:1}"


def test_templates_translations_and_sources_of_scripts_are_not_published(site):
    assert list(site.rglob("*.map"))
    assert list(site.rglob("webpack-macros.html"))
    run(site)
    assert not list(site.rglob("*.map")) + list(site.rglob("*macros.html"))
    assert not (site / "_static" / "locales").exists()


def test_comments_stay_whole(site):
    before = sheet(site)
    run(site)
    assert theme._COMMENT.findall(sheet(site)) == theme._COMMENT.findall(before)


def test_a_second_time_changes_nothing(site):
    run(site)
    before = sheet(site)
    run(site)
    assert sheet(site) == before


def test_a_failed_build_and_another_format_are_left_alone(site):
    before = sheet(site)
    run(site, ValueError())
    run(site, kind="latex")
    assert sheet(site) == before


def test_a_theme_without_its_icons_is_refused(site):
    shutil.rmtree(site / "_static/vendor")
    with pytest.raises(ExtensionError, match="Expected icon fonts"):
        run(site)


def test_selectors_are_parted_at_commas_outside_of_brackets():
    one = ".a:is(.b,.c),.d .e{x:1}"
    assert theme.without(one, {"a", "d", "e"}) == one
    assert theme.without(one, {"a"}) == ".a:is(.b,.c){x:1}"
    assert theme.without(one, set()) == ""
