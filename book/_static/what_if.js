// What if a setting of the paper were another? The controls of such a question, and its table.
// Each kind of question computes in a file of its own, read after this one, which adds to
// robust.whatIf: (data, settings, usual) -> {told, rows, marks}.
// Everything is readable without these files.

"use strict";

{
  const { onPage } = robust;

  const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
  /** Return the mean; null of nothing, or where a number is missing. */
  const mean = (numbers) =>
    numbers.length && numbers.every((one) => one !== null) ? sum(numbers) / numbers.length : null;
  const percent = (fraction) => (fraction === null ? null : 100 * fraction);
  const less = (one, other) => (one === null || other === null ? null : one - other);

  /** Return a number as the library's tables write it, of two equally near the even one. */
  function written(value, places = 1) {
    if (value === null) return "–";
    const scaled = value * 10 ** places;
    const between = Number.isInteger(value * 2 ** (places + 1)) && Math.abs(scaled % 1) === 0.5;
    const rounded = between ? (2 * Math.round(scaled / 2)) / 10 ** places : value;
    const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
    const shown = Math.abs(rounded).toLocaleString("en-US", digits);
    return rounded < 0 && /[1-9]/.test(shown) ? `−${shown}` : shown;
  }

  /** Return names as a sentence lists them, at most some of them. */
  function listedNames(names, most = 6) {
    const shown = names.slice(0, most);
    if (names.length > most) return `${shown.join(", ")} and ${names.length - most} more`;
    return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : shown.join("");
  }

  /** Return what the controls say: numbers of ranges, texts of lists, and lists of ticked values. */
  function settingsOf(form) {
    const settings = {};
    for (const one of form.elements) {
      if (one.type === "checkbox") (settings[one.name] ??= []).push(...(one.checked ? [one.value] : []));
      else if (one.name) settings[one.name] = one.type === "range" ? Number(one.value) : one.value;
    }
    return settings;
  }

  function put(cell, value, places) {
    cell.dataset.sort = value ?? "";
    cell.textContent = written(value, places);
  }

  function makeWhatIf(section) {
    const form = section.querySelector("form");
    const data = JSON.parse(section.querySelector("script").textContent);
    const compute = robust.whatIf[section.dataset.kind];
    const told = section.querySelector(".rb-told");
    // Sorted by a reader, rows stay the same.
    const rows = [...section.querySelector("tbody").rows].map((row) => [...row.cells].slice(1));
    const places = rows[0].map((_, column) => {
      const numbers = rows.map((cells) => cells[column].textContent).filter((number) => number !== "–");
      return numbers.length ? Math.max(...numbers.map((number) => number.split(".")[1]?.length ?? 0)) : 1;
    });
    const usual = compute(data, settingsOf(form), null);
    const marks = usual.marks && section.insertBefore(document.createElement("p"), section.querySelector(".rb-scroll"));
    if (marks) marks.className = "rb-marks";
    if (marks) marks.ariaHidden = "true";

    const show = () => {
      const found = compute(data, settingsOf(form), usual);
      told.firstElementChild.textContent = found.told;
      rows.forEach((cells, row) => cells.forEach((cell, column) => put(cell, found.rows[row][column], places[column])));
      marks?.replaceChildren(
        ...found.marks.map(([title, state]) => Object.assign(document.createElement("i"), { title, className: state })),
      );
      form.querySelectorAll("input[type=range]").forEach((range) => {
        const words = `${range.value}${range.dataset.unit}`;
        range.setAttribute("aria-valuetext", words);
        range.nextElementSibling.textContent = words;
      });
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(show));
    form.querySelectorAll("[data-all]").forEach((button) =>
      button.addEventListener("click", () => {
        const boxes = [...button.closest("fieldset").querySelectorAll("input")];
        const wanted = !boxes.every((box) => box.checked);
        boxes.forEach((box) => (box.checked = wanted));
        show();
      }),
    );
    section.classList.add("rb-live");
    form.hidden = told.hidden = false;
    show();
  }

  Object.assign(robust, { less, listedNames, mean, percent, sum, written, whatIf: {} });
  onPage(".rb-what-if", makeWhatIf);
}
