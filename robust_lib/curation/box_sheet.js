// The second stage: boxes are drawn, moved, resized and named, by mouse, finger or keys alone.
// A box is [left, top, right, bottom] in pixels of the picture; what is drawn has whole numbers.
{
  const { categories } = about;
  const items = pictures.map(({ file }, number) => ({ id: file, picture: number }));
  const proposals = () => picture().proposals.map((one, number) => ({ ...one, number }))
    .filter(({ number }) => !ofItem().seen.includes(number));
  // What is current: a box of the work, a proposal, or nothing.
  let current = null, drag = null, last = categories[0].name;

  const boxes = () => ofItem().boxes;
  const chosen = () => current && (current.proposal ? proposals() : boxes())[current.at];
  const isBox = () => Boolean(current && !current.proposal && chosen());
  const same = (one, other) => Boolean(one && other && one.proposal === other.proposal && one.at === other.at);

  // Whole pixels inside of the picture, a pixel wide at least, whichever corner came first.
  function tidy([x1, y1, x2, y2]) {
    const { width, height } = picture();
    const side = (one, other, most) => {
      const low = Math.min(Math.max(Math.round(Math.min(one, other)), 0), most - 1);
      return [low, Math.min(Math.max(Math.round(Math.max(one, other)), low + 1), most)];
    };
    const [left, right] = side(x1, x2, width), [top, bottom] = side(y1, y2, height);
    return [left, top, right, bottom];
  }

  function moved([left, top, right, bottom], x, y) {
    const { width, height } = picture();
    const across = Math.min(Math.max(Math.round(x), -left), width - right);
    const down = Math.min(Math.max(Math.round(y), -top), height - bottom);
    return [left + across, top + down, right + across, bottom + down];
  }

  function resized([left, top, right, bottom], side, x, y) {
    return [left + (side.includes("w") ? x : 0), top + (side.includes("n") ? y : 0),
      right + (side.includes("e") ? x : 0), bottom + (side.includes("s") ? y : 0)];
  }

  const many = ({ length }, one, more) => `${length} ${length === 1 ? one : more}`;

  function words({ box: [left, top, right, bottom], category }) {
    const round = value => Math.round(100 * value) / 100;
    return `${category}: x ${round(left)}, y ${round(top)}, width ${round(right - left)}, height ${round(bottom - top)}`;
  }

  function shape(one, which) {
    const text = 12 / scale(), { box } = one;
    const kind = which.proposal ? "proposal" : "own";
    const group = draw("g", {
      class: same(which, current) ? `${kind} current` : kind, tabindex: 0, role: "button", "aria-pressed": same(which, current),
      "aria-label": `${which.proposal ? "proposed " : ""}${words(one)}`, "data-kind": kind, "data-at": which.at,
    });
    group.append(rect(box, { class: "under" }), rect(box, { class: "line" }), rect(box, { class: "grip" }));
    group.append(draw("text", { x: box[0] + text / 3, y: Math.max(box[1] - text / 3, text), "font-size": text }, one.category));
    group.addEventListener("focus", () => { if (!same(which, current)) choose(which); });
    return group;
  }

  // What the current box is held by: its inside below all boxes, so that smaller ones can be reached,
  // and its handles above.
  const hold = parts => isBox() ? [draw("g", { "data-kind": "own", "data-at": current.at }, ...parts(chosen().box))] : [];

  function handles([left, top, right, bottom]) {
    const half = 5 / scale(), xs = { w: left, e: right }, ys = { n: top, s: bottom };
    const held = (side, x1, y1, x2, y2, looks) => rect([x1 - half, y1 - half, x2 + half, y2 + half], {
      class: looks, "data-side": side, style: `cursor: ${side}-resize`,
    });
    return [
      ...Object.entries(ys).map(([side, y]) => held(side, left, y, right, y, "edge")),
      ...Object.entries(xs).map(([side, x]) => held(side, x, top, x, bottom, "edge")),
      ...Object.entries(ys).flatMap(([one, y]) => Object.entries(xs).map(([other, x]) => held(one + other, x, y, x, y, "handle"))),
    ];
  }

  function paint() {
    const focused = at("boxes").contains(document.activeElement);
    const { width, height } = picture();
    const all = [
      ...proposals().map((one, place) => [one, { proposal: true, at: place }]),
      ...boxes().map((one, place) => [one, { proposal: false, at: place }]),
    ];
    const one = chosen();
    at("boxes").replaceChildren(
      rect([0, 0, width, height], { class: "catch" }), ...hold(box => [rect(box, { class: "body" })]),
      ...all.map(each => shape(...each)), ...hold(handles),
    );
    if (drag?.kind === "draw") at("boxes").append(rect(tidy(drag.box), { class: "under" }), rect(tidy(drag.box), { class: "line" }));
    if (focused) focus();
    at("box").textContent = one ? `${current.proposal ? "Proposed. " : ""}${words(one)}` : `${many(boxes(), "box", "boxes")}, ${many(proposals(), "proposal", "proposals")} left`;
    Object.assign(at("category"), { value: one?.category ?? last, disabled: !isBox() });
    at("remove").disabled = !one;
    at("accept").disabled = !current?.proposal;
    at("accept-all").disabled = !proposals().length;
  }

  function focus() {
    at("boxes").querySelector(".current")?.focus({ preventScroll: true });
  }

  function choose(which, focusing = false) {
    current = which;
    paint();
    if (focusing) focus();
  }

  function update(edit, which = current) {
    change(edit);
    choose(which, true);
    tally();
  }

  function add(box) {
    const place = boxes().length;
    update(of => { of.boxes.push({ box: tidy(box), category: last }); }, { proposal: false, at: place });
  }

  function create() {
    const { width, height } = picture();
    add([width / 4, height / 4, 3 * width / 4, 3 * height / 4]);
  }

  function reshape(box) {
    update(of => { of.boxes[current.at].box = box; });
  }

  function name(category) {
    last = category;
    if (isBox()) update(of => { of.boxes[current.at].category = category; });
  }

  function accept() {
    if (!current?.proposal) return;
    const { number, box, category } = chosen(), place = boxes().length;
    update(of => { of.boxes.push({ box, category }); of.seen.push(number); }, { proposal: false, at: place });
  }

  function acceptAll() {
    const all = proposals();
    update(of => {
      for (const { number, box, category } of all) { of.boxes.push({ box, category }); of.seen.push(number); }
    }, null);
  }

  function remove() {
    const one = chosen();
    if (!one) return;
    update(of => { if (current.proposal) of.seen.push(one.number); else of.boxes.splice(current.at, 1); }, null);
  }

  function finish() {
    change(of => { of.done = true; });
    if (here + 1 < items.length) go(here + 1); else { tally(); paint(); }
  }

  // Where on the picture a pointer is, in pixels of it.
  function point({ clientX, clientY }) {
    const seen = at("stage").getBoundingClientRect(), { width, height } = picture();
    const inside = (value, most) => Math.min(Math.max(value, 0), most);
    return [inside((clientX - seen.left) * width / seen.width, width), inside((clientY - seen.top) * height / seen.height, height)];
  }

  at("boxes").addEventListener("pointerdown", event => {
    if (event.button || drag) return;
    event.preventDefault();
    const group = event.target.closest("[data-at]"), from = point(event);
    const which = group && { proposal: group.dataset.kind === "proposal", at: Number(group.dataset.at) };
    const onBox = which && !event.shiftKey;
    if (onBox) choose(which, true); else choose(null);
    const side = onBox && event.target.dataset.side;
    const kind = !onBox ? "draw" : which.proposal ? "none" : side ? "resize" : "move";
    drag = { kind, side, from, old: chosen()?.box, box: chosen()?.box };
    at("boxes").setPointerCapture(event.pointerId);
  });

  at("boxes").addEventListener("pointermove", event => {
    const [x, y] = point(event);
    at("where").textContent = `${picture().file}: x ${Math.floor(x)}, y ${Math.floor(y)}`;
    if (!drag || drag.kind === "none") return;
    const [x0, y0] = drag.from;
    if (drag.kind === "draw") drag.box = [x0, y0, x, y];
    else drag.box = drag.kind === "move" ? moved(drag.old, x - x0, y - y0) : tidy(resized(drag.old, drag.side, x - x0, y - y0));
    if (drag.kind === "draw") paint(); else preview(drag.box);
  });

  // A box under the pointer is not a change until the pointer is lifted.
  function preview(box) {
    const before = work[item().id];
    work[item().id] = structuredClone(before);
    boxes()[current.at].box = box;
    paint();
    work[item().id] = before;
  }

  function drop(event) {
    if (!drag) return;
    const { kind, box, old, from } = drag;
    drag = null;
    const [x, y] = point(event);
    // A click that hardly moves draws nothing.
    const drawn = kind === "draw" && Math.max(Math.abs(x - from[0]), Math.abs(y - from[1])) * scale() > 4;
    if (event.type === "pointercancel") paint();
    else if (drawn) add(box);
    else if (isBox() && String(box) !== String(old)) reshape(box);
    else paint();
  }
  at("boxes").addEventListener("pointerup", drop);
  at("boxes").addEventListener("pointercancel", drop);

  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const keys = { n: create, a: accept, A: acceptAll, Delete: remove, Backspace: remove, x: remove, d: finish,
    l: () => at("category").focus(), Escape: () => choose(null) };

  function press(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    if (metaKey || altKey) return false;
    if (key in steps && isBox()) {
      const [x, y] = steps[key].map(step => step * (ctrlKey ? 10 : 1)), { box } = chosen();
      reshape(shiftKey ? larger(box, x, y) : moved(box, x, y));
    } else if (key === "Tab" && !shiftKey && target === document.body) at("boxes").querySelector("[role]")?.focus();
    else if (key === "Enter" && current?.proposal && target.tagName !== "BUTTON") accept();
    else if (!ctrlKey && Object.hasOwn(keys, key)) keys[key]();
    else return false;
    return true;
  }

  // The right and the lower edge move, and stop a pixel from the others.
  function larger([left, top, right, bottom], x, y) {
    const { width, height } = picture();
    const edge = (value, low, most) => Math.min(Math.max(Math.round(value), Math.floor(low) + 1), most);
    return [left, top, x ? edge(right + x, left, width) : right, y ? edge(bottom + y, top, height) : bottom];
  }

  // Enter and Escape lead from the list of labels back to the box.
  function written({ key, target }) {
    if (target === at("category") && (key === "Enter" || key === "Escape")) focus();
  }

  const tool = (id, label, key, act, looks = "") => {
    const button = make("button", { id, type: "button", className: looks }, label, " ", make("kbd", {}, key));
    button.addEventListener("click", act);
    return button;
  };
  at("side").append(
    make("p", {}, `Put a box around every object of these ${categories.length} classes.`),
    make("p", { id: "box", role: "status" }),
    make("label", { htmlFor: "category" }, "Label ", make("kbd", {}, "l")),
    make("select", { id: "category" }, ...categories.map(({ name: label }) => make("option", {}, label))),
    make("div", { className: "tools" },
      tool("new", "New box", "n", create), tool("remove", "Delete", "x", remove),
      tool("accept", "Accept", "a", accept), tool("accept-all", "Accept all", "A", acceptAll),
      tool("done", "Done with this image", "d", finish, "main")),
  );
  at("category").addEventListener("change", ({ target }) => name(target.value));
  document.body.classList.add("draws");

  function content() {
    const ids = Object.fromEntries(categories.map(({ id, name: label }) => [label, id]));
    const annotations = pictures.flatMap(({ file }, number) => (work[file]?.boxes ?? []).map(one => [number + 1, one]));
    return {
      info: { format: 1, sheet: digest, annotator, done: pictures.map(({ file }) => file).filter(file => work[file]?.done) },
      images: pictures.map(({ file, width, height }, number) => ({ id: number + 1, file_name: file, width, height })),
      annotations: annotations.map(([image, { box: [left, top, right, bottom], category }], number) => ({
        id: number + 1, image_id: image, category_id: ids[category],
        bbox: [left, top, right - left, bottom - top], area: (right - left) * (bottom - top), iscrowd: 0,
      })),
      categories: categories.map(({ id, name: label }) => ({ id, name: label })),
    };
  }

  start({
    title: "Stage 2:", things: "images", items, paint, press, written, content,
    keys: [["n", "new box"], ["Tab", "next box"], ["← → ↑ ↓", "move"], ["Shift + ← → ↑ ↓", "resize"],
      ["Ctrl", "ten pixels at once"], ["l", "label"], ["a", "accept"], ["x", "delete"], ["d", "done"]],
    blank: () => ({ boxes: [], seen: [], done: false }),
    isDone: of => of.done,
    enter: () => { current = null; },
  });
}
