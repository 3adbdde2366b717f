"""Images in memory as an image set: those that a release packs into one array."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

from PIL import Image

from robust_lib.config.class_lists import ClassList
from robust_lib.config.manifests import digest
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture, Pictures


@dataclass(frozen=True, eq=False)
class InMemory:
    """Images of one size (8-bit RGB), each with its id and its class."""

    name: str
    ids: tuple[str, ...]
    labels: Labels
    pictures: Pictures = field(repr=False)
    class_list: ClassList = field(repr=False)

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.class_list.name

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes."""
        return self.class_list.names

    @cached_property
    def digest(self) -> str:
        """Return a digest of classes, ids, labels and pixels."""
        running = hashlib.sha256(digest(self.class_list).encode())
        running.update("\n".join(self.ids).encode())
        running.update(self.labels.tobytes())
        running.update(self.pictures.tobytes())
        return running.hexdigest()

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped."""
        return preprocessing.apply(Image.fromarray(self.pictures[index]))
