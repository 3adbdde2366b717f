"""The profile of a command, options of several words, and environment variables put back."""

import os

import pytest
import typer
from typer.testing import CliRunner

from robust_book.commands import cli
from robust_book.commands.command_line import ProfileName, joined, switched
from robust_lib.config.profiles import default_profile
from robust_lib.errors import InputError
from tests import tiny

app = typer.Typer()


@app.command()
def say(profile: ProfileName) -> None:
    typer.echo(f"profile {profile}")


def test_none_named_is_the_default():
    assert CliRunner().invoke(app, []).output == f"profile {default_profile()}\n"


def test_a_profile_is_named_in_two_ways():
    for option in ("--profile", "-P"):
        assert CliRunner().invoke(app, [option, "smoke"]).output == "profile smoke\n"


def test_an_unknown_profile_is_refused_before_the_command_begins():
    done = CliRunner().invoke(app, ["--profile", "maxi"])
    assert done.output == ""
    known = "full, full_trained, gpu, mini, photos, photos_few, smoke"
    assert f"profile to be one of {known}, but got maxi" in str(done.exception)


def test_a_parameter_and_its_value_become_one_word():
    given = ["run", "inc_2_mce", "-p", "limit", "8", "-p", "models", '["a"]']
    assert joined(given) == ["run", "inc_2_mce", "-p", "limit=8", "-p", 'models=["a"]']


def test_an_option_of_several_words_is_repeated_for_each():
    given = ["predict", "inc_2_mce", "--corruptions", "fog", "snow", "--seeds", "1", "2"]
    wanted = ["--corruptions", "fog", "--corruptions", "snow", "--seeds", "1", "2"]
    assert joined(given) == ["predict", "inc_2_mce", *wanted]


def test_words_of_an_option_may_have_commas_between():
    wanted = ["--severities", "1", "--severities", "2"]
    for given in (["--severities", "1,2"], ["--severities=1,2"], ["--severities", "1", "2"]):
        assert joined(given) == wanted
    named = ["--corruptions", "a,b/rain.py:rain", "--read", "one,two.json"]  # files' names
    assert joined(named) == named


def test_other_words_stay_as_they_are():
    given = ["corrupt", "in", "out", "--seed=3", "--limit", "4"]
    assert joined(given) == given


@pytest.mark.parametrize(
    "rest", [["-p"], ["-p", "limit"], ["-p", "limit=8", "9"], ["-p", "limit", "--profile"]]
)
def test_a_parameter_without_a_value_says_how_to_write_it(rest):
    with pytest.raises(InputError, match=r"NAME VALUE.*space between"):
        joined(["run", "inc_2_mce", *rest])


@pytest.mark.parametrize("option", ["--corruptions", "--roles", "--boxes"])
def test_the_options_that_the_plan_gives_several_words_take_them(option):
    given = ["predict", "nao_2_map", option, "coco_val", "nao"]
    assert joined(given) == ["predict", "nao_2_map", option, "coco_val", option, "nao"]


def test_what_was_there_comes_back_after_an_error(monkeypatch):
    monkeypatch.setenv("ROBUST_ONE", "before")
    monkeypatch.delenv("ROBUST_TWO", raising=False)

    def fails():
        with switched({"ROBUST_ONE": True, "ROBUST_TWO": True}):
            raise KeyError(os.environ["ROBUST_ONE"] + os.environ["ROBUST_TWO"])

    with pytest.raises(KeyError, match="11"):
        fails()
    assert os.environ["ROBUST_ONE"] == "before"
    assert "ROBUST_TWO" not in os.environ


def test_what_is_not_asked_stays_as_it_is(monkeypatch):
    monkeypatch.setenv("ROBUST_ONE", "mine")
    with switched({"ROBUST_ONE": False}):
        assert os.environ["ROBUST_ONE"] == "mine"


ASKING = {
    "overlap", "train", "predict", "run", "filter", "candidates", "passport", "export", "gates",
    "regenerated",
}  # fmt: skip


def test_every_command_takes_the_folder_of_the_data_and_those_that_ask_networks_the_device():
    commands = typer.main.get_command(cli.app).commands
    options = {
        name: {word for one in command.params for word in one.opts}
        for name, command in commands.items()
    }
    of_data = {name for name, words in options.items() if "--profile" in words}
    assert {name for name, words in options.items() if "--data" in words} == of_data | {"data"}
    assert {"verify", "fetch", "plan", "book"} <= of_data
    assert {name for name, words in options.items() if "--device" in words} == ASKING


@pytest.mark.parametrize("order", [1, -1])
def test_a_profile_of_ones_own_lies_in_the_folder_of_the_data(order, tmp_path, monkeypatch, capsys):
    """Whichever option comes first: the folder is known before the profile is looked for."""
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "elsewhere"))
    own = tmp_path / "data" / "manifests" / "profiles" / "own.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("name: own\nlike: mini\n")
    given = [("--profile", "own"), ("--data", str(tmp_path / "data"))][::order]
    words = ("plan", "inc_1_corruptions", *(word for pair in given for word in pair))
    assert tiny.command(monkeypatch, capsys, *words)[0] == 0
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "elsewhere"))
    status, _, complaint = tiny.command(monkeypatch, capsys, *words[:2], "--profile", "own")
    assert status == 1
    own = tmp_path / "elsewhere" / "manifests" / "profiles"
    assert f"Put your own files into {own}." in complaint
