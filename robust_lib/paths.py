"""The project's folders; no other module names a folder.

Three environment variables set folders: ROBUST_ROOT (the project), ROBUST_BUILD (all generated
files; default <root>/build) and ROBUST_DATA (downloaded data sets; default <build>/data). A fourth,
ROBUST_CACHE_BEHIND, names the cache of a second build, whose entries are copied when they are read.

An installed library contains the project in a folder of the package, to which nothing is written:
generated files are in build/ below the current folder.
"""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "project"
BUILD = "build"
"""The name of the folder of all that is generated, if nothing else is said."""

_ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent


def root() -> Path:
    """Return the project folder, which contains data_manifests/ and notebooks/."""
    return Path(os.environ.get("ROBUST_ROOT", _ROOT))


def manifests() -> Path:
    """Return the folder of the yaml and csv manifests."""
    return root() / "data_manifests"


def own_manifests() -> Path:
    """Return the folder of your own manifests and profiles, used in addition to the project's.

    It is inside the folder of your data sets and moves with it.
    """
    return data() / "manifests"


def notebooks() -> Path:
    """Return the folder of the committed notebooks, one per paper section, without outputs."""
    return root() / "notebooks"


def book() -> Path:
    """Return the folder of the site's prose, configuration and extension."""
    return root() / "book"


def snakefile() -> Path:
    """Return the Snakefile, the engine's rules, which belongs to the code and not to a project."""
    return _ROOT / "workflow" / "Snakefile"


def library() -> Path:
    """Return the folder of the package's source."""
    return _PACKAGE


def build() -> Path:
    """Return the folder of all generated files; it can be deleted at any time."""
    below = Path.cwd() if root() == _INSTALLED else root()
    return Path(os.environ.get("ROBUST_BUILD", below / BUILD))


def cache() -> Path:
    """Return the folder of predictions, weights and rasterised art, shared by all profiles."""
    return build() / "cache"


def cache_behind() -> Path | None:
    """Return a second cache folder, whose entries are copied when read; None if unset."""
    behind = os.environ.get("ROBUST_CACHE_BEHIND")
    return Path(behind) if behind else None


def data() -> Path:
    """Return the folder of downloaded data sets."""
    return Path(os.environ.get("ROBUST_DATA", build() / "data"))


def use_data(folder: Path) -> None:
    """Set the folder of data sets for this process and its child processes."""
    os.environ["ROBUST_DATA"] = str(folder.expanduser().resolve())


def profile(name: str) -> Path:
    """Return the folder of one profile's notebooks, results, figures and site."""
    return build() / name


def runs() -> Path:
    """Return the folder of runs whose parameters differ from the book's, one folder each."""
    return build() / "runs"
