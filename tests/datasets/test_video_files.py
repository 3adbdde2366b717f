"""Videos read frame by frame: every frame that comes out is the one that its number says."""

import io
import sys
from fractions import Fraction

import av
import numpy as np
import pytest
from PIL import Image

from robust_lib.datasets import video_files
from robust_lib.datasets.video_files import is_video, jpegs, open_video, require_one_size
from robust_lib.errors import DataError, InputError
from tests import videos


def read(video, numbers):
    return {n: Image.open(io.BytesIO(content)) for n, content in jpegs(video, numbers)}


@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [
        ("a.mp4", "mpeg4", {}),
        ("b.mp4", "mpeg4", {"bf": "2", "g": "6"}),  # stored in another order than shown
        ("c.avi", "mpeg4", {}),
        ("d.mov", "mjpeg", {"strict": "unofficial"}),
        ("e.MKV", "mpeg4", {}),
        ("f.webm", "libvpx", {"auto-alt-ref": "1", "lag-in-frames": "8", "arnr-maxframes": "5"}),
        ("g.webm", "libvpx-vp9", {"lag-in-frames": "8"}),
    ],
)
def test_each_frame_of_a_file_shows_its_number(tmp_path, name, codec, options):
    found = open_video(videos.write(tmp_path / name, 25, codec=codec, options=options))
    assert list(found.numbers) == list(range(25))
    assert found.bytes == (tmp_path / name).stat().st_size
    frames = read(found, range(25))
    assert {number: videos.number_of(one) for number, one in frames.items()} == {
        number: number for number in range(25)
    }
    assert {one.size for one in frames.values()} == {(64, 48)}


@pytest.mark.parametrize("frames", [2, 3, 17])
def test_lengths_rates_and_some_of_the_frames(tmp_path, frames):
    path = videos.write(tmp_path / "a.mp4", frames, rate=Fraction(30000, 1001))
    found = open_video(path)
    assert len(found.numbers) == frames
    assert found.rate == pytest.approx(29.97, abs=0.01)
    wanted = [frames - 1, 0]  # in any order
    assert {n: videos.number_of(one) for n, one in read(found, wanted).items()} == {
        n: n for n in wanted
    }
    assert list(jpegs(found, [])) == []


def test_frames_that_nobody_sees_have_no_number(tmp_path):
    path = videos.hide(videos.write(tmp_path / "a.webm", 12, codec="libvpx"), 1)
    found = open_video(path)
    assert list(found.numbers) == list(range(11))
    shown = [videos.number_of(one) for one in read(found, found.numbers).values()]
    assert shown == [0, *range(2, 12)]


def test_frames_before_the_beginning_of_a_cut_have_no_number(tmp_path):
    path = videos.write(tmp_path / "a.mp4", 20)
    found = open_video(videos.begin_later(path, tmp_path / "cut.mp4", 6))
    assert list(found.numbers) == list(range(14))
    shown = [videos.number_of(one) for one in read(found, found.numbers).values()]
    assert shown == list(range(6, 20))


def test_what_a_phone_filmed_upright_stands_upright(tmp_path):
    path = videos.turn(videos.write(tmp_path / "a.mp4", 3))
    picture = read(open_video(path), [1])[1]
    assert picture.size == (48, 64)
    grey = np.asarray(picture.convert("L"))
    # The dark corner, above on the left in what is stored, is above on the right.
    assert grey[:10, -8:].max() < 10
    assert grey[:10, :8].min() > 20


def test_pictures_keep_their_numbers_and_jpegs_their_bytes(tmp_path):
    folder = videos.pictures(tmp_path / "rex", (3, 4, 7))
    (folder / "notes.txt").write_text("no frame")
    (folder / ".000009.JPEG").write_text("hidden")
    found = open_video(folder)
    assert (found.numbers, found.rate) == ((3, 4, 7), None)
    for number, content in jpegs(found, [7, 3]):
        assert content == (folder / f"{number:06d}.JPEG").read_bytes()
    videos.pictures(tmp_path / "png", (1, 2), "png")
    frames = read(open_video(tmp_path / "png"), [1, 2])
    assert [(one.format, videos.number_of(one)) for one in frames.values()] == [
        ("JPEG", 1),
        ("JPEG", 2),
    ]
    # At quality 95, colours at full resolution are not kept but the levels are.
    assert abs(np.asarray(frames[2])[-8:, -8:].mean() - (20 + 2 * videos.STEP)) < 1
    assert is_video(folder)
    assert not is_video(folder / "notes.txt")
    assert not is_video(tmp_path / ".rex.mp4")


