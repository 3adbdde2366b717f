// Tables: sort by a column, filter rows, unfold long ones, say at the edge that there is more,
// of a wide figure on a phone, too.
// Everything is readable without this file.

"use strict";

{
  const { make, matches, onPage } = robust;

  function valueOf(row, column) {
    const cell = row.cells[column];
    const stored = cell.dataset.sort;
    if (stored === "") return null;
    return stored === undefined ? cell.textContent.trim() || null : Number(stored);
  }

  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  }

  /** Return the headings of a table's columns, in their order; one over several columns is none. */
  function headsOf(table) {
    const [above, below] = [...table.tHead.rows].map((row) => [...row.cells]);
    if (!below) return above;
    const names = [...below];
    // A heading may stand over more columns than are shown.
    return above.flatMap((head) => (head.colSpan > 1 || head.rowSpan < 2 ? names.splice(0, head.dataset.span || head.colSpan) : [head]));
  }

  function sortBy(table, heads, column) {
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
    const heads = headsOf(table);
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = make("button", { className: "rb-sort", type: "button" }, ...head.childNodes);
      button.addEventListener("click", () => sortBy(table, heads, column));
      head.append(button);
    });
  }

  function makeFilterable(table) {
    const rows = [...table.tBodies[0].rows];
    const input = make("input", { type: "search" });
    const count = make("output", { textContent: `${rows.length} rows` });
    input.addEventListener("input", () => {
      rows.forEach((row) => (row.hidden = !matches(row.textContent, input.value)));
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
      table.classList.toggle("rb-folded", "fold" in table.dataset && !input.value);
    });
    const box = make("div", { className: "rb-filter" }, make("label", {}, "Filter ", input), count);
    table.closest(".rb-scroll").before(box);
  }

  function makeFolded(table) {
    const rows = table.tBodies[0].rows.length;
    const button = make("button", { className: "rb-switch rb-unfold", type: "button" });
    const fold = (folded) => {
      table.classList.toggle("rb-folded", folded);
      if (folded) table.dataset.fold = "";
      else delete table.dataset.fold;
      button.textContent = folded ? `Show all ${rows} rows` : "Show the first ten rows";
      button.setAttribute("aria-expanded", String(!folded));
    };
    button.addEventListener("click", () => fold(!("fold" in table.dataset)));
    fold(true);
    table.closest(".rb-scroll").after(make("p", {}, button));
  }

  /** Give the same columns of this run's table and of the paper's the same widths, one under the other. */
  function alignSides(sides) {
    const tables = [...sides.querySelectorAll(":scope > .rb-side > .rb-wide > table")];
    const heads = tables.map(headsOf);
    if (tables.length !== 2 || heads[0].length !== heads[1].length) return;
    const widths = heads[0].map((head, at) => Math.max(head.offsetWidth, heads[1][at].offsetWidth));
    const whole = widths.reduce((sum, one) => sum + one, 0);
    if (whole) heads.forEach((row) => row.forEach((head, at) => (head.style.width = `${(100 * widths[at]) / whole}%`)));
  }

  // --- what is taken away --------------------------------------------------------------------------

  /** Return what a cell says to a spreadsheet: a number without its unit, its notes and its interval. */
  function plainOf(cell) {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll("sup, .rb-ends, .rb-tip, .rb-heard").forEach((one) => one.remove());
    const shown = copy.textContent.trim().replace(/\s+/g, " ");
    const number = shown.replace(/ (%|points?)$/, "").replaceAll(",", "").replace("−", "-");
    if (shown === "–") return "";
    return number !== "" && !Number.isNaN(Number(number)) ? number : shown;
  }

  const endsOf = (cell) => cell.querySelector(".rb-ends")?.textContent.replaceAll("−", "-").match(/-?[\d.]+/g) || ["", ""];

  /** Return a table as lists of texts, its headings first; intervals have columns of their own. */
  function gridOf(table, rows) {
    const [above] = table.tHead.rows;
    const families = [...above.cells].flatMap((head) => Array(head.colSpan).fill(head.colSpan > 1 ? `${head.textContent} ` : ""));
    const names = headsOf(table).map((head, at) => `${families[at] ?? ""}${head.textContent.trim()}`);
    const wide = names.map((_, at) => rows.some((row) => row.cells[at]?.querySelector(".rb-ends")?.textContent));
    const line = (texts, ends) => texts.flatMap((text, at) => (wide[at] ? [text, ...ends(at)] : [text]));
    return [
      line(names, (at) => [`${names[at]} low`, `${names[at]} high`]),
      ...rows.map((row) => line([...row.cells].map(plainOf), (at) => endsOf(row.cells[at]))),
    ];
  }

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const WRITERS = {
    CSV: (grid) => grid.map((row) => `${row.map(quoted).join(",")}\n`).join(""),
    JSON: ([names, ...rows]) => {
      const known = (text) => (text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text));
      return JSON.stringify(rows.map((row) => Object.fromEntries(names.map((name, at) => [name, known(row[at])]))), null, 1);
    },
  };

  function offerFiles(table) {
    const save = (kind) => {
      const written = WRITERS[kind](gridOf(table, [...table.tBodies[0].rows]));
      const href = URL.createObjectURL(new Blob([written], { type: "text/plain" }));
      const name = (table.caption?.textContent || "table").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
      make("a", { href, download: `${name}.${kind.toLowerCase()}` }).click();
      setTimeout(() => URL.revokeObjectURL(href));
    };
    const buttons = Object.keys(WRITERS).map((kind) => {
      const button = make("button", { type: "button", textContent: kind });
      button.setAttribute("aria-label", `This table as ${kind}`);
      button.addEventListener("click", () => save(kind));
      return button;
    });
    table.closest(".rb-scroll").after(make("p", { className: "rb-small rb-take" }, "This table: ", ...buttons));
  }

  // Rows that are copied become numbers in a spreadsheet, whatever their cells show beside them.
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const home = selection.rangeCount ? selection.getRangeAt(0).commonAncestorContainer : null;
    const table = (home?.nodeType === Node.ELEMENT_NODE ? home : home?.parentElement)?.closest("table.rb-table");
    const rows = table ? [...table.tBodies[0].rows].filter((row) => !row.hidden && selection.containsNode(row, true)) : [];
    const cells = rows.flatMap((row) => [...row.cells]).filter((cell) => selection.containsNode(cell, true));
    if (cells.length < 2) return; // part of one cell is a text
    const [, ...grid] = gridOf(table, rows);
    event.clipboardData.setData("text/plain", grid.map((row) => row.join("\t")).join("\n"));
    event.preventDefault();
  });

  function fadeAtTheEdge(scroller) {
    const caption = scroller.querySelector("figcaption"); // does not scroll, and so does not fade
    const look = () => {
      const left = scroller.scrollWidth - scroller.clientWidth - scroller.scrollLeft;
      scroller.classList.toggle("rb-more-right", left > 2);
      if (caption && left > 2) scroller.style.setProperty("--rb-caption", `${scroller.getBoundingClientRect().bottom - caption.getBoundingClientRect().top}px`);
    };
    scroller.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(scroller);
    look();
  }

  onPage(".rb-scroll > table.rb-table", (table) => table.closest(".rb-board") || offerFiles(table));
  onPage("table[data-sortable]", makeSortable);
  onPage("table[data-long]", makeFolded);
  onPage("table[data-filterable]", makeFilterable);
  onPage(".rb-sides", alignSides);
  onPage(".rb-scroll, .rb-figure:has(> .rb-wide)", fadeAtTheEdge);
}
