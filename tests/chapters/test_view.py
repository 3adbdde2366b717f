"""Numbers as pages show them: of rows and of the papers."""

from dataclasses import replace

from robust_book.chapters import view
from robust_lib.results.interval import point
from robust_lib.results.notation import Cell
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ROW = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="mce", value=0.5, n=1, n_full=1)
WIDE = replace(ROW, low=0.25, high=0.75)


def test_a_cell_has_the_interval_that_its_row_has():
    assert view.cell(ROW) == Cell(50.0)
    assert view.cell(WIDE) == Cell(50.0, 25.0, 75.0)
    assert view.cell_of(WIDE.percent) == Cell(50.0, 25.0, 75.0)
    assert view.cell_of(point(50.0)) == Cell(50.0)


def test_a_value_without_an_interval_stands_for_its_ends():
    rows = Results.of([WIDE, replace(ROW, model="resnet18")])
    assert view.percents(rows) == {"vgg11": (50, 25, 75), "resnet18": (50, 50, 50)}
    assert view.by_network(rows)["resnet18"].value == 0.5


def test_printed_numbers_are_percent_with_the_digits_of_the_paper():
    printed = view.printed_by_network("inc-tab1", metric="mce")
    assert printed["resnet50"] == 76.7
    assert len(printed) == 7
    # Those of single corruptions are others.
    fog = view.printed_by_network("inc-tab1", metric="ce", corruption="fog")
    assert fog["resnet50"] == 66.0


def test_printed_settings_are_as_printed():
    rates = {"alexnet_finetune": "1e-5", "resnet50_finetune": "1e-4"}
    for network, rate in rates.items():
        assert view.printed_settings("vid-tab4", network)["learning_rate"] == rate


def test_settings_that_a_network_lacks_have_no_row():
    rows = view.settings("vid-tab4", "toys", {"a": {"epochs": 10, "momentum": None}})
    (row,) = rows.rows
    assert (row.model, row.dataset, row.metric, row.value) == ("a", "toys", "epochs", 10.0)


def test_columns_stand_below_whose_they_are():
    assert view.beside({"Drop": 1}, {"Drop": 2}) == {"This run|Drop": 1, "The paper|Drop": 2}


def test_a_line_per_row_has_ends_only_where_a_row_has_them():
    columns = {"Network": view.title, "n": lambda row: row.n}
    assert view.values_frame([ROW], columns).to_dict("records") == [
        {"Network": "VGG-11", "n": 1, "Value": 50.0}
    ]
    frame = view.values_frame([WIDE], columns, ("mCE", "low", "high"))
    assert frame.iloc[0].tolist() == ["VGG-11", 1, 50.0, 25.0, 75.0]
    assert list(frame) == ["Network", "n", "mCE", "low", "high"]


def test_a_line_per_network_has_every_metric_over_all_corruptions():
    rows = [WIDE, replace(ROW, metric="error"), replace(WIDE, corruption="fog", value=0.3)]
    frame = view.metrics_frame(Results.of(rows), {"error": "clean error", "mce": "mCE"})
    assert frame.to_dict("records") == [
        {"Network": "VGG-11", "clean error": 50, "mCE": 50, "mCE low": 25, "mCE high": 75}
    ]
