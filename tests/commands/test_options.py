"""The profile of a command: the default one where none is named, and only one that there is."""

import typer
from typer.testing import CliRunner

from robust_book.commands.options import ProfileName
from robust_lib.config.profiles import default_profile

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
    assert "profile to be one of full, full_trained, gpu, mini, smoke, but got maxi" in str(
        done.exception
    )
