"""A page: what an item's block shows, and what `save` leaves for the site, whole or not at all."""

import errno
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from robust_book.chapters import chapter
from robust_book.chapters.inc import key_numbers
from robust_book.commands import site
from robust_book.page import Page, badge
from robust_lib.config.profiles import changed
from robust_lib.errors import DataError, InputError, RunError
from robust_lib.protocols import corruption_error
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.reported import item
from robust_lib.results.row import Row, row_of
from robust_lib.results.table import Results
from robust_lib.run.papers import inc
from robust_lib.run.start import start
from tests import tiny

MADE_UP = replace(chapter("inc_2_mce"), description="made-up numbers")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


@pytest.fixture
def page(project):
    """A page that has looked at no data."""
    return Page(start(MADE_UP, "tiny", models=[]))


def numbers(value=0.8, dataset="scenes_val", **row):
    """Two networks' mean corruption errors on the miniature."""
    told = {"item": "inc-tab1", "metric": "mce", "n": 16, "n_full": 24, "low": 0.0, "high": 2.0}
    rows = [("alexnet_mini", 1.0), ("resnet18_mini", value)]
    return Results.of(
        row_of(told | {"model": model, "value": number, "dataset": f"{dataset}_c"} | row)
        for model, number in rows
    )


def drawn():
    figure = Figure(figsize=(2, 1))
    figure.subplots().plot([1, 2])
    return figure


def shown(page, results=None, **given):
    words = {"alt": "A line.", "convention": "n = 16"}
    return markup(page.item("inc-tab1", numbers() if results is None else results, **words | given))


def markup(html):
    return html._repr_html_()


def home(page):
    return page.run.folder


def record(page):
    return json.loads((home(page) / "results" / "inc_2_mce.json").read_text("utf-8"))


def test_a_block_shows_the_paper_and_this_run(page):
    html = shown(page, figure=drawn())
    assert f'<section class="rb-item" id="{item("inc-tab1").id}"' in html
    assert "made-up numbers" in html
    assert "n = 16" in html
    assert "papermill notebooks/inc_2_mce.ipynb out.ipynb -y" in html
    assert "<svg" in html
    links = re.findall(r'href="_static/results/([^"]+)"', html)
    assert links == [
        "inc-tab1.png", "inc-tab1.svg", "inc-tab1.points.csv", "inc-tab1.csv", "inc-tab1.json",
    ]  # fmt: skip


def test_nothing_is_written_before_the_end(page):
    before = tiny.files(home(page))
    shown(page, figure=drawn())
    page.figure("fig-line", drawn(), caption="See a line.", alt="A line.")
    page.pictures({"seen.webp": np.zeros((8, 8, 3), np.uint8)})
    assert tiny.files(home(page)) == before
    page.save(numbers())
    assert (home(page) / "figures" / "seen.webp").is_file()


def test_a_run_without_any_number_is_an_error_and_leaves_the_last_one(page):
    """Everything that was asked for was left out, and it ended well."""
    page.save(numbers())
    with pytest.raises(RunError, match="but it computed none, so nothing was saved"):
        page.save(Results())
    assert len(list((home(page) / "results").glob("*.csv"))) == 1


