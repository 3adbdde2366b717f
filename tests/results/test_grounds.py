"""What verdicts follow from, as it is stored: rows by their places, draws, images as bits."""

import base64
import gzip
import json

import numpy as np

from robust_lib.metrics.intervals import Sample
from robust_lib.results.claims import parse
from robust_lib.results.estimate import Estimate
from robust_lib.results.grounds import grounds, packed
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests.results.test_verdicts import verdict


def test_rows_are_stored_once_with_their_draws_and_the_same_run_gives_the_same_bytes():
    wrong = np.arange(20) < 5
    rows = [
        Row.of(
            Estimate.of_rate([by_image], images="toys", samples=50),
            item="inc-tab1", dataset="toy", model=name, metric="error",
        )
        for name, by_image in (("a", wrong), ("b", ~wrong))
    ]  # fmt: skip
    lookup = Lookup(results=Results.of(rows), item="inc-tab1")
    told = [
        verdict("holds", metric=claim, judgement=judge(parse(claim, "toy"), lookup))
        for claim in ("error[a] < error[b]", "error[*] < 50% if error[*] > 1%")
    ]
    found = grounds(rows[1:], {"inc-tab1": told})
    first, _ = found["claims"]
    head = {"item": "inc-tab1", "claim": "error[a] < error[b]", "dataset": told[0].dataset}
    head["status"] = told[0].status
    assert first == head | {"sides": [[[1, "0"]], [[1, "1"]]]}
    by_model = found["claims"][1]["models"]
    assert by_model["b"]["premises"] == [{"sides": [[[1, "1"]], 0.01]}]
    assert found["rows"]["1"]["place"] == 0
    assert found["rows"]["0"]["row"]["model"] == "a"  # which is not saved
    draws = found["rows"]["0"]["draws"]
    values = np.frombuffer(base64.b64decode(draws["values"]["base64"]), "<f4")
    assert np.allclose(values, rows[0].draws.values(), atol=1e-7)
    assert draws["images"] == {"kind": "bits", "number": 20, "base64": "+AAA"}
    content = packed(rows, {"inc-tab1": told}, {"ab/x.npz": ("predictions", "00")})
    assert content == packed(rows, {"inc-tab1": told}, {"ab/x.npz": ("predictions", "00")})
    assert json.loads(gzip.decompress(content))["stored"] == {"ab/x.npz": ["predictions", "00"]}


def test_numbers_of_seeds_and_what_groups_of_images_add_are_kept_to_the_last_bit():
    images = Sample("toys", ("bell",) * 7 + ("bus",) * 13)
    seeds = [np.arange(20) < few for few in (7, 8, 9)]
    rows = [
        Row.of(
            Estimate.of_rate(seeds[:number], images=images, samples=50),
            item="inc-tab1", dataset="toy", model=name, metric="error",
        )
        for name, number in (("a", 1), ("b", 3))
    ]  # fmt: skip
    claim = parse("error[a] < error[b]", "toy")
    judged = judge(claim, Lookup(results=Results.of(rows), item="inc-tab1"))
    told = [verdict("not decided", metric="error[a] < error[b]", judgement=judged)]
    one, several = (row["draws"] for row in grounds(rows, {"inc-tab1": told})["rows"].values())
    for stored, exact in (
        (one["images"], rows[0].draws.by_image()),
        (several["values"], rows[1].draws.values()),
    ):
        assert stored["kind"] == "f8"
        values = np.frombuffer(base64.b64decode(stored["base64"]), "<f8")
        assert values.tolist() == list(exact)
    assert several["pictures"]["values"]["number"] == 50
