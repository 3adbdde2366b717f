"""The files of a passport, and a file of answers in place of the model."""

import json

import pandas as pd

import robust_lib
from robust_book.passport.page import page
from robust_lib.passport import record


def test_there_are_a_page_a_record_a_table_and_answers(passports):
    _, folder = passports["one"]
    names = {path.name for path in folder.iterdir()}
    assert names == {"passport.html", "passport.json", "passport.csv", "answers.parquet"}
    saved = record.read(folder / "passport.json")
    table = pd.read_csv(folder / "passport.csv")
    assert len(table) == sum(len(one.numbers) for one in saved.sections)
    assert json.loads((folder / "passport.json").read_text())["answers"] == "answers.parquet"


def test_a_file_of_answers_gives_the_same_page(project, passports):
    evaluated, folder = passports["one"]
    filed = robust_lib.evaluate(
        f"predictions:{folder / 'answers.parquet'}",
        profile="tiny",
        benchmarks=["imagenet_c", "imagenet_a", "nao"],
    )
    assert [one.model_dump() for one in filed.passport.sections] == [
        one.model_dump() for one in evaluated.passport.sections
    ]
    mine, theirs = (
        page(evaluated.passport, evaluated.pictures),
        page(filed.passport, filed.pictures),
    )
    plate = '<section class="plate">'
    assert mine.split(plate)[1].split("<footer>")[0] == theirs.split(plate)[1].split("<footer>")[0]
