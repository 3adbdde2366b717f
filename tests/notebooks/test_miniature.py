"""The chapters themselves, executed by the command on a profile that takes seconds."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from robust_book import chapters
from robust_book.chapters.about import about
from robust_book.chapters.inc_1_corruptions import showcase
from robust_book.commands import site
from robust_lib.config.profiles import load_profile
from robust_lib.results.table import Results
from robust_lib.run.experiments import INTO_BOOK, defaults
from robust_lib.run.network import Network
from robust_lib.vocabulary import NAMES, SEVERITIES
from tests import tiny
from tests.tiny import CHAPTERS

PROVENANCE = {"commit", "dirty", "profile", "parameters", "seeds", "datasets", "weights"}
PROVENANCE |= {"versions", "device", "seconds", "date", "command"}

OWN = """
import torch

from robust_lib.models.adapter import TorchClassifier
from robust_lib.preprocessing import Preprocessing


def build():
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 4)
    )
    return TorchClassifier(
        module=network,
        name="colour_layout",
        classes="scenes",
        outputs=4,
        preprocessing=Preprocessing(None, 64),
    )
"""


BOOK = ("--profile", tiny.PROFILE, "--into-book")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project whose chapters have been executed once."""
    return tiny.executed(tmp_path_factory)


@pytest.fixture
def seen(project, monkeypatch):
    return tiny.enter(project, monkeypatch)


def home(folder):
    return folder / "build" / tiny.PROFILE


def record(folder, chapter):
    return json.loads((home(folder) / "results" / f"{chapter}.json").read_text("utf-8"))


def executed(folder, chapter):
    return nbformat.read(home(folder) / "notebooks" / f"{chapter}.ipynb", as_version=4)


@pytest.mark.slow
def test_the_answers_of_the_first_screens_name_numbers_that_are_saved(project):
    for chapter in CHAPTERS:
        named = re.findall(r"\{([^{}]+)\}", " ".join(about(chapter).answer.run))
        wanted = {f"{chapter}.{key}" for key in named if "-claim-" not in key}
        assert wanted <= set(record(project, chapter)["numbers"]), chapter


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_runs_to_its_end_without_a_warning(project, chapter):
    notebook = executed(project, chapter)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    assert tiny.warned(notebook) == []
    shown = [[out for out in cell.outputs if out.output_type != "stream"] for cell in code]
    assert all(len(outputs) <= 1 for outputs in shown)


