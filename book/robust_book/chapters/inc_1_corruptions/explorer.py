"""Explorer of every corruption at every severity: native controls and a script, without a server.

Without the script, the sheet of all corruptions is still shown.
"""

import json
from collections.abc import Mapping, Sequence

from robust_book.chapters.inc_1_corruptions.showcase import CLEAN, FILE, Sample
from robust_book.html.markup import Html, lines, text
from robust_lib.config.corruption_cards import Entry
from robust_lib.errors import InputError, one_of
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import SEVERITIES, corruption_title

ADDRESS = f"_static/results/{FILE}"
"""Of an image, with {image}, {corruption} and {severity} in it."""

COARSE = 128  # pixels of a side below which enlarged pixels are shown as squares


def explorer(
    samples: Mapping[str, Sample],
    entries: Mapping[str, Entry],
    families: Mapping[str, Sequence[str]],
    *,
    picture: str,
    corruption: str,
    severity: int,
    convention: str,
) -> Html:
    """Return an image, its corrupted version, controls, and a sheet of all corruptions.

    Args:
        families: family -> its corruptions, in the order of display.
        picture, corruption, severity: initial choices.
        convention: size, storage and textures of the shown images.

    Raises:
        InputError: the image, corruption or severity is not among those to show.
    """
    first = [("picture", picture, samples), ("severity", severity, SEVERITIES)]
    first += [("corruption", corruption, [name for names in families.values() for name in names])]
    for what, name, allowed in first:
        if name not in allowed:
            raise InputError(one_of(what, name, allowed))
    sample, title = samples[picture], corruption_title(corruption)
    at = ADDRESS.replace("{picture}", picture)
    sheet = at.replace("{severity}", str(severity))
    return lines(
        f'<div class="rb-explorer" id="explorer" role="group" data-address="{text(ADDRESS)}" '
        'aria-label="Every corruption at every severity">',
        '<div class="rb-controls" hidden>',
        '<div class="rb-stage">',
        _frame(at.format(corruption=CLEAN, severity=0), f"{sample.title}, clean", "clean"),
        _frame(sheet.format(corruption=corruption), f"{sample.title} under {title}", ""),
        "</div>",
        '<div class="rb-choices">',
        _pictures(samples, picture),
        _range(severity),
        f'<p class="rb-told"><output>{text(title)}</output> '
        f'<a href="#{text(corruption)}">{text(title)}: definition and formula</a></p>',
        "</div></div>",
        f'<p class="rb-still">{text(sample.title)}, severity {severity} of 5. With '
        "JavaScript, every image and severity can be chosen here.</p>",
        '<div class="rb-sheet">',
        *(_family(family, names, entries, sheet, corruption) for family, names in families.items()),
        "</div>",
        f'<p class="rb-convention"><span class="rb-label">Convention</span> {text(convention)}</p>',
        "</div>",
    )


def _frame(source: str, alt: str, caption: str) -> str:
    return (
        f'<figure><img src="{text(source)}" alt="{text(alt)}" width="224" height="224" '
        f'loading="lazy"><figcaption>{text(caption)}</figcaption></figure>'
    )


def _pictures(samples: Mapping[str, Sample], chosen: str) -> Html:
    options = (
        f'<label><input type="radio" name="explorer-picture" value="{text(name)}" '
        f'autocomplete="off"{" checked" if name == chosen else ""}'
        f"{' data-coarse' if len(one.picture) < COARSE else ''}> "
        f"<span>{text(one.title)}</span></label>"
        for name, one in samples.items()
    )
    return lines('<fieldset class="rb-of"><legend>Image</legend>', *options, "</fieldset>")


def _range(severity: int) -> str:
    ticks = "".join(f"<span>{one}</span>" for one in SEVERITIES)
    return (
        '<div class="rb-range"><label for="explorer-severity">Severity</label>'
        f'<input type="range" id="explorer-severity" min="{SEVERITIES[0]}" '
        f'max="{SEVERITIES[-1]}" step="1" value="{severity}" autocomplete="off">'
        f'<span class="rb-ticks" aria-hidden="true">{ticks}</span></div>'
    )


def _family(
    family: str, names: Sequence[str], entries: Mapping[str, Entry], sheet: str, chosen: str
) -> Html:
    return lines(
        f'<fieldset class="rb-family"><legend>{text(family.capitalize())}</legend>',
        *(_choice(name, entries[name], sheet, name == chosen) for name in names),
        "</fieldset>",
    )


def _told(name: str, entry: Entry, severity: int) -> str:
    """Return a text with a corruption's constant and AlexNet's error on the archive."""
    error = alexnet_errors().get(name)
    errs = "" if error is None else f". AlexNet errs on {100 * error[severity - 1]:.0f} % of images"
    return f"{entry.told(severity)} (224 pixels){errs}"


def _choice(name: str, entry: Entry, sheet: str, chosen: bool) -> str:
    """Return a corruption as a radio button with an image; the label next to it describes both."""
    constants = json.dumps([_told(name, entry, severity) for severity in SEVERITIES])
    return (
        f'<label class="rb-choice" data-told="{text(constants)}"><input type="radio" '
        f'name="explorer-corruption" value="{text(name)}" autocomplete="off"'
        f'{" checked" if chosen else ""}><img src="{text(sheet.format(corruption=name))}" alt="" '
        'width="224" height="224" loading="lazy">'
        f"<span>{text(corruption_title(name))}</span></label>"
    )
