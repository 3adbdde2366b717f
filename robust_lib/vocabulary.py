"""Names that many packages share: the corruptions, and functions in a user's file."""

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from robust_lib.code_digest import own_files, told
from robust_lib.errors import InputError, RobustLibError

NOISE = ("gaussian_noise", "shot_noise", "impulse_noise")
BLUR = ("defocus_blur", "glass_blur", "motion_blur", "zoom_blur")
WEATHER = ("snow", "frost", "fog", "brightness")
DIGITAL = ("contrast", "elastic_transform", "pixelate", "jpeg_compression")

COMMON = NOISE + BLUR + WEATHER + DIGITAL
"""The 15 corruptions that enter the mean corruption error [inc, sec. 3.2]."""

EXTRA = ("speckle_noise", "gaussian_blur", "spatter", "saturate")
"""Four more for validation; they never enter the mean corruption error."""

OCCLUSION = ("border", "obstruction")
"""The two occlusions of the overlap study [overlap, sec. 4]."""

OWN: tuple[str, ...] = ()
"""Corruptions of no paper, without published numbers."""

NAMES = COMMON + EXTRA + OCCLUSION + OWN

SEVERITIES = (1, 2, 3, 4, 5)


def is_corruption(name: str) -> bool:
    """Return whether a name can be the name of a corruption.

    >>> is_corruption("fog"), is_corruption("rain.py:rain"), is_corruption("rain")
    (True, True, False)
    """
    return name in NAMES or is_user_function(name)


def corruption_words(name: str) -> str:
    """Return the name of a corruption for running text.

    >>> corruption_words("jpeg_compression"), corruption_words("gaussian_noise")
    ('JPEG compression', 'gaussian noise')
    """
    function = name.rpartition(":")[2]  # of a user's file
    words = function.replace("_", " ").lower()
    return "JPEG compression" if name == "jpeg_compression" else words


def corruption_title(name: str) -> str:
    """Return the full title of a corruption.

    >>> corruption_title("jpeg_compression"), corruption_title("gaussian_noise")
    ('JPEG compression', 'Gaussian noise')
    """
    words = corruption_words(name)
    return words[:1].upper() + words[1:]


def corruption_label(name: str) -> str:
    """Return the short title of a corruption for figures and tables.

    >>> corruption_label("jpeg_compression"), corruption_label("gaussian_noise")
    ('JPEG', 'Gaussian noise')
    """
    short = {"jpeg_compression": "JPEG", "elastic_transform": "Elastic"}
    return short.get(name, corruption_title(name))


def corruption_heading(name: str) -> str:
    """Return the title of a corruption without that of its family, as in Table 1 of [inc].

    >>> corruption_heading("motion_blur"), corruption_heading("gaussian_noise")
    ('Motion', 'Gauss.')
    """
    short = {"gaussian_noise": "Gauss.", "brightness": "Bright", "pixelate": "Pixel"}
    (family,) = (family for family, names in CATEGORIES.items() if name in names)
    return short.get(name) or corruption_label(name).removesuffix(f" {family}")


def pair_of(text: str) -> tuple[str, str]:
    """Return the two corruptions in a pair `<one>+<other>`; a user's file name may contain a +.

    >>> pair_of("fog+snow"), pair_of("c++/rain.py:rain+fog")
    (('fog', 'snow'), ('c++/rain.py:rain', 'fog'))
    """
    parts = text.split("+")
    cut = (("+".join(parts[:at]), "+".join(parts[at:])) for at in range(1, len(parts)))
    return next((pair for pair in cut if all(map(is_corruption, pair))), (text, ""))


ANSWERS = "predictions:"
"""Prefix of the name of a file of predictions in place of a model: predictions:FILE."""


def is_answers_file(name: str) -> bool:
    """Return whether a model's name refers to a predictions file: predictions:FILE.

    >>> is_answers_file("predictions:mine.parquet"), is_answers_file("resnet18")
    (True, False)
    """
    return name.startswith(ANSWERS)


def is_user_function(name: str) -> bool:
    """Return whether a name refers to a function in a user's file: <file>.py:<function>.

    >>> is_user_function("fog"), is_user_function("rain.py:rain")
    (False, True)
    """
    return ".py:" in name


def user_file(name: str) -> Path:
    """Return the file in a name <file>.py:<function>.

    Raises:
        InputError: the file does not exist.
    """
    path = Path(name.rpartition(":")[0])
    if not path.is_file():
        raise InputError(
            f"Expected a Python file at {path.absolute()} for {name}, but there is none."
        )
    return path


def user_name(name: str) -> str:
    """Return the default name of an object that a function in a user's file returns.

    >>> user_name("nets/mine.py:wide")
    'mine.wide'
    """
    path, _, function = name.rpartition(":")
    return f"{Path(path).stem}.{function}"


def user_function(name: str, takes: str) -> Callable[..., Any]:
    """Return a function in a user's file, which is run with its folder on Python's path.

    The folder stays on the path, since functions may import when they are called. Modules imported
    from the file's folder are read again each time, like the file itself.

    Args:
        takes: required parameters of the function, for the message, such as "(picture, severity,
            rng)".

    Raises:
        InputError: the file does not exist, has no such function, or cannot be run; or a module
            that it imports from its folder has the name of a module that is already loaded.
    """
    path, function = user_file(name).resolve(), name.rpartition(":")[2]
    _forget_neighbours(path)
    while str(path.parent) in sys.path:
        sys.path.remove(str(path.parent))
    sys.path.insert(0, str(path.parent))
    importlib.invalidate_caches()  # a file may be younger than the last look into its folder
    place = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(f"robust_user_{path.stem}_{place}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"Expected a Python file, but {path} is not one.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up the module that they are defined in
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(
            f"Expected {path} to run, but it stopped at {told(error)}. Run it by itself first: "
            "python FILE."
        ) from error
    found: Callable[..., Any] | None = getattr(module, function, None)
    if not callable(found):
        raise InputError(f"Expected a function {function}{takes} in {path}, but there is none.")
    return found


def user_object(name: str) -> Any:
    """Return the result of a function in a user's file, called without arguments.

    Raises:
        InputError: see `user_function`; or the function raised an error.
    """
    made = user_function(name, "()")
    try:
        return made()
    except RobustLibError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(
            f"Expected {name.rpartition(':')[2]}() of {user_file(name)} to return a network, but "
            f"it stopped at {told(error)}. Call it by itself first."
        ) from error


def _forget_neighbours(path: Path) -> None:
    """Forget the modules that a file imports from its folder; refuse those of another folder."""
    for place in own_files(path):
        name = place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if (loaded := sys.modules.get(name)) is None or path == path.parent / place:
            continue
        file = getattr(loaded, "__file__", None)
        if file is None or Path(file).resolve() != (path.parent / place).resolve():
            raise InputError(
                f"Expected {path} to import {place} from its own folder, but a module called "
                f"{name} is already loaded, from {file or 'Python itself'}. Rename the file, or "
                "write a report on each model and use predictions:REPORT/answers.parquet instead."
            )
        del sys.modules[name]


CATEGORIES = MappingProxyType(
    {
        "noise": NOISE,
        "blur": BLUR,
        "weather": WEATHER,
        "digital": DIGITAL,
        "extra": EXTRA,
        "occlusion": OCCLUSION,
    }
    | ({"own": OWN} if OWN else {})
)
"""Family -> names; the first five are also the archives of the published data set."""
