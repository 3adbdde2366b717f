// What if a setting of the paper were another? The controls of such a question, and its table.
// Each kind of question computes in a file of its own, read after this one, which adds to
// robust.whatIf: (data, settings, usual) -> {told, rows, marks}.
// Everything is readable without these files.

"use strict";

{
  const { kept, onPage, written } = robust;

  const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
  /** Return the mean; null of nothing, or where a number is missing. */
  const mean = (numbers) =>
    numbers.length && numbers.every((one) => one !== null) ? sum(numbers) / numbers.length : null;
  const percent = (fraction) => (fraction === null ? null : 100 * fraction);
  const less = (one, other) => (one === null || other === null ? null : one - other);

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
    const controls = [...form.elements].filter((one) => one.name);
    // What each control says, in order: a list is short, and the same one has the same address.
    const stateOf = () => controls.map((one) => (one.type === "checkbox" ? Number(one.checked) : one.value)).join(",");
    const first = stateOf();
    const keep = kept(section.id || `what-if-${section.dataset.kind}`, (text) => {
      const values = (text ?? first).split(",");
      if (values.length !== controls.length) return;
      controls.forEach((one, at) => {
        if (one.type === "checkbox") one.checked = values[at] === "1";
        else one.value = values[at];
      });
      show();
    });
    const change = (fleeting) => {
      show();
      keep(stateOf() === first ? null : stateOf(), fleeting);
    };
    form.addEventListener("input", (event) => change(event.target.type === "range"));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(change));
    form.querySelectorAll("[data-all]").forEach((button) =>
      button.addEventListener("click", () => {
        const boxes = [...button.closest("fieldset").querySelectorAll("input")];
        const wanted = !boxes.every((box) => box.checked);
        boxes.forEach((box) => (box.checked = wanted));
        change();
      }),
    );
    section.classList.add("rb-live");
    form.hidden = told.hidden = false;
    show();
  }

  Object.assign(robust, { less, listedNames, mean, percent, sum, whatIf: {} });
  onPage(".rb-what-if", makeWhatIf);
}
