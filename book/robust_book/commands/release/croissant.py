"""The metadata of the data sets as Croissant files, which loaders and catalogues read.

The vocabulary is that of Croissant 1.1 (mlcommons.org/croissant/1.1). Files whose checksums are
recorded at the first fetch are listed in the description: the format requires a checksum of each
file.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import DatasetManifest, dataset_names, load_dataset
from robust_lib.fetch import checksums, inventory

FOLDER = "croissant"
PROFILE = "http://mlcommons.org/croissant/1.1"
_OWN = (
    *("citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileProperty"),
    *("fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath"),
    *("key", "md5", "arrayShape", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    **{word: f"cr:{word}" for word in _OWN},
}
TYPES = {
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".png": "image/png",
    ".tar": "application/x-tar",
    ".tgz": "application/gzip",
    ".zip": "application/zip",
}


def described() -> dict[str, dict[str, Any]]:
    """Return name -> Croissant description of each published data set."""
    found = map(load_dataset, dataset_names())
    published = [one for one in found if one.access != "generated" and one.reference is not None]
    return {one.name: describe(one) for one in published if one.of is None}


def describe(manifest: DatasetManifest) -> dict[str, Any]:
    """Return the Croissant description of a data set.

    >>> from robust_lib.config.manifests import load_dataset
    >>> describe(load_dataset("imagenet_a"))["distribution"][0]["contentSize"]
    '687552512 B'
    """
    files = [_file(one) for one in manifest.files if _is_told(one)]
    told: dict[str, Any] = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": PROFILE,
        "name": manifest.name,
        "alternateName": manifest.title,
        "description": _description(manifest),
        "license": manifest.licence,
        "url": _home(manifest),
        "distribution": files,
    }
    if manifest.reference is not None:
        told["citeAs"] = manifest.reference
    return {key: value for key, value in told.items() if value not in (None, [])}


def _is_told(file: File) -> bool:
    return file.url is not None and bool({"sha256", "md5"} & checksums.published(file).keys())


def _file(file: File) -> dict[str, Any]:
    stated = checksums.published(file)
    told = {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.url,
        "contentSize": None if file.bytes is None else f"{file.bytes} B",
        "encodingFormat": TYPES.get(Path(file.name).suffix.lower(), "application/octet-stream"),
        "sha256": stated.get("sha256"),
        # Either, the stronger one: readers refuse both.
        "md5": None if "sha256" in stated else stated.get("md5"),
    }
    return {key: value for key, value in told.items() if value is not None}


def _description(manifest: DatasetManifest) -> str:
    untold = [file.name for file in manifest.files if not _is_told(file)]
    parts = [manifest.title + ".", manifest.layout.strip(), manifest.instructions or ""]
    if untold:
        parts.append(
            f"Not listed here, because address or checksum is missing: {', '.join(untold)}."
        )
    parts += inventory.lines(manifest)
    return "\n".join(filter(None, parts))


def _home(manifest: DatasetManifest) -> str | None:
    return next((file.url for file in manifest.files if file.url is not None), None)
