"""A passport's rows are timm's: the columns, their texts, and none of what was not run."""

import pytest

from robust_lib.passport.record import Clean, Made, Number, Passport, Section
from robust_lib.passport.timm_form import FILES, tables
from robust_lib.preprocessing import Preprocessing

MADE = Made(commit="", dirty=False, date="", seconds=0, device="cpu", versions={}, datasets={})
SHOWN = Preprocessing(235, 224, "bicubic")


def number(dataset, metric, value, **other):
    whole = {"n": 100, "n_full": 100, "item": "nae-fig2"}
    return Number(dataset=dataset, metric=metric, value=value, **whole | other)


def passport(*numbers, **other):
    section = Section(benchmark="b", title="B", paper="nae", numbers=numbers)
    told = {"model": "timm/net.a", "fingerprint": "", "asks": "classifier", "classes": "c"}
    told |= {"outputs": 1000, "sees": "", "profile": "p", "words": "", "weights": 25557032}
    return Passport(**told | {"sections": (section,), "made": MADE} | other)


def test_a_row_is_as_timm_writes_it():
    numbers = (
        number("imagenet_val", "error", 0.19618),
        number("imagenet_val", "top5_accuracy", 0.946),
    )
    (table,) = tables((passport(*numbers), SHOWN)).values()
    assert table.to_csv(index=False).splitlines() == [
        "model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation",
        "net.a,224,80.382,19.618,94.600,5.400,25.56,0.953,bicubic",
    ]


def test_differences_are_to_the_same_classes():
    numbers = number("imagenet_a", "accuracy", 0.1), number("imagenet_val_a", "accuracy", 0.9)
    made = tables((passport(*numbers), SHOWN))
    assert list(made) == [FILES["imagenet_a"]]
    (row,) = made[FILES["imagenet_a"]].to_dict("records")
    assert row["top1_diff"] == "-80.000"
    assert row["top5"] is None or row["top5"] != row["top5"]
    assert list(row)[-3:] == ["top1_diff", "top5_diff", "rank_diff"]


def test_ranks_are_among_the_networks_that_stand_side_by_side():
    def shown(name, hard, ordinary):
        numbers = [number("imagenet_a", "accuracy", hard)]
        numbers += [number("imagenet_val_a", "accuracy", ordinary)] if ordinary else []
        return passport(*numbers, model=name), SHOWN

    made = tables(shown("a", 0.1, 0.9), shown("b", 0.3, 0.8), shown("c", 0.2, None))
    rows = made[FILES["imagenet_a"]].fillna("").to_dict("records")
    assert [(row["model"], row["rank_diff"]) for row in rows] == [
        ("b", "+1"), ("c", ""), ("a", "-1"),
    ]  # fmt: skip
    assert [row["top1_diff"] for row in rows] == ["-50.000", "", "-80.000"]
    same = tables(shown("a", 0.1, 0.8), shown("b", 0.3, 0.9))[FILES["imagenet_a"]]
    assert same["rank_diff"].tolist() == ["0", "0"]


@pytest.mark.parametrize(
    "other", [{"n": 10}, {"corruption": "fog"}, {"dataset": "scenes_val"}, {"metric": "aurra"}]
)
def test_parts_and_other_numbers_are_no_row(other):
    told = {"dataset": "imagenet_r", "metric": "accuracy"} | other
    dataset, metric = told.pop("dataset"), told.pop("metric")
    assert tables((passport(number(dataset, metric, 0.5, **told)), SHOWN)) == {}


def test_a_network_that_is_not_believed_has_no_row():
    clean = Clean(published=0.8, source="s", found=0.5, outcome="FAILED", words="w")
    mine = passport(number("imagenet_r", "accuracy", 0.5), clean=clean)
    assert tables((mine, SHOWN)) == {}
