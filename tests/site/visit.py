"""What a reader's browser experiences on a page, gathered in one visit."""

import json
import time
from dataclasses import dataclass, field

from axe_selenium_python import Axe

PHONE, DESK = (390, 844), (1280, 900)

BROKEN_IMAGES = """
return [...document.images].filter(i => i.loading !== "lazy" || i.complete)
  .filter(i => !(i.complete && i.naturalWidth > 0)).map(i => i.currentSrc || i.src)"""
LOADED = 'return document.readyState === "complete"'
MATHS_DONE = """
return [...document.querySelectorAll("span.math, div.math")]
  .every(e => e.querySelector("svg path") && e.querySelector("math > *"))"""
OVERFLOW = """
const wide = document.documentElement.clientWidth;
return document.documentElement.scrollWidth <= wide ? [] :
  [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > wide + 1)
    .filter(e => !e.closest(".rb-scroll, pre, .highlight, div.math"))
    .slice(0, 5).map(e => e.tagName + "." + e.className).concat("page is wider than the screen")"""
EAGER = 'document.querySelectorAll("img[loading=lazy]").forEach(i => i.loading = "eager")'
# One rule is off: this version of axe takes the word "off" of autocomplete for a purpose.
AXE = """
const done = arguments[arguments.length - 1];
const options = {rules: {"autocomplete-valid": {enabled: false}}};
axe.run(document, options).then(found => done(found.violations), error => done(String(error)))"""


@dataclass
class Visit:
    """Everything that went wrong on one page; empty lists on a good one."""

    complaints: list[str] = field(default_factory=list)
    remote: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    overflow: list[str] = field(default_factory=list)
    barriers: dict[str, list[str]] = field(default_factory=dict)
    maths: bool = True


def visit(browser, address: str) -> Visit:
    """Return what happens on a page: at a desk, on a phone, in light and in dark."""
    seen = Visit()
    for scheme in ("light", "dark"):
        paint(browser, scheme, DESK)
        forget(browser)
        browser.get(address)
        seen.maths &= browser.execute_script(MATHS_DONE)
        browser.execute_script(EAGER)
        wait(browser, "return [...document.images].every(i => i.complete)")
        seen.images += browser.execute_script(BROKEN_IMAGES)
        seen.complaints += severe(browser)
        seen.remote += requests(browser, address)
        seen.barriers[scheme] = barriers(browser)
    paint(browser, "light", PHONE)
    seen.overflow = browser.execute_script(OVERFLOW)
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
    home = "/".join(address.split("/")[:3])
    sent = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            sent.append(message["params"]["request"]["url"])
    outside = ("http:", "https:", "ws:", "wss:", "ftp:")
    return [url for url in sent if url.startswith(outside) and not url.startswith(home)]


def barriers(browser) -> list[str]:
    """Return axe's serious and critical findings, each with the first element concerned."""
    Axe(browser).inject()
    found = browser.execute_async_script(AXE)
    assert isinstance(found, list), f"axe did not run: {found}"
    return [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def forget(browser) -> None:
    """Empty the browser's logs."""
    browser.get_log("browser")
    browser.get_log("performance")
