"""The record has the structure that RO-Crate 1.1 asks for, and says what is true of the files."""

import hashlib
import json

import pytest

from robust_book.commands.release import crate, state
from tests.commands.release import small


@pytest.fixture
def made(tmp_path, monkeypatch):
    root = small.checkout(tmp_path / "toy", monkeypatch)
    folder = tmp_path / "release"
    (folder / "results").mkdir(parents=True)
    (folder / "site.zip").write_bytes(b"zip")
    (folder / "workflow").mkdir()
    (folder / "workflow" / "Snakefile").write_text("rule all:\n")
    for name in ("one.json", "inc-tab1.csv", "inc-tab2.csv"):
        (folder / "results" / name).write_bytes(name.encode())
    runs = {"one": small.record()}
    said = {"site.zip": "The site"}
    record = crate.describe(folder, state.version(root), "c" * 40, "https://e.org/toy", runs, said)
    assert json.loads(json.dumps(record)) == record
    return {one["@id"]: one for one in record["@graph"]}, record


def ids(value):
    """Return all that a value refers to."""
    if isinstance(value, dict):
        return {value["@id"]} if value.keys() == {"@id"} else set().union(*map(ids, value.values()))
    return set().union(*map(ids, value)) if isinstance(value, list) else set()


def test_the_graph_is_flat_whole_and_begins_with_the_record_itself(made):
    graph, record = made
    assert len(graph) == len(record["@graph"])
    assert all({"@id", "@type"} <= one.keys() for one in record["@graph"])
    nested = [
        value for one in record["@graph"] for value in one.values() if isinstance(value, dict)
    ]
    assert all(value.keys() == {"@id"} for value in nested)
    referred = set().union(
        *(ids({k: v for k, v in one.items() if k != "@id"}) for one in graph.values())
    )
    assert referred - graph.keys() == {crate.PROFILE, "https://snakemake.readthedocs.io"}
    descriptor = graph["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert {"@id": "https://w3id.org/ro/crate/1.1"} in descriptor["conformsTo"]


def test_the_root_has_what_the_format_demands(made):
    root = made[0]["./"]
    assert root["@type"] == "Dataset"
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    assert root["datePublished"] == "2026-03-04"
    assert root["license"] == {"@id": "https://spdx.org/licenses/Apache-2.0"}


def test_every_file_has_its_size_and_its_checksum(made):
    graph, _ = made
    files = {name: one for name, one in graph.items() if "File" in one["@type"]}
    assert {one["@id"] for one in graph["./"]["hasPart"]} == files.keys()
    assert files.keys() == {
        "site.zip", "results/one.json", "results/inc-tab1.csv", "results/inc-tab2.csv",
        "workflow/Snakefile",
    }  # fmt: skip
    site = files["site.zip"]
    assert (site["name"], site["contentSize"]) == ("The site", "3")
    assert site["sha256"] == hashlib.sha256(b"zip").hexdigest()
    assert site["encodingFormat"] == "application/zip"


def test_the_papers_are_cited_with_their_authors(made):
    graph, _ = made
    (paper,) = graph["./"]["citation"]
    paper = graph[paper["@id"]]
    assert paper["@id"] == "https://arxiv.org/abs/1900.00001v1"
    assert graph[paper["author"][0]["@id"]] == {
        "@id": "#jo-doe", "@type": "Person", "name": "Jo Doe",
    }  # fmt: skip


def test_a_run_says_what_it_made_of_what_with_what(made):
    graph, _ = made
    run = graph["#run-one"]
    assert run["@type"] == "CreateAction"
    assert [one["@id"] for one in run["result"]] == ["results/inc-tab1.csv", "results/one.json"]
    assert graph[run["object"][0]["@id"]]["identifier"] == "ab" * 32
    tools = [graph[one["@id"]] for one in run["instrument"]]
    assert tools[0]["url"] == f"https://e.org/toy/tree/{'c' * 40}"
    assert ("numpy", "2.4.6") in {(one["name"], one["version"]) for one in tools}
    assert run["agent"] == graph["./"]["author"][0]


def test_it_is_a_run_of_the_workflow_as_its_profile_demands(made):
    """Those are the demands of Workflow Run Crate 0.5 and of the profiles that it is built on."""
    graph, _ = made
    root, workflow = graph["./"], graph["workflow/Snakefile"]
    assert root["mainEntity"] == {"@id": "workflow/Snakefile"}
    profiles = [graph[one["@id"]] for one in root["conformsTo"]]
    assert {one["name"] for one in profiles} >= {"Workflow Run Crate", "Process Run Crate"}
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow"} == set(workflow["@type"])
    run = graph["#run-book"]
    assert run["instrument"] == {"@id": "workflow/Snakefile"}
    assert {"@id": "results/one.json"} in run["result"]
    (given,) = (graph[one["@id"]] for one in run["object"])
    parameter = graph[given["exampleOfWork"]["@id"]]
    assert (given["value"], parameter["additionalType"]) == ("toys", "Text")
    assert {"@id": given["@id"]} in parameter["workExample"]
    assert {"@id": parameter["@id"]} in workflow["input"]
