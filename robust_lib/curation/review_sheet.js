"use strict";
{
  const { title, digest, mode, files: listed } = JSON.parse(document.getElementById("data").textContent);
  const { question, choices, page: PAGE, shuffled } = mode;
  const KEYS = Object.fromEntries(choices.map(({ key, word }) => [key, word]));
  const at = id => document.getElementById(id);
  const home = name => `robust-review ${digest} ${name}`;
  let files = listed, reviewer = "", decisions = {}, past = [], here = 0;

  // A browser may refuse to keep anything for a file; then decisions live as long as the page.
  function remember() {
    try {
      localStorage.setItem(home(reviewer), JSON.stringify(decisions));
      localStorage.setItem(home(""), reviewer === "" ? JSON.stringify(decisions) : "{}");
      localStorage.setItem(`robust-review ${digest}`, reviewer);
    } catch { tell("This browser stores nothing for local files: save before you close the page."); }
  }

  function recall(name) {
    try { return JSON.parse(localStorage.getItem(home(name))) ?? {}; } catch { return {}; }
  }

  function tell(words) { at("told").textContent = words; }

  function make(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  // A number that looks drawn by lot, and is the same for the same text (FNV-1a, then mixed).
  function lot(text) {
    let number = 2166136261;
    for (let place = 0; place < text.length; place++) number = Math.imul(number ^ text.charCodeAt(place), 16777619);
    number = Math.imul(number ^ (number >>> 16), 2246822507);
    number = Math.imul(number ^ (number >>> 13), 3266489909);
    return (number ^ (number >>> 16)) >>> 0;
  }

  // Each reviewer has an order of their own, which is the same whenever they come back.
  function arrange() {
    const lots = new Map(listed.map(({ file }) => [file, shuffled ? lot(`${digest} ${reviewer} ${file}`) : 0]));
    files = [...listed].sort((one, other) => lots.get(one.file) - lots.get(other.file));
    here = Math.max(files.findIndex(one => !decisions[one.file]), 0);
  }

  function shown({ address, caption }, name, file) {
    const picture = make("img", { src: address, alt: caption ? `${name}, ${caption}` : name, decoding: "async" });
    if (PAGE > 1) picture.loading = "lazy";
    picture.addEventListener("error", () => tell(`${file} could not be shown.`));
    return caption ? make("figure", {}, make("figcaption", {}, caption), picture) : picture;
  }

  function card(index) {
    const { file, pictures, truth, said } = files[index];
    const name = truth ? `${truth}: ${file}` : file;
    const look = make("div", { className: "look" }, ...pictures.map(one => shown(one, name, file)));
    const words = make("div", { className: "words" });
    if (truth) words.append(make("p", { className: "classes" }, make("b", {}, truth)));
    if (said) words.append(make("p", { className: "classes" }, `taken for ${said}`));
    words.append(make("p", { className: "file", title: file }, file));
    const choice = make("div", { className: "choice", role: "group", ariaLabel: `Decision on ${file}` });
    for (const { key, word, label, tone, group } of choices) {
      const button = make("button", { type: "button", tabIndex: -1 }, label);
      if (PAGE === 1) button.append(" ", make("kbd", {}, key));
      Object.assign(button.dataset, { word, tone });
      button.addEventListener("click", () => { here = index; decide(word); });
      if (group && choice.lastChild?.ariaLabel !== group) {
        choice.append(make("div", { className: "group", role: "group", ariaLabel: group }, `${group}:`));
      }
      (group ? choice.lastChild : choice).append(button);
    }
    const item = make("li", { className: "card", tabIndex: -1, ariaLabel: name }, look, words, choice);
    item.dataset.index = index;
    item.addEventListener("focus", () => { here = index; mark(); });
    if (PAGE > 1) look.addEventListener("click", () => { here = index; item.focus(); enlarge(); });
    return item;
  }

  const first = () => here - here % PAGE;
  const cardHere = () => document.querySelector(`.card[data-index="${here}"]`);
  const enlarge = () => cardHere().classList.toggle("large");

  function page() {
    const cards = files.slice(first(), first() + PAGE).map((_, place) => card(first() + place));
    at("sheet").replaceChildren(...cards);
    const last = first() + cards.length;
    at("page").textContent = `${first() + 1}${PAGE > 1 ? ` to ${last}` : ""} of ${files.length}`;
    at("before").disabled = first() === 0;
    at("after").disabled = last >= files.length;
    // The next pictures are there when they are turned to.
    for (const { pictures } of PAGE === 1 ? files.slice(last, last + 2) : []) {
      for (const { address } of pictures) new Image().src = address;
    }
    mark();
  }

  function mark() {
    for (const item of document.querySelectorAll(".card")) {
      const word = decisions[files[item.dataset.index].file];
      const current = Number(item.dataset.index) === here;
      const choice = choices.find(one => one.word === word);
      if (choice) Object.assign(item.dataset, { word, tone: choice.tone });
      else { delete item.dataset.word; delete item.dataset.tone; }
      item.tabIndex = current ? 0 : -1;
      for (const button of item.querySelectorAll("button")) {
        button.ariaPressed = String(button.dataset.word === word);
        button.tabIndex = current ? 0 : -1;
      }
    }
  }

  function tally() {
    const words = files.map(one => decisions[one.file]).filter(Boolean);
    const said = new Map(choices.map(({ word }) => [word, 0]));
    for (const word of words) said.set(word, said.get(word) + 1);
    const counted = choices.map(({ word, label }) => `${said.get(word)} ${label}`);
    at("count").textContent = `${words.length} of ${files.length} decided: ${counted.join(", ")}`;
    at("progress").max = files.length;
    at("progress").value = words.length;
    at("undo").disabled = past.length === 0;
  }

  function go(index) {
    const before = first();
    here = Math.min(Math.max(index, 0), files.length - 1);
    if (first() !== before) page();
    cardHere().focus();
    cardHere().scrollIntoView({ block: "nearest" });
  }

  function decide(word) {
    const { file } = files[here];
    past.push([here, decisions[file]]);
    decisions[file] = word;
    remember();
    tell("");
    mark();
    tally();
    const large = cardHere().classList.contains("large");
    if (here + 1 < files.length) {
      cardHere().classList.remove("large");
      go(here + 1);
      cardHere().classList.toggle("large", large);
    } else cardHere().focus();
  }

  function undo() {
    if (!past.length) return;
    const [index, before] = past.pop();
    if (before) decisions[files[index].file] = before; else delete decisions[files[index].file];
    remember();
    go(index);
    mark();
    tally();
  }

  function columns() {
    return getComputedStyle(at("sheet")).gridTemplateColumns.split(" ").length;
  }

  function rename(name) {
    if (name === reviewer) return;
    const found = recall(name);
    // What was decided before a name was given goes with the name.
    decisions = reviewer === "" ? { ...found, ...decisions } : found;
    reviewer = name;
    past = [];
    remember();
    tally();
    if (!shuffled) { mark(); return; }
    arrange();
    page();
  }

  function save() {
    rename(at("reviewer").value.trim());
    if (!reviewer) { tell("Enter your name first: it is saved with the decisions."); at("reviewer").focus(); return; }
    const content = JSON.stringify({ format: 1, sheet: digest, reviewer, decisions }, null, 1);
    const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    const slug = reviewer.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "reviewer";
    make("a", { href: address, download: `${mode.saves}-${slug}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(), ArrowDown: columns() };
    if (key in KEYS) decide(KEYS[key]);
    else if (key === "z") undo();
    else if (key in steps) go(here + steps[key]);
    else if (key === "Enter" && PAGE > 1 && event.target.tagName !== "BUTTON") enlarge();
    else return;
    event.preventDefault();
  });
  at("undo").addEventListener("click", undo);
  at("save").addEventListener("click", save);
  at("before").addEventListener("click", () => go(first() - PAGE));
  at("after").addEventListener("click", () => go(first() + PAGE));
  at("reviewer").addEventListener("change", event => rename(event.target.value.trim()));

  const help = [...choices.map(({ key, label }) => [[key], label]),
    [PAGE > 1 ? ["←", "→", "↑", "↓"] : ["←", "→"], "move"], [["z"], "undo"],
    ...PAGE > 1 ? [[["Enter"], "enlarge"]] : []];
  at("keys").append(...help.map(([keys, label]) =>
    make("span", {}, ...keys.flatMap(key => [make("kbd", {}, key), " "]), label)));
  at("question").textContent = question;
  document.body.classList.toggle("single", PAGE === 1);
  if (PAGE === 1) for (const [id, key] of [["before", "←"], ["after", "→"]]) at(id).append(" ", make("kbd", {}, key));
  document.title = at("title").textContent = `Review ${title}`;
  // A busy Chromium shows a file an empty store, and keeps nothing in it, before its first frame.
  requestAnimationFrame(() => {
    try { reviewer = localStorage.getItem(`robust-review ${digest}`) ?? ""; } catch { reviewer = ""; }
    at("reviewer").value = reviewer;
    decisions = recall(reviewer);
    arrange();
    page();
    tally();
  });
}
