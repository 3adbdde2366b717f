"""The steps of the book as commands: what they hand on, and what they refuse first."""

import pytest

from robust_lib.commands import steps
from robust_lib.errors import InputError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("limit=8", 8),
        ("corruption=fog", "fog"),
        ("severities=[1, 3]", [1, 3]),
        ("diagonal=true", True),
        ("models=['a=b.py:build']", ["a=b.py:build"]),
    ],
)
def test_a_parameters_value_is_yaml(text, value):
    assert steps._parameter(text) == (text.partition("=")[0], value)


def test_a_value_that_is_no_yaml_says_what_to_do():
    with pytest.raises(InputError, match=r"value for models that is YAML.*Put a list between"):
        steps._parameter("models=[resnet18")


def test_chapters_of_a_book_may_be_parted_by_commas(monkeypatch):
    given = {}

    def make(profile, **values):
        given.update(values, profile=profile)
        return 0

    monkeypatch.setattr("robust_lib.commands.book.make", make)
    with pytest.raises(steps.typer.Exit):
        steps.book("smoke", chapters=["inc_1_corruptions,inc_2_mce", "00_tour"], jobs=3)
    assert given["chapters"] == ["inc_1_corruptions", "inc_2_mce", "00_tour"]
    assert (given["profile"], given["cores"], given["options"]) == ("smoke", 3, [])