@pytest.mark.slow
@pytest.mark.parametrize("chapter", ["inc_2_mce", "overlap_1_matrix"])
def test_a_job_predicts_for_all_networks_that_the_notebook_shows(project, chapter, tmp_path):
    """Else the notebook would predict the rest by itself, while other cores are idle."""
    folder = tiny.copy(project, tmp_path / "predicted")
    rows = Results.load(home(folder) / "results" / f"{chapter}.parquet").rows
    shown = {row.model for row in rows if row.metric in ("error", "accuracy") and row.corruption}
    first = next(row.corruption for row in rows if row.corruption and "+" not in row.corruption)
    store = folder / "build" / "cache" / "store"
    before = set(store.rglob("*.json"))
    words = ("predict", chapter, "--corruptions", first, "--profile", tiny.PROFILE)
    done = tiny.in_one_process(folder, [("robust", *words)])
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= len(shown)
    # What the notebook has predicted is all there was to predict.
    assert set(store.rglob("*.json")) == before


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_site_would_take_it(seen, chapter):
    results = home(seen) / "results"
    assert site.faults(home(seen) / "notebooks" / f"{chapter}.ipynb", results) == []


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_number_in_the_prose_has_a_result(project, chapter):
    notebook = executed(project, chapter)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    named = set(re.findall(r"\{result\}`([^`]+)`", prose))
    numbers = record(project, chapter)["numbers"]
    assert named <= set(numbers)
    for number in numbers.values():
        assert set(number) - {"ends"} == {"text", "value", "convention", "n"}


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_labels_are_items_that_were_saved(project, chapter):
    """The label of a cell, the anchor of its block and the item in the record are one id."""
    cells = executed(project, chapter).cells
    labels = [name for cell in cells for name in re.findall(r"#\| label: (\S+)", cell.source)]
    items = [item["item"] for item in record(project, chapter)["items"]]
    assert labels == items
    figures = home(project) / "figures"
    for cell in cells:
        for name in re.findall(r"#\| label: (\S+)", cell.source):
            html = cell.outputs[-1]["data"]["text/html"]
            assert f'id="{name}"' in html
            for address in re.findall(r'href="_static/results/([^"]+)" download', html):
                assert (figures / address).exists()


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_provenance_says_where_numbers_come_from(project, chapter):
    told = record(project, chapter)["provenance"]
    assert set(told) == PROVENANCE
    assert told["profile"] == tiny.PROFILE
    assert told["versions"]["torch"] != "absent"
    assert told["seconds"] > 0
    # The project's profile is made from this one.
    smoke, rooms = load_profile("smoke"), [chapters.chapter(chapter)]
    rooms += (*rooms[0].also, *rooms[0].beside)
    looked_at = set(told["datasets"])
    assert {smoke.data[room.role] for room in rooms} <= looked_at <= set(smoke.data.values())
    networks = smoke.networks | {"imagenet_c": tiny.MODELS, "nao": tiny.DETECTORS}
    ours = {model for room in rooms if room.networks for model in networks[room.networks].values()}
    assert {Network.read(name).model for name in told["weights"]} <= ours
    # A chapter that asks no network names none.
    assert bool(told["weights"]) == bool(rooms[0].networks)
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in told["weights"].values())


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_chapter_opened_is_what_its_record_names(seen, chapter):
    """Else plan, fetch and book know nothing of a set without which the chapter fails."""
    named, besides = tiny.read_by(chapter, tiny.PROFILE)
    opened = set(record(seen, chapter)["provenance"]["datasets"])
    assert named <= opened <= named | besides


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_command_gives_parameters_that_the_notebook_has(seen, chapter):
    words = shlex.split(record(seen, chapter)["provenance"]["command"])
    assert words[:3] == ["papermill", f"notebooks/{chapter}.ipynb", "out.ipynb"]
    assert set(words[3::2]) == {"-y"}
    given = {name for text in words[4::2] for name in json.loads(text)}
    assert "profile" in given
    assert given <= set(defaults(seen / "notebooks" / f"{chapter}.ipynb"))


@pytest.mark.slow
def test_every_picture_that_the_chapter_of_corruptions_shows_was_written(project):
    """Those of the cards, and those that the explorer's script asks for."""
    outputs = [out for cell in executed(project, "inc_1_corruptions").cells
               for out in cell.get("outputs", ())]  # fmt: skip
    html = "\n".join(out["data"].get("text/html", "") for out in outputs if "data" in out)
    shown = set(re.findall(r'src="_static/results/([^"]+)"', html))
    pictures = re.findall(r'name="explorer-picture" value="([^"]+)"', html)
    assert pictures == [*showcase.PHOTOGRAPHS, "ball_0", "box_1"]
    every = [(showcase.CLEAN, 0), *((name, level) for name in NAMES for level in SEVERITIES)]
    asked = {
        showcase.FILE.format(picture=picture, corruption=corruption, severity=severity)
        for picture in pictures
        for corruption, severity in every
    }
    assert len(shown) > len(NAMES) * len(SEVERITIES)
    assert shown <= asked
    files = {file.name: file for file in (home(project) / "figures").glob("showcase-*")}
    assert set(files) == asked
    assert sum(file.stat().st_size for file in files.values()) < 6e6


@pytest.mark.slow
def test_the_chapter_of_corruptions_needs_no_data_for_photographs(project, tmp_path):
    folder = tiny.copy(project, tmp_path / "alone")
    shutil.rmtree(folder / "data")
    shutil.rmtree(folder / "build" / "cache")
    given = ("-p", "scenes", "0", "-p", "photograph", "portrait")
    done = tiny.run(folder, "inc_1_corruptions", *BOOK, *given)
    assert done.returncode == 0, done.stderr
    assert record(folder, "inc_1_corruptions")["provenance"]["datasets"] == {}


