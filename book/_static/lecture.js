// The lecture view of a chapter: its own page, one idea a screen. #lecture and ?lecture open it,
// #lecture-7 its seventh slide. slides.js says what the slides are.
// Without this file there is no button, and the chapter is the chapter.

"use strict";

{
  const { make } = robust;

  const KEYS = [
    [["→", "Space", "Page down"], "The next screen of a long slide, or the next slide"],
    [["←", "Shift Space", "Page up"], "Back"],
    [["Home", "End"], "The first slide, the last slide"],
    [["s"], "The next slide that must not be skipped"],
    [["n"], "Notes: what the chapter says here, and the time since the lecture began"],
    [["f"], "Full screen, on and off"],
    [["?"], "These keys"],
    [["Escape"], "Leave the lecture"],
  ];

  function lectureOf(root) {
    const { plain, slidesOf, notesOf } = robust; // of slides.js
    let slides = []; // the elements, while the lecture is open
    let given = []; // [a mark on the page, what was taken from there]
    let sources = [];
    let spares = []; // whether a slide may be skipped
    let notes = null;
    let began = 0;
    let stage = null;
    let below = null; // the mark that a slide goes on below the screen
    let now = 0;

    const wanted = () => {
      const found = location.hash.match(/^#lecture(?:-(\d+))?$/);
      if (found) return Number(found[1] || 1);
      return new URLSearchParams(location.search).has("lecture") && !location.hash ? 1 : 0;
    };

    const address = (hash, search = location.search) => {
      const target = `${location.pathname}${search}${hash}`;
      try {
        history.replaceState(null, "", target);
      } catch {
        location.replace(hash || "#"); // where a file may not rewrite its address
      }
    };

    /** Take a part of the page into a slide, and remember where it belongs. */
    const taken = (node) => {
      if (!node.parentNode) return node; // made for the lecture, not taken from the page
      const mark = document.createComment("in the lecture");
      node.before(mark);
      given.push([mark, node]);
      node.querySelectorAll("img[loading=lazy]").forEach((image) => (image.loading = "eager"));
      return node;
    };

    /** Return whether what is shown is a figure that would be small below words on a wide screen. */
    const isTall = (shown) => {
      const picture = shown.querySelector(":scope > .rb-figure > :is(svg, img), :scope > .rb-item > .rb-figure > :is(svg, img)");
      if (!picture) return false;
      const side = (name) => picture.viewBox?.baseVal[name] || Number(picture.getAttribute(name));
      return side("width") > 0 && side("width") < 1.25 * side("height");
    };

    const element = (one, at, all) => {
      const heading = make("h2", { tabIndex: -1 }, ...(typeof one.heading === "string" ? [one.heading] : one.heading.childNodes));
      const head = make("header", {}, heading);
      if (one.kicker) head.prepend(make("p", { className: "rb-slide-kicker", textContent: one.kicker }));
      const said = make("div", { className: "rb-said" }, ...one.said);
      const shown = make("div", { className: "rb-shown" }, ...one.shown.map(taken));
      if (one.items.length) shown.firstElementChild.append(...one.items.map(taken));
      const parts = [head, ...(one.said.length ? [said] : []), ...(one.shown.length ? [shown] : [])];
      const made = make("section", { className: `rb-slide ${one.kind && `rb-slide-${one.kind}`}`.trim(), hidden: true }, ...parts);
      made.classList.toggle("rb-slide-tall", isTall(shown));
      made.setAttribute("aria-label", `Slide ${at + 1} of ${all.length}`);
      return made;
    };

    const button = (text, name, action) => {
      const made = make("button", { type: "button", textContent: text });
      made.setAttribute("aria-label", name);
      made.addEventListener("click", action);
      return made;
    };

    const bar = () => {
      const back = button("‹", "Previous slide", () => show(now - 1));
      const next = button("›", "Next slide", () => show(now + 1));
      const progress = make("progress", { max: slides.length, value: 1 });
      progress.setAttribute("aria-label", "Progress of the lecture");
      const place = make("output", { className: "rb-place" });
      const spare = make("span", { className: "rb-spare", textContent: "may be skipped" });
      const made = make("nav", { className: "rb-lecture-bar" }, back, place, next, spare, progress);
      made.append(button("?", "Keys", () => tell()), button("Leave", "Leave the lecture", leave));
      made.setAttribute("aria-label", "Lecture");
      return made;
    };

    const show = (wish) => {
      now = Math.min(Math.max(wish, 1), slides.length);
      slides.forEach((one, at) => (one.hidden = at !== now - 1));
      const slide = slides[now - 1];
      stage.querySelector("progress").value = now;
      stage.querySelector(".rb-place").textContent = `${now} / ${slides.length}`;
      stage.querySelector(".rb-spare").hidden = !spares[now - 1];
      annotate();
      const [back, next] = stage.querySelectorAll(".rb-lecture-bar button");
      [back.disabled, next.disabled] = [now === 1, now === slides.length];
      slide.scrollTop = 0;
      slide.querySelector("h2").focus({ preventScroll: true });
      watch(slide);
      if (location.hash !== `#lecture-${now}`) address(`#lecture-${now}`);
    };

    const enter = () => {
      if (stage) return show(wanted());
      const planned = slidesOf(root);
      sources = planned.map((one) => one.from);
      spares = planned.map((one) => one.spare);
      began ||= Date.now();
      slides = planned.map(element);
      // The styles of a chapter's parts are those of its article.
      const deck = make("div", { className: "rb-deck bd-article" }, ...slides);
      below = make("p", { className: "rb-below", textContent: "more ↓", ariaHidden: "true" });
      notes = make("aside", { className: "rb-notes", hidden: true, tabIndex: 0 });
      notes.setAttribute("aria-label", "Notes");
      stage = make("div", { className: "rb-lecture" }, deck, below, notes, bar());
      stage.setAttribute("role", "region");
      stage.setAttribute("aria-label", `Lecture: ${plain(root.querySelector("h1"))}`);
      swipe(deck);
      release(deck);
      deck.addEventListener("scroll", mark, true);
      document.body.append(stage);
      document.documentElement.classList.add("rb-lecturing");
      return show(wanted());
    };

    const close = () => {
      given.reverse().forEach(([mark, node]) => mark.replaceWith(node));
      stage.remove();
      sized.disconnect();
      document.documentElement.classList.remove("rb-lecturing");
      [stage, given, slides] = [null, [], []];
    };

    /** Leave for the place on the page that the slide is about. */
    const leave = () => {
      const source = sources[now - 1];
      close();
      const place = source.closest("[id]");
      address(place && place !== root ? `#${place.id}` : "", "");
      source.scrollIntoView();
      openers.find((one) => one.checkVisibility())?.focus({ preventScroll: true });
    };

    const follow = () => {
      if (wanted()) return enter();
      if (!stage) return undefined;
      // A link within the chapter: to the slide that holds its target, else back to the page.
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const at = slides.findIndex((one) => target && one.contains(target));
      if (at >= 0) return show(at + 1);
      close();
      return target?.scrollIntoView();
    };

    /** Return whether a slide is longer than the screen, and something is left of it this way; its margin is nothing. */
    const scrolls = (step) => {
      const slide = slides[now - 1];
      const room = slide.scrollHeight - slide.clientHeight - parseFloat(getComputedStyle(slide).paddingBottom);
      return step < 0 ? room > 1 && slide.scrollTop > 1 : slide.scrollTop < room - 1;
    };

    const mark = () => (below.hidden = !scrolls(1));
    const sized = new ResizeObserver(mark);

    /** Mark what a slide has below the screen, also after a fold or a table in it has grown. */
    const watch = (slide) => {
      sized.disconnect();
      slide.querySelectorAll(":scope, :scope > *, :scope > .rb-shown > *").forEach((one) => sized.observe(one));
    };

    /** Go a screenful on in a slide, but for a few lines that show where one was; at its end turn it. */
    const step = (by) => {
      if (!scrolls(by)) return now + by;
      const slide = slides[now - 1];
      slide.scrollBy({ top: 0.85 * by * slide.clientHeight });
      return now;
    };

    const keys = {
      ArrowRight: () => step(1),
      PageDown: () => step(1),
      ArrowLeft: () => step(-1),
      PageUp: () => step(-1),
      // A few lines, which the browser scrolls by itself.
      ArrowDown: () => (scrolls(1) ? 0 : now + 1),
      ArrowUp: () => (scrolls(-1) ? 0 : now - 1),
      Home: () => 1,
      End: () => slides.length,
      " ": (event) => step(event.shiftKey ? -1 : 1),
    };

    /** Tell the keys, in a box of the browser's own, which Escape closes. */
    const tell = () => {
      const closing = make("form", { method: "dialog" }, make("button", { textContent: "Close" }));
      const rows = KEYS.flatMap(([names, does]) => [
        make("dt", {}, ...names.flatMap((name, at) => [...(at ? [" "] : []), make("kbd", { textContent: name })])),
        make("dd", { textContent: does }),
      ]);
      const dialog = make("dialog", { className: "rb-keys" }, make("h2", { textContent: "Keys", id: "rb-keys" }), make("dl", {}, ...rows), closing);
      dialog.setAttribute("aria-labelledby", "rb-keys");
      dialog.addEventListener("close", () => dialog.remove());
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
      document.body.append(dialog);
      dialog.showModal();
    };

    const fill = () => {
      const asked = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.();
      asked?.catch(() => {}); // a browser may refuse; the lecture goes on in its window
    };

    /** Write the notes of the slide, if they are shown. */
    const annotate = () => {
      if (notes.hidden) return;
      const minutes = Math.floor((Date.now() - began) / 60000);
      const clock = make("p", { className: "rb-clock", textContent: `${minutes} min since the lecture began` });
      notes.replaceChildren(clock, ...notesOf(sources[now - 1]));
      notes.scrollTop = 0;
    };

    const note = () => {
      notes.hidden = !notes.hidden;
      annotate();
    };

    /** Go on to what is not to be skipped; where all the rest may be, to the last slide. */
    const leap = () => {
      const at = spares.findIndex((spare, place) => place >= now && !spare);
      show(at < 0 ? slides.length : at + 1);
    };

    const others = { "?": tell, f: fill, n: note, s: leap };

    /** Return whether a key is for the control that it is pressed on. Those that clickers send are the lecture's. */
    const needs = (control, key) => {
      if (key.startsWith("Page") || !control.closest) return false;
      if (control.matches("input[type=checkbox]")) return key === " ";
      if (control.closest("input, select, textarea, [contenteditable], [role=application]")) return true;
      return key === " " && control.closest("button, summary, a") !== null;
    };

    /** Whoever has changed a setting by pointer goes on with the lecture: the keys are the slide's again. */
    const release = (deck) => {
      let pointed = false;
      const back = (event) => {
        if (!pointed || !event.target.closest(".rb-what-if :is(input, select, button)")) return;
        slides[now - 1].querySelector("h2").focus({ preventScroll: true });
      };
      deck.addEventListener("pointerdown", () => (pointed = true), true);
      deck.addEventListener("keydown", () => (pointed = false), true);
      deck.addEventListener("change", back);
      deck.addEventListener("click", (event) => event.target.matches("button") && back(event));
    };

    const press = (event) => {
      if (!stage || document.querySelector("dialog[open]")) return;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape") {
        event.stopImmediatePropagation();
        leave();
        return;
      }
      const turn = keys[event.key];
      const other = others[event.key.toLowerCase()];
      if (!(turn || other) || needs(event.target, event.key)) return;
      // Or the theme takes the arrows for the next chapter.
      event.stopImmediatePropagation();
      if (other) {
        event.preventDefault();
        other();
        return;
      }
      const next = turn(event);
      if (!next) return;
      event.preventDefault();
      if (next !== now) show(next);
    };

    /** A finger that goes sideways turns the slide, unless it moves a slider or a wide table. */
    const swipe = (deck) => {
      let start = null;
      deck.addEventListener("touchstart", (event) => {
        const [touch] = event.touches;
        const wide = [...document.elementsFromPoint(touch.clientX, touch.clientY)].some(
          (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === "auto",
        );
        start = event.touches.length > 1 || wide || event.target.closest("input") ? null : touch;
      }, { passive: true });
      deck.addEventListener("touchend", (event) => {
        if (!start || !stage) return;
        const [end] = event.changedTouches;
        const [across, down] = [end.clientX - start.clientX, end.clientY - start.clientY];
        start = null;
        if (Math.abs(across) > 50 && Math.abs(across) > 2 * Math.abs(down)) show(now + (across < 0 ? 1 : -1));
      }, { passive: true });
    };

    // The lesson box stands beside the text where there is room, else in it: each has a button.
    const homes = [...document.querySelectorAll(".rb-open-lecture")];
    if (!homes.length) homes.push(root.querySelector(".rb-strip").appendChild(make("p", { className: "rb-open-lecture" })));
    const openers = homes.map((home) => home.appendChild(make("button", { className: "rb-switch", type: "button", textContent: "Lecture view" })));
    openers.forEach((one) => one.addEventListener("click", () => (location.hash = "lecture-1")));
    window.addEventListener("keydown", press, true);
    window.addEventListener("hashchange", follow);
    follow();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const root = document.querySelector(".bd-article section:has(> .rb-strip)");
    if (!root) return;
    // After all other files have prepared the page, which are called in no certain order.
    setTimeout(lectureOf, 0, root);
  });
}
