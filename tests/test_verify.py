"""The program that checks a site: a small site with one page, whose every edit it finds."""

import json

import pytest

from robust_book import verify
from robust_book.commands import evidence
from robust_lib.cache import Store, content_key

ROW = "item,dataset,model,corruption,severity,k,metric,convention,value,low,high,n,n_full,run\n"
ROWS = ROW + "inc-tab1,toys,resnet18,fog,3,,error,jpeg85,0.25,0.125,0.375,24,24,smoke/inc_2_mce\n"
SAID = "25.0 % < 31.2 % by 6.2 [1.0, 9.5] points: holds"
CLAIM = {
    "item": "inc-tab1", "model": None, "metric": "error[a] < error[b]", "status": "direction",
    "reported": "+", "unit": "none", "ours": None, "low": None, "high": None, "verdict": "holds",
    "arithmetic": SAID,
}  # fmt: skip
PRINTED = CLAIM | {
    "metric": "error", "model": "resnet18", "status": "printed", "reported": "24.9",
    "unit": "percent", "ours": 0.25, "low": 0.125, "high": 0.375, "verdict": "within interval",
    "arithmetic": "printed 24.9 % lies in ours 25.00 %: within interval",
}  # fmt: skip
PAGE = """<html><body><script>var a = 1234;</script>
<p>Its error is <span class="rb-result" data-result="inc_2_mce.error">25.0 %<span class="rb-tip">n =
24</span></span>.</p><section id="inc-tab1" data-verdict="holds"><table><caption>Error (%)</caption>
<tr><th>Network</th><th>Corruption</th><th>Severity 3</th></tr>
<tr><td>ResNet-18</td><td>Fog</td><td>25.0 [12.5, 37.5]</td></tr></table></section></body></html>
"""


@pytest.fixture
def site(tmp_path):
    """A site of one chapter, the predictions behind it in a store, and both sealed."""
    folder, cache = tmp_path / "site", tmp_path / "cache"
    results = folder / verify.RESULTS
    results.mkdir(parents=True)
    (results / "inc_2_mce.csv").write_text(ROWS)
    (results / "inc-tab1.csv").write_text(ROWS)
    record = {
        "items": [{"item": "inc-tab1", "verdict": "holds", "verdicts": [CLAIM, PRINTED]}],
        "numbers": {
            "inc_2_mce.error": {"text": "25.0 %", "value": 0.25, "convention": "", "n": 24}
        },
        "provenance": {"commit": "abc", "weights": {"resnet18": "f00d"}, "datasets": {"toys": "1"}},
        "files": {"inc-tab1.csv": verify.digest(results / "inc-tab1.csv")},
    }
    (results / "inc_2_mce.json").write_text(json.dumps(record, indent=1))
    (folder / "inc_2_mce.html").write_text(PAGE)
    told = {"what": "predictions", "fingerprint": "f00d"}
    Store(cache / "store").put(content_key(told), {}, told)
    evidence.write(folder, ["inc_2_mce"], cache)
    return folder


def faults(site, *, checksums=True):
    return verify.Site(site, site.parent / "cache", checksums=checksums).faults()


def test_a_whole_site_is_not_accused_and_its_numbers_are_followed_to_their_rows(site):
    assert faults(site) == []
    claims = json.loads((site / verify.CLAIMS).read_bytes())
    told = claims["pages"]["inc_2_mce.html"]
    assert told["shown"] == "25.0 24 3 18 25.0 12.5 37.5"
    columns = {told["shown"].split()[int(at)]: of for at, of in told["rows"].items()}
    assert columns == {
        "25.0": ["inc_2_mce", 0, "value"], "12.5": ["inc_2_mce", 0, "low"],
        "37.5": ["inc_2_mce", 0, "high"],
    }  # fmt: skip
    chapter = claims["chapters"]["inc_2_mce"]
    assert chapter["job"] == "notebook-inc_2_mce"
    assert chapter["inputs"]["weights"] == {"resnet18": "f00d"}
    assert (site / verify.PROGRAM).read_bytes().startswith(b'"""Check every number')


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("inc_2_mce.html", "25.0 [12.5", "26.0 [12.5", "number 5 is not the one"),
        ("inc_2_mce.html", '="holds"', '="differs"', "the verdict of inc-tab1 is 'differs' there"),
        ("inc_2_mce.csv", "0.25,", "0.26,", "25.0 is not value of row 1"),
        ("inc_2_mce.csv", "0.25,0.125", "0.25,0.255", "row 1 lies outside its interval"),
        ("inc-tab1.csv", "0.375", "0.376", "1 of its rows are none of inc_2_mce.csv"),
        ("inc_2_mce.json", '"25.0 %"', '"24.0 %"', "in the results"),
        ("inc_2_mce.json", "[1.0, 9.5]", "[−1.0, 9.5]", "the interval contains equality"),
        ("inc_2_mce.json", "by 6.2", "by 7.2", "the difference is not that of the numbers"),
        ("inc_2_mce.json", '"24.9"', '"44.9"', "'differs' follows from its numbers"),
        ("inc_2_mce.json", '"ours": 0.25', '"ours": 0.24', "0.24 is no number of inc_2_mce.csv"),
        ("inc_2_mce.json", '"items"', '"item"', "its most telling word"),
    ],
)
def test_an_edit_is_found_by_the_values_alone(site, name, old, new, said):
    path = next(site.rglob(name))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    if said != "its most telling word":
        assert said in " ".join(faults(site, checksums=False))
    assert any("checksum differs" in fault for fault in faults(site))


def test_what_checksums_alone_tell_is_found(site):
    (stored,) = (site.parent / "cache" / "store").rglob("*.npz")
    stored.write_bytes(stored.read_bytes()[:-1] + b"x")
    assert any("is not what the results were computed from" in one for one in faults(site))
    claims = json.loads((site / verify.CLAIMS).read_bytes())
    claims["chapters"]["inc_2_mce"]["inputs"]["commit"] = "other"
    (site / verify.CLAIMS).write_text(json.dumps(claims))
    assert "claims.json was changed after it was written" in faults(site)
    (site / "more.html").write_text("7")
    assert "more.html was not rendered with this site" in faults(site)
