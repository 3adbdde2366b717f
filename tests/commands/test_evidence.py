"""The claims of a site: a number of a table is the row that its headings name."""

from robust_book.commands import evidence

HEAD = {"item": "inc-tab1", "dataset": "toys", "metric": "error", "low": "", "high": "", "n": "24"}
ROWS = [
    HEAD | {"model": "resnet18", "corruption": "fog", "severity": "3", "value": "0.25"},
    HEAD | {"model": "resnet18", "corruption": "snow", "severity": "3", "value": "0.25"},
    HEAD | {"model": "resnet18", "corruption": "snow", "severity": "4", "value": "0.25"},
    HEAD | {"model": "alexnet", "corruption": "", "severity": "", "value": "0.5"},
]
TABLE = (
    "<table><caption>Error (%)</caption><tr><th>Network</th><th>Corruption</th><th>Severity 3</th>"
    "<th>Severity 4</th></tr><tr><td>ResNet-18</td><td>Snow</td><td>25.0</td><td>25.0</td></tr>"
    "<tr><td>AlexNet</td><td></td><td>50.0</td><td>51.0</td></tr></table><p>25.0</p>"
)


def test_equal_numbers_are_told_apart_by_the_headings_and_others_are_no_row(tmp_path):
    (tmp_path / "a_chapter.html").write_text(TABLE)
    found = evidence._page(tmp_path / "a_chapter.html", {"a_chapter": ROWS})
    assert found["chapter"] == "a_chapter"
    assert found["shown"].split() == ["3", "4", "18", "25.0", "25.0", "50.0", "51.0", "25.0"]
    assert found["rows"] == {
        "3": ("a_chapter", 1, "value"),
        "4": ("a_chapter", 2, "value"),
        "5": ("a_chapter", 3, "value"),
    }
    assert evidence._page(tmp_path / "a_chapter.html", {"another": ROWS})["rows"] == {}
