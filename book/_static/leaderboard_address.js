// The leaderboard's state in the address: which data, sources and ways are shown, what is looked for,
// marked and unfolded, and what the plots have across.

"use strict";

{
  const { kept } = robust;

  const BETWEEN = "~"; // of several in one text; no name and no way has it

  /**
   * Keep a board's state in the address. Passports stay out of it: nobody else has their files.
   * Call `draw` once the address says something else; return what writes there what has changed.
   */
  function keepBoard(state, rows, data, plots, draw) {
    const [usual] = Object.keys(data.worlds);
    const set = (name, isKnown) => ({
      name,
      read: () => [...state[name]].join(BETWEEN) || null,
      take: (text) => (state[name] = new Set((text ?? "").split(BETWEEN).filter((one) => one && isKnown(one)))),
    });
    const seen = new Map();
    const names = new Map(); // row -> its name in an address; several rows of one name are counted
    rows.forEach((row) => {
      const name = `${row.name}, ${row.of}`;
      seen.set(name, (seen.get(name) || 0) + 1);
      names.set(row.id, seen.get(name) > 1 ? `${name}, ${seen.get(name)}` : name);
    });
    const parts = [
      {
        name: "data",
        read: () => (state.world === usual ? null : state.world),
        take: (text) => (state.world = text === "all" || rows.some((row) => row.world === text) ? text : usual),
      },
      set("off", (one) => one in data.sources),
      set("hidden", () => true),
      set("open", () => true),
      { name: "find", fleeting: true, read: () => state.wanted || null, take: (text) => (state.wanted = text ?? "") },
      {
        name: "marked",
        read: () => [...state.chosen].map((id) => names.get(id)).filter(Boolean).join(BETWEEN) || null,
        take: (text) => {
          const wanted = (text ?? "").split(BETWEEN);
          state.chosen = new Set([...names].filter(([, name]) => wanted.includes(name)).map(([id]) => id));
        },
      },
      ...plots.map((plot) => ({ name: `across-${plot.spec.key}`, read: plot.across, take: plot.goAcross })),
    ];
    const keepers = [];
    parts.forEach(({ name, fleeting, read, take }) => {
      const keep = kept(name, (text) => {
        take(text);
        draw();
      });
      keepers.push(() => keep(read(), fleeting));
    });
    return () => keepers.forEach((keep) => keep());
  }

  Object.assign(robust, { keepBoard });
}
