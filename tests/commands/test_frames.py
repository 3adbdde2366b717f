"""`robust frames` and `robust review-pairs`, as a user types them: from mp4 to frame sets."""

import json
import re
from pathlib import Path

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import video_frames
from robust_lib.datasets.vid_robust import VidRobust, load, read_frame_sets
from robust_lib.preprocessing import Preprocessing
from tests import tiny, trees, videos

REPOSITORY = Path(__file__).resolve().parents[2]
VID = load_classes("imagenet_vid")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    videos.write(tmp_path / "videos" / "dog" / "rex.mp4", 25)
    videos.write(tmp_path / "videos" / "dog" / "fifi.mp4", 12)
    videos.write(tmp_path / "videos" / "domestic cat" / "tom.mp4", 3)
    videos.pictures(tmp_path / "videos" / "n02958343" / "red", range(4, 20))
    return tmp_path


@pytest.fixture
def robust(project, monkeypatch, capsys):
    return lambda *words: tiny.command(monkeypatch, capsys, *words)


def pairs_of(sheet):
    page = sheet.read_text("utf-8")
    told = json.loads(page.split('id="data">')[1].split("</script>")[0])
    return told["digest"], [one["file"] for one in told["files"]]


def decide(sheet, reviewer, decide_on):
    """Save what a reviewer decides: name of a pair -> word."""
    digest, pairs = pairs_of(sheet)
    decisions = {pair: decide_on(pair) for pair in pairs}
    saved = {"format": 1, "sheet": digest, "reviewer": reviewer, "decisions": decisions}
    path = sheet.with_name(f"{sheet.stem}-{reviewer}.json")
    path.write_text(json.dumps(saved), "utf-8")
    return str(path)


def test_videos_become_sets_of_similar_frames(robust, project):
    status, printed, _ = robust("frames", "videos", "out", "--k", "5", "--seed", "3")
    assert status == 0
    record = video_frames.read(project / "out")
    assert printed == f"out: {len(record.frames)} frames written and 0 kept, around 4 anchors.\n"
    assert robust("frames", "videos", "out", "--k", "5", "--seed", "3")[1].startswith("out: 0 fr")
    for row in record.videos:
        for number in row.frames:
            assert videos.number_of(project / "out" / row.path(number)) == number

    status, printed, _ = robust("review-pairs", "out")
    first = project / "out" / "round-1.html"
    every = pairs_of(first)[1]
    assert (status, printed) == (
        0,
        f"{len(every)} pairs to review: open out/round-1.html in a browser.\n",
    )
    assert len(every) == len(record.frames) - 4

    # Ada finds one pair blurred; Bob does not know what is far away; Cleo sees no cat at all.
    blurred = next(pair for pair in every if "rex" in pair)

    def ada(pair):
        return "blur" if pair == blurred else "similar"

    def bob(pair):
        return "unsure" if "red" in pair else "similar"

    def cleo(pair):
        return "wrong" if "tom" in pair else "similar"

    files = [decide(first, who.__name__, who) for who in (ada, bob, cleo)]
    status, printed, _ = robust("review-pairs", "out", "--read", *files)
    assert status == 0
    doubted = {pair for pair in every if "red" in pair or "tom" in pair or pair == blurred}
    assert f"{len(doubted)} pairs were not marked as similar by every reviewer" in printed
    assert "round 1, agreement: " in printed
    assert not (project / "out" / "metadata").exists()
    second = project / "out" / "round-2.html"
    assert set(pairs_of(second)[1]) == doubted

    # Now all three look: two of them find the first pair blurred, and see no cat, either.
    last = max(pair for pair in every if "red" in pair)
    votes = {
        "ada": lambda pair: "wrong" if "tom" in pair else "blur" if pair == blurred else "similar",
        "bob": lambda pair: "motion" if pair in (last, blurred) else "similar",
        "cleo": lambda pair: "wrong" if "tom" in pair else "blur" if pair == blurred else "similar",
    }
    files += [decide(second, name, said) for name, said in votes.items()]
    status, printed, _ = robust("review-pairs", "out", "--read", *files)
    assert status == 0
    funnel = {
        step: int(count) for count, step in re.findall(r"^ *(\d+) (\w.*)$", printed, re.MULTILINE)
    }
    cats = sum("tom" in pair for pair in every)
    assert funnel["pairs"] == len(every)
    assert funnel["similar to all in round 1"] == len(every) - len(doubted)
    assert funnel["dropped: blur"] == 1
    assert funnel["dropped: wrong label"] == cats == 2
    assert funnel["pairs left"] == len(every) - 1 - cats
    assert (funnel["anchors"], funnel["of a wrong label"], funnel["anchors left"]) == (4, 1, 3)

    sets = read_frame_sets(project / "out", VID)
    assert len(sets) == 3
    assert not any("tom" in frame for frame in sets.frames)
    anchor, lost = blurred.split(" ")
    assert f"{anchor.rpartition('/')[0]}/{lost}" not in sets.frames
    assert len(sets.frames) == funnel["pairs left"] + 3
    assert {labels for frame, labels in zip(sets.frames, sets.labels, strict=True)} == {(6,), (8,)}
    images = VidRobust(project / "out", sets, VID)
    assert images.read(0, Preprocessing(None, 48)).shape == (48, 48, 3)
    assert (project / "out" / "reviewed.csv").read_text().count("\n") == len(every) + 1


