// The leaderboard: filters, plots and tables of the same rows, a reader's passports among them; readable without.

"use strict";

{
  const { drawn, make, matches, onPage, written } = robust;

  const FOLD = 15; // rows that a folded table shows

  function makeBoard(root) {
    const { SHAPES, makePlot, paint } = robust; // of leaderboard_plots.js
    const { bedOf, keepBoard, rowOfPassport, textOfFile } = robust; // of leaderboard_passports.js, and _address.js
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const rows = data.rows.map((row, id) => ({ ...row, id }));
    const state = { world: Object.keys(data.worlds)[0], off: new Set(), hidden: new Set(), chosen: new Set(), near: null, open: new Set(), wanted: "", paper: false };
    let [colours, next, keep] = [new Map(), rows.length, () => {}];

    // --- which rows are shown, and what compares ----------------------------------------------------
    const keyOf = (cell) => [cell.dataset, cell.part || "", cell.way].join("|");
    const inWorld = (row) => state.world === "all" || row.world === state.world;
    const isShown = (row) =>
      inWorld(row) && !state.off.has(row.source) && Object.values(row.cells).some((cell) => !state.hidden.has(keyOf(cell)));
    const cellOf = (row, column) => {
      const cell = row.cells[column.key];
      return cell && !state.hidden.has(keyOf(cell)) ? cell : undefined;
    };
    const dataWords = (name) => {
      const [whole, bed] = [data.datasets[name], data.datasets[bedOf(name)]];
      return whole ? whole[1] : bed ? `${bed[1]}, corrupted` : name;
    };
    // All that says how a number was computed; among others only that in which they differ.
    const wordsOf = (cell, among = []) => {
      const differ = (part) => among.length < 2 || new Set(among.map((one) => one[part])).size > 1;
      const parts = [differ("dataset") && dataWords(cell.dataset), differ("part") && (cell.part || "all images"), differ("way") && cell.way];
      if (among.length < 2 && !cell.part) parts[1] = null;
      return parts.filter(Boolean).join("; ");
    };
    // A colour a column and way: those of photographs first, the most frequent before the others.
    const recolour = () => {
      colours = new Map();
      data.columns.forEach((column) => {
        const counts = new Map();
        rows.forEach((row) => {
          const cell = row.cells[column.key];
          if (!cell) return;
          const key = keyOf(cell);
          const first = row.world === Object.keys(data.worlds)[0] ? 1e6 : row.source === "yours" ? 0 : 1e3;
          counts.set(key, (counts.get(key) || first) + 1);
        });
        const order = [...counts].sort((one, other) => other[1] - one[1]).map(([key]) => key);
        colours.set(column.key, new Map(order.map((key, place) => [key, place])));
      });
    };

    const board = {
      data,
      key: keyOf,
      words: wordsOf,
      shown: (column) => rows.filter((row) => isShown(row) && cellOf(row, column)),
      having: (...columns) => rows.filter((row) => columns.every((column) => row.cells[column.key])),
      cell: cellOf,
      ways: (column) => colours.get(column.key).size,
      colour: (column, cell) => colours.get(column.key).get(keyOf(cell)),
      near: () => state.near,
      isChosen: (id) => state.chosen.has(id),
      // Other rows of the same network.
      kin: () => {
        const near = rows.find((row) => row.id === state.near);
        return new Set(near ? rows.filter((row) => row.title === near.title && row !== near).map((row) => row.id) : []);
      },
      isMixed: (several) => new Set(several.map((row) => row.world)).size > 1,
      keep: () => state.paper || keep(),
      approach: (id) => {
        if (id === state.near) return;
        state.near = id;
        mark();
      },
      choose: (id) => {
        state.chosen[state.chosen.has(id) ? "delete" : "add"](id);
        markChosen();
        fold();
      },
    };

    // --- tables ----------------------------------------------------------------------------------------
    const lineOf = new Map(); // row -> its line, which is of all sources
    const rowsOf = (line) => rows.filter((row) => lineOf.get(row.id) === line);
    const sections = [...root.querySelectorAll(".rb-board-kind")].map((section) => {
      const table = section.querySelector("table");
      const plots = data.plots.filter((spec) => spec.asks === section.dataset.asks).map((spec) => makePlot(spec, board));
      const grid = make("div", { className: "rb-plots" }, ...plots.map((plot) => plot.figure));
      const more = make("button", { className: "rb-switch", type: "button" });
      const left = make("span", { className: "rb-paper-only" });
      const count = make("p", { className: "rb-small" }, more, left);
      section.querySelector(".rb-scroll").before(grid);
      section.querySelector(".rb-scroll").after(count);
      more.addEventListener("click", () => {
        state.open[state.open.has(section.dataset.asks) ? "delete" : "add"](section.dataset.asks);
        fold();
      });
      // After the sorting of tables.js, which also listens for this click.
      table.tHead.addEventListener("click", () => setTimeout(fold));
      const columns = data.columns.filter((column) => column.asks === section.dataset.asks);
      const places = [...table.tHead.rows[1].cells].map((head) => ({ head, column: columns.find((one) => one.key === head.dataset.key), source: head.dataset.source }));
      return { section, table, plots, more, left, columns, places };
    });

    const makeLive = (line, several) => {
      several.forEach((row) => lineOf.set(row.id, line));
      const head = line.cells[0];
      const button = make("button", { className: "rb-pick", type: "button" }, ...head.childNodes);
      // All its rows, or none.
      button.addEventListener("click", () => {
        const marked = several.some((row) => board.isChosen(row.id));
        several.filter((row) => board.isChosen(row.id) === marked).forEach((row) => board.choose(row.id));
      });
      const approach = () => board.approach(several.find(isShown)?.id ?? null);
      button.addEventListener("focus", approach);
      head.append(button);
      line.addEventListener("pointerenter", approach);
      line.addEventListener("pointerleave", () => board.approach(null));
    };
    const lineOfPassport = (row) => {
      const { table, places } = sections.find(({ section }) => section.dataset.asks === row.asks);
      const line = make("tr", {}, make("th", { scope: "row" }, make("bdi", { textContent: row.title })));
      line.append(make("td", { className: "rb-data", textContent: row.world }));
      places.forEach(({ column, source }) => {
        const cell = source === "yours" && row.cells[column.key];
        const made = make("td", { hidden: source === "yours" });
        if (cell) {
          Object.assign(made, { className: "rb-num", textContent: cell.text.replace("-", "−"), title: `${wordsOf(cell)}; ${cell.where}` });
          Object.assign(made.dataset, { row: row.id, key: column.key, sort: cell.value });
        }
        line.append(made);
      });
      line.classList.add("rb-yours");
      table.tBodies[0].prepend(line);
      makeLive(line, [row]);
    };

    // A column that no shown row has is left out.
    const showColumns = ({ table, places }) => {
      const there = places.map(({ column, source }) => board.shown(column).some((row) => row.source === source));
      table.classList.toggle("rb-one-world", state.world !== "all");
      places.forEach(({ head }, at) => (head.hidden = !there[at]));
      [...table.tHead.rows[0].cells].filter((head) => head.dataset.key).forEach((head) => {
        const count = places.filter(({ column }, at) => column.key === head.dataset.key && there[at]).length;
        head.hidden = !count;
        head.colSpan = count || 1;
      });
      [...table.tBodies[0].rows].forEach((line) => there.forEach((shown, at) => (line.cells[at + 2].hidden = !shown)));
    };

    const fold = () => {
      sections.forEach(({ section, table, more, left, columns, places }) => {
        showColumns({ table, places });
        const several = columns.filter((column) => new Set(board.shown(column).map((row) => keyOf(row.cells[column.key]))).size > 1);
        let [seen, all] = [0, 0];
        [...table.tBodies[0].rows].forEach((line) => {
          const own = rowsOf(line);
          const kept = own.some((row) => isShown(row) && matches(`${row.title} ${row.of}`, state.wanted));
          all += kept;
          const inside = kept && (state.paper || state.open.has(section.dataset.asks) || seen < FOLD || own.some((row) => state.chosen.has(row.id)));
          seen += inside;
          line.hidden = !inside;
          [...line.querySelectorAll("[data-key]")].forEach((made) => {
            const column = columns.find((one) => one.key === made.dataset.key);
            const cell = own.find((row) => row.id === Number(made.dataset.row)).cells[column.key];
            made.classList.toggle("rb-out", state.hidden.has(keyOf(cell)));
            made.classList.toggle("rb-told", several.includes(column));
            made.style.setProperty("--rb-way", paint(board.colour(column, cell)));
          });
        });
        const whole = table.tBodies[0].rows.length;
        left.textContent = all < whole ? `${all} of ${whole} rows: the filters of this page leave out the others.` : "";
        more.hidden = all <= FOLD;
        more.textContent = state.open.has(section.dataset.asks) ? `Show the first ${FOLD} rows` : `Show all ${all} rows`;
        more.setAttribute("aria-expanded", String(state.open.has(section.dataset.asks)));
        section.hidden = !all && !state.wanted;
      });
      board.keep();
    };

    // --- what is near, and what is chosen ------------------------------------------------------------
    const told = make("div", { className: "rb-board-told", hidden: true });
    const near = make("p", { className: "rb-board-near" });
    near.setAttribute("aria-live", "polite");
    const chosen = make("p", { className: "rb-board-chosen" });
    told.append(near, chosen);
    const mark = () => {
      sections.forEach(({ plots }) => plots.forEach((plot) => plot.mark()));
      const kin = board.kin();
      sections.forEach(({ table }) => [...table.tBodies[0].rows].forEach((line) => {
        const own = rowsOf(line);
        const marked = own.some((row) => state.chosen.has(row.id));
        const closest = own.some((row) => row.id === state.near);
        line.classList.toggle("rb-near", closest);
        line.classList.toggle("rb-chosen", marked);
        line.classList.toggle("rb-kin", !closest && own.some((row) => kin.has(row.id)));
        line.querySelector(".rb-pick").setAttribute("aria-pressed", String(marked));
      }));
      const row = rows.find((one) => one.id === state.near);
      const numbersOf = (one) =>
        data.columns.flatMap((column) => {
          const cell = one.cells[column.key];
          const ends = cell?.low === undefined ? "" : ` [${written(100 * cell.low)}, ${written(100 * cell.high)}]`;
          return cell ? [`${column.label} `, make("b", { textContent: cell.text.replace("-", "−") }), `${ends} (${cell.where}) · `] : [];
        });
      const several = row ? rowsOf(lineOf.get(row.id)).filter(isShown) : [];
      near.replaceChildren(...(row ? [make("strong", { textContent: row.title }), ...several.flatMap((one) => [` ${one.of} · `, ...numbersOf(one)])] : []));
      told.hidden = !row && !state.chosen.size;
    };
    // Apart from what is near: a button that is made anew while it is pressed is never clicked.
    const markChosen = () => {
      const buttons = rows.filter((one) => state.chosen.has(one.id)).map((one) => {
        const button = make("button", { className: "rb-chip-off", type: "button", textContent: `${one.title}, ${one.of} ×` });
        button.setAttribute("aria-label", `${one.title}, ${one.of} ×: unmark`);
        button.addEventListener("click", () => board.choose(one.id));
        return button;
      });
      chosen.replaceChildren(...(buttons.length ? ["Marked: ", ...buttons] : []));
      mark();
    };

    // --- filters -------------------------------------------------------------------------------------
    const choice = (type, name, words, checked, change) => {
      const input = make("input", { type, name, checked });
      input.addEventListener("change", () => change(input.checked));
      return make("label", {}, input, " ", words);
    };
    const group = (title, ...parts) => make("fieldset", {}, make("legend", { textContent: title }), ...parts);
    const shape = (source) => {
      const icon = drawn("svg", { class: "rb-swatch", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, drawn("path", { d: SHAPES[source] }));
      return make("span", {}, icon, ` ${data.sources[source]}`);
    };
    const worlds = group("Data");
    const sources = group("Whose numbers");
    const list = group("Show numbers that were computed in this way");
    const ways = make("details", { className: "rb-more rb-board-ways" }, make("summary", { textContent: "How they were computed" }), list);
    const drawFilters = () => {
      const there = Object.keys(data.worlds).filter((world) => rows.some((row) => row.world === world));
      const options = there.length > 1 ? [...there, "all"] : there;
      worlds.replaceChildren(
        worlds.firstChild,
        ...options.map((world) => {
          const count = rows.filter((row) => world === "all" || row.world === world).length;
          const words = world === "all" ? "all, marked apart" : data.worlds[world];
          return choice("radio", "rb-board-world", `${words} (${count})`, state.world === world, () => {
            state.world = world;
            refresh();
          });
        }),
      );
      sources.replaceChildren(
        sources.firstChild,
        ...Object.keys(data.sources)
          .filter((source) => rows.some((row) => row.source === source && inWorld(row)))
          .map((source) =>
            choice("checkbox", "rb-board-source", shape(source), !state.off.has(source), (on) => {
                state.off[on ? "delete" : "add"](source);
              refresh();
            }),
          ),
      );
      const keys = new Map();
      rows.filter(inWorld).forEach((row) =>
        data.columns.forEach((column) => {
          const cell = row.cells[column.key];
          if (!cell) return;
          const one = keys.get(keyOf(cell)) || { cell, columns: new Set(), count: 0 };
          one.columns.add(column);
          one.count += 1;
          keys.set(keyOf(cell), one);
        }),
      );
      const choices = [...keys].map(([key, { cell, columns, count }]) => {
        const [first] = columns;
        const swatch = make("i", { className: "rb-swatch" });
        swatch.style.setProperty("--rb-way", paint(board.colour(first, cell)));
        const names = [...columns].map((column) => column.label).join("; ");
        const words = make("span", {}, swatch, ` ${names}: ${wordsOf(cell)} (${count})`);
        return choice("checkbox", "rb-board-way", words, !state.hidden.has(key), (on) => {
          state.hidden[on ? "delete" : "add"](key);
          refresh();
        });
      });
      list.replaceChildren(list.firstChild, ...choices);
    };
    const find = make("input", { type: "search" });
    find.addEventListener("input", () => {
      state.wanted = find.value.trim();
      fold();
    });

    // --- passports ---------------------------------------------------------------------------------
    const files = make("input", { type: "file", multiple: true, accept: ".json,application/json", className: "rb-drop-files" });
    const said = make("ul", { className: "rb-board-said" });
    const heard = make("div", {}, said);
    heard.setAttribute("role", "status");
    const zone = make("div", { className: "rb-drop" }, make("label", {}, "Drop model reports here, or choose files: ", files), heard);
    const away = (row, line) => {
      lineOf.get(row.id).remove();
      rows.splice(rows.indexOf(row), 1);
      lineOf.delete(row.id);
      state.chosen.delete(row.id);
      line.remove();
      if (state.world !== "all" && !rows.some(inWorld)) state.world = Object.keys(data.worlds)[0];
      refresh();
      files.focus();
    };
    const take = (text, name) => {
      const row = rowOfPassport(text, name, data);
      if (rows.some((one) => one.mark === row.mark)) {
        throw new Error(`${name}: expected a new model report, but that of ${row.title} from the same run is already here.`);
      }
      row.id = next++;
      rows.push(row);
      recolour();
      lineOfPassport(row);
      state.chosen.add(row.id);
      state.off.delete("yours");
      if (state.world !== "all") state.world = row.world;
      return row;
    };
    const takeAll = async (several) => {
      for (const file of several) {
        const line = said.appendChild(make("li"));
        try {
          const row = take(await textOfFile(file), file.name);
          const count = Object.keys(row.cells).length;
          const button = make("button", { className: "rb-switch", type: "button", textContent: "Remove" });
          button.setAttribute("aria-label", `Remove ${row.title}`);
          button.addEventListener("click", () => away(row, line));
          line.append(make("strong", { textContent: row.title }), `: ${count} number${count === 1 ? "" : "s"}, on ${data.worlds[row.world]} (${row.words}). `, button);
        } catch (error) {
          const button = make("button", { className: "rb-switch", type: "button", textContent: "Close" });
          button.addEventListener("click", () => line.remove());
          line.className = "rb-refused";
          line.append(`${error.message} `, button);
        }
      }
      files.value = "";
      refresh();
    };
    files.addEventListener("change", () => takeAll([...files.files]));
    // Anywhere on the page: a file that misses the zone would replace the page.
    const hasFiles = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      zone.classList.add("rb-over");
    });
    document.addEventListener("dragleave", (event) => event.relatedTarget || zone.classList.remove("rb-over"));
    document.addEventListener("drop", (event) => {
      zone.classList.remove("rb-over");
      if (!hasFiles(event)) return;
      event.preventDefault();
      takeAll([...event.dataTransfer.files]);
    });

    // Paper has no switch: every row that the filters keep is printed, and those left out are counted.
    // The whole book has no reader who filtered: all is printed, marked apart.
    addEventListener("beforeprint", () => {
      state.paper = true;
      if (document.documentElement.dataset.paper === "whole") state.world = "all";
      refresh();
    });
    addEventListener("afterprint", () => {
      state.paper = false;
      refresh();
    });

    // A note that is folded away cannot be gone to.
    root.addEventListener("click", (event) => {
      if (event.target.closest("a[href^='#board-note']")) root.querySelector(".rb-board-notes").open = true;
    });

    // --- start ---------------------------------------------------------------------------------------
    const refresh = () => {
      if (!rows.some((row) => row.id === state.near && isShown(row))) state.near = null;
      drawFilters();
      fold();
      sections.forEach(({ plots }) => plots.forEach((plot) => plot.draw()));
      markChosen();
    };
    root.querySelectorAll("tr[data-rows]").forEach((line) => makeLive(line, line.dataset.rows.split(" ").map((id) => rows[id])));
    recolour();
    const bar = make("div", { className: "rb-board-bar" }, worlds, sources, make("label", { className: "rb-find" }, "Find a network ", find), ways);
    root.prepend(bar, zone);
    root.querySelector(".rb-board-notes").before(told);
    root.classList.add("rb-live");
    refresh();
    keep = keepBoard(state, rows, data, sections.flatMap((section) => section.plots), () => {
      find.value = state.wanted;
      refresh();
    });
  }

  onPage(".rb-board", makeBoard);
}
