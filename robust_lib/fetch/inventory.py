"""Descriptions of every file of a data set: size, checksums, sources and first-fetch record.

Sizes and checksums that were not published are recorded when a file is first fetched; from then on
the file must match them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import DatasetManifest
from robust_lib.fetch import checksums

LATER = "recorded at first fetch"
NONE = ("not published", "not published")  # the size and the sum of a folder
DIGITS = 12  # of a checksum in a table
_COLUMNS = ("Data set", "File", "Size", "Checksum", "Hosts", "Licence")


def hosts(file: File) -> tuple[str, ...]:
    """Return the servers that offer a file, in the order in which they are tried.

    >>> hosts(File(name="a.tar", url="https://a.org/a.tar", mirrors=["https://b.org/a.tar"]))
    ('a.org', 'b.org')
    """
    found = [str(urlsplit(str(one.url)).hostname) for one in file.sources]
    found += _ways(file)
    return tuple(dict.fromkeys(found))


def _ways(file: File) -> dict[str, str]:
    """Return the ways in which a file is obtained without an address, each with its source."""
    ways = {"npm": file.npm, "pip": file.pypi, "an installed package": file.installed}
    return {way: place for way, place in ways.items() if place is not None}


def size_words(file: File) -> str:
    """Return the size of a file as text.

    >>> size_words(File(name="a.tar", bytes=1500)), size_words(File(name="a.tar"))
    ('1,500 bytes', 'recorded at first fetch')
    """
    if file.bytes is not None:
        return f"{file.bytes:,} bytes"
    return LATER if file.about is None else f"about {file.about / 1e9:.1f} GB, {LATER}"


def sum_words(file: File, digits: int | None = None) -> str:
    """Return the strongest published checksum of a file as text.

    >>> sum_words(File(name="a.tar", md5="0" * 32), digits=4), sum_words(File(name="a.tar"))
    ('md5 0000', 'recorded at first fetch')
    """
    stated = checksums.published(file)
    best = next((name for name in ("sha512", "sha256", "sha1", "md5") if name in stated), None)
    return LATER if best is None else f"{best} {stated[best][:digits]}"


def table(manifest: DatasetManifest) -> Iterator[dict[str, str]]:
    """Yield one row for each file: its name, size, checksum and hosts.

    A data set that the user supplies as a folder has one row. A data set that is drawn here, or is
    part of a larger one, has none.

    >>> from robust_lib.config.manifests import load_dataset
    >>> next(table(load_dataset("imagenet_o")))["Hosts"]
    'people.eecs.berkeley.edu, huggingface.co'
    """
    for file in manifest.files:
        sized, summed = size_words(file), sum_words(file, DIGITS)
        where = ", ".join(hosts(file)) or "by hand"
        cells = (manifest.name, file.name, sized, summed, where, manifest.licence)
        yield dict(zip(_COLUMNS, cells, strict=True))
    own = manifest.of is None and manifest.kind != "joined" and manifest.access != "generated"
    if own and not manifest.files:
        cells = (manifest.name, "a folder", *NONE, "by hand", manifest.licence)
        yield dict(zip(_COLUMNS, cells, strict=True))


def overview(manifests: Iterable[DatasetManifest]) -> Iterator[str]:
    """Yield the table of all files of some data sets, as plain text.

    Values that all files of a data set share appear only next to the first.
    """
    rows = []
    for manifest in manifests:
        for place, row in enumerate(table(manifest)):
            rows.append(row | dict.fromkeys(("Data set", "Licence") if place else (), ""))
    widths = {name: max(len(row[name]) for row in (*rows, {name: name})) for name in _COLUMNS}
    for row in ({name: name for name in widths}, *rows) if rows else ():
        yield "  ".join(cell.ljust(widths[name]) for name, cell in row.items()).rstrip()


def lines(manifest: DatasetManifest, folder: Path | None = None) -> Iterator[str]:
    """Yield lines about a data set's files and its copies elsewhere.

    Args:
        folder: the data set's folder; if given, the records of files fetched into it are included.
    """
    yield f"{manifest.name}: {manifest.title}. Licence: {manifest.licence}."
    for file in manifest.files:
        yield f"  {file.name}: {size_words(file)}; {sum_words(file)}"
        known = size_words(file), sum_words(file)
        for source in file.sources:
            own = size_words(source), sum_words(source)
            told = "" if own == known else f", its own sum: {'; '.join(own)}"
            yield f"    {source.url}{told}"
        yield from (f"    {way}: {place}" for way, place in _ways(file).items())
        if folder is not None:
            yield from (f"    {line}" for line in came(file, folder))
    for copy in manifest.elsewhere:
        yield f"  elsewhere: {copy}"


def came(file: File, folder: Path) -> Iterator[str]:
    """Yield the record of a file that was fetched into a folder; nothing if there is no record."""
    record = checksums.recorded(folder / file.name)
    if record is not None:
        against = record.get("published")
        held = ", ".join(against) if isinstance(against, dict) else LATER
        yield f"here: {record.get('bytes'):,} bytes, sha256 {record['sha256']} ({held})"
