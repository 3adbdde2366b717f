// Long lists: the ledger by verdict, the networks one by one.
// Everything is readable without this file.

"use strict";

{
  const { kept, onPage } = robust;

  function filterLedger(bar) {
    const buttons = [...bar.querySelectorAll("button")];
    const rows = [...document.querySelectorAll(".rb-ledger tbody tr")];
    const absent = [...document.querySelectorAll(".rb-absent-items")];
    const count = bar.querySelector("output");
    const show = () => {
      const wanted = buttons.filter((one) => one.getAttribute("aria-pressed") === "true");
      const words = wanted.map((one) => one.dataset.verdict);
      rows.forEach((row) => (row.hidden = words.length > 0 && !words.includes(row.dataset.verdict)));
      absent.forEach((list) => (list.open = words.includes("not built")));
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
      document.querySelectorAll(".rb-ledger").forEach((table) => {
        table.hidden = ![...table.tBodies[0].rows].some((row) => !row.hidden);
      });
    };
    buttons.forEach((button) => {
      const there = rows.some((row) => row.dataset.verdict === button.dataset.verdict);
      button.hidden = !there && !(button.dataset.verdict === "not built" && absent.length);
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        show();
        const pressed = buttons.filter((one) => one.getAttribute("aria-pressed") === "true");
        keep(pressed.length ? pressed.map((one) => one.dataset.verdict).join(",") : null);
      });
    });
    const keep = kept("show", (words) => {
      const wanted = words?.split(",") ?? [];
      buttons.forEach((one) => one.setAttribute("aria-pressed", String(wanted.includes(one.dataset.verdict))));
      show();
    });
    bar.hidden = false;
  }

  function chooseNetwork(box) {
    const select = box.querySelector("select");
    const cards = [...document.querySelectorAll(".rb-network")];
    const show = () => cards.forEach((card) => (card.hidden = select.value !== "" && card.id !== select.value));
    const keep = kept("network", (id) => {
      select.value = cards.some((card) => card.id === id) ? id : "";
      show();
    });
    select.addEventListener("change", () => {
      show();
      keep(select.value || null);
    });
    window.addEventListener("hashchange", () => {
      if (location.hash.includes("=")) return;
      select.value = "";
      show();
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    });
    box.hidden = false;
  }

  onPage(".rb-ledger-filters", filterLedger);
  onPage(".rb-choose", chooseNetwork);
}
