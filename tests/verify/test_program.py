"""The program that checks a site: a small site with one page, whose every edit it finds."""

import json
import subprocess
import sys

import numpy as np
import pytest

from robust_book.commands import evidence
from robust_book.verify import program as verify
from robust_lib.cache import Store, content_key
from robust_lib.results.claims import parse
from robust_lib.results.estimate import Estimate
from robust_lib.results.grounds import EVIDENCE, packed
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.results.verdicts import Verdict

COMMON = {
    "item": "inc-tab1", "corruption": "fog", "severity": None, "k": None, "dataset": "toys",
    "unit": "percent", "locator": "Table 1",
}  # fmt: skip
PAGE = """<html><body><script>var a = 1234;</script>
<p>Its error is <span class="rb-result" data-result="inc_2_mce.error">25.0 %<span class="rb-tip">n =
24</span></span>.</p><section id="inc-tab1" data-verdict="holds"><table><caption>Error (%)</caption>
<tr><th>Network</th><th>Corruption</th><th>Severity 3</th></tr>
<tr><td>ResNet-18</td><td>Fog</td><td>25.0 [{low:.1f}, {high:.1f}]</td></tr></table><p>{why}</p>
<p>{lies}</p></section></body></html>
"""


@pytest.fixture
def site(tmp_path):
    """A site of one chapter, the predictions behind it in a store, and both sealed."""
    folder, cache = tmp_path / "site", tmp_path / "cache"
    results = folder / verify.RESULTS
    results.mkdir(parents=True)
    rows = [
        Row.of(
            Estimate.of_rate([np.arange(24) < wrong], images="toys", samples=100),
            item="inc-tab1", dataset=images, model=name, corruption="fog", severity=3,
            metric="error", convention="jpeg85",
        )
        for images, name, wrong in (
            ("toys", "resnet18", 6), ("toys", "alexnet", 18),
            ("others", "resnet18", 2), ("others", "alexnet", 22),
        )
    ]  # fmt: skip
    claim = (
        "error[resnet18, corruption=fog, severity=3] < error[alexnet, corruption=fog, severity=3]"
    )
    lookup = Lookup(results=Results.of(rows), item="inc-tab1")
    found, other = (judge(parse(claim, images), lookup) for images in ("toys", "others"))
    assert (found.word, other.word) == ("holds", "holds")
    lies = "printed 24.9 % is within ours 25.00 %: within interval"
    verdicts = (
        Verdict(
            **COMMON, model=None, metric=claim, status="direction", reported="+", decimals=None,
            verdict=found.word, arithmetic=found.arithmetic, judgement=found,
        ),
        Verdict(
            **COMMON | {"dataset": "others"}, model=None, metric=claim, status="direction",
            reported="+", decimals=None, verdict=other.word, arithmetic=other.arithmetic,
            judgement=other,
        ),
        Verdict(
            **COMMON | {"severity": 3}, model="resnet18", metric="error", status="printed",
            reported="24.9", decimals=1, our_model="resnet18", our_dataset="toys",
            ours=rows[0].value, low=rows[0].low, high=rows[0].high, n=24,
            difference=rows[0].value - 0.249, verdict="within interval", arithmetic=lies,
        ),
    )  # fmt: skip
    told = {"what": "predictions", "fingerprint": "f00d"}
    store = Store(cache / "store")
    store.put(content_key(told), {}, told)
    table = Results.of(rows)
    table.save(results, "inc_2_mce")
    table.select(model="resnet18").save(results, "inc-tab1")
    (results / f"inc_2_mce.{EVIDENCE}").write_bytes(
        packed(rows, {"inc-tab1": verdicts}, store.used)
    )
    item = {"item": "inc-tab1", "title": "", "verdict": "holds"}
    record = {
        "items": [item | {"verdicts": [one.record() for one in verdicts]}],
        "numbers": {
            "inc_2_mce.error": {"text": "25.0 %", "value": 0.25, "convention": "", "n": 24}
        },
        "provenance": {"commit": "abc", "weights": {"resnet18": "f00d"}, "datasets": {"toys": "1"}},
        "files": {"inc-tab1.csv": verify.digest(results / "inc-tab1.csv")},
    }
    (results / "inc_2_mce.json").write_text(json.dumps(record, indent=1))
    ends = {"low": 100 * rows[0].low, "high": 100 * rows[0].high}
    page = PAGE.format(**ends, why=found.arithmetic.replace("<", "&lt;"), lies=lies)
    (folder / "inc_2_mce.html").write_text(page)
    evidence.write(folder, ["inc_2_mce"])
    return folder


