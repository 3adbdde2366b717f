"""The site of a course: no solutions, and as sources the students' copies."""

import pytest

from robust_lib.course import site_copy

FOLDED = (
    '<details class="sd-sphinx-override sd-dropdown sd-card"><summary class="sd-summary-title">'
    '<span class="sd-summary-text">{}</span></summary><div>secret {}</div></details>'
)


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    (folder / "_sources").mkdir(parents=True)
    page = "".join(FOLDED.format(name, name) for name in ("Solution", "Hint", "A way to look"))
    (folder / "inc_2_mce.html").write_text(f"<p>question</p>{page}<p>end</p>")
    for name in ("inc_2_mce.ipynb", "vid_1_dataset.ipynb"):
        (folder / "_sources" / name).write_text("all solutions")
    return folder


def test_a_course_has_the_pages_without_solutions(site, tmp_path):
    notebooks = tmp_path / "student"
    notebooks.mkdir()
    (notebooks / "inc_2_mce.ipynb").write_text("questions")
    site_copy.copied(site, tmp_path / "copy", notebooks)
    page = (tmp_path / "copy" / "inc_2_mce.html").read_text()
    assert "secret Solution" not in page
    assert "secret A way to look" not in page
    assert "secret Hint" in page
    assert page.startswith("<p>question</p>")
    assert page.endswith("<p>end</p>")
    assert page.count(site_copy.LEFT) == 2
    sources = tmp_path / "copy" / "_sources"
    assert [path.name for path in sources.iterdir()] == ["inc_2_mce.ipynb"]
    assert (sources / "inc_2_mce.ipynb").read_text() == "questions"
    assert "secret Solution" in (site / "inc_2_mce.html").read_text()
