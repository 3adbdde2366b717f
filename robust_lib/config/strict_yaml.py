"""Strict YAML: a file becomes a frozen record, or an error that names file, line and key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from robust_lib.errors import DataError, ManifestError


class Record(BaseModel):
    """A frozen record; keys that it does not know are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


R = TypeVar("R", bound=Record)


class _Loader(yaml.SafeLoader):
    """Safe YAML that refuses a key written twice in one mapping."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: dict[Any, int] = {}
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if key in seen:
            raise ManifestError(
                f"{loader.name}:{line}: key {key!r} stands twice (first on line {seen[key]}). "
                "Keep one of the two."
            )
        seen[key] = line
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds; raise ManifestError with file and line if it is malformed."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"Expected a file at {path}, but there is none.") from None
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise ManifestError(f"{path}:{line}: not valid YAML: {error.reason}.") from None
    loader.name = str(path)
    try:
        return loader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
        raise ManifestError(f"{path}:{line}: not valid YAML: {problem}.") from None
    finally:
        loader.dispose()


def read_record(path: Path, kind: type[R]) -> R:
    """Return the record that a YAML file holds.

    Raises ManifestError naming file, line and key for unknown or missing keys and wrong values.
    """
    return parse_record(read_yaml(path), kind, path)


def parse_record(raw: Any, kind: type[R], path: Path, *under: str | int) -> R:
    """Return one record parsed from a part of a YAML file; `under` is where in it the part lies."""
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
    return f"key {name!r}: {error['msg']}, but got {error['input']!r}."


def _kind_at(kind: type[Record], where: tuple[str | int, ...]) -> type[Record]:
    """Return the kind of record that lies at a place inside a record of some kind."""
    for part in where:
        if isinstance(part, str) and part in kind.model_fields:
            kind = next(_kinds_in(kind.model_fields[part].annotation), kind)
    return kind


def _kinds_in(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
    for argument in get_args(annotation):
        yield from _kinds_in(argument)


def _line(path: Path, where: tuple[str | int, ...]) -> int:
    """Return the line of the deepest part of `where` that the file has."""
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
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
