// The explorer of corruptions: choose a picture, a corruption and a severity.
// Everything is readable without this file.

"use strict";

{
  const { kept, onPage } = robust;

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
      link.textContent = `${name}: definition and formula`;
      link.href = `#${corruption.value}`;
      range.setAttribute("aria-valuetext", `${severity} of 5`);
    };
    const stateOf = () => [chosen("picture").value, chosen("corruption").value, range.value].join(",");
    const usual = stateOf();
    const keep = kept("seen", (text) => {
      const [picture, corruption, severity] = (text ?? usual).split(",");
      [["picture", picture], ["corruption", corruption]].forEach(([name, value]) => {
        const input = [...explorer.querySelectorAll(`input[name="explorer-${name}"]`)].find((one) => one.value === value);
        if (input) input.checked = true;
      });
      if (severity) range.value = severity;
      show();
    });
    explorer.addEventListener("input", (event) => {
      show();
      keep(stateOf() === usual ? null : stateOf(), event.target === range);
    });
    document.querySelectorAll(".rb-see").forEach((see) =>
      see.addEventListener("click", () => {
        explorer.querySelector(`input[value="${see.dataset.corruption}"]`).checked = true;
        show();
        keep(stateOf());
      }),
    );
    explorer.querySelector(".rb-controls").hidden = false;
    explorer.classList.add("rb-live");
    show();
  }

  onPage(".rb-explorer", makeExplorer);
}
