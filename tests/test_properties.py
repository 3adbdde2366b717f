"""What must be so of all scores, counts, tables, images and claims, tried on drawn ones.

Tests by example and by seeded random cases are in the folders of the modules. Here are the rare
inputs: ties, infinities, one image, a thousand million, names that look like numbers or like none.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from robust_lib.corruptions import corrupt
from robust_lib.errors import InputError
from robust_lib.metrics import accuracy, anomaly, calibration, intervals
from robust_lib.predict.answers_file import read_answers, write_answers
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.claims import Claim, Side, parse
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup, Where
from robust_lib.results.row import METRICS, row_of
from robust_lib.results.table import Results
from robust_lib.types import Picture
from robust_lib.vocabulary import NAMES
from tests.few_or_many import few_or_many
from tests.reference import anomaly as definitions

# Few different values, so that many tie.
SCORES = st.lists(
    st.sampled_from([-np.inf, -1.0, 0.0, -0.0, 5e-324, 0.5, 1.0, np.inf]) | st.floats(-9, 9),
    min_size=1, max_size=12,
)  # fmt: skip
RATES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]) | st.floats(0, 1, width=32)
IMAGES = st.lists(st.tuples(RATES, st.booleans()), min_size=1, max_size=12)
# What readers take for a number, or for nothing.
NAMED = st.sampled_from(
    ["NA", "nan", "null", "None", "1", "1e5", "01", "True", "a,b", 'a"b', " a "]
)
NAMED |= st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=6)


def always(few: int = 25, **drawn: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Test a property of what is drawn: few times, and in the soak a hundred times as often.

    A property that has a `folder` gets an empty one.
    """
    many = pytest.param(few * 100, marks=pytest.mark.soak)

    def decorated(check: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize("examples", [pytest.param(few, id="few"), many])
        def test(examples: int, tmp_path_factory: pytest.TempPathFactory) -> None:
            own = {"folder": st.just(tmp_path_factory.mktemp("drawn"))} if "folder" in drawn else {}
            few_or_many(examples)(given(**drawn | own)(check))()

        return test

    return decorated


# Metrics


@always(inside=SCORES, outside=SCORES, recall=st.sampled_from([0.05, 0.5, 0.95, 1.0]))
def test_anomaly_scores_are_as_their_definitions_read(inside, outside, recall):
    of = np.array(inside), np.array(outside)
    assert anomaly.aupr(*of) == pytest.approx(definitions.aupr(inside, outside), abs=1e-12)
    assert anomaly.auroc(*of) == pytest.approx(definitions.auroc(inside, outside), abs=1e-12)
    assert anomaly.fpr_at_recall(*of, recall) == definitions.fpr_at_recall(inside, outside, recall)


@always(
    rows=st.lists(
        st.lists(st.sampled_from([-np.inf, 0.0, 1.0]), min_size=3, max_size=3), min_size=1
    )
)
def test_exactly_k_classes_are_among_the_first_k(rows):
    logits = np.array(rows)
    for k in (1, 2, 3):
        counts = [accuracy.correct(logits, np.full(len(rows), label), k) for label in range(3)]
        assert (np.sum(counts, 0) == k).all()


@always(images=IMAGES, lot=st.randoms(), bins=st.integers(1, 12))
def test_calibration_does_not_depend_on_order_and_loses_no_image(images, lot, bins):
    def all_of(images):
        sure, right = (np.array(column) for column in zip(*images, strict=True))
        drawn = calibration.reliability(sure, right, bins)
        assert drawn.count.sum() == len(images)
        assert np.nansum(drawn.accuracy * drawn.count) == pytest.approx(right.sum())
        return calibration.aurra(sure, right), calibration.rms_calibration_error(
            sure, right, "all-bins", bin_size=min(3, len(images))
        )

    found = all_of(images)
    assert all(0 <= one <= 1 for one in found)
    lot.shuffle(images)
    assert all_of(images) == pytest.approx(found, abs=1e-12)


# Intervals


@always(
    n=st.integers(1, 10**9), part=st.floats(0, 1), level=st.sampled_from([0.5, 0.95, 0.999])
)  # fmt: skip
def test_an_exact_interval_holds_its_rate_mirrors_and_widens(n, part, level):
    right = round(part * n)
    low, high = intervals.clopper_pearson(right, n, level)
    assert 0 <= low <= right / n <= high <= 1
    assert intervals.clopper_pearson(n - right, n, level) == pytest.approx((1 - high, 1 - low))
    wider = intervals.clopper_pearson(right, n, (1 + level) / 2)
    assert wider[0] <= low
    assert wider[1] >= high
    if right < n:
        more = intervals.clopper_pearson(right + 1, n, level)
        assert more[0] > low
        assert more[1] > high or more[1] == 1


# Joins


class Known:
    """A set of images of which only names are asked for."""

    name, digest, classes, class_names = "noise", "", "colours", ("red", "green", "blue")

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.ids, self.labels = ids, np.zeros(len(ids), np.int64)

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        raise AssertionError("Only names are asked for.")


def of(ids: list[str], lot: Any) -> Predictions:
    logits = np.random.default_rng(lot.getrandbits(32)).normal(size=(len(ids), 3))
    return Predictions.from_logits(
        logits.astype(np.float32), ids=tuple(ids), labels=np.zeros(len(ids), np.int64),
        model="mine", dataset="noise",
    )  # fmt: skip


@always(
    few=6, ids=st.lists(NAMED, min_size=1, max_size=6, unique=True), lot=st.randoms(), folder=None
)
def test_predictions_are_joined_by_ids_whatever_their_order_and_file(ids, lot, folder):
    said, order = of(ids, lot), lot.sample(ids, len(ids))
    expected = dict(zip(ids, map(tuple, said.logits), strict=True))
    images = Known(tuple(order))
    assert dict(zip(order, map(tuple, said.aligned(images).logits), strict=True)) == expected
    said.save(folder / "a.npz")
    assert Predictions.load(folder / "a.npz").ids == said.ids
    for ending in (".npz", ".parquet"):
        file = write_answers(folder / f"b{ending}", [said], classes="colours", outputs=3)
        with pytest.warns(UserWarning, match="names alone"):
            found = read_answers(str(file)).answers(images, range(len(order)), "logits")["logits"]
        assert dict(zip(order, map(tuple, found), strict=True)) == expected
    with pytest.raises(InputError, match="1 are missing"):
        said.aligned(Known((*order, "".join(order) + "x")))


REAL = st.floats(0, 1) | st.floats(1e-300, 1e-290)


@always(few=6, names=st.lists(NAMED, min_size=1, max_size=4, unique=True), value=REAL, folder=None)
def test_results_are_read_as_they_were_written(names, value, folder):
    rows = [
        {"item": "inc-tab1", "metric": "accuracy", "value": value, "low": value / 3, "high": 1.0,
         "n": 3, "n_full": 3, **dict.fromkeys(("dataset", "model", "convention"), name)}
        for name in names
    ]  # fmt: skip
    table = Results.of(map(row_of, rows))
    for file in table.save(folder, "a"):
        assert Results.load(file).frame.equals(table.frame), file.suffix


# Corruptions


@always(
    few=3, name=st.sampled_from(NAMES), severity=st.integers(1, 5), height=st.integers(32, 50),
    width=st.integers(32, 50), fill=st.sampled_from([0.0, 0.5, 1.0, None]), seed=st.integers(0, 9),
)  # fmt: skip
def test_a_corrupted_image_depends_on_itself_and_its_key(name, severity, height, width, fill, seed):
    images = torch.rand((3, 3, height, width), generator=torch.Generator().manual_seed(seed))
    if fill is not None:
        images[1] = fill
    keys = ["a", "b", "c"]
    whole = corrupt(images, name, severity, keys=keys, seed=seed)
    assert torch.isfinite(whole).all()
    assert 0 <= whole.min() <= whole.max() <= 1
    for place in (2, 1, 0):
        alone = corrupt(images[[place]], name, severity, keys=[keys[place]], seed=seed)
        assert torch.equal(alone[0], whole[place])


# The language of claims

WORD = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True)
TERMS = st.builds(
    Where,
    metric=st.sampled_from(sorted(METRICS)),
    model=st.none() | WORD,
    corruption=st.none() | WORD,
    severity=st.none() | st.integers(0, 9),
    k=st.none() | st.integers(0, 99),
)
SIDES = st.builds(Side, terms=st.lists(TERMS, min_size=1, max_size=2).map(tuple))
SIDES |= st.builds(Side, constant=st.integers(-999, 999).map(lambda it: it / 100))
SIGNS = st.sampled_from([">", ">=", "<", "<="])
CHAINS = st.lists(SIGNS, min_size=1, max_size=3).flatmap(
    lambda signs: st.builds(
        Claim,
        sides=st.tuples(*[SIDES] * (len(signs) + 1)),
        operators=st.just(tuple(signs)),
    )
)


