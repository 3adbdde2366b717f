"""The lookup: our row for a paper's number, whatever stands in for its model and its data."""

import pytest

from robust_lib.results.lookup import Lookup, Where
from tests.results.rows import table

FOG = Where(metric="ce", model="alexnet", corruption="fog")


def lookup(*changes, **settings):
    return Lookup(results=table(*changes), item="inc-tab1", **settings)


def test_a_row_is_found_by_all_its_conditions():
    found = lookup({}, {"corruption": "snow", "value": 2.0}, {"model": "vgg11", "value": 3.0})
    assert found.find(FOG).value == 1.0
    assert found.find(Where(metric="ce", model="vgg11", corruption="fog")).value == 3.0
    assert found.find(Where(metric="ce", model="alexnet")) == "no result for ce of alexnet"


def test_a_models_role_leads_to_ours_and_back():
    found = lookup({"model": "alexnet_mini"}, roles={"alexnet": "alexnet_mini"})
    assert found.find(FOG).model == "alexnet_mini"
    assert found.models() == ("alexnet",)


@pytest.mark.parametrize(
    ("datasets", "wanted"), [({"imagenet": "toy"}, "imagenet"), ({}, "imagenet"), ({}, "toy")]
)
def test_the_only_data_set_stands_in_even_without_a_role(datasets, wanted):
    where = Where(metric="ce", model="alexnet", corruption="fog", dataset=wanted)
    assert lookup({}, datasets=datasets).find(where).dataset == "toy"


def test_where_a_data_set_is_meant_exactly_no_other_stands_in():
    where = Where(metric="ce", model="alexnet", corruption="fog", dataset="imagenet", exact=True)
    assert lookup({}).find(where) == "no result on imagenet for ce of alexnet, fog"


def test_of_several_data_sets_none_is_chosen():
    where = Where(metric="ce", model="alexnet", corruption="fog", dataset="imagenet")
    two = lookup({}, {"dataset": "other", "value": 2.0})
    assert two.find(where) == (
        "results for ce on several data sets: set datasets= to the one that stands for imagenet"
    )


def test_a_group_goes_with_the_data_set_that_stands_in():
    found = lookup({"dataset": "toy/weather"}, datasets={"imagenet": "toy"})
    where = Where(metric="ce", model="alexnet", corruption="fog", dataset="imagenet/weather")
    assert found.find(where).dataset == "toy/weather"


def test_rows_of_the_item_go_before_those_of_others():
    found = lookup({}, {"item": "inc-fig2", "value": 2.0})
    assert found.find(FOG).value == 1.0
    others = Lookup(results=found.results, item="inc-fig9")
    assert others.find(FOG) == (
        "different results for ce of alexnet, fog under the items inc-fig2 and inc-tab1"
    )


def test_of_two_conventions_one_must_be_named():
    found = lookup({}, {"convention": "memory", "value": 2.0})
    assert found.find(FOG).startswith(
        "results for ce of alexnet, fog in the conventions jpeg85 and memory"
    )
    memory = Where(metric="ce", model="alexnet", corruption="fog", convention="memory")
    assert found.find(memory).value == 2.0
