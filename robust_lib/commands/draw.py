"""What a miniature profile shows is drawn here at once, before networks need it."""

from collections.abc import Iterator, Sequence

from robust_lib.config.manifests import load_dataset
from robust_lib.datasets.derived import source
from robust_lib.datasets.icons50 import Icons50
from robust_lib.datasets.user_folder import is_user_folder
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld import contact_sheets
from robust_lib.miniworld.backdrops import Backdrops
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.run.filtered_sets import is_constructed
from robust_lib.run.run import Run


def compose(run: Run, roles: Sequence[str] | None = None) -> Iterator[str]:
    """Draw the pictures of some roles, fetch their art, and yield a line on each.

    What is stored is not drawn again. Sets that are read from disk, and those that networks choose,
    are passed over. With the test scenes go two contact sheets.

    Args:
        run: has the profile.
        roles: of data sets; None: all of the profile.

    Raises:
        InputError: the profile has no such role; nothing was drawn yet.
    """
    data = run.profile.data
    for role in roles or ():
        if role not in data:
            raise InputError(one_of("a role", role, data))
    for role in roles or data:
        if is_user_folder(data[role]) or is_constructed(run.profile, role):
            continue
        if load_dataset(data[role]).access != "generated":
            continue
        images = run.image_set(role)
        scenes = source(images)
        if isinstance(images, Icons50):
            yield f"{role}: {len(images)} icons drawn."
        if isinstance(scenes, Scenes | Backdrops):
            _ = scenes.pictures  # drawn now, if not before
            yield f"{role}: {len(images)} scenes composed."
        if role == "imagenet_val" and isinstance(scenes, Scenes):
            contact_sheets.draw(scenes, run.folder / "figures")
