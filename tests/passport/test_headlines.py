"""Every headline is a row that the chapters write."""

import pytest

from robust_lib import paths
from robust_lib.passport.benchmarks import BENCHMARKS
from robust_lib.passport.headlines import HEADLINES
from robust_lib.results.reported import item
from robust_lib.results.row import METRICS


@pytest.mark.parametrize("key", BENCHMARKS)
def test_headlines_are_of_ledger_items_metrics_and_chapters_that_exist(key):
    assert HEADLINES[key]
    for one in HEADLINES[key]:
        assert item(one.item).id == one.item
        assert one.metric in METRICS
        assert (paths.notebooks() / f"{one.notebook}.ipynb").exists()


def test_each_headline_stands_in_the_record_if_its_benchmark_was_taken(passports):
    passport = passports["one"][0].passport
    titles = {one.title for one in passport.section("imagenet_a").headlines}
    # Of less than 200 pictures there is no calibration error.
    assert titles == {one.title for one in HEADLINES["imagenet_a"]} - {"Calibration error (RMS)"}
    found = {one.title for one in passport.section("imagenet_c").headlines}
    # Of sixteen pictures a normaliser may not get worse by every corruption.
    assert {one.title for one in HEADLINES["imagenet_c"]} - found <= {"Relative mCE"}
