"use strict";
{
  const { title, digest, files } = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 48;
  const WORDS = { k: "keep", d: "drop", u: "unsure" };
  const at = id => document.getElementById(id);
  const home = name => `robust-review ${digest} ${name}`;
  let reviewer = "", decisions = {}, past = [], here = 0;

  // A browser may refuse to keep anything for a file; then decisions live as long as the page.
  function remember() {
    try {
      localStorage.setItem(home(reviewer), JSON.stringify(decisions));
      localStorage.setItem(home(""), reviewer === "" ? JSON.stringify(decisions) : "{}");
      localStorage.setItem(`robust-review ${digest}`, reviewer);
    } catch { tell("This browser keeps nothing for files: save before you close the page."); }
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

  function card(index) {
    const { file, address, truth, said } = files[index];
    const name = truth ? `${truth}: ${file}` : file;
    const picture = make("img", { src: address, alt: name, loading: "lazy", decoding: "async" });
    picture.addEventListener("error", () => tell(`${file} could not be shown.`));
    const words = make("div", { className: "words" });
    if (truth) words.append(make("p", { className: "classes" }, make("b", {}, truth)));
    if (said) words.append(make("p", { className: "classes" }, `taken for ${said}`));
    words.append(make("p", { className: "file", title: file }, file));
    const choice = make("div", { className: "choice", role: "group", ariaLabel: `Decision on ${file}` });
    for (const word of Object.values(WORDS)) {
      const button = make("button", { type: "button", tabIndex: -1 }, word);
      button.dataset.word = word;
      button.addEventListener("click", () => { here = index; decide(word); });
      choice.append(button);
    }
    const item = make("li", { className: "card", tabIndex: -1, ariaLabel: name }, picture, words, choice);
    item.dataset.index = index;
    item.addEventListener("focus", () => { here = index; mark(); });
    picture.addEventListener("click", () => { here = index; item.focus(); item.classList.toggle("large"); });
    return item;
  }

  const first = () => here - here % PAGE;
  const cardHere = () => document.querySelector(`.card[data-index="${here}"]`);

  function page() {
    const shown = files.slice(first(), first() + PAGE).map((_, place) => card(first() + place));
    at("sheet").replaceChildren(...shown);
    at("page").textContent = `${first() + 1} to ${first() + shown.length} of ${files.length}`;
    at("before").disabled = first() === 0;
    at("after").disabled = first() + PAGE >= files.length;
    mark();
  }

  function mark() {
    for (const item of document.querySelectorAll(".card")) {
      const word = decisions[files[item.dataset.index].file];
      const current = Number(item.dataset.index) === here;
      if (word) item.dataset.word = word; else delete item.dataset.word;
      item.tabIndex = current ? 0 : -1;
      for (const button of item.querySelectorAll("button")) {
        button.ariaPressed = String(button.dataset.word === word);
        button.tabIndex = current ? 0 : -1;
      }
    }
    const words = Object.values(decisions);
    const counted = Object.values(WORDS).map(word => `${words.filter(one => one === word).length} ${word}`);
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
    mark();
  }

  function save() {
    rename(at("reviewer").value.trim());
    if (!reviewer) { tell("Write your name first: it is saved with the decisions."); at("reviewer").focus(); return; }
    const content = JSON.stringify({ format: 1, sheet: digest, reviewer, decisions }, null, 1);
    const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    const slug = reviewer.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "reviewer";
    make("a", { href: address, download: `decisions-${slug}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(), ArrowDown: columns() };
    if (key in WORDS) decide(WORDS[key]);
    else if (key === "z") undo();
    else if (key in steps) go(here + steps[key]);
    else if (key === "Enter" && event.target.tagName !== "BUTTON") cardHere().classList.toggle("large");
    else return;
    event.preventDefault();
  });
  at("undo").addEventListener("click", undo);
  at("save").addEventListener("click", save);
  at("before").addEventListener("click", () => go(first() - PAGE));
  at("after").addEventListener("click", () => go(first() + PAGE));
  at("reviewer").addEventListener("change", event => rename(event.target.value.trim()));

  document.title = at("title").textContent = `Review ${title}`;
  try { reviewer = localStorage.getItem(`robust-review ${digest}`) ?? ""; } catch { reviewer = ""; }
  at("reviewer").value = reviewer;
  decisions = recall(reviewer);
  here = Math.max(files.findIndex(one => !decisions[one.file]), 0);
  page();
}