def test_save_writes_all_that_the_blocks_link_to(page):
    html = shown(page, figure=drawn()) + markup(
        page.figure("fig-line", drawn(), caption="See a line.", alt="A line.")
    )
    line = markup(page.save(numbers(), {"best": KeyNumber("1 %", 1, "c < d", 2)}))
    assert "2 numbers and 1 items saved" in line
    named = "inc_2_mce.best</code></th><td>1 %</td>"
    assert named in re.sub(r' (scope|class|data-sort)="[^"]*"', "", line)
    assert "c &lt; d" in line
    assert "-claim-1-verb" not in line
    page.run._notes["mine"] = "mine is left out of scenes_o: other classes."
    assert "profile <code>tiny</code>. mine is left out of scenes_o" in markup(page.save(numbers()))
    record = json.loads((home(page) / "results" / "inc_2_mce.json").read_text())
    assert record["notes"] == ["mine is left out of scenes_o: other classes."]
    figures = home(page) / "figures"
    for name in re.findall(r'href="_static/results/([^"]+)"', html):
        assert (figures / name).stat().st_size > 0
    name = f"{page.run.chapter.notebook}.fig-line"
    assert (figures / f"{name}.svg").exists()
    assert (figures / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert not list(home(page).rglob(".*"))


def test_the_record_of_an_experiment_says_what_sets_it_apart(project):
    page = Page(start(MADE_UP, "tiny", models=[], corruptions=["fog"]))
    page.save(numbers())
    assert record(page)["words"] == "made-up numbers, models none, corruptions fog"


def test_rows_say_which_run_computed_them(page):
    page.save(numbers())
    kept = Results.load(home(page) / "results" / "inc_2_mce.parquet")
    assert kept == Results.load(home(page) / "results" / "inc_2_mce.csv")
    assert {row.run for row in kept.rows} == {"tiny/inc_2_mce"}
    assert kept == numbers().stamped("tiny/inc_2_mce")


def test_rows_below_a_block_say_it_too(page):
    shown(page, numbers())
    page.save(numbers())
    file = home(page) / "figures" / "inc-tab1.csv"
    assert {row.run for row in Results.load(file).rows} == {"tiny/inc_2_mce"}


def test_the_csv_of_an_item_holds_its_own_rows_or_those_that_are_given(page):
    other = numbers(item="inc-fig2", metric="relative_mce")
    shown(page, numbers() + other)
    page.save()
    path = home(page) / "figures" / "inc-tab1.csv"
    assert {row.item for row in Results.load(path).rows} == {"inc-tab1"}
    whole = home(page) / "results" / "inc_2_mce.csv"
    page.save(other)
    assert {row.item for row in Results.load(whole).rows} == {"inc-tab1", "inc-fig2"}
    shown(page, numbers() + other, rows=other)
    page.save()
    assert {row.item for row in Results.load(path).rows} == {"inc-fig2"}


def test_an_item_without_rows_of_its_own_links_to_no_csv(page):
    assert "results/inc-tab1.csv" not in shown(page, numbers(item="inc-fig2"))
    assert "<svg" not in markup(page.item("inc-tab1", alt="Nothing.", convention="none"))


def test_the_record_has_what_the_site_asks_for(page):
    shown(page)
    page.save(numbers(), {"best": KeyNumber("80 %", 0.8, "c", 16)})
    saved = record(page)
    assert set(saved) == {
        "notebook", "profile", "words", "items", "numbers", "files", "provenance",
    }  # fmt: skip
    assert set(saved["provenance"]) >= site.PROVENANCE
    assert (saved["notebook"], saved["profile"]) == ("inc_2_mce", "tiny")
    claim = "inc_2_mce.inc-tab1-claim-1"
    words = [claim, f"{claim}-verb", f"{claim}-here", "inc_2_mce.inc-tab1-claims"]
    assert list(saved["numbers"]) == ["inc_2_mce.best", *words]
    assert saved["numbers"][claim]["text"] == saved["items"][0]["verdicts"][0]["verdict"]
    assert saved["provenance"]["command"] == page.run.command
    assert saved["provenance"]["seconds"] >= 0
    text = (home(page) / "results" / "inc_2_mce.json").read_text("utf-8")
    assert "NaN" not in text
    assert "Infinity" not in text


def test_another_data_set_is_not_comparable_and_directions_are_judged(page):
    shown(page, numbers())
    page.save()
    verdicts = record(page)["items"][0]["verdicts"]
    words = {verdict["verdict"] for verdict in verdicts if verdict["ours"] is not None}
    assert words == {"not comparable"}
    mine = next(v for v in verdicts if v["model"] == "resnet18" and v["metric"] == "mce")
    assert (mine["ours"], mine["our_model"], mine["n"]) == (0.8, "resnet18_mini", 16)
    assert "a subset, 16 of 24" in mine["arithmetic"]
    assert "missing" in {verdict["verdict"] for verdict in verdicts}


def test_the_papers_own_data_and_models_are_compared(project):
    page = Page(start(MADE_UP, "full", models=[]))
    printed = Results.of(
        [row_of({"item": "inc-tab1", "metric": "mce", "model": "resnet50", "value": 0.767,
                 "n": 50000, "n_full": 50000, "dataset": "imagenet_c"})]
    )  # fmt: skip
    shown(page, printed)
    page.save()
    verdicts = record(page)["items"][0]["verdicts"]
    mine = [v for v in verdicts if (v["model"], v["metric"]) == ("resnet50", "mce")]
    assert [v["verdict"] for v in mine] == ["match"]


def test_parts_of_a_studys_data_stand_for_the_papers_parts(project):
    """icons50_style of the paper is compared with our icons of the same protocol."""
    page = Page(start(chapter("inc_4_icons50"), "tiny"))
    row = {"item": "inc-icons-style", "metric": "accuracy", "model": "resnet20_mini", "value": 0.5}
    counted = row | {"n": 10, "n_full": 10}
    ours = Results.of(
        row_of(counted | {"dataset": f"icons50_open_{part}"}) for part in ("style", "version")
    )
    parts = {f"icons50_{part}": f"icons50_open_{part}" for part in ("style", "version")}
    page.item("inc-icons-style", ours, alt="made up", convention="made up", stand_ins=parts)
    page.save()
    saved = home(page) / "results" / "inc_4_icons50.json"
    verdicts = json.loads(saved.read_text("utf-8"))["items"][0]["verdicts"]
    mine = next(v for v in verdicts if (v["model"], v["metric"]) == ("resnet20", "accuracy"))
    assert (mine["our_dataset"], mine["verdict"]) == ("icons50_open_style", "not comparable")
    gap = next(v for v in verdicts if "icons50_version" in v["metric"])
    assert gap["verdict"] == "does not hold"  # equal accuracies are no gap


def test_networks_of_another_chapter_are_judged_under_their_own_names(project):
    """Our ResNet-18 plays the ResNet-50 of one chapter, and the ResNet-18 of another."""
    page = Page(start(chapter("overlap_2_balance_and_cover"), "mini"))
    row = {"item": "overlap-claim-balance", "metric": "mean_overlap", "model": "resnet18_small"}
    counted = row | {"dataset": "scenes_small_val", "n": 10, "n_full": 10}
    ours = Results.of(
        row_of(counted | {"corruption": half, "value": value})
        for half, value in (("set1", 0.4), ("set2", 0.3))
    )
    own = page.run.profile.networks["overlap"]
    said = {}
    for names in ({}, own):
        page.item(row["item"], ours, alt="made up", convention="made up", networks=names)
        verdicts = page._items[row["item"]]["verdicts"]
        said[bool(names)] = next(v for v in verdicts if v["metric"].startswith("mean_overlap"))
    assert said[False]["verdict"] == "missing"  # no ResNet-50 has overlaps
    assert "resnet18 " in said[True]["arithmetic"]
    assert said[True]["verdict"] == "holds"


def test_provenance_names_what_was_looked_at(project):
    run = start(chapter("00_tour"), "tiny", corruptions=["fog"], severities=[2])
    page = Page(run)
    grid = run.grid()
    results = corruption_error.results(grid, inc.normaliser(run, grid), samples=100)
    page.save(results, key_numbers(results, grid, inc.baseline(run)))
    saved = json.loads((home(page) / "results" / "00_tour.json").read_text("utf-8"))
    told = saved["provenance"]
    assert told["datasets"] == {"scenes_val": run.images.digest}
    assert told["weights"] == {
        model.name: model.fingerprint for runs in run.models.values() for model in runs
    }
    assert saved["numbers"]["00_tour.best_mce"]["value"] is None


def test_a_page_that_looks_at_no_data_needs_none(project):
    """The chapter of pictures runs on the profile `full` without ImageNet."""
    page = Page(start(chapter("inc_1_corruptions"), "full"))
    page.save()
    saved = json.loads((home(page) / "results" / "inc_1_corruptions.json").read_text("utf-8"))
    assert saved["provenance"]["datasets"] == saved["provenance"]["weights"] == {}
    with pytest.raises(DataError):
        _ = page.run.images


def test_what_a_later_run_has_nothing_for_goes_and_what_others_drew_stays(page):
    shown(page, figure=drawn())
    page.figure("fig-line", drawn(), caption="See a line.", alt="A line.")
    page.pictures({"seen.webp": np.zeros((8, 8, 3), np.uint8)})
    page.save(numbers())
    figures = home(page) / "figures"
    for other in ("00_tour.fig-line.svg", "inc-tab10.svg"):
        (figures / other).write_text("another chapter's")
    (figures / "inc_2_mce.fig-older.png").touch()  # of a record that named no files
    again = Page(page.run)
    shown(again, numbers())
    again.save(numbers())
    left = {path.name for path in figures.iterdir()}
    assert left >= {"inc-tab1.csv", "inc-tab1.json", "00_tour.fig-line.svg", "inc-tab10.svg"}
    own = {"inc-tab1.svg", "inc_2_mce.fig-line.png", "inc_2_mce.fig-older.png", "seen.webp"}
    assert not left & own


def test_a_full_disk_leaves_the_last_runs_files(page, monkeypatch):
    shown(page, figure=drawn())
    page.save(numbers())
    before = tiny.files(home(page))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    shown(page, numbers(0.9), figure=drawn())
    monkeypatch.setattr("robust_lib.atomic.write_json", full)  # the last file of all
    with pytest.raises(RunError, match=r"results.*inc_2_mce.*space"):
        page.save(numbers(0.9))
    assert tiny.files(home(page)) == before


def test_a_number_that_is_none_is_refused(page):
    shown(page, figure=drawn())
    page.save(numbers())
    before = tiny.files(home(page))
    odd = KeyNumber("nan", float("nan"), "c", 1)
    with pytest.raises(ValueError, match="not JSON compliant"):
        page.save(numbers(), {"odd": odd})
    assert tiny.files(home(page)) == before


def test_names_of_items_and_figures_are_checked(page):
    with pytest.raises(InputError, match="inc-tab9"):
        page.item("inc-tab9", alt="", convention="")
    with pytest.raises(InputError, match=r'begin.*"fig-".*line'):
        page.figure("line", drawn(), caption="", alt="")


def test_a_figure_says_what_it_is_of_once(page):
    figure = drawn()
    for _ in range(2):
        page.figure("fig-line", figure, caption="See a line.", alt="A line.")
    assert [text.get_text() for text in figure.texts] == ["made-up numbers"]
    badge(figure, "other words")
    assert len(figure.texts) == 1


def test_another_precision_is_said_with_whom_it_is_not_of(page):
    mixed = changed(page.run.profile, precision="bfloat16")
    mixed_page = Page(replace(page.run, profile=mixed))
    mixed_page.save()
    saved = json.loads((home(page) / "results" / "inc_2_mce.json").read_text("utf-8"))
    assert "bfloat16 (detectors: float32)" in saved["provenance"]["device"]


def test_a_claim_whose_note_says_that_it_can_hardly_fail_is_no_tick(page):
    """The worst frame is chosen by its precision: that mAP is lower there is no finding."""
    rows = Results.of(
        Row(item="vid-tab2", dataset="clips_val", model="mine", metric=metric, k=k, value=value,
            low=value - 0.01, high=value + 0.01, n=9, n_full=9)
        for metric in ("pm_map", "pm_localization_map")
        for k, value in ((0, 0.5), (10, 0.3))
    )  # fmt: skip
    words = {"alt": "A line.", "convention": "n = 16", "networks": {"fasterrcnn_resnet50": "mine"}}
    page.item("vid-tab2", rows, stand_ins={"imagenet_vid_robust": "clips_val"}, **words)
    verdicts = [one for one in page._items["vid-tab2"]["verdicts"] if one["reported"] == "+"]
    assert [one["verdict"] for one in verdicts][:2] == ["by construction"] * 2
    assert "can hardly fail, since the worst frame is selected" in verdicts[0]["arithmetic"]
