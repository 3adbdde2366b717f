"""What archives and reviewers read of a release has what their formats demand, from one source."""

import pytest

from robust_book.commands.release import deposit, state
from tests.commands.release import small

HOME = "https://example.org/me/toy"


@pytest.fixture
def root(tmp_path, monkeypatch):
    return small.checkout(tmp_path / "toy", monkeypatch)


def test_a_deposit_on_zenodo_has_its_creators_licence_and_papers(root):
    made = deposit.zenodo(state.version(root), HOME)
    assert {"title", "description", "creators", "upload_type", "access_right"} <= made.keys()
    assert made["creators"] == [{"name": "The toy makers"}]
    assert (made["license"], made["publication_date"]) == ("Apache-2.0", "2026-03-04")
    identifiers = [one["identifier"] for one in made["related_identifiers"]]
    assert identifiers == ["https://arxiv.org/abs/1900.00001v1", HOME]


def test_codemeta_names_the_software_its_requirements_and_the_papers_authors(root):
    made = deposit.codemeta(state.version(root), HOME, "c" * 40, root)
    assert (made["@context"], made["@type"]) == (deposit.CODEMETA_CONTEXT, "SoftwareSourceCode")
    assert made["license"] == "https://spdx.org/licenses/Apache-2.0"
    (paper,) = made["referencePublication"]
    assert paper["author"] == [{"@type": "Person", "familyName": "Doe", "givenName": "Jo"}]


def test_codecheck_lists_files_that_are_there_with_their_commands_and_invents_no_checker(root):
    version, runs = state.version(root), {"one": small.record()}
    files = ["results/inc-tab1.csv", "results/other.csv"]
    made = deposit.codecheck(version, HOME, "toys", runs, files)
    assert made["version"] == "https://codecheck.org.uk/spec/config/2.0/"
    (listed,) = made["manifest"]
    assert listed["file"] == "results/inc-tab1.csv"
    assert listed["comment"].endswith("papermill notebooks/one.ipynb out.ipynb")
    assert {"title", "authors", "reference", "reference-other"} == made["paper"].keys()
    assert made["paper"]["reference-other"] == ["https://arxiv.org/abs/1900.00001v1"]
    assert "make book PROFILE=toys" in made["summary"]
    assert not made.keys() & set(deposit.TO_CHECK)
