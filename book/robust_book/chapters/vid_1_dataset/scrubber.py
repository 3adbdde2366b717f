"""A clip frame by frame, with what networks say of each: a native range, a script, and no server.

Without the script all frames stand there, each with its caption.
"""

from collections.abc import Sequence

from robust_book.chapters.vid_1_dataset.falls import offset_words
from robust_book.chapters.vid_1_dataset.reels import Moment, Reel, Said
from robust_book.html.markup import Html, lines, text
from robust_lib.datasets.frame_sets import FARTHEST
from robust_lib.errors import InputError

ADDRESS = "_static/results/{file}"


def scrubber(reels: Sequence[Reel], *, convention: str, side: int, address: str = ADDRESS) -> Html:
    """Return controls, the frames of each reel, and where each network is wrong.

    Args:
        reels: the sets to choose from, the first shown first.
        convention: what is shown.
        side: pixels of a frame's longer side; small ones are shown as squares.
        address: of a picture, with {file} in it.

    Raises:
        InputError: no reels.

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
        '<p class="rb-still">Every kept frame of each clip. With JavaScript, one steps through '
        "them here.</p>",
        *(_reel(reel, address) for reel in reels),
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


def _reel(reel: Reel, address: str) -> Html:
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
    """Return a line of a network: a mark a frame, and in words how many are wrong."""
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
