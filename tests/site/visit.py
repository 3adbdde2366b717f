"""What a reader's browser experiences on a page, gathered in one visit."""

import json
import shutil
import time
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from robust_book.sphinx_ext import light
from robust_lib import paths

PHONE, DESK, SMALL = (390, 844), (1280, 900), (320, 700)

OWN_PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>{title}</title><meta name="viewport" content="width=device-width, initial-scale=1">
{files}
<style>body {{ background: var(--rb-page); color: var(--rb-text); margin: 1rem; }}
a {{ color: var(--rb-accent); }}</style></head>
<body><main class="bd-article"><h1>{title}</h1>{body}</main></body></html>"""
BROKEN_IMAGES = """
return [...document.images].filter(i => i.loading !== "lazy" || i.complete)
  .filter(i => !(i.complete && i.naturalWidth > 0)).map(i => i.currentSrc || i.src)"""
DISTORTED = """
return [...document.images].filter(i => i.complete && i.naturalWidth && i.checkVisibility())
  .filter(i => getComputedStyle(i).objectFit === "fill")
  .filter(i => Math.abs(i.width / i.height / (i.naturalWidth / i.naturalHeight) - 1) > .03)
  .map(i => `distorted: ${i.currentSrc || i.src}`)"""
LOADED = 'return document.readyState === "complete"'
MATHS_DONE = """
return [...document.querySelectorAll("span.math, div.math")]
  .every(e => e.querySelector("svg :is(path, use, rect)") && e.querySelector("math > *"))"""
OVERFLOW = """
const wide = document.documentElement.clientWidth;
return document.documentElement.scrollWidth <= wide ? [] :
  [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > wide + 1)
    .filter(e => !e.closest(".rb-scroll, pre, .highlight, div.math"))
    .slice(0, 5).map(e => e.tagName + "." + e.className).concat("page is wider than the screen")"""
# What moved without being asked to, from the first paint to the end of a walk down the page.
SHIFT = """
const done = arguments[arguments.length - 1];
let sum = 0;
const add = (list) =>
  list.getEntries().forEach((one) => (sum += one.hadRecentInput ? 0 : one.value));
new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
(async () => {
  const rest = () => new Promise((go) => setTimeout(go, 40));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    await rest();
  }
  await rest();
  scrollTo(0, 0);
  done(sum);
})()"""
# Where the parts of a chapter's first screen end, from the top of the page; none on other pages.
FIRST_SCREEN = """
const shown = (one) => one.checkVisibility({visibilityProperty: true});
const seen = (name) => [...document.querySelectorAll(name)].find(shown);
const one = (name) => seen(name)?.getBoundingClientRect();
if (!one(".rb-answers")) return [];
const parts = [".bd-article h1", ".rb-question", ".rb-answers", ".rb-finding > :is(svg, img)"];
return parts.map(one).filter(Boolean).map((place) => Math.round(place.bottom + scrollY))"""
# What a reader without a mouse, without eyes or without patience for motion would stumble over.
STUMBLES = """
const all = (names) => [...document.querySelectorAll(names)];
const seen = (one) => one.checkVisibility();
const levels = all("article :is(h1, h2, h3, h4, h5)").filter(seen).map((one) => +one.tagName[1]);
const named = (one) => one.textContent.trim() || one.ariaLabel || one.title
  || one.querySelector("img[alt]:not([alt='']), svg title");
