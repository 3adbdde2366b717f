"""Reels: the kept frames of a few sets, with each network's predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robust_book.chapters.vid_1_dataset.falls import Fall, Watched, offset_words
from robust_book.html.markup import Html, lines, text
from robust_lib.datasets.frame_sets import FARTHEST, FrameSets, parse_frame
from robust_lib.errors import InputError
from robust_lib.run.experiments import as_list
from robust_lib.run.image_kinds import as_frame_sets
from robust_lib.run.network import network_title
from robust_lib.run.run import Run
from robust_lib.types import Picture

FILE = "frames-{clip}-{number:06d}.webp"
"""The file of a frame, by its clip and its number there."""
NAMED = 3  # clips named in a message


@dataclass(frozen=True)
class Said:
    """A network's prediction for a frame: the class, and the confidence as a fraction.

    `right` is whether the frame shows that class; `worst` whether it is the network's worst frame
    of the set.
    """

    network: str
    answer: str
    confidence: float
    right: bool
    worst: bool


@dataclass(frozen=True)
class Moment:
    """A kept frame: its offset from the anchor, the file of its image, the predictions."""

    offset: int
    file: str
    said: tuple[Said, ...]


@dataclass(frozen=True)
class Reel:
    """The kept frames of a set, in order; `clip` is its video, `shows` its anchor's class."""

    clip: str
    shows: str
    moments: tuple[Moment, ...]

    @property
    def networks(self) -> tuple[str, ...]:
        """Return the titles of the networks."""
        return tuple(one.network for one in self.moments[0].said)

    def of(self, network: str) -> dict[int, Said]:
        """Return offset -> a network's prediction."""
        return {
            moment.offset: one
            for moment in self.moments
            for one in moment.said
            if one.network == network
        }


def require(clips: object, run: Run) -> None:
    """Raise InputError unless `clips` contains a run's video names, or is None; no network runs.

    >>> require(["val/clip_0002"], run)
    """
    if clips is not None:
        _named(clips, as_frame_sets(run.images))


def chosen(clips: object, shown: Sequence[Fall], seen: Mapping[str, Watched]) -> tuple[int, ...]:
    """Return the positions of the sets to show.

    Args:
        clips: names of their videos; None: the videos of some examples, and the first set that
            every network classifies correctly on all frames.
        seen: network -> its evaluated predictions; no set is shown without a network.

    Raises:
        InputError: a name is not a video's, or no network was evaluated on the clips.

    >>> from robust_book.chapters.vid_1_dataset import falls
    >>> seen = {"mine": toys.watched({0: 5}, sets=3)}
    >>> chosen(None, falls.falls(seen["mine"]), seen), chosen("val/clip_0002", (), seen)
    ((0, 1), (2,))
    """
    if not seen and clips is None:
        return ()
    if not seen:
        raise InputError(
            f"Expected a network for the clips {clips}, but got none. Pass a network in `models`."
        )
    sets = next(iter(seen.values())).sets
    if clips is not None:
        return _named(clips, sets)
    whole = [
        place
        for place, row in enumerate(sets.members)
        if all(one.right[row[row >= 0]].all() for one in seen.values())
    ]
    return tuple(dict.fromkeys([*(one.place for one in shown), *whole[:1]])) or (0,)


def reels(
    places: Sequence[int], seen: Mapping[str, Watched], names: Sequence[str]
) -> tuple[Reel, ...]:
    """Return the reels of some sets.

    Args:
        seen: network -> its evaluated predictions.

    >>> (reel,) = reels([0], {"mine": toys.watched({0: 5})}, ["bear", "bird"])
    >>> reel.shows, len(reel.moments), [k for k, one in reel.of("mine").items() if not one.right]
    ('bear', 21, [5])
    """
    return tuple(_reel(place, seen, next(iter(seen.values())).sets, names) for place in places)


def pictures(shown: Sequence[Reel], run: Run) -> dict[str, Picture]:
    """Return file -> image of the reels, preprocessed for a run's first network.

    >>> seen = {"mine": toys.watched({0: 1}, sets=run.images.sets)}
    >>> made = pictures(reels([0], seen, run.images.class_names), run)
    >>> list(made)[0], len(made)
    ('frames-clip_0000-000000.webp', 3)
    """
    wanted = {moment.file for reel in shown for moment in reel.moments}
    return {
        file: run.images.read(index, run.geometry)
        for index, frame in enumerate(run.images.ids)
        if (file := _file(frame)) in wanted
    }


def _reel(place: int, seen: Mapping[str, Watched], sets: FrameSets, names: Sequence[str]) -> Reel:
    row = sets.members[place]
    moments = [
        Moment(
            int(offset),
            _file(sets.frames[frame]),
            tuple(
                Said(
                    network_title(network),
                    names[int(one.said.predicted[frame])],
                    float(one.said.confidence[frame]),
                    bool(one.right[frame]),
                    frame == one.worst(place),
                )
                for network, one in seen.items()
            ),
        )
        for frame, offset in zip(row[row >= 0].tolist(), sets.offsets[place], strict=False)
    ]
    anchor = sets.anchors[place]
    shows = " and ".join(names[label] for label in sets.labels[anchor])
    return Reel(parse_frame(sets.frames[anchor])[0], shows, tuple(moments))


def _file(frame: str) -> str:
    clip, number = parse_frame(frame)
    return FILE.format(clip=clip.rpartition("/")[2], number=number)


