// The leaderboard's plots: a dot a row, in all plots at once. A colour says which dots compare on both
// axes, a shape whose the number is.

"use strict";

{
  const { drawn, make } = robust;

  const SHAPES = {
    paper: "M0-4.6A4.6 4.6 0 1 1 0 4.6A4.6 4.6 0 1 1 0-4.6Z",
    reference: "M-4-4H4V4H-4Z",
    run: "M0-5.8L5.8 0L0 5.8L-5.8 0Z",
    yours: "M0-6.4L6.2 4.6H-6.2Z",
  };
  const MOST = 3; // dots that a name may cover
  const REACH = 26; // pixels from a pointer to a dot
  const COLOURS = 6; // that eyes can tell apart; what comes after them is grey, and compares with nothing

  const ALWAYS = /^(ResNet-50|AlexNet)(-like)?$/; // what everybody looks for; named beside the best and the worst

  /** Return the rows that have a name in a plot: the edge that nothing beats on both axes, the ends, and those above. */
  function worthNaming(dots, across, up) {
    const sign = (one) => (one.better === "higher" ? 1 : -1);
    const [right, top] = [sign(across), sign(up)];
    const ranked = [...dots].sort((one, other) => top * (other.y.value - one.y.value) || right * (other.x.value - one.x.value));
    let best = -Infinity;
    const edge = ranked.filter((one) => {
      const beaten = right * one.x.value <= best;
      best = Math.max(best, right * one.x.value);
      return !beaten;
    });
    const known = ranked.filter((one) => ALWAYS.test(one.row.title));
    return [...new Set([ranked[0], ranked[ranked.length - 1], ...known, ...edge].filter(Boolean))];
  }

  const paint = (place) => (place < COLOURS ? `var(--rb-way-${place})` : "var(--rb-soft)");

  /** Return round numbers between two ends. */
  function roundTicks(low, high, wanted) {
    const rough = (high - low) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, place) => +((first + place) * step).toFixed(6));
  }

  function roomy(values) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = Math.max(0.06 * (high - low), 0.4);
    return [low - room, high + room];
  }

  /** One plot. `board` says which rows are shown, which are near or chosen, and is told both. */
  function makePlot(spec, board) {
    const column = (key) => board.data.columns.find((one) => one.key === key);
    const up = column(spec.up);
    let [across, places, colours] = [column(spec.across[0]), new Map(), new Map()];
    const select = make("select", {}, ...spec.across.map((key) => make("option", { value: key, textContent: column(key).label })));
    const goAcross = (key) => {
      across = column(spec.across.includes(key) ? key : spec.across[0]);
      select.value = across.key;
    };

    const title = make("strong");
    const caption = make("figcaption", {}, title);
    const stage = make("div", { className: "rb-stage", tabIndex: 0 });
    stage.setAttribute("role", "application");
    const legend = make("ul", { className: "rb-board-legend" });
    const figure = make("figure", { className: "rb-plot" }, caption, stage, legend);
    figure.dataset.plot = spec.key;
    if (spec.across.length > 1) {
      select.addEventListener("change", () => {
        goAcross(select.value);
        draw();
        board.keep();
      });
      caption.append(make("label", {}, "across: ", select));
    }

    // The table's colour goes to the most frequent way across; dots that compare with those upwards
    // alone take colours that the table has left.
    const pair = (one) => `${board.key(one.y)} ${board.key(one.x)}`;
    const recolour = () => {
      const counts = new Map();
      board.having(up, across).forEach((row) => {
        const one = { x: row.cells[across.key], y: row.cells[up.key] };
        counts.set(pair(one), { one, count: (counts.get(pair(one))?.count || 0) + 1 });
      });
      const taken = new Set();
      let free = board.ways(up);
      colours = new Map();
      [...counts].sort(([, one], [, other]) => other.count - one.count).forEach(([key, { one }]) => {
        const own = board.colour(up, one.y);
        colours.set(key, taken.has(own) ? free++ : own);
        taken.add(own);
      });
    };
    // At the left edge there is nothing across that could differ.
    const colourOf = (one) => (one.x ? colours.get(pair(one)) : board.colour(up, one.y));

    const draw = () => {
      const dots = board.shown(up).map((row) => ({ row, x: board.cell(row, across), y: board.cell(row, up) }));
      figure.hidden = !dots.length;
      if (!dots.length) return stage.replaceChildren();
      recolour();
      const isOne = up.family === across.family && up.label !== up.title;
      title.textContent = isOne ? `${up.family}: ${up.title} against ${across.title}` : `${up.label} against ${across.label}`;
      const [wide, high] = [Math.max(stage.clientWidth, 260), 310];
      const box = { left: 40, right: wide - 8, top: 28, bottom: high - 36 };
      const known = dots.filter((one) => one.x);
      if (!known.length) {
        places = new Map();
        stage.replaceChildren();
        return tell(dots);
      }
      const ranges = [roomy(known.map((one) => 100 * one.x.value)), roomy(known.map((one) => 100 * one.y.value))];
      const toX = (value) => box.left + ((value - ranges[0][0]) / (ranges[0][1] - ranges[0][0])) * (box.right - box.left);
      const toY = (value) => box.bottom - ((value - ranges[1][0]) / (ranges[1][1] - ranges[1][0])) * (box.bottom - box.top);
      const grid = drawn("g", { class: "rb-grid", "aria-hidden": "true" });
      const text = (x, y, words, anchor) => drawn("text", { x, y, "text-anchor": anchor }, words);
      roundTicks(...ranges[0], wide / 50).forEach((tick) => {
        grid.append(drawn("path", { d: `M${toX(tick)} ${box.top}V${box.bottom}` }), text(toX(tick), box.bottom + 14, String(tick), "middle"));
      });
      roundTicks(...ranges[1], 5).forEach((tick) => {
        grid.append(drawn("path", { d: `M${box.left} ${toY(tick)}H${box.right}` }), text(box.left - 5, toY(tick) + 4, String(tick).replace("-", "−"), "end"));
      });
      const better = { higher: "higher is better", lower: "lower is better" };
      grid.append(text(box.right, high - 5, `${across.label}, %, ${better[across.better]} ${across.better === "higher" ? "→" : "←"}`, "end"));
      const unit = up.unit === "points" ? "points" : "%";
      const above = text(0, 12, `${up.label}, ${unit}, ${better[up.better]} ${up.better === "higher" ? "↑" : "↓"}`, "start");
      grid.append(above);
      places = new Map();
      const marks = known.map((one) => {
        const [x, y] = [toX(100 * one.x.value), toY(100 * one.y.value)];
        const group = drawn("g", { "data-row": one.row.id, class: `rb-dot rb-of-${one.row.source} rb-in-${one.row.world}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
        group.style.setProperty("--rb-way", paint(colourOf(one)));
        if (one.y.low !== undefined) group.append(drawn("path", { class: "rb-ends-of", d: `M0 ${(toY(100 * one.y.low) - y).toFixed(1)}V${(toY(100 * one.y.high) - y).toFixed(1)}` }));
        if (one.x?.low !== undefined) group.append(drawn("path", { class: "rb-ends-of", d: `M${(toX(100 * one.x.low) - x).toFixed(1)} 0H${(toX(100 * one.x.high) - x).toFixed(1)}` }));
        group.append(drawn("path", { class: "rb-shape", d: SHAPES[one.row.source] }));
        places.set(one.row.id, { ...one, at: [x, y], group });
        return group;
      });
      const [names, labels] = ["rb-names", "rb-labels"].map((name) => drawn("g", { class: name, "aria-hidden": "true" }));
      stage.replaceChildren(drawn("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" }, grid, ...marks, names, labels));
      name(names, worthNaming(known, across, up), box);
      // A long name is written closer rather than cut.
      if (above.getComputedTextLength() > wide - 4) {
        above.setAttribute("textLength", wide - 4);
        above.setAttribute("lengthAdjust", "spacingAndGlyphs");
      }
      const words = `scatter plot, ${known.length} dots. Arrow keys go from dot to dot, Enter marks one in all plots and in the table.`;
      stage.setAttribute("aria-label", `${title.textContent}: ${words}`);
      mark();
      return tell(dots);
    };

    // Names stand where they cover no other name; one that has no such place is left to the pointer.
    const name = (group, chosen, box) => {
      const taken = [];
      chosen.forEach(({ row }) => {
        const [x, y] = places.get(row.id).at;
        const label = drawn("text", { "data-named": row.id }, row.title);
        group.append(label);
        const wide = label.getComputedTextLength();
        const covered = ([right, down]) =>
          [...places.values()].filter(({ at }) => at[0] > x + right - 4 && at[0] < x + right + wide + 4 && at[1] > y + down - 12 && at[1] < y + down + 4).length;
        const [free] = [[7, -5], [-7 - wide, -5], [7, 13], [-7 - wide, 13]]
          .filter(([right, down]) => {
            const [left, base] = [x + right, y + down];
            const inside = left > box.left && left + wide < box.right + 6 && base > box.top + 8 && base < box.bottom;
            return inside && taken.every((one) => left > one.right || left + wide < one.left || Math.abs(base - one.base) > 12);
          })
          .map((side) => ({ side, dots: covered(side) }))
          .sort((one, other) => one.dots - other.dots)
          .filter((one) => one.dots < MOST)
          .map((one) => one.side);
        if (!free || taken.some((one) => one.title === row.title)) return label.remove();
        label.setAttribute("x", x + free[0]);
        label.setAttribute("y", y + free[1]);
        return taken.push({ title: row.title, left: x + free[0], right: x + free[0] + wide, base: y + free[1] });
      });
    };

    // What the colours mean: only in what they differ, once they do.
    const tell = (dots) => {
      const ways = new Map();
      dots.forEach((one) => {
        const place = colourOf(one);
        const way = ways.get(place) || { place, y: one.y, count: 0 };
        ways.set(place, { ...way, x: way.x || one.x, count: way.count + 1 });
      });
      const all = [...ways.values()].sort((one, other) => other.count - one.count);
      const lines = all.map(({ place, x, y, count }) => {
        const swatch = make("i", { className: "rb-swatch" });
        swatch.style.setProperty("--rb-way", paint(place));
        const alike = all.filter((one) => one.x && board.key(one.y) === board.key(y)).map((one) => one.x);
        const split = x && alike.length > 1 && `${across.label}: ${board.words(x, alike)}`;
        const alone = place >= COLOURS && "grey is comparable with none";
        const words = [board.words(y, all.map((one) => one.y)), split, alone].filter(Boolean).join("; ");
        return make("li", { title: board.words(y) }, swatch, ` ${words} (${count})`);
      });
      const lone = [...new Set(dots.filter((one) => !one.x).map((one) => `${one.row.title} ${one.y.text.replace("-", "−")}`))];
      if (lone.length) lines.push(make("li", { className: "rb-soft", textContent: `Without ${across.label} of the same source: ${lone.join(", ")}.` }));
      if (board.isMixed(dots.map((one) => one.row))) {
        lines.push(make("li", { className: "rb-warned", textContent: "Hollow dots are from the miniature, with other images and other networks. Their distance from filled dots has no meaning." }));
      }
      legend.replaceChildren(...lines);
    };

    const mark = () => {
      const labels = stage.querySelector(".rb-labels");
      if (!labels) return;
      const [near, kin] = [board.near(), board.kin()];
      places.forEach(({ group }, id) => {
        group.classList.toggle("rb-near", id === near);
        group.classList.toggle("rb-chosen", board.isChosen(id));
        group.classList.toggle("rb-kin", kin.has(id));
      });
      const told = [...places.values()].filter(({ row }) => row.id === near || board.isChosen(row.id));
      stage.querySelectorAll(".rb-names text").forEach((one) => one.classList.toggle("rb-hidden", told.some(({ row }) => String(row.id) === one.dataset.named)));
      // Above the others, and above the ground of their labels.
      told.forEach(({ group }) => labels.parentElement.append(group));
      let last = -20;
      const wide = stage.clientWidth;
      labels.replaceChildren(
        ...told
          .sort((one, other) => one.at[1] - other.at[1])
          .map(({ row, x, y, at }) => {
            const left = at[0] > wide / 2;
            last = Math.max(at[1] - 8, last + 13);
            const numbers = [x, y].filter(Boolean).map((cell) => cell.text.replace("-", "−"));
            const words = row.id === near ? `${row.title}: ${numbers.join(", ")}` : row.title;
            return drawn("text", { x: at[0] + (left ? -9 : 9), y: Math.max(last, 12), "text-anchor": left ? "end" : "start", class: row.id === near ? "rb-near" : "" }, words);
          }),
      );
    };

    const nearest = (event) => {
      const home = stage.getBoundingClientRect();
      const away = (one) => Math.hypot(one.at[0] - (event.clientX - home.left), one.at[1] - (event.clientY - home.top));
      const best = [...places.values()].sort((one, other) => away(one) - away(other))[0];
      return best && away(best) <= REACH ? best.row.id : null;
    };
    stage.addEventListener("pointermove", (event) => event.pointerType === "mouse" && board.approach(nearest(event)));
    stage.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && board.approach(null));
    stage.addEventListener("click", (event) => {
      const id = nearest(event);
      board.approach(id);
      if (id !== null) board.choose(id);
    });
    stage.addEventListener("blur", () => board.approach(null));
    stage.addEventListener("keydown", (event) => {
      const order = [...places.values()].sort((one, other) => one.at[0] - other.at[0] || one.at[1] - other.at[1]).map((one) => one.row.id);
      const at = order.indexOf(board.near());
      const steps = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at < 0 ? order.length - 1 : at - 1, ArrowDown: at < 0 ? order.length - 1 : at - 1, Home: 0, End: order.length - 1 };
      if (event.key in steps) board.approach(order[Math.min(Math.max(steps[event.key], 0), order.length - 1)]);
      else if ((event.key === "Enter" || event.key === " ") && at >= 0) board.choose(order[at]);
      else if (event.key === "Escape") board.approach(null);
      else return;
      event.preventDefault();
    });
    new ResizeObserver(() => stage.clientWidth && stage.firstChild && Math.abs(stage.clientWidth - stage.firstChild.width.baseVal.value) > 1 && draw()).observe(stage);
    return { spec, figure, draw, mark, goAcross, across: () => (across.key === spec.across[0] ? null : across.key) };
  }

  Object.assign(robust, { SHAPES, paint, makePlot });
}
