// pm-k for another k, and which sets fall on the way.

"use strict";

{
  const { less, listedNames, mean, percent } = robust;

  /** Return a row of percent for each network: anchors, worst frames within k, what is lost, falling at k. */
  robust.whatIf.pm_k = ({ networks, sets }, { k, anchor, network }) => {
    const reading = anchor.length ? 0 : 1;
    // A bit a distance: whether a set is right on all frames within it.
    const right = (bits, within) => (bits >> within) & 1;
    const share = (seeds, holds) => mean(seeds.map((bits) => mean(bits.map((one) => (holds(one) ? 1 : 0)))));
    const falls = (bits) => k > 0 && right(bits, k - 1) && !right(bits, k);
    const rows = networks.map(({ seeds }) => {
      const bits = seeds[reading];
      const [first, worst] = [share(bits, (one) => right(one, 0)), share(bits, (one) => right(one, k))];
      return [first, worst, less(first, worst), share(bits, falls)].map(percent);
    });
    const { title, seeds } = networks[Number(network)];
    const shown = seeds[reading][0];
    const state = (bits) => (falls(bits) ? "rb-falls" : right(bits, k) ? "rb-right" : "rb-lost");
    const falling = sets.filter((_, place) => falls(shown[place]));
    const left = shown.filter((bits) => right(bits, k)).length;
    const some = falling.length === 1 ? "1 falls" : `${falling.length} fall`;
    const now = k === 0 ? "" : ` At this distance ${falling.length ? `${some}: ${listedNames(falling)}` : "none falls"}.`;
    return {
      rows,
      marks: sets.map((name, place) => [`${name}: ${state(shown[place]).slice(3)}`, state(shown[place])]),
      told: `${title} classifies ${left} of ${sets.length} sets correctly within k = ${k}.${now}`,
    };
  };
}
