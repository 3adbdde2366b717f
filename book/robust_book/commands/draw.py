"""The rendering of a miniature profile's images, before networks need them."""

from collections.abc import Iterator, Sequence

from robust_book.engine.needs import whole_of
from robust_book.figures import contact_sheets
from robust_lib.config.manifests import is_dataset, load_dataset
from robust_lib.datasets.derived import source
from robust_lib.datasets.layouts import Layouts
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.run import Run
from robust_lib.types import Picture

AS_THEY_ARE = Preprocessing(None, None)


def drawn(run: Run, roles: Sequence[str] | None = None) -> Iterator[str]:
    """Draw the images of some roles, fetch their art, and yield one line per role.

    Stored images are not drawn again. Two contact sheets are made with the test scenes, and a third
    with the pool of photographs.

    Args:
        roles: roles of data sets; None: all of the profile whose images are drawn here.

    Raises:
        InputError: the profile has no such role; nothing was drawn yet.
    """
    data = run.profile.data
    for role in roles or ():
        if role not in data:
            raise InputError(one_of("a role", role, data))
    for role in roles or [role for role in data if is_drawn(data[role])]:
        images = run.image_set(role)
        images.read(0, AS_THEY_ARE)  # a set that is drawn is drawn as a whole
        yield f"{role}: {len(images):,} images."
        whole = source(images)
        if role == "imagenet_val" and isinstance(whole, Scenes):
            contact_sheets.draw(whole, run.folder / "figures")
        if role == "openimages" and isinstance(whole, Layouts):
            contact_sheets.draw_photographs(_on_grounds(whole), run.folder / "figures")


def _on_grounds(photographs: Layouts) -> Iterator[tuple[str, Picture]]:
    for place in range(len(photographs)):
        yield photographs.truth(place).ground, photographs.read(place, AS_THEY_ARE)


def is_drawn(name: str) -> bool:
    """Return whether a data set's images are drawn here in advance."""
    return is_dataset(name) and load_dataset(whole_of(name)).image_seconds is not None