def spelled(claim: Claim) -> str:
    def term(one: Where) -> str:
        keys = [f"{key}={value}" for key in ("corruption", "severity", "k")
                if (value := getattr(one, key)) is not None]  # fmt: skip
        return f"{one.metric}[{', '.join([*filter(None, [one.model]), *keys])}]"

    sides = [" - ".join(map(term, side.terms)) or f"{side.constant:.2f}" for side in claim.sides]
    signs = [*claim.operators, ""]
    chain = " ".join(f"{side} {sign}" for side, sign in zip(sides, signs, strict=True)).strip()
    return " if ".join([chain, *filter(None, [" and ".join(map(spelled, claim.premises))])])


@always(claim=CHAINS, premises=st.lists(CHAINS, max_size=2).map(tuple))
def test_a_claim_is_read_as_it_was_written(claim, premises):
    whole = replace(claim, premises=premises)
    assert parse(spelled(whole)) == whole


OPPOSITE = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
ENDS = st.tuples(*[st.integers(0, 20)] * 3).map(sorted)


@always(a=ENDS, b=ENDS, sign=SIGNS)
def test_a_claim_says_the_same_read_from_behind_and_never_that_both_are_larger(a, b, sign):
    rows = [
        {"item": "inc-fig2", "dataset": "toy", "metric": "accuracy", "model": model, "n": 20,
         "n_full": 20, "low": low / 20, "value": value / 20, "high": high / 20}
        for model, (low, value, high) in (("a", a), ("b", b))
    ]  # fmt: skip
    lookup = Lookup(results=Results.of(map(row_of, rows)), item="inc-fig2")

    def word(text: str) -> str:
        return judge(parse(text), lookup).word

    said = word(f"accuracy[a] {sign} accuracy[b]")
    assert said == word(f"accuracy[b] {OPPOSITE[sign]} accuracy[a]")
    assert "holds" not in {said} & {word(f"accuracy[b] {sign[0]} accuracy[a]")}
    if said == "holds":
        assert word(f"accuracy[a] {sign[0]}= accuracy[b]") == "holds"
        assume(a[1] != b[1])
        assert (a[1] > b[1]) == (sign[0] == ">")
