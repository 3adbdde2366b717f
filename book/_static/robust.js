// What the pages do by themselves: enlarge a figure, sort and filter a table, slide over images,
// explore corruptions.
// Everything is readable without this file.

"use strict";

/** Make an element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// --- enlarge -------------------------------------------------------------------------------------

function enlarge(picture) {
  const copy = picture.cloneNode(true);
  const name = picture.querySelector("title")?.textContent || picture.alt || "Figure";
  copy.querySelector("title")?.remove();
  copy.removeAttribute("aria-labelledby");
  copy.setAttribute("aria-label", name);
  const close = make("form", { method: "dialog" }, make("button", { textContent: "Close" }));
  const dialog = make("dialog", { className: "rb-zoom" }, close, copy);
  dialog.setAttribute("aria-label", name);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

function makeZoomable(picture) {
  if (picture.closest("a, .rb-frame, .rb-card, .rb-table, .rb-explorer")) return;
  const home = picture.closest(".rb-figure") || picture.parentElement;
  home.classList.add("rb-zoomable");
  const button = make("button", { className: "rb-enlarge", type: "button", textContent: "Enlarge" });
  button.addEventListener("click", () => enlarge(picture));
  picture.addEventListener("click", () => enlarge(picture));
  home.append(button);
}

// --- tables --------------------------------------------------------------------------------------

function valueOf(row, column) {
  const cell = row.cells[column];
  const stored = cell.dataset.sort;
  if (stored === "") return null;
  return stored === undefined ? cell.textContent.trim() : Number(stored);
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const up = heads[column].getAttribute("aria-sort") !== "ascending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
  const known = rows.filter(([value]) => value !== null).sort(([a], [b]) => compare(a, b));
  if (!up) known.reverse();
  const unknown = rows.filter(([value]) => value === null);
  body.append(...[...known, ...unknown].map(([, row]) => row));
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = make("button", { className: "rb-sort", type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column));
    head.append(button);
  });
}

function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  const input = make("input", { type: "search" });
  const count = make("output", { textContent: `${rows.length} rows` });
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    rows.forEach((row) => {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    });
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  });
  const box = make("div", { className: "rb-filter" }, make("label", {}, "Filter ", input), count);
  table.closest(".rb-scroll").before(box);
}

// --- the explorer of corruptions -----------------------------------------------------------------

function makeExplorer(explorer) {
  const range = explorer.querySelector("input[type=range]");
  const [clean, corrupted] = explorer.querySelectorAll(".rb-stage img");
  const choices = [...explorer.querySelectorAll(".rb-choice")];
  const told = explorer.querySelector(".rb-told output");
  const link = explorer.querySelector(".rb-told a");
  const chosen = (name) => explorer.querySelector(`input[name="explorer-${name}"]:checked`);
  const titleOf = (input) => input.closest("label").querySelector("span").textContent;

  const put = (image, corruption, severity) => {
    const words = { picture: chosen("picture").value, corruption, severity };
    const address = explorer.dataset.address.replace(/{(\w+)}/g, (_, word) => words[word]);
    if (image.getAttribute("src") !== address) image.src = address;
  };
  const show = () => {
    const [picture, corruption, severity] = [chosen("picture"), chosen("corruption"), +range.value];
    const [seen, name] = [titleOf(picture), titleOf(corruption)];
    explorer.classList.toggle("rb-coarse", "coarse" in picture.dataset);
    put(clean, "clean", 0);
    put(corrupted, corruption.value, severity);
    choices.forEach((choice) => put(choice.querySelector("img"), choice.control.value, severity));
    clean.alt = `${seen}, clean`;
    corrupted.alt = `${seen} under ${name}, severity ${severity} of 5`;
    corrupted.nextElementSibling.textContent = `${name}, severity ${severity} of 5`;
    const constants = JSON.parse(corruption.closest("label").dataset.told)[severity - 1];
    told.textContent = `${constants}.`;
    link.href = `#${corruption.value}`;
    range.setAttribute("aria-valuetext", `${severity} of 5`);
  };
  explorer.addEventListener("input", show);
  document.querySelectorAll(".rb-see").forEach((see) =>
    see.addEventListener("click", () => {
      explorer.querySelector(`input[value="${see.dataset.corruption}"]`).checked = true;
      show();
    }),
  );
  explorer.querySelector(".rb-controls").hidden = false;
  explorer.classList.add("rb-live");
  show();
}

// --- start ---------------------------------------------------------------------------------------

// Pages opened as files may not read each other, so search shows titles without excerpts there.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

document.addEventListener("DOMContentLoaded", () => {
  const all = (selector) => document.querySelectorAll(selector);
  all(".rb-figure > :is(svg, img), .bd-article .cell_output img, .bd-article figure > img").forEach(
    makeZoomable,
  );
  all("table[data-sortable]").forEach(makeSortable);
  all("table[data-filterable]").forEach(makeFilterable);
  all(".rb-explorer").forEach(makeExplorer);
});
