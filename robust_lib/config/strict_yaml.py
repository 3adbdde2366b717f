"""Strict YAML: reading a file gives a frozen record, or an error with file, line and key.

An entry that resembles a second one names it under the key `like` and lists only the differences.
"""

import pickle
import reprlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from robust_lib.errors import DataError, ManifestError, one_of

DEEPEST = 200
"""Levels of lists and mappings in one another; no file of ours has ten."""


class Record(BaseModel):
    """A frozen record; keys that it does not have are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


R = TypeVar("R", bound=Record)


class _Loader(yaml.SafeLoader):
    """Safe YAML that refuses a key written twice in one mapping."""


class _Fast(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The same loader in C, ten times as fast; its messages on malformed files differ."""


def _mapping(loader: _Loader | _Fast, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: dict[Any, int] = {}
    for key_node, _ in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ManifestError(f"{line}: a key is a list or a mapping. Use a word.")
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise ManifestError(
                f"{line}: key {key!r} occurs twice (first on line {seen[key]}). "
                "Keep one of the two."
            )
        seen[key] = line
    return loader.construct_mapping(node, deep=True)


for _kind in (_Loader, _Fast):
    _kind.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path) -> Any:
    """Return a YAML file's content; raise ManifestError with file and line if it is malformed."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"Expected a file at {path}, but there is none.") from None
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path}:1: not valid YAML: not UTF-8 text ({error}).") from None
    try:
        return pickle.loads(_parsed(text))  # a copy, which costs deepcopy a plan's seconds
    except ManifestError as error:
        raise ManifestError(f"{path}:{error}") from None


@lru_cache(maxsize=256)
def _parsed(text: str) -> bytes:
    """Return the content of a text, pickled; a plan reads a few files hundreds of times."""
    _require_shallow(text)
    with suppress(yaml.YAMLError, ValueError):
        return pickle.dumps(yaml.load(text, _Fast))
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise ManifestError(f"{line}: not valid YAML: {error.reason}.") from None
    try:
        return pickle.dumps(loader.get_single_data())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
        raise ManifestError(f"{line}: not valid YAML: {problem}.") from None
    except ValueError as error:  # no day of a calendar, or a number of thousands of digits
        line = loader.line + 1
        raise ManifestError(f"{line}: not valid YAML: {error}.") from None
    finally:
        loader.dispose()


def _require_shallow(text: str) -> None:
    """Raise ManifestError for content nested so deeply that the reader in C ends the process."""
    # Only what has many brackets, or a line long enough for many signs, is looked at.
    if (
        text.count("[") + text.count("{") < DEEPEST
        and len(max(text.split("\n"), key=len)) < DEEPEST
    ):
        return
    depth = 0
    with suppress(yaml.YAMLError):  # which the reader will say
        for event in yaml.parse(text, _Fast):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                mark = event.start_mark
                line = mark.line + 1 if mark else 1
                raise ManifestError(
                    f"{line}: nested more than {DEEPEST} levels deep. Use fewer levels."
                )


def read_record(path: Path, kind: type[R]) -> R:
    """Return the record in a YAML file.

    Raises ManifestError naming file, line and key for unknown or missing keys and wrong values.
    """
    return parse_record(read_yaml(path), kind, path)


def parse_record(raw: Any, kind: type[R], path: Path, *under: str | int) -> R:
    """Return one record, parsed from the part of a YAML file at the path `under`."""
    if not isinstance(raw, dict):
        raise ManifestError(
            f"{path}:{_line(path, under)}: expected a mapping with the keys of a {kind.__name__}, "
            f"but found {type(raw).__name__}."
        )
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        # A misspelt key is missing, too; what it says is nearer to what must be done.
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        where = (*under, *first["loc"])
        raise ManifestError(
            f"{path}:{_line(path, where)}: {_explain(first, kind)}"
            + (f" ({error.error_count() - 1} more in it.)" if error.error_count() > 1 else "")
        ) from None


def require_stem(path: Path, name: str) -> None:
    """Raise ManifestError if a record's name differs from the name of its file."""
    if name != path.stem:
        raise ManifestError(
            f"{path}:{_line(path, ('name',))}: key 'name' must be the file's stem {path.stem!r}, "
            f"but got {name!r}."
        )


class Entry(NamedTuple):
    """A part of a YAML file, before it becomes a record."""

    raw: Any
    path: Path
    under: tuple[str | int, ...] = ()


