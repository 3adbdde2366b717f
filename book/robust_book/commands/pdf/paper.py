"""The preparation of a page for print: nothing is folded or wider than the sheet."""

from collections.abc import Collection
from typing import Any

SHEET = (210.0, 297.0)  # mm, A4
MARGINS = (15.0, 16.0, 19.0, 16.0)  # mm: top, right, bottom, left
SCALE = 0.8  # of screen pixels; running text is then 9.6 points
MM = 96 / 25.4  # screen pixels of a millimetre

LEFT_OUT = ".above-input, .sd-dropdown"
"""Code of cells and solutions of exercises: what a reader of paper opens in the site."""

ANCHOR = 1.0  # points; links that only name a place are smaller

STYLE = """
@media print {
  html, body, body * { background-color: transparent !important; }
  #jb-print-docs-body h1 { text-align: left; }
  #jb-print-toc { display: none !important; }
  html .bd-article :is(details.rb-again) { display: block !important; }
  html .bd-article :is(.sd-dropdown, .above-input), .rb-imprint, .bd-footer { display: none !important; }
  html .bd-article :is(img, svg, canvas, video) { max-width: 100%; }
  .robust-places { position: absolute; left: 0; top: 0; font-size: 1px; line-height: 1px; }
  .robust-places a { color: transparent !important; text-decoration: none !important; }
}
"""  # noqa: E501

PREPARE = """
const [style, wanted, leftOut, done] = arguments;
const sheet = document.head.appendChild(document.createElement("style"));
sheet.textContent = style;
document.documentElement.dataset.theme = document.documentElement.dataset.mode = "light";
const article = document.querySelector(".bd-article") || document.body;
const seen = one => one.getClientRects().length > 0;
for (const one of article.querySelectorAll("details"))
  if (!one.matches(leftOut)) one.open = true;
for (const one of article.querySelectorAll("[role=tabpanel], .sd-tab-content")) {
  one.hidden = false; one.style.display = "block";
}
// Frames that a script shows one by one lie side by side without it.
for (const one of article.querySelectorAll(".rb-scrubber.rb-live")) {
  one.classList.remove("rb-live");
  for (const frame of one.querySelectorAll("[hidden]")) frame.hidden = false;
}
// Tables that a script folds are told that nobody will unfold them, and that nobody filtered.
document.documentElement.dataset.paper = "whole";
dispatchEvent(new Event("beforeprint"));
for (const one of document.images) one.loading = "eager";
const named = table => (table.caption || table.rows[0] || table).textContent.trim().slice(0, 60);
const folded = () => [...article.querySelectorAll("table")].filter(seen)
  .filter(table => [...table.rows].some(row => row.cells.length && !seen(row))).map(named);
const shrink = () => {
  const right = article.getBoundingClientRect().right;
  for (const table of article.querySelectorAll("table")) {
    const box = table.getBoundingClientRect();
    const room = right - box.left;
    if (seen(table) && box.width > room + 0.5) table.style.zoom = room / box.width * 0.995;
  }
  const cut = [...article.querySelectorAll("table")].filter(seen)
    .filter(one => one.getBoundingClientRect().right > right + 1);
  return cut.map(named);
};
const finish = () => {
  const cut = shrink();
  const figures = [];
  for (const one of article.querySelectorAll("figure, .rb-item, img.rb-figure")) {
    if (!seen(one)) { if (!one.closest(leftOut)) figures.push(null); continue; }
    one.id ||= `figure-${figures.length}`;
    figures.push(one.id);
  }
  const places = document.createElement("div");
  places.className = "robust-places";
  for (const id of new Set([...wanted, ...figures]))
    if (id && document.getElementById(id)) {
      const link = places.appendChild(document.createElement("a"));
      link.href = `#${id}`;
      link.textContent = ".";
    }
  article.prepend(places);
  const broken = [...article.querySelectorAll("img")].filter(one => !one.naturalWidth)
    .map(one => decodeURI(one.src).split("/").pop().slice(0, 60));
  done({title: (article.querySelector("h1") || document).textContent.replace("#", "").trim(),
        cut, folded: folded(), broken, figures: figures.filter(Boolean),
        hidden: figures.filter(one => !one).length});
};
// A picture that does not decode is told by its width, with all others.
Promise.all([document.fonts.ready, ...[...document.images].map(one => one.decode().catch(() => 0))])
  .then(() => requestAnimationFrame(finish));
"""


def width() -> int:
    """Return the width in pixels for which a page is laid out.

    >>> width()
    840
    """
    return int((SHEET[0] - MARGINS[1] - MARGINS[3]) * MM / SCALE)


def options(*, margins: bool = True) -> dict[str, Any]:
    """Return Chromium's print settings: A4, our margins, backgrounds, an outline.

    Args:
        margins: whether to use our margins; if False, the page has its own sheet size.
    """
    inch = 1 / 25.4
    sides = dict(zip(("Top", "Right", "Bottom", "Left"), MARGINS, strict=True))
    return {
        "paperWidth": SHEET[0] * inch,
        "paperHeight": SHEET[1] * inch,
        **{f"margin{side}": (mm * inch if margins else 0) for side, mm in sides.items()},
        "scale": SCALE if margins else 1,
        "printBackground": True,
        "generateDocumentOutline": True,
        "generateTaggedPDF": True,
    }


def arguments(places: Collection[str]) -> tuple[str, list[str], str]:
    """Return the arguments of `PREPARE`.

    Args:
        places: ids of this page that other pages link to.
    """
    return STYLE, sorted(places), LEFT_OUT
