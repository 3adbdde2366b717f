// The pictures behind a number: open a cell of a table, and see what a network got wrong there.
// Everything is readable without this file.

"use strict";

{
  const { make, onPage } = robust;

  function makeMistakes(block) {
    const body = block.parentElement.querySelector("table").tBodies[0];
    const [words, panel] = [block.querySelector("output"), block.querySelector(".rb-behind")];
    const usual = words.textContent;
    let opened = null;

    const picture = ({ file, title }, count, [truth, said, sure], place) => {
      const image = make("img", {
        src: file,
        alt: `${truth} ${title.slice(title.indexOf("under"))}, taken for ${said}`,
      });
      // The square of a row of squares; the first is at 0 %, the last at 100 %.
      image.style.objectPosition = `${(100 * place) / Math.max(1, count - 1)}% 0`;
      const wrong = make("span", { className: "rb-wrong", textContent: `→ ${said} ${sure}` });
      return make("li", {}, image, make("span", { textContent: truth }), wrong);
    };
    const show = (button, behind) => {
      opened?.setAttribute("aria-expanded", "false");
      opened = button === opened ? null : button;
      opened?.setAttribute("aria-expanded", "true");
      panel.hidden = !opened || !behind.file;
      words.textContent = opened ? `${behind.title}: ${behind.told}.` : usual;
      if (panel.hidden) return;
      const items = behind.seen.map((one, place) => picture(behind, behind.seen.length, one, place));
      panel.querySelector("ul").replaceChildren(...items);
      block.scrollIntoView({ block: "nearest" });
    };
    const close = () => {
      const button = opened;
      if (!button) return;
      show(button);
      button.focus();
    };

    // One stop of the Tab key for the whole table; arrow keys go on from there.
    const visit = (button) => {
      body.querySelectorAll(".rb-look").forEach((one) => (one.tabIndex = one === button ? 0 : -1));
      button.focus();
    };
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    body.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      const [cell, step] = [event.target.closest("td"), steps[event.key]];
      if (!cell || !step) return;
      event.preventDefault();
      const [row, column] = [[...body.rows].indexOf(cell.parentElement) + step[0], cell.cellIndex + step[1]];
      const next = body.rows[row]?.cells[column]?.querySelector(".rb-look");
      if (next) visit(next);
    });

    JSON.parse(block.querySelector("script").textContent).forEach((behinds, row) =>
      behinds.forEach((behind, column) => {
        const cell = body.rows[row].cells[column + 1];
        if (!behind) return;
        const button = make("button", { type: "button", className: "rb-look", tabIndex: -1 }, ...cell.childNodes);
        button.setAttribute("aria-label", `${button.textContent}, mistakes of ${behind.title}`);
        button.setAttribute("aria-expanded", "false");
        button.addEventListener("click", () => (visit(button), show(button, behind)));
        cell.append(button);
      }),
    );
    const first = body.querySelector(".rb-look");
    if (!first) return;
    first.tabIndex = 0;
    // So that screen readers hand on the arrow keys.
    body.parentElement.setAttribute("role", "grid");
    panel.querySelector("button").addEventListener("click", close);
    panel.addEventListener("keydown", (event) => event.key === "Escape" && close());
    block.hidden = false;
  }

  onPage(".rb-mistakes", makeMistakes);
}