def read_like(
    name: str,
    entry: Callable[[str], Entry],
    names: Collection[str],
    kind: type[R],
    *,
    excluding: Collection[str] = (),
    joining: Collection[str] = (),
) -> R:
    """Return the record with a name; its entry may be `like` a second one and inherit its values.

    Args:
        names: the entries that may be inherited from, one level deep.

    Raises:
        ManifestError: an entry is invalid, or its `like` is; the message names file, line and key,
            in the other entry if the fault is there.
    """
    raw, path, under = entry(name)
    if not isinstance(raw, dict) or "like" not in raw:
        return parse_record(raw, kind, path, *under)
    others = sorted(set(names) - {name})
    if raw["like"] not in others:
        problem = one_of("key 'like'", repr(raw["like"]), others)
        raise ManifestError(f"{path}:{_line(path, (*under, 'like'))}: {problem}")
    base = entry(raw["like"])
    if isinstance(base.raw, dict) and "like" in base.raw:
        raise ManifestError(
            f"{path}:{_line(path, (*under, 'like'))}: key 'like': {raw['like']} is itself like "
            f"{base.raw['like']}, but only one level is allowed. Use an entry without `like`."
        )
    parse_record(base.raw, kind, base.path, *base.under)
    filled = filled_in(raw, base.raw, excluding=excluding, joining=joining)
    return parse_record(filled, kind, path, *under)


def filled_in(
    raw: Mapping[str, Any],
    base: Mapping[str, Any],
    *,
    excluding: Collection[str] = (),
    joining: Collection[str] = (),
) -> dict[str, Any]:
    """Return a mapping without its key `like`, with missing values taken from a base.

    A given value replaces the base's; lists and mappings are replaced as a whole.

    Args:
        excluding: keys that are never taken from the base.
        joining: keys whose mappings are also filled in, one level deep: a key given in them
            replaces the base's, and null removes it.

    >>> base = {"name": "base", "limit": 9, "data": {"train": "a", "test": "b", "val": "c"}}
    >>> raw = {"like": "base", "name": "new", "data": {"test": "other", "val": None}}
    >>> filled_in(raw, base, excluding=["name"], joining=["data"])
    {'limit': 9, 'data': {'train': 'a', 'test': 'other'}, 'name': 'new'}
    """
    filled = {key: value for key, value in base.items() if key not in excluding}
    filled |= {key: value for key, value in raw.items() if key != "like"}
    for key in joining:
        given, taken = raw.get(key), base.get(key)
        if isinstance(given, Mapping) and isinstance(taken, Mapping):
            removed = {one for one, value in given.items() if value is None and one in taken}
            joined = {**taken, **given}
            filled[key] = {one: value for one, value in joined.items() if one not in removed}
    return filled


def _explain(error: Any, kind: type[Record]) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        inner = _kind_at(kind, error["loc"][:-1])
        return f"unknown key {name!r}; a {inner.__name__} has {', '.join(inner.model_fields)}."
    if error["type"] == "missing":
        inner = _kind_at(kind, error["loc"][:-1])
        return f"missing key {name!r}; every {inner.__name__} needs it."
    if not name:  # a rule about the record as a whole, which is too long to repeat
        return f"{error['msg'].removeprefix('Value error, ')}."
    return f"key {name!r}: {error['msg']}, but got {reprlib.repr(error['input'])}."


def _kind_at(kind: type[Record], where: tuple[str | int, ...]) -> type[Record]:
    """Return the kind of record that is at a place inside a record of some kind."""
    for part in where:
        if isinstance(part, str) and part in kind.model_fields:
            kind = next(_kinds_in(kind.model_fields[part].annotation), kind)
    return kind


def _kinds_in(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
    for argument in get_args(annotation):
        yield from _kinds_in(argument)


def _composed(text: str) -> yaml.Node | None:
    """Return the nodes of a text that was read; each of both loaders takes texts of its own."""
    with suppress(yaml.YAMLError):
        return yaml.compose(text, _Fast)
    return yaml.compose(text, _Loader)


def _line(path: Path, where: tuple[str | int, ...]) -> int:
    """Return the line of the deepest part of `where` that the file has."""
    node = _composed(path.read_text(encoding="utf-8"))
    line = node.start_mark.line + 1 if node else 1
    for part in where:
        if isinstance(node, yaml.MappingNode):
            found = [pair for pair in node.value if pair[0].value == str(part)]
            if not found:
                break
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif (
            isinstance(node, yaml.SequenceNode)
            and isinstance(part, int)
            and part < len(node.value)  # an entry that is missing has no line of its own
        ):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line