def test_a_png_called_jpg_becomes_a_jpeg(tmp_path):
    videos.pictures(tmp_path / "rex", (1, 2), "png")
    for path in sorted((tmp_path / "rex").iterdir()):
        path.rename(path.with_suffix(".jpg"))
    assert [content[:2] for _, content in jpegs(open_video(tmp_path / "rex"), [1, 2])] == [
        b"\xff\xd8"
    ] * 2


def test_files_that_are_no_videos(tmp_path):
    good = videos.write(tmp_path / "good.mp4", 24).read_bytes()
    torn = {
        "empty.mp4": b"",
        "text.mp4": b"not a video at all" * 50,
        "cut.mp4": good[: len(good) // 2],  # the index at the end is missing
    }
    for name, content in torn.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=rf"Expected a video in .*{name}, but it cannot be"):
            open_video(tmp_path / name)
    with av.open(str(tmp_path / "sound.mp4"), "w") as container:
        stream = container.add_stream("aac", rate=8000)
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        silence.sample_rate = 8000
        container.mux(stream.encode(silence))
        container.mux(stream.encode())
    with pytest.raises(DataError, match="no images in it"):
        open_video(tmp_path / "sound.mp4")
    with pytest.raises(DataError, match=r"two frames.*1"):
        open_video(videos.write(tmp_path / "one.mp4", 1))


def test_a_video_that_is_cut_short_ends_with_a_message(tmp_path):
    path = videos.write(tmp_path / "a.avi", 24)
    found = open_video(path)
    videos.write(path, 12)  # replaced since it was opened
    with pytest.raises(DataError, match=r"21 frames.*12 can.*decoded"):
        list(jpegs(found, range(5, 21)))


@pytest.mark.parametrize("name", ["a.mp4", "a.avi"])
def test_a_video_without_its_end_is_not_taken_for_a_shorter_one(tmp_path, name):
    path = videos.write(tmp_path / name, 24, is_noise=True)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 7 // 10])
    with pytest.raises(DataError, match=r"it is cut off or damaged after \d+ frames"):
        open_video(path)


def test_a_damaged_frame_is_not_copied(tmp_path):
    path = videos.write(tmp_path / "a.mp4", 24, is_noise=True)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 200] = bytes(200)
    path.write_bytes(content)
    found = open_video(path)
    with pytest.raises(DataError, match=r"frame \d+ is damaged"):
        list(jpegs(found, found.numbers))


def test_folders_that_are_no_videos(tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="but found none among no files"):
        open_video(tmp_path / "none")
    videos.pictures(tmp_path / "one", (1,))
    with pytest.raises(DataError, match="at least two frames"):
        open_video(tmp_path / "one")
    folder = videos.pictures(tmp_path / "odd", (1, 2))
    (folder / "cover.jpg").write_bytes(b"")
    with pytest.raises(DataError, match=r"cover.jpg has no number"):
        open_video(folder)
    (folder / "cover.jpg").rename(folder / "frame-1.jpg")
    with pytest.raises(DataError, match=r"frame-1.jpg.*000001.JPEG.*number"):
        open_video(folder)


def test_frames_of_a_folder_are_whole_and_of_one_size(tmp_path):
    folder = videos.pictures(tmp_path / "rex", range(5))
    found = open_video(folder)
    require_one_size(found, found.numbers)
    Image.new("RGB", (32, 32)).save(folder / "000003.JPEG")
    with pytest.raises(DataError, match=r"frame 3.*32.*32 pixels.*64.*48"):
        require_one_size(found, [1, 3])
    require_one_size(found, [0, 1, 2])
    with pytest.raises(DataError, match="of one size"):
        list(jpegs(found, found.numbers))
    whole = (folder / "000001.JPEG").read_bytes()
    (folder / "000001.JPEG").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="Could not read the image"):
        list(jpegs(found, [1]))
    (folder / "000001.JPEG").write_bytes(b"text")
    with pytest.raises(DataError, match="Could not read the image"):
        require_one_size(found, [1])


def test_without_the_package_a_message_says_how_to_get_it(tmp_path, monkeypatch):
    path = videos.write(tmp_path / "a.mp4", 3)
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(InputError, match="Install the extra `video`"):
        open_video(path)
    assert open_video(videos.pictures(tmp_path / "rex", (1, 2))).numbers == (1, 2)
    assert video_files.QUALITY == 95