def test_what_was_written_is_loaded_by_a_manifest(robust, project, monkeypatch):
    assert robust("frames", "videos", "out")[0] == 0
    assert robust("review-pairs", "out")[0] == 0
    ada = decide(project / "out" / "round-1.html", "ada", lambda _: "similar")
    assert robust("review-pairs", "out", "--read", ada)[0] == 0
    root = tiny.project(project / "project")
    page = (REPOSITORY / "book" / "filter_and_review.md").read_text("utf-8")
    (manifest,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (root / "data_manifests" / "datasets" / "my_videos.yaml").write_text(manifest)
    monkeypatch.setenv("ROBUST_ROOT", str(root))
    images = load("my_videos", project / "out")
    record = video_frames.read(project / "out")
    assert images.ids == tuple(sorted(record.frames))
    assert len(images.sets) == 4


def test_shares_are_sheets_of_their_own(robust, project):
    assert robust("frames", "videos", "out")[0] == 0
    status, printed, _ = robust("review-pairs", "out", "--shares", "3", "--votes", "2")
    assert status == 0
    assert printed.count("pairs to review: open out/round-1-share-") == 3
    sheets = [project / "out" / f"round-1-share-{number}.html" for number in (1, 2, 3)]
    files = [
        decide(sheet, f"r{n}", lambda pair: "blur" if "tom" in pair else "similar")
        for n, sheet in enumerate(sheets)
    ]
    status, printed, _ = robust("review-pairs", "out", "--read", *files)
    assert status == 0
    assert "Fleiss' kappa 1.000" in printed
    assert "of 2 votes each" in printed
    status, _, complaint = robust("review-pairs", "out", "--read", *files, "--shares", "3")
    assert status == 1
    assert "Omit --shares and --votes" in complaint


def test_imagenet_vid_gets_the_labels_of_its_annotations(robust, project):
    trees.vid_frames(project, videos=2, frames=5)
    assert robust("frames", "ILSVRC2015", "vid")[0] == 0
    record = video_frames.read(project / "vid")
    assert [set(row.frames.values()) for row in record.videos] == [{(6, 8)}] * 2
    copied = "val/ILSVRC2015_val_00000001/000002.JPEG"
    there = (project / "ILSVRC2015/Data/VID" / copied).read_bytes()
    assert (project / "vid" / copied).read_bytes() == there


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("frames", "nowhere", "out"), "Expected a folder of videos at nowhere"),
        (("frames", "videos", "out", "--k", "11"), "k from 1 to 10"),
        (("frames", "videos", "out", "--classes", "imagenet_z"), "class list to be one of"),
        (
            ("frames", "videos", "out", "--classes", "coco"),
            "but domestic cat is not the name of a class",
        ),
        (("frames", "videos", "videos/dog"), "two separate folders"),
        (("review-pairs", "videos"), "it has no frames.json"),
    ],
)
def test_what_is_refused_with_one_paragraph(robust, project, words, told):
    status, _, complaint = robust(*words)
    assert status == 1
    assert told in complaint
    assert complaint.count("\n") == 1
    assert not (project / "out").exists()


def test_a_torn_video_is_found_before_work_starts(robust, project):
    path = project / "videos" / "dog" / "rex.mp4"
    path.write_bytes(path.read_bytes()[:500])
    status, _, complaint = robust("frames", "videos", "out")
    assert status == 1
    assert "Expected a video in videos/dog/rex.mp4, but it cannot be read" in complaint
    assert not (project / "out").exists()


def test_other_settings_and_unfinished_frames_are_refused(robust, project):
    assert robust("frames", "videos", "out", "-k", "4")[0] == 0
    status, _, complaint = robust("frames", "videos", "out")
    assert status == 1
    assert "these differ: k (4 there, 10 now)" in complaint
    next((project / "out" / "val" / "dog_rex").iterdir()).unlink()
    status, _, complaint = robust("review-pairs", "out")
    assert status == 1
    assert "1 are missing" in complaint
    assert robust("frames", "videos", "out", "-k", "4")[1].startswith("out: 1 frames written")