const vague = /^(here|this|link|click here|more|read more)$/i;
const told = (one) => one.outerHTML.slice(0, 120);
return [
  ...(document.documentElement.lang ? [] : ["the page has no language"]),
  ...(document.title.trim() ? [] : ["the page has no title"]),
  ...(all("h1").filter(seen).length === 1 ? [] : ["the page has not one first heading"]),
  ...levels.filter((one, at) => at && one > levels[at - 1] + 1).map((one) => `a jump to h${one}`),
  ...all("img:not([alt])").map((one) => `a picture without words: ${told(one)}`),
  ...all("a[href]").filter(seen).filter((one) => !named(one)).map((one) => `no name: ${told(one)}`),
  ...all("article a[href]").filter((one) => vague.test(one.textContent.trim())).map(told),
  ...all("[tabindex]").filter((one) => one.tabIndex > 0).map((one) => `out of order: ${told(one)}`),
  ...document.getAnimations().map((one) => `it moves: ${told(one.effect.target)}`),
]"""
EAGER = 'document.querySelectorAll("img[loading=lazy]").forEach(i => i.loading = "eager")'
AXE = """
const done = arguments[arguments.length - 1];
// What formulas say to those who listen has neither colours nor roles of its own.
const rules = ["2a", "2aa", "21a", "21aa", "22a", "22aa"].map(one => `wcag${one}`);
axe.run({exclude: [["math"], ["svg.rb-heard"]]}, {
  resultTypes: ["violations"],
  runOnly: {type: "tag", values: [...rules, "best-practice"]},
  rules: {"target-size": {enabled: true}, "label-content-name-mismatch": {enabled: true}},
})
  .then(found => done(found.violations), error => done(String(error)))"""


@dataclass
class Visit:
    """Everything that went wrong on one page; empty lists on a good one."""

    complaints: list[str] = field(default_factory=list)
    remote: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    overflow: dict[int, list[str]] = field(default_factory=dict)
    stumbles: list[str] = field(default_factory=list)
    first_screen: dict[int, list[int]] = field(default_factory=dict)  # at each width
    weight: int = 0  # bytes before the reader scrolls
    walked: int = 0  # and after a walk to the page's end, with nothing opened
    shift: float = 0
    barriers: dict[str, list[str]] = field(default_factory=dict)
    maths: bool = True


def visit(browser, address: str) -> Visit:
    """Return what happens on a page: at a desk, on a phone, in light and in dark."""
    seen = Visit()
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    for scheme in ("light", "dark"):
        paint(browser, scheme, DESK)
        forget(browser)
        browser.get(address)
        seen.maths &= browser.execute_script(MATHS_DONE)
        log = events(browser)
        seen.weight = max(seen.weight, weight(log, address))
        seen.shift = max(seen.shift, browser.execute_async_script(SHIFT))
        log += walked(browser)
        seen.walked = max(seen.walked, weight(log, address))
        browser.execute_script(EAGER)
        wait(browser, "return [...document.images].every(i => i.complete)")
        seen.images += browser.execute_script(BROKEN_IMAGES)
        seen.complaints += severe(browser)
        seen.remote += remote(log + events(browser), address)
        seen.barriers[scheme] = barriers(browser)
    seen.stumbles = browser.execute_script(STUMBLES)
    seen.first_screen[DESK[0]] = browser.execute_script(FIRST_SCREEN)
    for size in (PHONE, SMALL):
        paint(browser, "light", size)
        seen.first_screen[size[0]] = browser.execute_script(FIRST_SCREEN)
        seen.overflow[size[0]] = browser.execute_script(OVERFLOW)
        seen.images += browser.execute_script(DISTORTED)
    browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
    return seen


def paint(browser, scheme: str, size: tuple[int, int]) -> None:
    """Give the browser a colour scheme and a window."""
    width, height = size
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    # Colours that are still moving from one scheme to the other have the contrast of neither.
    wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def wait(browser, condition: str, seconds: float = 10) -> bool:
    """Return whether a condition in JavaScript comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if browser.execute_script(condition):
            return True
        time.sleep(0.05)
    return False


def severe(browser) -> list[str]:
    """Return the errors in the browser's console since the last look."""
    entries = browser.get_log("browser")
    return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]


def requests(browser, address: str) -> list[str]:
    """Return the requests since the last look that left the site's own origin."""
    return remote(events(browser), address)


def events(browser) -> list[dict]:
    """Return what the browser's network has done since the last look."""
    return [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]


def walked(browser) -> list[dict]:
    """Return what the network did during a walk down the page, once it is quiet."""
    log: list[dict] = []
    while True:
        time.sleep(0.25)
        if not (last := events(browser)):
            return log
        log += last


def weight(log: list[dict], address: str) -> int:
    """Return the bytes that came from the site, pictures and styles included."""
    home = "/".join(address.split("/")[:3])
    own = {
        one["params"]["requestId"]
        for one in log
        if one["method"] == "Network.requestWillBeSent"
        and one["params"]["request"]["url"].startswith(home)  # a browser's own pages are none
    }
    came = (one["params"] for one in log if one["method"] == "Network.loadingFinished")
    return int(sum(one["encodedDataLength"] for one in came if one["requestId"] in own))


def remote(log: list[dict], address: str) -> list[str]:
    """Return the requests that left the site's own origin."""
    home = "/".join(address.split("/")[:3])
    sent = [
        one["params"]["request"]["url"]
        for one in log
        if one["method"] == "Network.requestWillBeSent"
    ]
    outside = ("http:", "https:", "ws:", "wss:", "ftp:")
    return [url for url in sent if url.startswith(outside) and not url.startswith(home)]


def barriers(browser) -> list[str]:
    """Return axe's findings by WCAG A, AA, 2.2 and good practice, with the first of each."""
    browser.execute_script(axe())
    found = browser.execute_async_script(AXE)
    assert isinstance(found, list), f"axe did not run: {found}"
    return [f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:160]}" for one in found]


@cache
def axe() -> str:
    """Return the program that looks for barriers."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def forget(browser) -> None:
    """Empty the browser's logs."""
    browser.get_log("browser")
    browser.get_log("performance")


def own_page(folder: Path, title: str, body: str) -> Path:
    """Write a page with one part of the book, its style sheets and scripts in the site's order."""
    (folder / "_static").mkdir(exist_ok=True)
    own = sorted(paths.book().glob("_static/*.[cj]s*"), key=lambda one: light.place(one.name))
    for file in own:
        shutil.copy(file, folder / "_static")
    kinds = {
        ".css": '<link rel="stylesheet" href="_static/{}">',
        ".js": '<script src="_static/{}"></script>',
    }
    files = "\n".join(kinds[one.suffix].format(one.name) for one in own if one.suffix in kinds)
    page = folder / "index.html"
    page.write_text(OWN_PAGE.format(title=title, files=files, body=body), encoding="utf-8")
    return page


def opened(browser, page: Path):
    """Open a page of its own on a desk's screen, in light colours, as a file."""
    paint(browser, "light", DESK)
    forget(browser)
    browser.get(page.as_uri())
    return browser
