"""The parameters of a run, with the same types in papermill, commands, Python and profiles.

The cell tagged `parameters` of a notebook defines the type of each of its parameters. `Settings`
holds those that change the computation, for chapters without a notebook as well. The chapter's
`checks` define the possible values of the notebook's own. `start` applies all three before anything
is done.
"""

import inspect
import json
import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from robust_lib import paths
from robust_lib.config import profiles
from robust_lib.config.profiles import Profile
from robust_lib.config.strict_json import first_wrong
from robust_lib.errors import InputError, one_of
from robust_lib.run.chapter import Chapter
from robust_lib.run.experiments import as_list, defaults, kinds
from robust_lib.vocabulary import NAMES, is_user_function

BATCH = "ROBUST_BATCH"
"""The environment variable with the number of images per forward pass, if no parameter sets it."""

WORDS: Mapping[str, str] = {
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "list": "a list",
    "None": "None",
}
"""Name of a type in the parameters cell -> its name in messages."""


def _tuple(value: Any) -> Any:
    read = as_list(value)
    return tuple(read) if isinstance(read, list) else read


Names = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
Numbers = Annotated[tuple[int, ...] | int, BeforeValidator(_tuple)]


_LISTS = ("models", "corruptions", "severities")


class Settings(BaseModel):
    """The notebook parameters that change the computation; None leaves a value to the profile.

    Attributes:
        models: networks, by the paper's names or ours.
        corruptions: corruptions that are evaluated.
        severities: severities from 1 to 5 that are evaluated; networks that are trained with a
            corruption are trained at these as well.
        limit: number of images per condition.
        seeds: seeds of the networks trained here: a list, or their number.
        device: device on which networks run.
        storage: "jpeg85" or "memory".
        geometry: "archive" or "network", for images that are corrupted on the fly.
        batch_size: images per forward pass.
        data: folder of the data sets, instead of ROBUST_DATA.
        images: images evaluated instead of the chapter's: `folder:PATH`,
            `coco:ANNOTATIONS,PICTURES`, or a role of the profile.
        epochs: training epochs of the networks trained here, instead of their recipes'.
        corruption_file: a user's corruption, <file>.py:<function>, evaluated as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    models: Names | None = None
    corruptions: Names | None = None
    severities: Numbers | None = None
    limit: int | None = None
    seeds: Numbers | None = None
    device: str | None = None
    storage: str | None = None
    geometry: str | None = None
    batch_size: int | None = None
    data: str | None = None
    images: str | None = None
    epochs: int | None = None
    corruption_file: str | None = None


def read(chapter: Chapter, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chapter's parameters with their types; texts that spell out lists become lists.

    Raises:
        InputError: a value whose type differs from that in the notebook's parameters cell, or one
            that is impossible there.
    """
    source = paths.notebooks() / f"{chapter.notebook}.ipynb"
    of_cell = kinds(source) if source.is_file() else {}
    found = {
        name: typed(name, value, of_cell[name]) if name in of_cell else value
        for name, value in parameters.items()
    }
    own = (defaults(source) if of_cell else {}) | found
    for check in chapter.checks:
        asked = inspect.signature(check).parameters
        # Without the notebook its other parameters are unknown, and so is whether these fit them.
        if of_cell or all(
            name in own or one.default is not one.empty for name, one in asked.items()
        ):
            check(**{name: own[name] for name in asked if name in own})
    return found


def typed(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    """Return a value if it has one of the types that a parameter may have.

    A text is parsed as a list if the parameter may be one, since papermill's -p has no other way to
    pass lists. No other text is parsed: the notebook's cells get the value that papermill passed.

    Args:
        allowed: names out of "bool", "int", "float", "str", "list" and "None".

    Raises:
        InputError: the value has a different type.

    >>> typed("severities", "[1, 3]", ("list", "None")), typed("k", 3, ("int",))
    ([1, 3], 3)
    """
    found = as_list(value) if "list" in allowed else value
    number = isinstance(found, Real) and not isinstance(found, bool)
    fits = {
        "bool": isinstance(found, bool),
        "int": isinstance(found, Integral) and number,
        "float": number,
        "str": isinstance(found, str),
        "list": isinstance(found, list | tuple),
        "None": found is None,
    }
    if any(fits[kind] for kind in allowed):
        return found
    raise InputError(_refusal(name, value, allowed))


def _refusal(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    words = [WORDS[kind] for kind in allowed if kind != "None" or len(allowed) == 1]
    if words == ["a list"] and isinstance(value, str | int | float):
        return f"Expected {name} as a list, such as '[{json.dumps(value)}]', but got {value!r}."
    why = " papermill's -p recognises True, False, None and numbers; it passes the rest as text."
    asked = " or ".join(words)
    return f"Expected {name} as {asked}, but got {value!r}." + why * isinstance(value, str)


def settings_of(chapter: Chapter, parameters: Mapping[str, Any]) -> Settings:
    """Return the settings among a notebook's parameters.

    The batch size changes no number, and may be given next to the settings, in `BATCH`.

    Raises:
        InputError: a value that a setting cannot take.
    """
    batch = os.environ.get(BATCH)
    told = int(batch) if batch is not None and batch.isdecimal() else batch
    found: dict[str, Any] = {"batch_size": told}
    for name, value in parameters.items():
        setting = chapter.settings.get(name, name)
        if setting in Settings.model_fields:
            # A notebook that takes one model or corruption calls it so.
            found[setting] = value if setting == name else [value]
    return _settings(found)


def changed(profile: Profile, settings: Settings) -> Profile:
    """Return a profile with the settings applied.

    Raises:
        InputError: a value that a profile cannot have, such as a severity of 7.
    """
    seeds = settings.seeds
    if settings.severities is not None:  # they are those of training as well
        profile = profile.model_copy(update={"training_severities": None})
    return profiles.changed(
        profile,
        severities=settings.severities,
        limit=settings.limit,
        seeds=list(range(seeds)) if isinstance(seeds, int) else seeds,
        device=settings.device,
        storage=settings.storage,
        geometry=settings.geometry,
        batch_size=settings.batch_size,
        epochs=settings.epochs,
    )


def require_possible(profile: Profile, parameters: Mapping[str, Any]) -> None:
    """Raise InputError for a setting with an impossible value, and DataError for missing images.

    Nothing heavy is imported, unless the images are the user's own.

    >>> from robust_lib.config.profiles import load_profile
    >>> require_possible(load_profile("mini"), {"severities": [1, 3], "k": 40})
    """
    known = {name: value for name, value in parameters.items() if name in Settings.model_fields}
    settings = _settings(known)
    changed(profile, settings)
    for name in settings.corruptions or ():
        if name not in NAMES and not is_user_function(name):
            raise InputError(one_of("corruption", name, NAMES))
    if settings.images is not None and settings.images not in profile.data:
        from robust_lib.datasets.user_folder import is_users, require_there

        if is_users(settings.images):
            require_there(settings.images)


def _settings(found: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(found)
    except ValidationError as error:
        wrong = first_wrong(error)
        name = wrong.where.partition(".")[0]
        value = found[name]
        if name in _LISTS and not isinstance(as_list(value), list | tuple):
            raise InputError(_refusal(name, value, ("list",))) from None
        raise InputError(
            f"Expected a value that {name} can take, but got {value!r}: {wrong.why}. "
            "Use another value, or omit it to use the default."
        ) from None
