"""The files of a data set as its manifest lists them: downloads, and what a complete copy holds."""

from typing import Annotated

from pydantic import Field

from robust_lib.config.strict_yaml import Record

_WORD = r"[A-Za-z0-9][A-Za-z0-9._-]*"
FileName = Annotated[str, Field(pattern=rf"^{_WORD}(/{_WORD})?$")]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Url = Annotated[str, Field(pattern=r"^https?://\S+$")]
PYPI = rf"({_WORD}==\d[^/#\s]*)/([^#\s]+)#sha256=([0-9a-f]{{64}})"
"""A file of a wheel: package and version, the path in the wheel, and the wheel's SHA-256."""

_Positive = Annotated[int, Field(gt=0)]
_Count = Annotated[int, Field(ge=0)]


class Mirror(Record):
    """A different address of a file; its bytes may differ, so it has its own checksums.

    Args:
        bytes, md5, sha1, sha256: size and checksums of its copy, instead of the file's.
    """

    url: Url
    bytes: Annotated[int, Field(gt=0)] | None = None
    md5: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    sha1: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class File(Record):
    """A file to download, with what its publishers state; None if they state nothing.

    Args:
        name: its file name, including a folder of the data set if it is in one.
        mirrors: further addresses, tried in order: with the same bytes or, if that is not certain,
            with checksums of their own.
        about: size in bytes, rounded, if no exact size was published; it is not checked.
        md5, sha1, sha256: hexadecimal digests.
        sha256_begins: the first digits of the SHA-256, if the publisher states only these.
        sha512: npm's integrity text, "sha512-" and base64.
        npm: "package@version" of an npm package.
        pypi: "package==version/path#sha256=digest": a file in a wheel, which pip downloads and
            which has that digest. The path may continue inside a tar file in the wheel.
        installed: "package/path": a file of a package that is installed with this library.
        into: folder, inside that of the data set, to which the archive is unpacked ("." is the data
            set's own); None leaves the file as it is.
    """

    name: FileName
    url: Url | None = None
    mirrors: tuple[Url | Mirror, ...] = ()
    bytes: Annotated[int, Field(gt=0)] | None = None
    # No digest of a manifest holds it: it decides nothing.
    about: Annotated[int | None, Field(gt=0, exclude=True)] = None
    md5: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    sha1: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    # No digest of a manifest without it knows it.
    sha256_begins: Annotated[str | None, Field(pattern=r"^[0-9a-f]{8,64}$")] = Field(
        default=None, exclude_if=lambda value: value is None
    )
    sha512: Annotated[str, Field(pattern=r"^sha512-[A-Za-z0-9+/]{86}==$")] | None = None
    npm: Annotated[str, Field(pattern=r"^(@[a-z0-9._-]+/)?[a-z0-9._-]+@\d\S*$")] | None = None
    # No digest of a manifest without them knows them.
    pypi: Annotated[str | None, Field(pattern=f"^{PYPI}$")] = Field(
        default=None, exclude_if=lambda value: value is None
    )
    installed: Annotated[str | None, Field(pattern=r"^\w+(/[A-Za-z0-9][\w.-]*)+$")] = Field(
        default=None, exclude_if=lambda value: value is None
    )
    into: Annotated[str, Field(pattern=r"^(\.|[A-Za-z0-9][A-Za-z0-9._-]*)$")] | None = None

    @property
    def sources(self) -> tuple["File", ...]:
        """Return the file once for each of its addresses, in the order in which they are tried.

        >>> own = Mirror(url="https://b.org/a.tar", bytes=7)
        >>> file = File(name="a.tar", url="https://a.org/a.tar", bytes=5, mirrors=[own])
        >>> [(one.url, one.bytes) for one in file.sources]
        [('https://a.org/a.tar', 5), ('https://b.org/a.tar', 7)]
        """
        first = () if self.url is None else (self.model_copy(update={"mirrors": ()}),)
        return (*first, *map(self._as_given_by, self.mirrors))

    @property
    def editions(self) -> tuple["File", ...]:
        """Return the file, and the versions of mirrors with checksums of their own."""
        return (self, *(self._as_given_by(one) for one in self.mirrors if isinstance(one, Mirror)))

    def _as_given_by(self, mirror: str | Mirror) -> "File":
        if isinstance(mirror, str):
            return self.model_copy(update={"url": mirror, "mirrors": ()})
        return File(name=self.name, into=self.into, **mirror.model_dump())

    @property
    def is_fetched(self) -> bool:
        """Return whether it can be fetched automatically."""
        return any((self.url, self.npm, self.pypi, self.installed))


class ObjectCounts(Record):
    """The published numbers of objects in COCO annotation files.

    Args:
        objects: number of objects, regions of crowds included.
        by_class: category -> number of its objects; other categories may have any number.
    """

    objects: _Count | None = None
    pictures: _Count | None = None
    crowds: _Count | None = None
    by_class: dict[str, _Count] = Field(default_factory=dict)


class Content(Record):
    """What a complete copy contains, for `verify`.

    Args:
        path: glob below the data set's root; "." is the root itself.
        images: number of images below each matching folder, at any depth; if sources differ,
            several numbers, any of which is accepted. None if unknown.
        folders: name of the class list whose folders each of them must have.
        objects: total numbers of objects in the annotation files that match the glob.
        lacking: advice if it is missing, for content without which the rest of the copy can still
            be read.
    """

    path: str
    matches: Annotated[int, Field(gt=0)] = 1
    images: _Positive | tuple[_Positive, ...] | None = None
    folders: Identifier | None = None
    # No digest of a manifest without them knows them.
    objects: ObjectCounts | None = Field(default=None, exclude_if=lambda value: value is None)
    lacking: Annotated[str | None, Field(exclude=True)] = None
