"""From executed notebooks to a site: what is put together, what is refused, what comes out."""

import filecmp
import json
import os
import re
import shutil

import nbformat
import pytest
import yaml

from robust_book.commands import site
from robust_book.engine import journal
from robust_book.html.saved import saved
from robust_lib import atomic, paths
from robust_lib.errors import RunError

PROFILE = "fixture"


def there():
    return paths.profile(PROFILE)


def change(path, edit) -> None:
    """Edit a JSON file in place."""
    content = json.loads(path.read_text("utf-8"))
    edit(content)
    path.write_text(json.dumps(content), "utf-8")


def chapters_alone(book):
    """Take all pages but the first and the chapters out of a book, which take most of the time."""
    for page in book.glob("*.md"):
        if page.stem != "index":
            page.unlink()
    for folder in ("api", "decisions"):
        shutil.rmtree(book / folder)
    chapters = [{"file": path.stem} for path in sorted(book.glob("*.ipynb"))]
    contents = {"format": "jb-book", "root": "index", "chapters": chapters}
    (book / "_toc.yml").write_text(yaml.safe_dump(contents), "utf-8")


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_contents_keep_the_built_chapters_in_the_books_order(project):
    book = site.assemble(there())
    contents = yaml.safe_load((book / "_toc.yml").read_text("utf-8"))
    parts = {part["caption"]: [c["file"] for c in part["chapters"]] for part in contents["parts"]}
    assert parts["Common Corruptions"] == ["inc_1_corruptions", "inc_2_mce"]
    assert parts["Start"] == ["00_tour"]
    assert "Natural Adversarial Objects" not in parts
    assert site.MORE not in parts


def test_a_site_of_some_chapters_has_these_and_no_links_to_others(project):
    prose = nbformat.v4.new_markdown_cell("[This](00_tour.ipynb), [that](inc_2_mce.ipynb#more).")
    for folder in (project / "notebooks", project / "build" / PROFILE / "notebooks"):
        change(folder / "00_tour.ipynb", lambda notebook: notebook["cells"].append(prose))
    (project / "build" / PROFILE / "results" / "inc_2_mce.json").unlink()  # it may be at work
    book = site.assemble(there(), ["00_tour", "inc_1_corruptions"])
    assert sorted(path.stem for path in book.glob("*.ipynb")) == ["00_tour", "inc_1_corruptions"]
    shown = json.loads((book / "00_tour.ipynb").read_text("utf-8"))["cells"][-1]["source"]
    assert shown == "[This](00_tour.ipynb), that."


def being_made(*left, at_work=()):
    """Have the journal say that chapters are left to do, and some of them at work."""
    journal.begin(there())
    journal.write(there(), "due", jobs=[f"notebook-{name}" for name in left])
    for name in at_work:
        journal.write(there(), "begun", job=f"notebook-{name}", pid=1)


@pytest.fixture
def rendered(monkeypatch):
    """Have no page rendered but the names that it would have."""
    made = []

    def render(book, output):
        made.append([path.stem for path in sorted(book.glob("*.ipynb"))])
        for name in ("index", *made[-1]):
            atomic.write_bytes(output / "html" / f"{name}.html", b"")
        return output / "html"

    monkeypatch.setattr(site, "render", render)
    return made


def test_the_site_so_far_has_what_is_done_and_is_rendered_once(project, rendered):
    (there() / "results" / "inc_2_mce.json").unlink()  # its run goes on
    being_made("inc_2_mce", "vid_1_dataset")
    assert site.so_far(there()) == there() / "site"
    assert rendered == [["00_tour", "inc_1_corruptions"]]
    assert (there() / "site" / "inc_1_corruptions.html").exists()
    assert site.so_far(there()) is None, "nothing is new"
    change(there() / "results" / "00_tour.json", lambda saved: saved.update(words="Made anew."))
    assert site.so_far(there()) == there() / "site"


def test_the_site_so_far_waits_for_a_chapter_that_is_at_work_and_for_the_last(project, rendered):
    being_made("inc_2_mce", "vid_1_dataset", at_work=["inc_2_mce"])
    assert site.so_far(there()) is None, "the other will be rendered with it"
    being_made()
    assert site.so_far(there()) is None, "the whole site is next"
    assert not rendered


def test_a_site_so_far_that_cannot_be_rendered_is_no_error(project, monkeypatch, capsys):
    being_made("vid_1_dataset")

    def fails(book, output):
        raise RunError("The site did not render: no.")

    monkeypatch.setattr(site, "render", fails)
    assert site.so_far(there()) is None
    assert "did not render" in capsys.readouterr().err


