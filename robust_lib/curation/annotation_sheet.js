"use strict";
// What both stages share: one thing at a time, its picture, who annotates, undo, and the file.
// A stage says what it shows and which keys it takes, and starts with `start`.

const at = id => document.getElementById(id);
const { title, digest, saves, pictures, ...about } = JSON.parse(at("data").textContent);
const home = name => `robust-annotate ${digest} ${name}`;
let stage, annotator = "", work = {}, past = [], here = 0, zoom = 1;

const item = () => stage.items[here];
const picture = () => pictures[item().picture];

function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function draw(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function rect([left, top, right, bottom], attributes) {
  return draw("rect", { x: left, y: top, width: right - left, height: bottom - top, ...attributes });
}

function tell(words) { at("told").textContent = words; }

// A browser may refuse to keep anything for a file; then work lives as long as the page.
function remember() {
  try {
    localStorage.setItem(home(annotator), JSON.stringify(work));
    localStorage.setItem(home(""), annotator === "" ? JSON.stringify(work) : "{}");
    localStorage.setItem(`robust-annotate ${digest}`, annotator);
  } catch { tell("This browser stores nothing for local files: save before you close the page."); }
}

function recall(name) {
  try { return JSON.parse(localStorage.getItem(home(name))) ?? {}; } catch { return {}; }
}

const ofItem = () => work[item().id] ?? stage.blank();

// Every change of the work goes through here, so that each can be taken back.
function change(edit) {
  const { id } = item();
  const after = structuredClone(ofItem());
  edit(after);
  past.push([here, work[id]]);
  work[id] = after;
  remember();
  tell("");
}

function undo() {
  if (!past.length) return;
  const [index, before] = past.pop();
  const { id } = stage.items[index];
  if (before) work[id] = before; else delete work[id];
  remember();
  go(index);
}

function rename(name) {
  if (name === annotator) return;
  const found = recall(name);
  // What was done before a name was given goes with the name.
  work = annotator === "" ? { ...found, ...work } : found;
  annotator = name;
  past = [];
  remember();
  go(firstOpen());
}

const isDone = one => stage.isDone(work[one.id] ?? stage.blank());
const firstOpen = () => Math.max(stage.items.findIndex(one => !isDone(one)), 0);

function save() {
  rename(at("annotator").value.trim());
  if (!annotator) { tell("Enter your name first: it is saved with the answers."); at("annotator").focus(); return; }
  const content = JSON.stringify(stage.content(), null, 1);
  const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  const slug = annotator.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "annotator";
  make("a", { href: address, download: `${saves}-${slug}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  const left = stage.items.filter(one => !isDone(one)).length;
  if (left) tell(`Saved. ${left} of ${stage.items.length} ${stage.things} are still open.`);
}

// Pixels of the screen a pixel of the picture has.
function scale() {
  const { width, height } = picture();
  return zoom * Math.min((at("view").offsetWidth - 2) / width, (at("view").offsetHeight - 2) / height);
}

function fit() {
  const { width, height } = picture(), times = scale();
  Object.assign(at("stage").style, { width: `${width * times}px`, height: `${height * times}px` });
  stage.paint();
}

function magnify(times) {
  zoom = times ? Math.min(Math.max(zoom * times, 1), 16) : 1;
  fit();
}

function tally() {
  const done = stage.items.filter(isDone).length;
  at("count").textContent = `${done} of ${stage.items.length} ${stage.things} done`;
  Object.assign(at("progress"), { max: stage.items.length, value: done });
  at("undo").disabled = past.length === 0;
}

function go(index) {
  here = Math.min(Math.max(index, 0), stage.items.length - 1);
  const { address, width, height, file } = picture(), shown = at("picture");
  if (shown.dataset.file !== file) {
    Object.assign(shown, { src: address, alt: file });
    shown.dataset.file = file;
    at("boxes").setAttribute("viewBox", `0 0 ${width} ${height}`);
    zoom = 1;
  }
  at("where").textContent = `${file}, ${width} × ${height} pixels`;
  at("page").textContent = `${here + 1} of ${stage.items.length}`;
  at("before").disabled = here === 0;
  at("after").disabled = here + 1 >= stage.items.length;
  stage.enter();
  fit();
  tally();
  const next = stage.items[here + 1];
  if (next) new Image().src = pictures[next.picture].address;
}

const isWriting = target => ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);

function start(given) {
  stage = given;
  document.title = at("title").textContent = `${stage.title} ${title}`;
  at("keys").append(...[...stage.keys, ["z", "undo"], ["+ −", "zoom"], ["0", "fit"]].map(([key, label]) =>
    make("span", {}, make("kbd", {}, key), ` ${label}`)));
  const shared = { z: undo, PageUp: () => go(here - 1), PageDown: () => go(here + 1),
    "+": () => magnify(1.5), "-": () => magnify(1 / 1.5), 0: () => magnify(0) };
  document.addEventListener("keydown", event => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isWriting(event.target)) stage.written?.(event);
    else if (stage.press(event) || (plain && Object.hasOwn(shared, event.key) && (shared[event.key](), true))) event.preventDefault();
  });
  at("undo").addEventListener("click", undo);
  at("save").addEventListener("click", save);
  at("before").addEventListener("click", () => go(here - 1));
  at("after").addEventListener("click", () => go(here + 1));
  at("annotator").addEventListener("change", event => rename(event.target.value.trim()));
  at("picture").addEventListener("error", () => tell(`${picture().file} could not be shown.`));
  at("picture").addEventListener("load", ({ target }) => {
    const { file, width, height } = picture();
    if (target.naturalWidth === width && target.naturalHeight === height) return;
    tell(`${file} has ${target.naturalWidth} × ${target.naturalHeight} pixels here, not ${width} × ${height}: boxes would not fit. Write the sheet again.`);
  });
  new ResizeObserver(fit).observe(at("view"));
  followHost();
  // A busy Chromium shows a file an empty store, and keeps nothing in it, before its first frame.
  requestAnimationFrame(() => {
    try { annotator = localStorage.getItem(`robust-annotate ${digest}`) ?? ""; } catch { annotator = ""; }
    at("annotator").value = annotator;
    work = recall(annotator);
    go(firstOpen());
  });
}

// Inside of another page, the sheet is as dark as that page and not as the system.
function followHost() {
  let host;
  try { host = frameElement?.ownerDocument.documentElement; } catch { return; }
  if (!host) return;
  const rules = [...document.styleSheets[0].cssRules].filter(rule => rule.media?.mediaText.includes("prefers-color-scheme"));
  const follow = () => {
    const { theme } = host.dataset;
    if (!theme) return;
    for (const rule of rules) rule.media.mediaText = theme === "dark" ? "all" : "not all";
    document.documentElement.style.colorScheme = theme;
  };
  new MutationObserver(follow).observe(host, { attributeFilter: ["data-theme"] });
  follow();
}