@pytest.mark.slow
def test_the_command_makes_the_same_numbers_again(project, tmp_path):
    """Plain papermill, with the words that stand below the figure."""
    folder = tiny.copy(project, tmp_path / "again")
    rows = home(folder) / "results" / "00_tour.csv"
    first = rows.read_bytes()
    words = shlex.split(record(folder, "00_tour")["provenance"]["command"])
    shutil.rmtree(home(folder) / "results")
    done = subprocess.run(
        [str(Path(sys.executable).with_name("papermill")), *words[1:]],
        cwd=folder,
        env=tiny.environment(folder) | {INTO_BOOK: "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "unknown parameter" not in done.stderr
    assert rows.read_bytes() == first
    told = Results.load(rows).select(metric="error").rows
    assert {row.corruption for row in told} == {None, "fog"}
    assert {row.n for row in told} == {8}


@pytest.fixture(scope="module")
def own(project, tmp_path_factory):
    """The chapter with a network of one's own, two seeds, two corruptions and one severity."""
    given = {
        "models": '["resnet18", "my_net.py:build"]',
        "corruptions": '["fog", "contrast"]',
        "severities": "[3]",
        "seeds": "2",
    }
    words = [word for name, value in given.items() for word in ("-p", name, value)]

    def make(folder):
        tiny.copy(project, folder)
        (folder / "my_net.py").write_text(OWN)
        done = tiny.run(folder, "inc_2_mce", *BOOK, *words)
        assert done.returncode == 0, done.stderr

    return tiny.shared(tmp_path_factory, "own", make)


@pytest.mark.slow
def test_a_network_of_ones_own_stands_beside_the_others(own):
    results = Results.load(home(own) / "results" / "inc_2_mce.parquet")
    shown = {row.model for row in results.rows}
    assert shown == {"alexnet_mini", "resnet18_mini", "colour_layout"}  # the baseline came along
    for row in results.select(metric="ce", model="alexnet_mini").rows:
        assert row.value == pytest.approx(1)
    assert {row.corruption for row in results.select(metric="ce").rows} == {"fog", "contrast"}
    assert len(results.select(metric="mce")) == 0


@pytest.mark.slow
def test_several_seeds_give_their_mean_and_their_spread(own):
    saved = record(own, "inc_2_mce")
    apart = "models resnet18 my_net.py:build, corruptions fog contrast, severities 3"
    assert saved["words"] == f"shapes, 4 classes, 16 scenes, 2 seeds, {apart}"
    assert saved["provenance"]["seeds"] == [0, 1]
    trained = {f"{name}{suffix}" for name in tiny.MODELS.values() for suffix in ("", "~1")}
    assert set(saved["provenance"]["weights"]) == trained | {"colour_layout"}
    results = Results.load(home(own) / "results" / "inc_2_mce.parquet")
    for model in tiny.MODELS.values():
        row = results.row(metric="error", corruption=None, model=model)
        assert row.value == pytest.approx((row.low + row.high) / 2)


@pytest.mark.slow
def test_a_benchmark_is_asked_about_in_the_shell(project, tmp_path):
    rain = tmp_path / "rain.py"
    rain.write_text(
        "def rain(picture, severity, rng):\n    return picture * (1 - 0.1 * severity)\n"
    )
    copied = tiny.copy(project, tmp_path / "copied")
    words = ("robust", "overlap", "gaussian_noise", "pixelate", "--profile", tiny.PROFILE)
    done = tiny.in_one_process(copied, [(*words, "--corruption-file", f"{rain}:rain")])
    assert done.returncode == 0, done.stderr
    benchmark, lacking = done.stdout.split("What it lacks")
    assert "gaussian_noise" in benchmark
    assert "pixelate" in benchmark
    assert "rain.py:rain" in lacking
    words = ("robust", "overlap", "gaussian_noise", "rain", "--profile", tiny.PROFILE)
    wrong = tiny.in_one_process(copied, [words])
    assert wrong.returncode != 0
    assert "a corruption of the benchmark to be one of" in wrong.stderr
