"""The metadata of a release as an RO-Crate: files, authors, licence, papers, runs.

The structure is that of RO-Crate 1.1, profile Workflow Run Crate 0.5: one flat graph, in which
everything is named by its `@id`, with the workflow that made the results and its run.
"""

import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from robust_book.commands.release.state import Version
from robust_lib.fetch import sums

FILE = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.1"
# The context of 1.1 is older than the word for a checksum.
CONTEXT = [
    f"{PROFILE}/context",
    {"sha256": "https://schema.org/sha256"},
]
RUNS = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
"""Profiles that the record conforms to, with their names and versions."""
WORKFLOW, README = "workflow/Snakefile", "README.md"
SOFTWARE = "#software"
TYPES = {".whl": "application/zip", ".parquet": "application/vnd.apache.parquet"}
TYPES |= {".cff": "application/yaml", ".gz": "application/gzip", ".md": "text/markdown"}

Entity = dict[str, Any]


def describe(
    folder: Path,
    version: Version,
    commit: str,
    repository: str,
    runs: Mapping[str, Mapping[str, Any]],
    said: Mapping[str, str],
) -> dict[str, Any]:
    """Return the record of a release.

    Args:
        runs: chapter -> saved results of its run.
        said: file -> description; other files are described by their names.
    """
    files = list(_files(folder, said))
    papers = [_paper(work) for work in version.citation.get("references", ())]
    authors = [_author(one) for one in version.citation["authors"]]
    writers = {
        str(one["@id"]): one
        for work in version.citation.get("references", ())
        for one in map(_author, work["authors"])
    }
    licence = _licence(str(version.citation["license"]))
    names = {str(one["@id"]) for one in files}
    packages = _packages(runs)
    actions = [_run(name, run, names, authors) for name, run in runs.items()]
    book = _book(runs, names, authors) if WORKFLOW in names else []
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{version.citation['title']}, {version.number}",
        "description": str(version.citation["abstract"]).strip(),
        "version": version.number,
        "datePublished": version.date.isoformat(),
        "license": _ref(licence),
        "author": [_ref(one) for one in authors],
        "citation": [_ref(one) for one in papers],
        "keywords": ", ".join(version.citation.get("keywords", ())),
        "hasPart": [_ref(one) for one in files],
        "mentions": [_ref(one) for one in (*actions, *book[:1], {"@id": SOFTWARE})],
    }
    if book:
        root |= {"conformsTo": [{"@id": one} for one in RUNS], "mainEntity": {"@id": WORKFLOW}}
        more: dict[str, Entity] = {WORKFLOW: {"version": version.number}}
        more[README] = {"about": _ref(root)}
        files = [one | more.get(str(one["@id"]), {}) for one in files]
    software = {
        "@id": SOFTWARE,
        "@type": ["SoftwareSourceCode", "SoftwareApplication"],
        "name": version.name,
        "version": version.number,
        "codeRepository": repository,
        "url": f"{repository.rstrip('/')}/tree/{commit}",
        "identifier": commit,
        "programmingLanguage": "Python",
        "license": _ref(licence),
        "author": [_ref(one) for one in authors],
    }
    descriptor = {
        "@id": FILE,
        "@type": "CreativeWork",
        "conformsTo": [{"@id": PROFILE}, {"@id": list(RUNS)[-1]}] if book else {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    known = [descriptor, root, software, licence, *authors, *papers, *files, *actions]
    graph = [*known, *book, *writers.values(), *packages, *_datasets(runs)]
    return {"@context": CONTEXT, "@graph": graph}


def _files(folder: Path, said: Mapping[str, str]) -> Iterator[Entity]:
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        name = path.relative_to(folder).as_posix()
        yield {
            "@id": name,
            "@type": "File",
            "name": said.get(name, path.name),
            "contentSize": str(path.stat().st_size),
            "encodingFormat": TYPES.get(path.suffix) or _type(path),
            "sha256": sums.sha256(path),
        } | (_WORKFLOW if name == WORKFLOW else {})


_WORKFLOW: Entity = {
    "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
    "name": "The book: trainings, predictions, chapters, site",
    "programmingLanguage": {"@id": "#snakemake"},
    "input": [{"@id": "#input-profile"}],
}


def _book(
    runs: Mapping[str, Mapping[str, Any]], files: set[str], authors: Sequence[Entity]
) -> list[Entity]:
    """Return the run of the whole workflow, and the entities that it refers to."""
    profiles = sorted({str(run["provenance"]["profile"]) for run in runs.values()})
    results = sorted(one for one in files if one.startswith("results/"))
    made: Entity = {
        "@id": "#run-book",
        "@type": "CreateAction",
        "name": f"make book PROFILE={profiles[0]}",
        "description": "Computes what is missing or stale, and renders the site.",
        "endTime": max(str(run["provenance"]["date"]) for run in runs.values()),
        "agent": _ref(authors[0]),
        "instrument": {"@id": WORKFLOW},
        "object": [{"@id": f"#profile-{one}"} for one in profiles],
        "result": [{"@id": one} for one in results],
    }
    values = [
        {
            "@id": f"#profile-{one}",
            "@type": "PropertyValue",
            "name": "PROFILE",
            "value": one,
            "exampleOfWork": {"@id": "#input-profile"},
        }
        for one in profiles
    ]
    parameter = {
        "@id": "#input-profile",
        "@type": "FormalParameter",
        "name": "PROFILE",
        "additionalType": "Text",
        "description": "File of data_manifests/profiles with the data, networks and sizes to use.",
        "valueRequired": False,
        "workExample": [_ref(one) for one in values],
    }
    language = {
        "@id": "#snakemake",
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": {"@id": "https://snakemake.readthedocs.io"},
        "url": {"@id": "https://snakemake.readthedocs.io"},
    }
    profiled = [
        {"@id": one, "@type": "CreativeWork", "name": name, "version": version}
        for one, (name, version) in RUNS.items()
    ]
    return [made, *values, parameter, language, *profiled]


def _type(path: Path) -> str:
    # The tables of the machine would make it another one elsewhere.
    return mimetypes.MimeTypes(filenames=()).guess_type(path.name)[0] or "text/plain"


def _licence(name: str) -> Entity:
    address = f"https://spdx.org/licenses/{name}"
    return {"@id": address, "@type": "CreativeWork", "name": name, "url": address}


def _author(cited: Mapping[str, Any]) -> Entity:
    """Return an author of CITATION.cff, a person if there is a family name."""
    if "family-names" not in cited:
        name = str(cited["name"])
        return {"@id": f"#{_slug(name)}", "@type": "Organization", "name": name}
    name = f"{cited.get('given-names', '')} {cited['family-names']}".strip()
    return {"@id": str(cited.get("orcid", f"#{_slug(name)}")), "@type": "Person", "name": name}


def _paper(cited: Mapping[str, Any]) -> Entity:
    identifiers = [str(one["value"]) for one in cited.get("identifiers", ())]
    named = next((one for one in identifiers if one.startswith("arXiv:")), None)
    address = f"https://arxiv.org/abs/{named.removeprefix('arXiv:')}" if named else None
    return {
        "@id": address or f"#{_slug(str(cited['title']))}",
        "@type": "ScholarlyArticle",
        "name": cited["title"],
        "author": [_ref(_author(one)) for one in cited["authors"]],
        "datePublished": str(cited["year"]),
        "identifier": identifiers,
    }


def _run(name: str, run: Mapping[str, Any], files: set[str], authors: Sequence[Entity]) -> Entity:
    """Return the run behind a chapter's numbers: its time, software and data."""
    made = run["provenance"]
    keys = {name, *(str(item["item"]) for item in run["items"])}
    results = sorted(one for one in files if one.startswith("results/") and Path(one).stem in keys)
    return {
        "@id": f"#run-{name}",
        "@type": "CreateAction",
        "name": f"{name}, profile {made['profile']}",
        "description": made["command"],
        "endTime": made["date"],
        "agent": _ref(authors[0]),
        "instrument": [{"@id": SOFTWARE}, *({"@id": one} for one in _package_ids(run))],
        "object": [{"@id": f"#data-{data}-{digest[:12]}"} for data, digest in _data(run)],
        "result": [{"@id": one} for one in results],
        "identifier": made["commit"],
    }


def _packages(runs: Mapping[str, Mapping[str, Any]]) -> list[Entity]:
    found = {one: pair for run in runs.values() for one, pair in _package_ids(run).items()}
    return [
        {"@id": one, "@type": "SoftwareApplication", "name": name, "version": version}
        for one, (name, version) in sorted(found.items())
    ]


def _package_ids(run: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    versions = run["provenance"]["versions"]
    return {f"#{name}-{version}": (name, version) for name, version in sorted(versions.items())}


def _datasets(runs: Mapping[str, Mapping[str, Any]]) -> list[Entity]:
    found = sorted({pair for run in runs.values() for pair in _data(run)})
    return [
        {
            "@id": f"#data-{name}-{digest[:12]}",
            "@type": "Dataset",
            "name": name,
            "identifier": digest,
            "description": "Not in this release; the digest identifies its images.",
        }
        for name, digest in found
    ]


def _data(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    return sorted((name, str(digest)) for name, digest in run["provenance"]["datasets"].items())


def _ref(entity: Mapping[str, Any]) -> Entity:
    return {"@id": entity["@id"]}


def _slug(name: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
