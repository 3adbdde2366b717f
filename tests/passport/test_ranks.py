"""Networks side by side: ranks by each number, ties shared, and none that is not believed."""

from robust_lib.passport.ranks import ranks
from robust_lib.passport.record import Clean, Headline, Section
from tests.passport.test_timm_form import number, passport


def shown(name, error, accuracy, **other):
    def headline(title, better, value):
        return Headline(title=title, better=better, number=number("d", "accuracy", value))

    plate = headline("mCE", "lower", error), headline("Accuracy", "higher", accuracy)
    section = Section(benchmark="b", title="B", paper="inc", headlines=plate)
    return passport(model=name, **other).model_copy(update={"sections": (section,)})


def test_the_best_comes_first_whichever_way_is_better():
    clean = Clean(published=0.8, source="s", found=0.5, outcome="FAILED", words="w")
    table = ranks(
        [shown("a", 0.7, 0.5), shown("b", 0.6, 0.4), shown("c", 0.7, 0.6),
         shown("wrong", 0.1, 0.9, clean=clean)]
    )  # fmt: skip
    found = list(table[["number", "rank", "model"]].itertuples(index=False, name=None))
    assert found == [
        ("mCE", 1, "b"), ("mCE", 2, "a"), ("mCE", 2, "c"),
        ("Accuracy", 1, "c"), ("Accuracy", 2, "a"), ("Accuracy", 3, "b"),
    ]  # fmt: skip