def test_what_did_not_change_keeps_its_time_by_which_sphinx_knows_it(project):
    book = site.assemble(there(), ["00_tour"])
    times = {path: path.stat().st_mtime_ns for path in book.rglob("*") if path.is_file()}
    change(there() / "results" / "00_tour.json", lambda saved: saved.update(words="Made anew."))
    site.assemble(there(), ["00_tour", "inc_1_corruptions"])
    moved = {path.name for path, time in times.items() if path.stat().st_mtime_ns != time}
    assert {"_toc.yml", "00_tour.json"} <= moved
    assert not moved & {"00_tour.ipynb", "how_to_read.md", "inc_2_mce.json"}


def test_results_figures_and_tables_lie_where_the_pages_look(project):
    results = site.assemble(there()) / "_static" / "results"
    wanted = {"inc_2_mce.json", "inc-tab1.csv", "inc-fig2.png", "inc-fig2.svg"}
    assert wanted <= {file.name for file in results.iterdir()}


def test_an_unexecuted_notebook_is_refused(project, tiny):
    path = project / "build" / PROFILE / "notebooks" / "inc_2_mce.ipynb"
    nbformat.write(tiny.chapter("inc_2_mce"), path)
    with pytest.raises(RunError, match=r"inc_2_mce.*unexecuted.*cell \(number 2\)"):
        site.assemble(there())


def test_a_failed_notebook_is_refused_with_cell_and_error(project, tiny):
    tiny.write(project, "00_tour", tiny.chapter("00_tour", extra="1 / 0"))
    with pytest.raises(RunError, match=r"00_tour failed in cell \d+: ZeroDivisionError: division"):
        site.assemble(there())


def test_a_stale_notebook_is_refused(project):
    source = project / "notebooks" / "inc_2_mce.ipynb"
    change(source, lambda notebook: notebook["cells"][0].update(source="# Another question"))
    with pytest.raises(RunError, match=r"inc_2_mce.*committed.*different"):
        site.assemble(there())


def test_injected_parameters_do_not_make_a_notebook_stale_and_are_not_shown(project):
    injected = nbformat.v4.new_code_cell(
        "seeds = 3", metadata={"tags": ["injected-parameters"]}, execution_count=2
    )
    path = project / "build" / PROFILE / "notebooks" / "inc_2_mce.ipynb"
    change(path, lambda notebook: notebook["cells"].insert(2, injected))
    shown = json.loads((site.assemble(there()) / "inc_2_mce.ipynb").read_text("utf-8"))
    assert "seeds = 3" not in [cell["source"] for cell in shown["cells"]]


def test_a_notebook_without_a_committed_source_is_refused(project):
    (project / "notebooks" / "inc_2_mce.ipynb").unlink()
    with pytest.raises(RunError, match=r"inc_2_mce.*committed notebook"):
        site.assemble(there())


def test_a_notebook_without_results_is_refused(project):
    (project / "build" / PROFILE / "results" / "inc_2_mce.json").unlink()
    with pytest.raises(RunError, match="inc_2_mce left no results"):
        site.assemble(there())


def test_results_without_provenance_are_refused(project):
    record = project / "build" / PROFILE / "results" / "inc_2_mce.json"
    change(record, lambda saved: saved["provenance"].pop("commit"))
    with pytest.raises(RunError, match="unknown origin: provenance lacks commit"):
        site.assemble(there())


def test_results_of_another_profile_are_refused(project):
    record = project / "build" / PROFILE / "results" / "inc_2_mce.json"
    change(record, lambda saved: saved["provenance"].update(profile="mini"))
    with pytest.raises(RunError, match=r"inc_2_mce.*profile mini"):
        site.assemble(there())


def test_a_chapter_of_no_paper_stands_at_the_end(project):
    home = project / "build" / PROFILE
    for folder in (project / "notebooks", home / "notebooks"):
        (folder / "inc_2_mce.ipynb").rename(folder / "toy_9_more.ipynb")
    (home / "results" / "inc_2_mce.json").rename(home / "results" / "toy_9_more.json")
    contents = yaml.safe_load((site.assemble(there()) / "_toc.yml").read_text("utf-8"))
    assert contents["parts"][-1] == {"caption": site.MORE, "chapters": [{"file": "toy_9_more"}]}
    assert all(part["caption"] != site.MORE for part in contents["parts"][:-1])


def test_no_executed_notebook_at_all_is_refused(project):
    with pytest.raises(RunError, match=r"Expected executed notebooks in .* but there are none"):
        site.assemble(paths.profile("mini"))


def test_every_fault_is_named_at_once(project):
    home = project / "build" / PROFILE
    (home / "results" / "inc_2_mce.json").unlink()
    change(
        home / "notebooks" / "00_tour.ipynb",
        lambda notebook: code_cells(notebook)[0].update(execution_count=None),
    )
    with pytest.raises(RunError) as refused:
        site.assemble(there())
    assert "00_tour has an unexecuted" in str(refused.value)
    assert "inc_2_mce left no results" in str(refused.value)