def _named(clips: object, sets: FrameSets) -> tuple[int, ...]:
    wanted = as_list(clips)
    names = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else [wanted]
    places = _places(sets)
    few = ", ".join(list(places)[:NAMED])
    unknown = [name for name in names if name not in places]
    if unknown or not names:
        raise InputError(
            f"Expected clips as a list of some of the {len(places)} videos that have an anchor, "
            f"such as {few}, but got {', '.join(map(str, unknown)) or 'an empty list'}. Omit "
            "`clips` to get the default selection."
        )
    return tuple(places[name] for name in dict.fromkeys(names))


def _places(sets: FrameSets) -> dict[str, int]:
    """Return the video of each anchor -> the position of its set, the first of several."""
    found: dict[str, int] = {}
    for place, anchor in enumerate(sets.anchors):
        found.setdefault(parse_frame(sets.frames[anchor])[0], place)
    return found


ADDRESS = "_static/results/{file}"


def scrubber(reels: Sequence[Reel], *, convention: str, side: int, address: str = ADDRESS) -> Html:
    """Return controls, the frames of each reel, and marks for each network's mistakes.

    Args:
        reels: reels to choose from; the first is shown initially.
        side: longer side of a frame in pixels; small frames are shown as squares.

    Raises:
        InputError: there are no reels.

    >>> moments = tuple(Moment(offset, f"{offset}.webp", ()) for offset in (-1, 0, 2))
    >>> texts(scrubber([Reel("val/a", "bear", moments)], convention="", side=64), "strong")
    ['−1', 'anchor', '+2']
    """
    if not reels:
        raise InputError("Expected at least one set of frames to step through, but got none.")
    coarse = " rb-coarse" if side < 128 else ""
    return lines(
        f'<div class="rb-scrubber{coarse}" id="scrubber" role="group" '
        'aria-label="A clip frame by frame">',
        '<div class="rb-scrub" hidden>',
        _choices(reels),
        _range(),
        "</div>",
        (
            '<p class="rb-still">Every kept frame of each clip. With JavaScript, you can step '
            "through them here.</p>"
        ),
        *(_section(reel, address) for reel in reels),
        f'<p class="rb-convention"><span class="rb-label">Convention</span> {text(convention)}</p>',
        "</div>",
    )


def _choices(reels: Sequence[Reel]) -> Html:
    options = (
        f'<label><input type="radio" name="scrubber-clip" value="{text(reel.clip)}" '
        f'autocomplete="off"{" checked" if place == 0 else ""}> '
        f"<span>{text(reel.shows)}</span></label>"
        for place, reel in enumerate(reels)
    )
    return lines('<fieldset class="rb-of"><legend>Clip</legend>', *options, "</fieldset>")


def _range() -> str:
    ticks = "".join(
        f"<span>{text(offset_words(one))}</span>" for one in (-FARTHEST, -5, 0, 5, FARTHEST)
    )
    return (
        '<div class="rb-range"><label for="scrubber-frame">Frame</label>'
        f'<div><input type="range" id="scrubber-frame" min="-{FARTHEST}" max="{FARTHEST}" '
        'step="1" value="0" autocomplete="off">'
        f'<span class="rb-ticks" aria-hidden="true">{ticks}</span></div></div>'
    )


def _section(reel: Reel, address: str) -> Html:
    return lines(
        f'<section class="rb-reel" data-clip="{text(reel.clip)}" '
        f'aria-label="{text(reel.shows)}, {text(reel.clip)}">',
        f'<p class="rb-reel-title">{text(reel.shows[:1].upper() + reel.shows[1:])}, '
        f"<code>{text(reel.clip)}</code>: {len(reel.moments)} frames</p>",
        '<div class="rb-tracks">',
        *(_track(reel, network) for network in reel.networks),
        "</div>",
        '<div class="rb-frames" aria-live="polite">',
        *(_frame(moment, reel, address) for moment in reel.moments),
        "</div></section>",
    )


def _frame(moment: Moment, reel: Reel, address: str) -> Html:
    where = offset_words(moment.offset)
    return lines(
        f'<figure data-offset="{moment.offset}"><img src="{text(address.format(file=moment.file))}"'
        f' alt="{text(reel.shows)}, frame {text(where)}" width="224" height="224" loading="lazy">',
        f"<figcaption><strong>{text(where)}</strong><ul>",
        *(_said(one) for one in moment.said),
        "</ul></figcaption></figure>",
    )


def _said(one: Said) -> str:
    wrong = "" if one.right else ' class="rb-wrong"'
    mark = ' <em title="its worst frame of this clip">worst</em>' if one.worst else ""
    arrow = "" if one.right else "\N{RIGHTWARDS ARROW} "
    return (
        f"<li><span>{text(one.network)}</span> <b{wrong}>{arrow}{text(one.answer)} "
        f"{100 * one.confidence:.0f} %</b>{mark}</li>"
    )


def _track(reel: Reel, network: str) -> str:
    """Return a network's line: one mark per frame, and a text on how many are wrong."""
    said = reel.of(network)
    wrong = sum(not one.right for one in said.values())
    cells = "".join(_cell(offset, said.get(offset)) for offset in range(-FARTHEST, FARTHEST + 1))
    return (
        f'<p class="rb-track"><span>{text(network)}: wrong on {wrong}</span>'
        f'<span class="rb-cells" aria-hidden="true">{cells}</span></p>'
    )


def _cell(offset: int, one: Said | None) -> str:
    if one is None:
        return f'<i data-at="{offset}"></i>'
    marks = ["rb-kept", *([] if one.right else ["rb-miss"]), *(["rb-worst"] if one.worst else [])]
    return f'<i data-at="{offset}" class="{" ".join(marks)}"></i>'
