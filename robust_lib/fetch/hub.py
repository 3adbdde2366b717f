"""Data sets in shards on the hub, named "hf:OWNER/NAME@REVISION", with the hub's own login.

The hub states the size and SHA-256 of each file at a commit, so that broken transfers are resumed
and downloads verified. The hub's own library finds the token (HF_TOKEN, or the file that `hf auth
login` writes); the token is sent only to the hub itself, never to a server that it redirects to.
"""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import DatasetManifest
from robust_lib.errors import DataError, FetchError, InputError
from robust_lib.fetch import shards
from robust_lib.fetch.transfer import UnreachableError, download

_SOURCE = re.compile(r"hf:(?P<repository>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)")
_SHA256 = re.compile(r"[0-9a-f]{64}")

REFUSED = ("HTTP 401", "HTTP 403")
TIMEOUT = 30.0  # seconds of silence


@dataclass(frozen=True)
class Listed:
    """A file in a repository, and its folder there."""

    folder: str
    file: File


def parse(source: str) -> tuple[str, str]:
    """Return the repository and the revision of a source.

    Raises:
        InputError: the source has a different form.

    >>> parse("hf:ILSVRC/imagenet-1k@main")
    ('ILSVRC/imagenet-1k', 'main')
    """
    found = _SOURCE.fullmatch(source)
    if found is None:
        raise InputError(
            "Expected a source as hf:OWNER/NAME@REVISION, such as hf:ILSVRC/imagenet-1k@main, or "
            f"better with the commit instead of main, but got {source!r}."
        )
    return found["repository"], found["revision"]


def bring(source: str, manifest: DatasetManifest, folder: Path, *, progress: bool = False) -> None:
    """Download a data set's shards from the hub into its folder; existing shards are kept.

    Raises:
        InputError: the source has a different form, or its shards are of several kinds.
        FetchError: the hub cannot be reached, requires a login or accepted terms, or has no such
            shards.
        DataError: the folder contains the data set in a different layout.
    """
    repository, revision = parse(source)
    if manifest.kind not in shards.KINDS:
        raise InputError(
            f"Expected a data set that can be read from shards, but {manifest.name} is of the kind "
            f"{manifest.kind}. Fetch it without --from."
        )
    if (place := shards.unpacked(manifest, folder)) is not None:
        raise DataError(
            f"Expected {folder} to be empty or to contain shards, but {place} has images of "
            f"{manifest.title}. Move them elsewhere, or use another folder."
        )
    from huggingface_hub import get_token  # which takes half a second

    login = get_token()
    for one in listed(repository, revision, manifest, login):
        try:
            download(one.file, folder / one.folder, login=login, progress=progress)
        except UnreachableError as error:
            if any(state in error.why for state in REFUSED):
                raise FetchError(_how_to_log_in(repository, error.why)) from None
            raise


def listed(
    repository: str, revision: str, manifest: DatasetManifest, login: str | None
) -> list[Listed]:
    """Return the shards of a data set in a repository, with sizes and checksums at one commit.

    Raises:
        InputError: shards of several kinds or series.
        FetchError: the hub cannot be reached or lists nothing, or there are no shards.
    """
    from huggingface_hub import HfApi, hf_hub_url

    try:
        told = HfApi(token=login or False).dataset_info(
            repository, revision=revision, files_metadata=True, timeout=TIMEOUT
        )
    except Exception as error:  # of its own, and of whatever talks for it
        why = " ".join(str(error).split())
        raise FetchError(_how_to_log_in(repository, why)) from None
    held = {one.rfilename: one for one in told.siblings or ()}
    series = shards.series([PurePosixPath(name) for name in held], manifest)
    if not series:
        raise FetchError(
            f"Expected shards of {manifest.title} in {repository} at {revision}, numbered .parquet "
            f"or .tar files{f' of the split {manifest.split}' * bool(manifest.split)}, but there "
            f"are none among its {len(held)} files."
        )
    if len({kind for kind, _ in series}) > 1 or shards.are_several(manifest, series):
        names = ", ".join(called or "." for _, called in sorted(series))
        raise InputError(
            f"Expected one series of shards of {manifest.title} in {repository}, but it has "
            f"{names}. Download one of them manually, and put it into the data set's folder."
        )
    found = []
    for path in sorted(path for paths in series.values() for path in paths):
        about = held[path.as_posix()]
        sum_told = getattr(about.lfs, "sha256", "") or ""
        address = hf_hub_url(
            repository, path.as_posix(), repo_type="dataset", revision=told.sha or revision
        )
        file = File(
            name=path.name,
            url=address,
            bytes=about.size or None,
            sha256=sum_told if _SHA256.fullmatch(sum_told) else None,
        )
        found.append(Listed(path.parent.as_posix(), file))
    return found


def _how_to_log_in(repository: str, why: str) -> str:
    return (
        f"The hub did not provide {repository}: {why}. Check its name and the internet connection. "
        f"If the data set has terms, accept them on its page, datasets/{repository}, then run `hf "
        "auth login` or set HF_TOKEN, and fetch again: the download continues where it stopped."
    )
