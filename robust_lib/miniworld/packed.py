"""Files packed into two arrays, since the store keeps arrays.

Frames of videos are stored as JPEG files, which take a tenth of the space of their pixels.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt8


@dataclass(frozen=True, eq=False)
class Packed:
    """Some files, one after another: `content` has their bytes, `ends` the end of each file."""

    content: UInt8[np.ndarray, " bytes"]
    ends: Int64[np.ndarray, " files"]

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: int) -> bytes:
        if not 0 <= place < len(self):  # a loop over the files ends by it
            raise IndexError(place)
        first = self.ends[place - 1] if place else 0
        return self.content[first : self.ends[place]].tobytes()

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """Return the two arrays by name."""
        return {"content": self.content, "ends": self.ends}


def pack(files: Iterable[bytes]) -> Packed:
    """Return files packed into arrays."""
    content, ends = bytearray(), []
    for file in files:
        content += file
        ends.append(len(content))
    return Packed(np.frombuffer(bytes(content), np.uint8), np.array(ends, np.int64))
