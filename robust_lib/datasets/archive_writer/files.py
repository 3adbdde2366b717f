"""From a folder of images to the files of a tree, by processes that end with their parent.

An image is decoded once for all its corruptions. The bytes of its file depend only on the tree's
settings and its name, and a JPEG comment identifies it. A process and its parent share a pipe: if
the pipe closes during a task, the work stops at the next whole file.
"""

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path, PurePosixPath
from typing import Any

import cv2
import numpy as np
import torch
from jaxtyping import UInt8

from robust_lib.atomic import LEFT, write_bytes
from robust_lib.corruptions import SMALLEST_SIDE
from robust_lib.corruptions.jpeg import ARCHIVE_QUALITY
from robust_lib.corruptions.levels import truncate
from robust_lib.datasets import open_picture, picture_size, to_images
from robust_lib.datasets.imagenet_c import authors_frost, drawn
from robust_lib.errors import DataError, InputError, RobustLibError, RunError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture

Stopped = Callable[[], bool]
Task = Callable[[Stopped], Any]
"""A function, by name, with its arguments: it is sent to another process."""

KEPT = 31 << 20  # bytes; glibc learns from freed blocks of up to 32 MiB

Each = Callable[[Iterable[Task]], Iterator[Any]]


@contextmanager
def processes(workers: int) -> Iterator[Each]:
    """Yield a function that runs tasks in parallel and yields the results as they arrive.

    Args:
        workers: number of processes; with 1, the current process does the work itself.

    Raises:
        InputError: fewer than one worker.
        RunError: a process ended in the middle of its work.
        Exception: any exception raised in a task.

    >>> with processes(1) as each:
    ...     list(each([lambda stopped: 1, lambda stopped: 2]))
    [1, 2]
    """
    if workers < 1:
        raise InputError(f"Expected at least one worker process, but got {workers}.")
    if workers == 1:
        with _one_thread():
            yield lambda tasks: (task(_never) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    started = []
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            pipes.append(ours)
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            started.append(process)
            theirs.close()
        yield lambda tasks: _shared_out(tasks, pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in started:
            process.join()


def _shared_out(tasks: Iterable[Task], pipes: Sequence[Connection]) -> Iterator[Any]:
    waiting = iter(tasks)
    busy = set()
    for pipe, task in zip(pipes, islice(waiting, len(pipes)), strict=False):
        _send(pipe, task)
        busy.add(pipe)
    while busy:
        ready = wait(list(busy))
        for pipe in [pipe for pipe in pipes if pipe in ready]:
            answer = _received(pipe)
            busy.remove(pipe)
            for task in islice(waiting, 1):
                _send(pipe, task)
                busy.add(pipe)
            yield answer


def _send(pipe: Connection, task: Task) -> None:
    with suppress(BrokenPipeError):  # the process has ended: receiving from it says so
        pipe.send(task)


def _received(pipe: Connection) -> Any:
    try:
        answer = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise RunError(
            "A worker process ended in the middle of its work; its own message is printed above. "
            "If there is no message, the system ended the process, probably because it ran out of "
            "memory: run again with fewer workers to resume. A script that uses several workers "
            'must start under `if __name__ == "__main__":`.'
        ) from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _serve(pipe: Connection) -> None:
    """Do tasks until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    with _one_thread(), suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(pipe.recv(), pipe.poll))


def _answer(task: Task, stopped: Stopped) -> Any:
    try:
        return task(stopped)
    except RobustLibError as error:
        return error
    except Exception as error:
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        return error


def _never() -> bool:
    return False


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit torch and OpenCV to one thread within the block; their settings are restored."""
    import cv2

    before = torch.get_num_threads(), cv2.getNumThreads()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    # A young process hands freed memory back to the system and gets it anew, page by page, at each
    # step of a corruption: a quarter of the time. Once a large block was freed, it keeps some.
    np.empty(KEPT, np.uint8)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        cv2.setNumThreads(before[1])


Cell = tuple[str, int]
"""A corruption and a severity."""

AT_ONCE = 1_500_000
"""Values of images corrupted together: ten of 224 px. Large images go one by one."""

DIGITS = 10  # of a file's size in its comment
JFIF = 20  # bytes of a JPEG file before its second segment
END = b"\xff\xd9"
HEAD = 4  # bytes that tell what a file is
TAIL = 64  # bytes at a file's end among which its end mark must be, else it is looked at closely


@dataclass(frozen=True)
class Tree:
    """The source and destination of images, and how all of them are processed."""

    source: Path
    target: Path
    geometry: Preprocessing
    seed: int
    settings: str

    def place(self, cell: Cell, picture: str) -> Path:
        """Return the path of an image's file."""
        return self.target / cell[0] / str(cell[1]) / stored_name(picture)

    def comment(self, cell: Cell, picture: str, size: int) -> bytes:
        """Return the JPEG comment that identifies a file and states its size in bytes."""
        what = f"robust corrupt, {cell[0]}/{cell[1]}/{picture}, settings {self.settings}, bytes "
        text = what.encode() + b"%0*d" % (DIGITS, size)
        return b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text


def stored_name(picture: str) -> str:
    """Return an image's path inside a condition's folder of the tree.

    >>> stored_name("n01440764/ILSVRC2012_val_00000293.jpg")
    'n01440764/ILSVRC2012_val_00000293.JPEG'
    """
    return str(PurePosixPath(picture).with_suffix(".JPEG"))


def look(
    tree: Tree, folder: str, pictures: Sequence[str], cells: Sequence[Cell], stopped: Stopped
) -> Mapping[str, tuple[Cell, ...]]:
    """Make the folders of one class and return, for each image, the conditions that are missing.

    Raises:
        DataError: a different file is in the way, or an image is truncated or too small.
    """
    lacking: dict[str, list[Cell]] = {picture: [] for picture in pictures}
    for cell in cells:
        if stopped():
            break
        inside = tree.target / cell[0] / str(cell[1]) / folder
        inside.mkdir(parents=True, exist_ok=True)
        there = {entry.name for entry in inside.iterdir()}
        for name in filter(LEFT.fullmatch, there):
            (inside / name).unlink(missing_ok=True)
        for picture in pictures:
            place = tree.place(cell, picture)
            if place.name not in there or not is_made(tree, cell, picture):
                lacking[picture].append(cell)
    as_they_are = tree.geometry.resize is None and tree.geometry.crop is None
    for picture, missing in lacking.items():
        if missing and not stopped():
            require_whole(tree.source / picture)
            if as_they_are:
                _require_large(tree.source / picture, *picture_size(tree.source / picture))
    return {picture: tuple(missing) for picture, missing in lacking.items() if missing}


def is_made(tree: Tree, cell: Cell, picture: str) -> bool:
    """Return whether an image's file is complete; raise DataError if it is a different file."""
    place = tree.place(cell, picture)
    size = place.stat().st_size
    comment = tree.comment(cell, picture, size)
    with place.open("rb") as file:
        start = file.read(JFIF + len(comment))[JFIF:]
        file.seek(max(0, size - len(END)))
        whole = file.read() == END
    # Programs that edit pictures keep comments, but hardly the size.
    if whole and start == comment:
        return True
    # A power cut may leave a part of a file, or its name alone.
    if not size or (not whole and start[:-DIGITS] == comment[:-DIGITS]):
        return False
    raise DataError(
        f"Expected {place} to be a file that `robust corrupt` made with these settings, but it is "
        "not. It was not overwritten; move it away, or use another folder."
    )


def require_whole(path: Path) -> None:
    """Raise DataError if an image is truncated, without decoding complete ones."""
    try:
        with path.open("rb") as file:
            start = file.read(HEAD)
            file.seek(max(0, path.stat().st_size - TAIL))
            end = file.read()
    except OSError as error:
        raise DataError(f"Could not read the image {path}: {error}. Restore the file.") from None
    whole_png = start.startswith(b"\x89PNG") and b"IEND" in end
    if not (whole_png or (start.startswith(b"\xff\xd8") and END in end)):
        open_picture(path)


def make(tree: Tree, lacking: Mapping[str, tuple[Cell, ...]], stopped: Stopped) -> int:
    """Corrupt some images, write the missing files and return their number.

    Raises:
        DataError: an image cannot be read, or is too small to be corrupted.
        OSError: a file cannot be written, such as on a full disk.
    """
    made = 0
    for names, pictures in _alike({name: read(tree, name) for name in lacking}):
        images = to_images(np.stack(pictures))
        for cell in dict.fromkeys(cell for name in names for cell in lacking[name]):
            chosen = [index for index, name in enumerate(names) if cell in lacking[name]]
            keys = [names[index] for index in chosen]
            if stopped():
                return made
            corrupted = drawn(images[chosen], *cell, keys, tree.seed, authors_frost())
            for name, levels in zip(keys, truncate(corrupted), strict=True):
                write_bytes(tree.place(cell, name), encoded(levels, tree, cell, name))
                made += 1
    return made


def read(tree: Tree, name: str) -> Picture:
    """Return an image as input for the corruptions."""
    picture = tree.geometry.apply(open_picture(tree.source / name))
    _require_large(tree.source / name, picture.shape[1], picture.shape[0])
    return picture


def _require_large(path: Path, width: int, height: int) -> None:
    if min(width, height) < SMALLEST_SIDE:
        raise DataError(
            f"Expected images with sides of at least {SMALLEST_SIDE} px, but {path} has {width} "
            f"x {height}. Resize the images, or remove this one."
        )


def encoded(levels: UInt8[torch.Tensor, "3 h w"], tree: Tree, cell: Cell, picture: str) -> bytes:
    """Return the file of a corrupted image: Pillow's bytes and a comment."""
    settings = [
        *(cv2.IMWRITE_JPEG_QUALITY, ARCHIVE_QUALITY),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420),
        *(cv2.IMWRITE_JPEG_OPTIMIZE, 1),
    ]
    # OpenCV's pictures are blue first.
    _, file = cv2.imencode(".jpg", cv2.merge(list(levels.numpy()[::-1])), settings)
    content = file.tobytes()
    size = len(content) + len(tree.comment(cell, picture, 0))
    return content[:JFIF] + tree.comment(cell, picture, size) + content[JFIF:]


def _alike(pictures: Mapping[str, Picture]) -> Iterator[tuple[list[str], list[Picture]]]:
    """Yield batches of names and images of one size that are corrupted together."""
    sizes: dict[tuple[int, ...], list[str]] = {}
    for name, picture in pictures.items():
        sizes.setdefault(picture.shape, []).append(name)
    for shape, names in sizes.items():
        step = max(1, AT_ONCE // int(np.prod(shape)))
        for start in range(0, len(names), step):
            part = names[start : start + step]
            yield part, [pictures[name] for name in part]
