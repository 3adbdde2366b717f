"""Metadata of a release: `.zenodo.json`, `codemeta.json`, `codecheck.yml`.

All values come from CITATION.cff, pyproject.toml and the runs' records; nothing is typed twice.
`codecheck.yml` follows the rules 2.0 of codecheck.org.uk: entries that require a person who has
checked the release (name, date, report, certificate) are left to that person.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robust_book.commands.release.state import Version

ZENODO, CODEMETA, CODECHECK = ".zenodo.json", "codemeta.json", "codecheck.yml"
CODEMETA_CONTEXT = "https://w3id.org/codemeta/3.0"
CODECHECK_RULES = "https://codecheck.org.uk/spec/config/2.0/"
TO_CHECK = ("codechecker", "report", "check_time", "certificate")
"""What the person who checks the release adds."""

Record = dict[str, Any]


def zenodo(version: Version, repository: str) -> Record:
    """Return the metadata of a deposit on Zenodo."""
    papers = [
        {"identifier": address, "relation": "references", "resource_type": "publication-article"}
        for address in addresses(version)
    ]
    source = {"identifier": repository, "relation": "isSupplementTo", "resource_type": "software"}
    return {
        "title": f"{version.citation['title']}, {version.number}",
        "description": str(version.citation["abstract"]).strip(),
        "upload_type": "software",
        "access_right": "open",
        "license": str(version.citation["license"]),
        "version": version.number,
        "publication_date": version.date.isoformat(),
        "language": "eng",
        "keywords": list(version.citation.get("keywords", ())),
        "creators": [_creator(author) for author in version.citation["authors"]],
        "related_identifiers": [*papers, source],
    }


def codemeta(version: Version, repository: str, commit: str, root: Path) -> Record:
    """Return the description of the software as CodeMeta 3.0."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "@context": CODEMETA_CONTEXT,
        "@type": "SoftwareSourceCode",
        "name": version.name,
        "alternateName": version.citation["title"],
        "description": str(version.citation["abstract"]).strip(),
        "version": version.number,
        "datePublished": version.date.isoformat(),
        "license": f"https://spdx.org/licenses/{version.citation['license']}",
        "codeRepository": repository,
        "identifier": commit,
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project.get('requires-python', '')}".strip(),
        "softwareRequirements": list(project.get("dependencies", ())),
        "keywords": list(version.citation.get("keywords", ())),
        "author": [_person(author) for author in version.citation["authors"]],
        "referencePublication": [
            {
                "@type": "ScholarlyArticle",
                "name": work["title"],
                "author": [_person(author) for author in work["authors"]],
                "datePublished": str(work["year"]),
                "url": _address(work),
            }
            for work in version.citation.get("references", ())
        ],
    }


def codecheck(
    version: Version, repository: str, profile: str, runs: Mapping[str, Mapping[str, Any]],
    files: Sequence[str],
) -> Record:  # fmt: skip
    """Return the start of a CODECHECK: files to reproduce, commands, papers.

    Args:
        runs: chapter -> saved results of its run.
        files: files of the release; among its results, the rows of each item are to be reproduced.
    """
    manifest = [
        {"file": name, "comment": f"{item.get('title', item['item'])}; {made['command']}"}
        for run in runs.values()
        for made in [run["provenance"]]
        for item in run["items"]
        for name in [f"results/{item['item']}.csv"]
        if name in files
    ]
    chapters = [
        {"file": f"results/{chapter}.csv", "comment": f"All rows; {run['provenance']['command']}"}
        for chapter, run in runs.items()
        if f"results/{chapter}.csv" in files
    ]
    return {
        "version": CODECHECK_RULES,
        "source": repository,
        "paper": {
            "title": version.citation["title"],
            "authors": [_named(author) for author in version.citation["authors"]],
            "reference": repository,
            "reference-other": addresses(version),
        },
        "manifest": [*chapters, *manifest],
        "repository": repository,
        "summary": (
            f"`make book PROFILE={profile}` computes every file of the manifest again, and "
            "`python verify.py SITE` follows each number of the unpacked site to its row and "
            "repeats each verdict."
        ),
    }


def addresses(version: Version) -> list[str]:
    """Return the addresses of the papers that the project reproduces."""
    works = version.citation.get("references", ())
    return [address for work in works if (address := _address(work)) is not None]


def _address(work: Mapping[str, Any]) -> str | None:
    identifiers = (str(one["value"]) for one in work.get("identifiers", ()))
    arxiv = next((one for one in identifiers if one.startswith("arXiv:")), None)
    return None if arxiv is None else f"https://arxiv.org/abs/{arxiv.removeprefix('arXiv:')}"


def _creator(author: Mapping[str, Any]) -> Record:
    name = ", ".join(filter(None, (author.get("family-names"), author.get("given-names"))))
    return {"name": name or str(author["name"])} | _orcid(author, "orcid")


def _named(author: Mapping[str, Any]) -> Record:
    name = " ".join(filter(None, (author.get("given-names"), author.get("family-names"))))
    return {"name": name or str(author["name"])} | _orcid(author, "ORCID")


def _orcid(author: Mapping[str, Any], key: str) -> Record:
    return {key: str(author["orcid"]).rpartition("/")[2]} if "orcid" in author else {}


def _person(author: Mapping[str, Any]) -> Record:
    if "family-names" not in author:
        return {"@type": "Organization", "name": str(author["name"])}
    person = {"@type": "Person", "familyName": str(author["family-names"])}
    if "given-names" in author:
        person["givenName"] = str(author["given-names"])
    return person | ({"@id": str(author["orcid"])} if "orcid" in author else {})
