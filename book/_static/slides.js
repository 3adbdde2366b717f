// What a chapter becomes as a lecture: its own headings, figures and claims, one idea a slide.
// lecture.js shows the slides. Figures and items are moved into them, not copied, so that sliders and
// tables in them go on working; what is said is copied, and only as far as its first sentences.

"use strict";

{
  const SLIDES = {
    // What is worth a slide of its own, wherever it stands in a section.
    visual: ".rb-item, .rb-explorer, .rb-scrubber, .rb-atlas, .rb-corruption, .rb-what-if, .rb-figure",
    few: 90, // letters; a shorter first sentence takes the next one along
    points: 3, // of what we learn, a slide
    claims: 4, // and of claims or their verdicts
  };

  /** Return a list in parts of about the same length, none longer than most. */
  function inParts(list, most) {
    const each = Math.ceil(list.length / Math.ceil(list.length / most));
    return Array.from({ length: Math.ceil(list.length / each) || 0 }, (_, part) => list.slice(part * each, (part + 1) * each));
  }

  /** Return the readable text of a node as [text node, its text] pairs: tips, links and maths are none. */
  function readable(node) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      const inside = text.parentElement.closest(".rb-tip, .headerlink, .math, script");
      found.push([text, inside ? " ".repeat(text.data.length) : text.data]);
    }
    return found;
  }

  /** Return a copy of a node without ids, links to itself and tips' terms that would stand twice. */
  function copied(node) {
    const copy = node.cloneNode(true);
    [copy, ...(copy.querySelectorAll?.("[id]") || [])].forEach((one) => one.removeAttribute?.("id"));
    copy.querySelectorAll?.(".headerlink, .rb-see, .bibtex-citation").forEach((one) => {
      const before = one.previousSibling;
      // Or a space is left before a full stop.
      if (before?.data && !/^\s*[^\s.,;:!?)]/.test(one.nextSibling?.textContent || "")) before.data = before.data.trimEnd();
      one.remove();
    });
    return copy;
  }

  /** Return how many letters the first sentences of a text have: one, or more if it is short. */
  function leadLength(text, sentences) {
    const ends = /[.!?]["”’)]*(?=\s+["“(]?\p{Lu}|\s*$)/gu;
    let [length, count] = [text.length, 0];
    for (const end of text.matchAll(ends)) {
      length = end.index + end[0].length;
      count += 1;
      if (count >= sentences && length >= SLIDES.few) break;
    }
    return length;
  }

  /** Return a paragraph that holds the first sentences of another. */
  function lead(paragraph, sentences = 1) {
    const texts = readable(paragraph);
    let left = leadLength(texts.map(([, text]) => text).join(""), sentences);
    const range = document.createRange();
    range.selectNodeContents(paragraph);
    for (const [node, text] of texts) {
      if (left <= text.length) {
        // What stands in a tip stays whole: a range must not end inside one.
        const home = node.parentElement.closest(".rb-result, .rb-term");
        if (home && left === text.length) range.setEndAfter(home);
        else range.setEnd(node, left);
        break;
      }
      left -= text.length;
    }
    const said = document.createElement("p");
    said.append(range.cloneContents());
    return copied(said);
  }

  /**
   * A slide in the making: a heading, what is said, what is shown, and where on the page it comes from.
   * Items are parts of a list of the page, for the empty list that is shown. One that is spare may be skipped.
   */
  function slide(from, heading, { kicker = "", said = [], shown = [], items = [], kind = "", spare = false } = {}) {
    return { from, heading, kicker, said: said.filter(Boolean), shown: shown.filter(Boolean), items, kind, spare };
  }

  /** What the lesson says around a slide: the words of its section, of which the slide shows the first. */
  function notesOf(from) {
    const section = from.closest("section");
    return section ? childrenOf(section, "p, ul, ol").filter((one) => one.textContent.trim()).map(copied) : [];
  }

  function plain(element) {
    return element ? copied(element).textContent.trim() : "";
  }

  function starts(paragraph, words) {
    const strong = paragraph.firstElementChild;
    return strong?.tagName === "STRONG" && paragraph.firstChild === strong && strong.textContent.startsWith(words);
  }

  const childrenOf = (node, tags) => [...node.children].filter((one) => one.matches(tags));

  /** The question of a chapter, then what the paper found and what this run did, then the finding's figure. */
  function opening(root) {
    const paragraphs = childrenOf(root, "p");
    const question = paragraphs.find((one) => starts(one, "") && one.firstElementChild.textContent.endsWith("?"));
    const title = copied(root.querySelector("h1"));
    title.querySelector(".rb-colon")?.remove();
    const asked = question ? copied(question.firstElementChild) : paragraphs[0] && lead(paragraphs[0]);
    const made = [slide(root, title, { said: [asked, copiedOrNothing(root, ".rb-strip > .rb-badge")], kind: "title" })];
    const found = [];
    for (const one of paragraphs) {
      if (starts(one, "The paper")) found.push([]);
      if (starts(one, "The paper") || starts(one, "This run")) found.at(-1)?.push(lead(one, 2));
    }
    found.forEach((said) => made.push(slide(root, "The paper and this run", { said, kind: "found" })));
    const figure = root.querySelector(":scope > .rb-finding");
    if (figure) made.push(slide(root, "What was found", { shown: [figure] }));
    return made;
  }

  function copiedOrNothing(root, selector) {
    const found = root.querySelector(selector);
    return found && copied(found);
  }

  /** The verdicts of a chapter, a few a slide: those in sight first, then those that its strip folds. */
  function verdicts(root) {
    const chips = [...root.querySelectorAll(":scope > .rb-strip .rb-chips > li")];
    return inParts(chips, SLIDES.claims).map((some, at) => {
      const list = document.createElement("ul");
      list.className = "rb-chips";
      list.append(...some.map(copied));
      return slide(root, "Verdicts on the claims", { shown: [list], kind: "verdicts", spare: at > 0 });
    });
  }

  /** A heading's section: its first sentence with what it shows first, then a slide for all else that it shows. */
  function body(section) {
    const title = plain(section.querySelector("h2"));
    const first = childrenOf(section, "p").find((one) => one.textContent.trim());
    const maths = childrenOf(section, "div.math");
    const all = [...section.querySelectorAll(SLIDES.visual)];
    const seen = all.filter((one) => !one.parentElement.closest(SLIDES.visual + ", details"));
    const tables = [...section.querySelectorAll(".rb-scroll")].filter((one) => !one.parentElement.closest(".rb-item, details"));
    // What the section says of a chart that it folds must not stand without it.
    const folded = all.filter((one) => one.matches("details.rb-aside .rb-figure"));
    const shown = seen.length ? seen : [...tables, ...folded].slice(0, 1);
    const said = [first && lead(first), ...maths.map(copied)];
    if (!first && !shown.length) return [];
    const head = slide(section, title, { said, shown: maths.length && first ? [] : shown.slice(0, 1) });
    const more = shown.slice(head.shown.length).map((one) => slide(one, nameOf(one, title), { kicker: title, shown: [one], spare: true }));
    return [head, ...more].flatMap((one) => [one, ...claims(one)]);
  }

  /** Several claims would leave a figure or a table no room: they follow it, a few a slide. One stands below it. */
  function claims(slid) {
    const [item] = slid.shown;
    const list = item?.querySelector(".rb-claims");
    const told = item ? [...item.querySelectorAll(":scope > .rb-claims > li, :scope > .rb-more > .rb-claims > li")] : [];
    if (told.length < 2 || !item.querySelector(":scope > :is(.rb-figure, .rb-sides)")) return [];
    const name = plain(item.querySelector("h3")) || slid.heading;
    return inParts(told, SLIDES.claims).map((items) => {
      const shown = [list.cloneNode(false)];
      return slide(item, name, { kicker: slid.kicker || slid.heading, shown, items, kind: "claims", spare: true });
    });
  }

  function nameOf(visual, otherwise) {
    const named = visual.querySelector("h3, figcaption, caption");
    const own = visual.matches(".rb-item, .rb-corruption") ? plain(visual.querySelector("h3")) : "";
    if (own || !named) return own || otherwise;
    const words = plain(named);
    return words.slice(0, leadLength(words, 1)) || otherwise;
  }

  /** What we learn, a few points a slide, each with its first sentence. */
  function points(section) {
    const told = childrenOf(section, "p").filter((one) => one.textContent.trim() && !starts(one, "Other seeds"));
    const named = told.filter((one) => starts(one, "")); // what has no name of its own leads on to other pages
    const said = (named.length > 1 ? named : told).map((one) => lead(one, 2));
    const title = plain(section.querySelector("h2"));
    return inParts(said, SLIDES.points).map((some) => slide(section, title, { said: some, kind: "points" }));
  }

  /** A belief, first alone, so that a class can vote, then with the figure that cures it. */
  function mistake(section) {
    const title = plain(section.querySelector("h2"));
    const [why, ...cure] = childrenOf(section, "p");
    const belief = section.querySelector("blockquote");
    const shown = [section.querySelector(".rb-figure")];
    return [
      slide(section, title, { said: [belief && copied(belief), why && copied(why)], kind: "title" }),
      slide(section, `Not so: “${plain(belief)}”`, { kicker: title, said: cure.map(copied), shown }),
    ];
  }

  /** A question a slide; its hint stays folded. */
  function questions(section) {
    const asked = childrenOf(section, "ol").flatMap((list) => [...list.children]);
    const hints = childrenOf(section, "details");
    const title = plain(section.querySelector("h2"));
    return asked.map((one, at) =>
      slide(one, title, { kicker: `Question ${at + 1}`, said: [...one.children].map(copied), shown: [hints[at]], kind: "question" }),
    );
  }

  /** The exercises, without their answers. */
  function exercises(section) {
    const list = document.createElement("ol");
    list.append(...childrenOf(section, "ol").flatMap((one) => [...one.children]).map(copied));
    return list.children.length ? [slide(section, plain(section.querySelector("h2")), { said: [list], kind: "points" })] : [];
  }

  const SECTIONS = {
    "use-it-in-your-own-code": () => [],
    "what-we-learn-and-what-deviates": points,
    "a-common-misconception": mistake,
    "to-discuss": questions,
    exercises,
  };

  /** Return the slides of a chapter, in its order; the verdicts stand before what is learnt from them. */
  function slidesOf(root) {
    const made = childrenOf(root, "section").flatMap((one) => (SECTIONS[one.id] || body)(one));
    const learnt = made.findIndex((one) => ["points", "title", "question"].includes(one.kind));
    made.splice(learnt < 0 ? made.length : learnt, 0, ...verdicts(root));
    return [...opening(root), ...made];
  }

  Object.assign(robust, { plain, slidesOf, notesOf });
}
