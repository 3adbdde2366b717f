// Accuracy with more and more of the other classes to choose from.

"use strict";

{
  const { less, mean, percent, sum, written } = robust;

  /** Return a row of percent for each network: accuracy on hard and ordinary pictures, and their difference. */
  robust.whatIf.mask = ({ networks }, { others }, usual) => {
    // How many pictures are right until so many of the other classes may be named; -1: always.
    const accuracy = ({ pictures, until }) =>
      mean(until.map((pairs) => sum(pairs.map(([place, count]) => (place < 0 || place >= others ? count : 0))) / pictures));
    const rows = networks.map(({ hard, ordinary }) => {
      const [one, other] = [accuracy(hard), accuracy(ordinary)];
      return [one, other, less(other, one)].map(percent);
    });
    const lost = (column) => Math.max(...rows.map((row, place) => usual.rows[place][column] - row[column]));
    const change = usual && others
      ? `Without the mask a network loses up to ${written(lost(0))} points on hard and ${written(lost(1))} on ordinary images.`
      : "The mask is on: only the images' classes can be predicted.";
    return { rows, told: others ? `${others} other classes can also be predicted. ${change}` : change };
  };
}
