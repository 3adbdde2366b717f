// Mean corruption errors under another normaliser, and over other corruptions.

"use strict";

{
  const { listedNames, mean, percent, sum } = robust;

  /** Return a row of percent for each network: clean error, mCE, relative mCE, plain mean error. */
  robust.whatIf.mce = ({ corruptions, networks, normalisers }, { normaliser, corruption }, usual) => {
    const places = corruption.map((name) => corruptions.indexOf(name));
    const base = normalisers[Number(normaliser)];
    const ratio = (ours, theirs) => (theirs > 0 ? ours / theirs : null);
    const rise = (of, place) => sum(of.errors[place].map((error) => error - of.clean));
    const rows = networks.map((one) =>
      [
        one.clean,
        mean(places.map((place) => ratio(sum(one.errors[place]), sum(base.errors[place])))),
        mean(places.map((place) => ratio(rise(one, place), rise(base, place)))),
        mean(places.map((place) => mean(one.errors[place]))),
      ].map(percent),
    );
    const pairs = networks.flatMap((_, one) => [...networks.keys()].slice(one + 1).map((other) => [one, other]));
    const turned = (column) =>
      pairs.filter(([one, other]) => {
        const before = usual.rows[one][column] - usual.rows[other][column];
        return before * (rows[one][column] - rows[other][column]) < 0;
      }).length;
    const best = [...rows.keys()].sort((one, other) => rows[one][1] - rows[other][1]);
    const order = places.length ? `By mCE, the best first: ${listedNames(best.map((one) => networks[one].title), 9)}. ` : "";
    const changes = usual && places.length
      ? `Of ${pairs.length} pairs of networks, ${turned(1)} change places by mCE and ${turned(2)} by relative mCE.`
      : "";
    return { rows, told: `${places.length} corruptions, divided by the errors of ${base.title}. ${order}${changes}` };
  };
}