def on_one_core(do):
    """Do something as on a machine of one core, on which pages are not written side by side."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        return do()
    finally:
        os.sched_setaffinity(0, cores)


@pytest.mark.slow
def test_the_same_run_renders_to_the_same_bytes_and_replaces_the_old_site(project):
    old = project / "build" / PROFILE / "site"
    old.mkdir()
    (old / "gone.html").write_text("old", "utf-8")
    first = site.build(there())
    assert first == old
    assert not (old / "gone.html").exists()
    kept = old.rename(old.with_name("kept"))
    second = on_one_core(lambda: site.build(there()))
    names = sorted(str(p.relative_to(kept)) for p in kept.rglob("*") if p.is_file())
    assert names == sorted(str(p.relative_to(second)) for p in second.rglob("*") if p.is_file())
    _, different, failed = filecmp.cmpfiles(kept, second, names, shallow=False)
    assert (different, failed) == ([], [])


@pytest.mark.slow
def test_every_fault_on_a_page_fails_the_build_and_leaves_the_old_site(project):
    old = project / "build" / PROFILE / "site"
    old.mkdir()
    book = site.assemble(there())
    chapter = book / "inc_2_mce.ipynb"
    prose = nbformat.v4.new_markdown_cell(
        "{result}`inc_2_mce.worst` [](nowhere.md)\n\n```{parameters} inc_7\n```"
    )
    failure = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[])

    def spoil(notebook):
        notebook["cells"].append(prose)
        code_cells(notebook)[0]["outputs"].append(failure)

    change(chapter, spoil)
    chapters_alone(book)
    (book / "_static" / "results" / "00_tour.json").unlink()
    with pytest.raises(RunError) as refused:
        site.render(book, project / "rendered")
    told = str(refused.value)
    assert "inc_2_mce.ipynb: WARNING: failed in cell 2: ValueError: no" in told
    assert "there is none under 'inc_2_mce.worst'. Known keys: inc_2_mce.best" in told
    assert "nowhere.md" in told
    assert "Expected chapter to be one of inc_1_corruptions, inc_2_mce, but got inc_7" in told
    assert "00_tour.ipynb: WARNING: has no results: _static/results/00_tour.json is missing" in told
    assert str(project) not in told
    assert old.is_dir()


def test_a_page_shows_neither_labels_nor_traces_of_the_machine(project):
    cell = nbformat.v4.new_code_cell("#| label: inc-tab1\n1 + 1", execution_count=1)
    cell["metadata"] = {"tags": ["parameters"], "papermill": {"start_time": "now"}}
    kernel = {"kernelspec": {"name": "python3"}, "papermill": {"output_path": "/home/me"}}
    shown = site.presentable({"cells": [cell], "metadata": kernel}, [])
    assert shown["cells"][0]["source"] == "1 + 1"
    assert shown["cells"][0]["metadata"] == {"tags": ["parameters", "remove-cell"]}
    assert shown["metadata"] == {"kernelspec": {"name": "python3"}}
    told = saved({"notebook": "a", "profile": "b", "items": [], "numbers": {}}, 3).markup
    cell["metadata"], cell["outputs"] = {}, [{"data": {"text/html": told}}]
    (made,) = site.presentable({"cells": [cell], "metadata": kernel}, [])["cells"]
    assert made["metadata"] == {"tags": ["remove-cell"]}  # but in the notebook to be downloaded
    assert made["outputs"] == cell["outputs"]


def test_a_notebook_that_is_still_running_is_left_out(project):
    folder = project / "build" / PROFILE / "notebooks"
    (folder / ".nae_2_imagenet_a.running.ipynb").write_text("{}", "utf-8")
    assert not (site.assemble(there()) / ".nae_2_imagenet_a.running.ipynb").exists()


@pytest.mark.parametrize(
    ("tags", "shown"), [([], ["hide-input"]), (["show-input"], ["show-input"])]
)
def test_code_is_folded_unless_it_asks_to_be_shown(tags, shown):
    cell = nbformat.v4.new_code_cell("run.figure()", execution_count=1, metadata={"tags": tags})
    prose = nbformat.v4.new_markdown_cell("Look:")
    made = site.presentable({"cells": [prose, cell], "metadata": {"kernelspec": {}}}, [])
    assert [one["metadata"] for one in made["cells"]] == [{}, {"tags": shown}]


def test_chapters_are_linked_by_their_files():
    """By name alone, the site of one run ended at a link to a chapter that it lacks."""
    names = "|".join(file.stem for file in paths.notebooks().glob("*.ipynb"))
    pages = [*paths.notebooks().glob("*.ipynb"), *paths.book().glob("*.md")]
    assert [page.name for page in pages if re.search(rf"\]\(({names})[#)]", page.read_text())] == []
