// A benchmark of other corruptions: is it balanced, and what does it cover?

"use strict";

{
  const { mean, listedNames, written } = robust;

  /** Return a row a corruption: its mean overlap with the others of the benchmark, and its largest. */
  robust.whatIf.benchmark = ({ corruptions, titles, overlaps }, { corruption }) => {
    const members = corruptions.flatMap((name, place) => (corruption.includes(name) ? [place] : []));
    const known = (place) =>
      members.filter((other) => other !== place).map((other) => overlaps[place][other]).filter((one) => one !== null);
    const rows = corruptions.map((_, place) => [
      members.includes(place) ? mean(known(place)) : null,
      known(place).length ? Math.max(...known(place)) : null,
    ]);
    const means = members.map((place) => rows[place][0]).filter((one) => one !== null);
    const spread = means.length
      ? `Mean overlaps of its ${members.length} corruptions range from ${written(Math.min(...means), 2)} to ${written(Math.max(...means), 2)}. `
      : "";
    const outside = corruptions.flatMap((_, place) => (members.includes(place) || rows[place][1] === null ? [] : [place]));
    outside.sort((one, other) => rows[one][1] - rows[other][1]);
    const least = outside.length && members.length
      ? `Least covered corruptions outside the benchmark: ${listedNames(outside.slice(0, 3).map((place) => `${titles[place]} (${written(rows[place][1], 2)})`))}.`
      : "";
    const none = members.length < 2 ? "Tick two corruptions or more." : "This run could not judge any pair of these corruptions.";
    return { rows, told: `${spread}${least}` || none };
  };
}
