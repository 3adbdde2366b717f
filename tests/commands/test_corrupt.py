"""`robust corrupt`: the writer of trees as a command, its options and what it complains of."""

from functools import partial

import pytest

from robust_lib.datasets.archive_writer.write import write
from tests import tiny, trees
from tests.datasets.archive_writer.made import QUICK, sizes


@pytest.fixture
def val(tmp_path):
    """Eight pictures of four classes."""
    return trees.class_folders(tmp_path / "val")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "imagenet_c"


@pytest.fixture
def command(monkeypatch, capsys):
    return partial(tiny.command, monkeypatch, capsys)


def test_the_command_writes_the_same_tree(val, target, tmp_path, command):
    write(val, tmp_path / "expected", **QUICK, seed=2, limit=6)
    words = ("--corruptions", "shot_noise", "contrast", "--severities", "4", "1")
    settings = ("--seed", "2", "--limit", "6", "--workers", "1", "--batch", "4")
    status, printed, _ = command("corrupt", str(val), str(target), *words, *settings)
    assert status == 0
    assert printed.startswith(f"{target}: 24 files written and 0 kept (6 images, 2 corruptions")
    assert printed.count("\n") == 1
    assert tiny.files(target) == tiny.files(tmp_path / "expected")


@pytest.mark.parametrize(
    "words",
    [
        ("--severities", "1", "2", "--corruptions", "contrast", "pixelate", "--seed", "0"),
        ("--corruptions=contrast", "pixelate", "--severities=1", "--severities", "2"),
        ("--corruptions", "pixelate", "--corruptions", "contrast", "--severities", "2", "1"),
    ],
)
def test_options_take_several_words(val, target, command, words):
    end = ("--workers", "1", "--resize", "none", "--crop", "30")
    refusal = command("corrupt", str(val), str(target), *words, *end)
    assert refusal[0] == 1  # 30 pixels are too few, so the words have been understood
    end = ("--workers", "1", "--resize", "48", "--crop", "none")
    assert command("corrupt", str(val), str(target), *words, *end)[0] == 0
    cells = {path.relative_to(target).as_posix() for path in target.glob("*/*")}
    assert cells == {"contrast/1", "contrast/2", "pixelate/1", "pixelate/2"}
    assert set(sizes(target).values()) == {(64, 48)}


def test_the_command_takes_the_benchmarks_mean_by_default(val, target, command):
    status, printed, _ = command("corrupt", str(val), str(target), "--limit", "1", "--workers", "1")
    assert status == 0
    assert "75 files written and 0 kept (1 images, 15 corruptions, 5 severities)" in printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--corruptions", "fogg"), "Expected corruption to be one of all, common"),
        (("--severities", "6"), "Expected severity to be one of 1, 2, 3, 4, 5, but got 6."),
        (("--workers", "0"), "Expected at least one worker process, but got 0."),
        (
            ("--resize", "big"),
            "Expected --resize to be a number of pixels, or the word none, but got big.",
        ),
        (("--resize", "200"), "Expected a crop no larger than the resized shorter side (200)"),
        (("--crop", "0"), "at least one pixel, but got 0"),
    ],
)
def test_the_command_says_what_is_wrong(val, target, command, words, told):
    status, _, complaint = command("corrupt", str(val), str(target), *words)
    assert status == 1
    assert told in complaint
    assert complaint.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize(
    "words", [(), ("--severities", "much"), ("--corruptions",), ("more", "--limit", "3")]
)
def test_the_command_shows_how_it_is_used(val, target, command, words):
    places = (str(val), str(target)) if words else (str(val),)
    status, _, complaint = command("corrupt", *places, *words)
    assert status == 2
    assert "Usage: robust corrupt" in complaint or "requires an argument" in complaint
