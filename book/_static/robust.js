// What every page does by itself: enlarge a figure, show its code, print in light colours, quote what
// a search finds, leave a tip. Tables, the explorer and the lists of the ledger and the networks have
// files of their own, which share what `robust` holds: a page reads this file before them.
// Everything is readable without this file.

"use strict";

/** What the book's scripts share. Some files add to it; their readers take that once the page is there. */
const robust = {
  /** Make an element with properties and children. */
  make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  },

  /** Make an element of a drawing with attributes and children. */
  drawn(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  },

  /** Return whether a text has all words of a query, in any case and order. */
  matches(text, query) {
    const lower = text.toLowerCase();
    return query.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
  },

  /** Return a number as the library's tables write it, of two equally near the even one. */
  written(value, places = 1) {
    if (value === null) return "–";
    const scaled = value * 10 ** places;
    const between = Number.isInteger(value * 2 ** (places + 1)) && Math.abs(scaled % 1) === 0.5;
    const rounded = between ? (2 * Math.round(scaled / 2)) / 10 ** places : value;
    const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
    const shown = Math.abs(rounded).toLocaleString("en-US", digits);
    return rounded < 0 && /[1-9]/.test(shown) ? `−${shown}` : shown;
  },

  /**
   * Keep a control's state in the address, as #name=text, so that it can be passed on and Back undoes it.
   * Call `apply` with the text that is there, null for none, now and whenever it changes; return what
   * writes another text there, null for none, as a step of its own unless it is `fleeting`.
   */
  kept(name, apply) {
    const read = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    let last = null;
    const look = () => {
      if (location.hash && !location.hash.includes("=")) return; // a place on the page, no state
      const text = read().get(name);
      if (text === last) return;
      last = text;
      apply(text);
    };
    addEventListener("popstate", look);
    look();
    return (text, fleeting = false) => {
      if (text === last) return;
      last = text;
      const all = read();
      if (text === null) all.delete(name);
      else all.set(name, text);
      const target = all.size ? `#${all}` : location.pathname + location.search;
      history[fleeting ? "replaceState" : "pushState"](null, "", target);
    };
  },

  /** Prepare each element of a selector once the page is there. */
  onPage(selector, prepare) {
    document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(selector).forEach(prepare));
  },
};

{
  const { make, onPage } = robust;

  // --- enlarge -------------------------------------------------------------------------------------

  function enlarge(picture) {
    const copy = picture.cloneNode(true);
    const name = picture.querySelector("title")?.textContent || picture.alt || "Figure";
    copy.querySelector("title")?.remove();
    copy.removeAttribute("aria-labelledby");
    copy.setAttribute("aria-label", name);
    const close = make("form", { method: "dialog" }, make("button", { textContent: "Close" }));
    const natural = picture.viewBox?.baseVal.width * (4 / 3) || picture.naturalWidth || 0;
    copy.style.setProperty("--rb-natural", `${Math.max(900, Math.round(natural))}px`);
    const pan = make("div", { className: "rb-pan", tabIndex: 0 }, copy);
    const dialog = make("dialog", { className: "rb-zoom" }, close, pan);
    dialog.setAttribute("aria-label", name);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
  }

  function makeZoomable(picture) {
    if (picture.closest("a, .rb-frame, .rb-table, .rb-explorer")) return;
    const home = picture.closest(".rb-figure") || picture.parentElement;
    home.classList.add("rb-zoomable");
    const button = make("button", { className: "rb-enlarge", type: "button", textContent: "Enlarge" });
    button.addEventListener("click", () => enlarge(picture));
    picture.addEventListener("click", () => enlarge(picture));
    home.append(button);
  }

  /** Enlarge of a figure for a phone the one for a desk, which pans. */
  function enlargeDesk(picture) {
    picture.addEventListener("click", () => enlarge(picture.parentElement.querySelector(":scope > .rb-desk")));
  }

  // --- code ----------------------------------------------------------------------------------------

  /** Hide the code of a page behind one switch. */
  function hideCode() {
    const cells = [...document.querySelectorAll(".bd-article details.above-input")];
    const title = document.querySelector(".bd-article h1");
    if (!cells.length || !title) return;
    const button = make("button", { className: "rb-switch", type: "button" });
    const show = (shown) => {
      document.documentElement.classList.toggle("rb-coded", shown);
      cells.forEach((cell) => (cell.open = shown));
      button.setAttribute("aria-pressed", String(shown));
      button.textContent = shown ? "Hide the code" : `Show the code (${cells.length} cells)`;
    };
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
    const home = document.querySelector(".rb-code") || title.appendChild(make("p", { className: "rb-code" }));
    home.append(button);
    show(false);
  }

  // --- paper ---------------------------------------------------------------------------------------

  /** Show a page in light colours while it is printed: light writing is not read on white paper. */
  function printLight() {
    const shown = document.documentElement.dataset;
    let theme;
    addEventListener("beforeprint", () => {
      theme ??= shown.theme;
      shown.theme = "light";
    });
    addEventListener("afterprint", () => {
      if (theme) shown.theme = theme;
      theme = undefined;
    });
  }

  /** Put a button that prints among the downloads of a chapter. */
  function offerPrint(downloads) {
    const button = make("button", { className: "btn btn-sm dropdown-item", type: "button", textContent: "Print or PDF" });
    button.addEventListener("click", () => print());
    downloads.append(make("li", {}, button));
  }

  // --- what opens over a page ----------------------------------------------------------------------

  /** Give the focus back to the button that opened a list of pages over a narrow page. */
  function giveBack(dialog) {
    const kind = dialog.id.includes("primary") ? "primary" : "secondary";
    dialog.addEventListener("close", () => document.querySelector(`.${kind}-toggle`)?.focus());
  }

  // --- search --------------------------------------------------------------------------------------

  /** Show of a page that a search finds its sentences: neither code nor what is for ears or in tips. */
  function quoteSentences() {
    if (typeof Search === "undefined") return;
    const words = Search.htmlToText;
    Search.htmlToText = (markup, anchor) => {
      const page = new DOMParser().parseFromString(markup, "text/html");
      page.querySelectorAll(".rb-tip, .rb-heard, details.above-input").forEach((one) => one.remove());
      return words(page.documentElement.outerHTML, anchor);
    };
  }

  /** Put a button among the words that a search led to: the theme's link is a script that the page refuses. */
  function hideMatches(place) {
    const hide = make("button", { className: "rb-switch", type: "button", textContent: "Hide search matches" });
    hide.addEventListener("click", () => SphinxHighlight.hideSearchWords());
    place.replaceChildren(hide);
    // What marks the words next fails at a drawing's title and would leave all words after it unmarked.
    document.querySelectorAll("svg *, style").forEach((one) => one.classList.add("nohighlight"));
  }

  // --- start ---------------------------------------------------------------------------------------

  // Pages opened as files may not read each other, so search shows titles without excerpts there.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  onPage(".dropdown-download-buttons .dropdown-menu", offerPrint);
  onPage("#pst-primary-sidebar-modal, #pst-secondary-sidebar-modal", giveBack);
  onPage("#searchbox .highlight-link", hideMatches);
  onPage(".rb-figure > .rb-phone", enlargeDesk);
  onPage(".rb-figure > :is(svg, img):not(.rb-phone), .bd-article .cell_output img, .bd-article figure > img", makeZoomable);

  document.addEventListener("DOMContentLoaded", () => {
    hideCode();
    printLight();
    quoteSentences();
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") document.activeElement?.closest(".rb-term, .rb-result")?.blur();
    });
  });
}
