// The funnel of ImageNet-A under other thresholds.

"use strict";

{
  const { written } = robust;

  /** Return a row a step: how many candidates are left, of the step before in percent, of how many classes. */
  robust.whatIf.filter = ({ candidates, classes, fooled }, { confidence, most }) => {
    // Of each candidate that fooled the filters: its class, what it is taken for, the smallest
    // threshold that it passes, and whether the review keeps it.
    const unlikely = fooled.filter(([, , least]) => least <= confidence);
    const kept = new Map();
    const shortlisted = unlikely.filter(([truth, said]) => {
      const pair = truth * classes.length + said;
      kept.set(pair, (kept.get(pair) || 0) + 1);
      return kept.get(pair) <= most;
    });
    const selected = shortlisted.filter(([, , , keeps]) => keeps);
    const counts = [candidates, ...[fooled, unlikely, shortlisted, selected].map((one) => one.length)];
    const of = (some) => new Set(some.map(([truth]) => truth)).size;
    const rows = counts.map((count, step) => [
      count,
      step ? (counts[step - 1] ? (100 * count) / counts[step - 1] : null) : 100,
      step ? of([fooled, unlikely, shortlisted, selected][step - 1]) : classes.length,
    ]);
    const [pair, times] = [...kept].sort(([, one], [, other]) => other - one)[0] || [];
    const names = times && [Math.floor(pair / classes.length), pair % classes.length].map((place) => classes[place]);
    const commonest = names ? ` The most frequent confusion before the third step: ${names.join(" → ")}, ${times} times.` : "";
    const share = candidates ? (100 * selected.length) / candidates : 0;
    return {
      rows,
      told: `${selected.length} of ${candidates} candidates are left (${written(share)} %), of ${of(selected)} classes.${commonest}`,
    };
  };
}
