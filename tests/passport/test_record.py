"""The record of a passport: its published schema, and files that are none."""

import json

import pytest

from robust_lib import paths
from robust_lib.errors import DataError
from robust_lib.passport import record


def test_the_published_schema_is_the_records(passports):
    published = paths.book() / "_static" / "passport.schema.json"
    assert json.loads(published.read_text("utf-8")) == json.loads(record.schema())


def test_a_record_is_read_as_it_was_written(passports, tmp_path):
    passport = passports["one"][0].passport
    record.write_json(passport, tmp_path / "mine.json")
    assert record.read(tmp_path / "mine.json") == passport


@pytest.mark.parametrize(
    ("text", "words"),
    [("{}", "Field required"), ("no json", "the file"), ('{"version": 2}', "version")],
)
def test_another_file_is_refused_with_what_is_wrong(tmp_path, text, words):
    (tmp_path / "mine.json").write_text(text)
    with pytest.raises(DataError, match=words):
        record.read(tmp_path / "mine.json")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match="there is none"):
        record.read(tmp_path / "mine.json")


def test_numbers_that_are_fractions_are_shown_in_percent():
    number = record.Number(item="inc-tab1", metric="mce", dataset="toy", value=0.8)
    assert number.in_percent
    assert not number.model_copy(update={"metric": "slope"}).in_percent


def test_the_table_has_the_benchmark_first(passports):
    frame = record.frame(passports["two"][0].passport)
    assert frame.columns[0] == "benchmark"
    assert set(frame["benchmark"]) == {"imagenet_c"}