def faults(site, *, checksums=True):
    return verify.Site(site, site.parent / "cache", checksums=checksums).faults()


def test_a_whole_site_is_not_accused_and_its_numbers_are_followed_to_their_rows(site):
    assert faults(site) == []
    claims = json.loads((site / verify.CLAIMS).read_bytes())
    told = claims["pages"]["inc_2_mce.html"]
    columns = {told["shown"].split()[int(at)]: of for at, of in told["rows"].items()}
    assert columns["25.0"] == ["inc_2_mce", 0, "value"]
    assert {of[2] for of in columns.values()} == {"value", "low", "high"}
    chapter = claims["chapters"]["inc_2_mce"]
    assert chapter["job"] == "notebook-inc_2_mce"
    assert chapter["inputs"]["weights"] == {"resnet18": "f00d"}
    assert (chapter["parts"], chapter["alone"], chapter["reproduced"]) == (["inc-tab1"], [1, 3], 4)
    assert [what for what, _ in claims["stored"].values()] == ["predictions"]


def test_the_program_is_one_file_and_says_what_it_judged_and_what_is_not_at_hand(site):
    """It runs without any package, in a Python that sees none."""
    command = [sys.executable, "-I", "-S", str(site / verify.PROGRAM), str(site)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "judged 2 of 3 verdicts again from their draws; checked 0 of 1 files" in done.stdout
    assert "available (pass their folder to --cache)" in done.stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("inc_2_mce.html", "25.0 [", "26.0 [", "is not the one that was rendered"),
        ("inc_2_mce.html", '="holds"', '="differs"', "the verdict of inc-tab1 is 'differs', but"),
        ("inc_2_mce.csv", "0.25,", "0.26,", "25.0 is not the value in row 1"),
        ("inc_2_mce.csv", "0.25,0.", "0.25,0.3", "row 1 is outside its interval"),
        ("inc_2_mce.csv", "0.75,0.5", "0.75,0.6", "3 rows follow from their draws, instead of 4"),
        ("inc-tab1.csv", "jpeg85", "jpeg86", "1 of its rows are not in inc_2_mce.csv"),
        ("inc_2_mce.json", '"25.0 %"', '"24.0 %"', "in the results"),
        ("inc_2_mce.json", '"24.9"', '"94.9"', "'differs' follows from its numbers"),
        ("inc_2_mce.json", '"ours": 0.25', '"ours": 0.24', "0.24 is not in inc_2_mce.csv"),
        ("inc_2_mce.json", '"decimals": 1', '"decimals": 2', "contradicts itself"),
        ("inc_2_mce.json", '"commit": "abc"', '"commit": "abd"', "its provenance is not that"),
        ("inc_2_mce.json", "points: holds", "points: not decided", "not follow from the draws"),
        ("inc_2_mce.json", '"holds",\n     "arith', '"does not hold",\n     "arith',
         "'does not hold', but 'holds' follows from its draws"),
        ("inc_2_mce.json", '"items"', '"item"', "texts that differ from the"),
    ],
)  # fmt: skip
def test_an_edit_is_found_by_the_values_alone(site, name, old, new, said):
    path = next(site.rglob(name))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert said in " ".join(faults(site, checksums=False))
    assert any("checksum differs" in fault for fault in faults(site))


def test_what_checksums_alone_tell_is_found(site):
    (stored,) = (site.parent / "cache" / "store").rglob("*.npz")
    stored.write_bytes(stored.read_bytes()[:-1] + b"x")
    assert any("is not the file from which" in one for one in faults(site))
    claims = json.loads((site / verify.CLAIMS).read_bytes())
    claims["chapters"]["inc_2_mce"]["inputs"]["commit"] = "other"
    (site / verify.CLAIMS).write_text(json.dumps(claims))
    assert "claims.json was changed after it was written" in faults(site)
    (site / "more.html").write_text("7")
    assert "more.html was not rendered with this site" in faults(site)


def test_files_that_are_not_at_hand_are_counted_and_are_no_fault(site):
    (stored,) = (site.parent / "cache" / "store").rglob("*.npz")
    stored.unlink()
    checked = verify.Site(site, site.parent / "cache")
    assert checked.faults() == []
    assert checked.counts["stored"] == 0
