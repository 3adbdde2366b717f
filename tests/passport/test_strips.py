"""The small pictures: better is to the right, and everything lies inside."""

import re

import pytest

from robust_book.passport.strips import WIDTH, bars, placed, severities, strip
from robust_lib.passport.record import Headline, Number, Other

NUMBER = Number(item="nae-fig2", metric="accuracy", dataset="toy", value=0.5, low=0.4, high=0.6)
OTHERS = (
    Other(network="weak", value=0.2, source="here"),
    Other(network="strong", value=0.9, source="here"),
    Other(network="printed", value=0.95, source="paper"),
)


def places(drawn):
    names = re.findall(r'cx="([\d.]+)"[^>]*><title>(\w+)', str(drawn))
    return {name: float(x) for x, name in names}


@pytest.mark.parametrize(("better", "right"), [("higher", "strong"), ("lower", "weak")])
def test_better_is_to_the_right(better, right):
    found = places(strip(Headline(title="A", better=better, number=NUMBER, others=OTHERS)))
    wrong = "weak" if right == "strong" else "strong"
    assert found[right] > found[wrong]
    assert all(0 <= x <= WIDTH for x in found.values())


def test_only_networks_of_the_same_data_are_counted():
    headline = Headline(title="A", better="higher", number=NUMBER, others=OTHERS)
    assert placed(headline) == "better than 1 of 2 networks on these data"
    assert placed(headline.model_copy(update={"better": "lower"})).startswith("better than 1 of 2")
    assert placed(headline.model_copy(update={"others": OTHERS[2:]})) == ""


def test_bars_reach_the_normaliser_and_say_their_numbers():
    fog = NUMBER.model_copy(update={"metric": "ce", "value": 1.2, "low": 1.1, "high": 1.3})
    drawn = str(bars({"Fog": fog, "Snow": NUMBER}, title="CE"))
    assert "Fog 120.0 [110.0, 130.0]" in drawn
    widths = [float(x) for x in re.findall(r'class="bar"[^>]*width="([\d.]+)"', drawn)]
    assert widths[0] / widths[1] == pytest.approx(1.2 / 0.5, rel=0.01)


def test_severities_that_were_not_asked_are_dashes():
    first, third = (NUMBER.model_copy(update={"severity": step}) for step in (1, 3))
    assert "<td>–</td>" in str(severities({"Fog": [first], "Snow": [first, third]}))
