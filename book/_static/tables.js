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

  onPage("table[data-sortable]", makeSortable);
  onPage("table[data-long]", makeFolded);
  onPage("table[data-filterable]", makeFilterable);
  onPage(".rb-scroll, .rb-figure:has(> .rb-wide)", fadeAtTheEdge);
}
