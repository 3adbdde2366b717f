"""Strict JSON: what is wrong first is told, and a file that cannot be read says so."""

from typing import Annotated

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from robust_lib.config.strict_json import Wrong, first_wrong, read_json
from robust_lib.errors import DataError


class Part(BaseModel):
    size: Annotated[int, Field(ge=0)]


class Whole(BaseModel):
    name: str
    parts: list[Part] = []

    @field_validator("name")
    @classmethod
    def _named(cls, value):
        if not value:
            raise ValueError("name it")
        return value


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"name": "a", "parts": [{"size": 1}, {"size": -2}]}, ("parts.1.size", -2)),
        ({"parts": [{"size": "x"}]}, ("name", {"parts": [{"size": "x"}]})),
        ({"name": ""}, ("name", "")),
    ],
)
def test_the_first_wrong_thing_has_its_place_and_the_value_given(given, wrong):
    with pytest.raises(ValidationError) as error:
        Whole.model_validate(given)
    found = first_wrong(error.value)
    assert (found.where, found.given) == wrong


def test_a_reason_of_ours_stands_alone():
    with pytest.raises(ValidationError) as error:
        Whole.model_validate({"name": ""})
    assert first_wrong(error.value) == Wrong("name", "name it", "")


def refused(path, what):
    return DataError(f"{path.name} is none: {what}")


def test_a_file_is_read_and_one_that_is_none_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"name": "é", "parts": [{"size": 3}]}', "utf-8")
    assert read_json(path, Whole, "absent", refused).parts[0].size == 3
    with pytest.raises(DataError, match=r"^absent$"):
        read_json(tmp_path / "b.json", Whole, "absent", refused)
    for content, what in (
        (b'{"name": "a", "parts": [{}]}', "a.json is none: parts.0.size: Field required"),
        (b'{"name": ', "a.json is none: Invalid JSON"),
        (b"\xff", "a.json is none: 'utf-8' codec can't decode"),
    ):
        path.write_bytes(content)
        with pytest.raises(DataError, match=what):
            read_json(path, Whole, "absent", refused)
    with pytest.raises(DataError, match=r"is none: .*Is a directory"):
        read_json(tmp_path, Whole, "absent", refused)
