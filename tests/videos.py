"""Small real videos whose frames show their own numbers, for tests."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image

STEP = 8  # between the grey levels of two frames
DOG, CAR = "n02084071", "n02958343"


def frame(number: int, width: int = 64, height: int = 48) -> np.ndarray:
    """Return a picture of one grey level, the frame's number times STEP, with a dark corner."""
    picture = np.full((height, width, 3), 20 + number * STEP, np.uint8)
    picture[: height // 4, : width // 4] = 0
    return picture


def number_of(picture: Image.Image | Path) -> int:
    """Return the number that a frame shows."""
    opened = picture if isinstance(picture, Image.Image) else Image.open(picture)
    level = np.asarray(opened.convert("L"))[-8:, -8:].mean()
    return round((float(level) - 20) / STEP)


def write(
    path: Path,
    frames: int = 24,
    *,
    codec: str = "mpeg4",
    size: tuple[int, int] = (64, 48),
    rate: Fraction | int = 25,
    options: dict[str, str] | None = None,
    is_noise: bool = False,
) -> Path:
    """Encode a video of numbered frames; the file's ending says which container.

    With noise, frames are many bytes instead, and the index of an mp4 file stands at its beginning:
    such a file can be damaged and still be opened.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    index = {"movflags": "faststart"} if is_noise and path.suffix == ".mp4" else {}
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    with av.open(str(path), "w", options=index) as container:
        stream = container.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = 2_000_000
        for number in range(frames):
            shown = np.roll(noise, number, 1) if is_noise else frame(number, *size)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shown)))
        container.mux(stream.encode())
    return path


def turn(path: Path) -> Path:
    """Tell players of an mp4 file to show it turned by 90 degrees clockwise, as phones do."""
    content = bytearray(path.read_bytes())
    matrix = content.index(b"tkhd") + 4 + 40
    for place, value in enumerate((0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30)):
        content[matrix + 4 * place : matrix + 4 * place + 4] = value.to_bytes(4, "big", signed=True)
    path.write_bytes(content)
    return path


def hide(path: Path, number: int) -> Path:
    """Make a frame of a VP8 video one that others refer to and nobody sees."""
    with av.open(str(path)) as container:
        packets = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    content = bytearray(path.read_bytes())
    content[content.index(packets[number])] &= ~0x10  # the bit show_frame
    path.write_bytes(content)
    return path


def begin_later(path: Path, target: Path, frames: int) -> Path:
    """Copy an mp4 file so that players begin some frames later, as editors cut without encoding."""
    with av.open(str(path)) as source, av.open(str(target), "w") as container:
        stream = container.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.size:
                packet.pts -= frames * packet.duration
                packet.dts -= frames * packet.duration
                packet.stream = stream
                container.mux(packet)
    return target


def pictures(folder: Path, numbers: Sequence[int], suffix: str = "JPEG") -> Path:
    """Write a folder of numbered pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        Image.fromarray(frame(number)).save(folder / f"{number:06d}.{suffix}")
    return folder
