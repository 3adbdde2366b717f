// mAP at another IoU, with boxes below a score left out.

"use strict";

{
  const { less, mean, percent } = robust;

  /** Return COCO's 101-point average precision from how many boxes came before each one that finds an object. */
  function averagePrecision(called, objects) {
    const precision = called.map((count, hit) => (hit + 1) / count);
    for (let hit = precision.length - 2; hit >= 0; hit--) precision[hit] = Math.max(precision[hit], precision[hit + 1]);
    let [total, at] = [0, 0];
    precision.forEach((value, hit) => {
      // The recalls of 0, .01, ... 1 that this object reaches.
      while (at <= 100 && at * 0.01 <= (hit + 1) / objects) {
        total += value;
        at += 1;
      }
    });
    return total / 101;
  }

  /**
   * Return the mAP of one detector, a fraction: the mean over classes and IoU thresholds.
   *
   * Boxes come in falling order of their scores: false ones before it, thresholds at which it finds an
   * object, at which it does not count, at which it does not without foreign objects, score in percent.
   */
  function meanAveragePrecision(classes, bits, least, forgives) {
    const ofClass = ({ objects, boxes }, bit) => {
      const called = [];
      let count = 0;
      for (const [before, finds, spared, foreign, score] of boxes) {
        if (score < least) break;
        count += before;
        if ((finds >> bit) & 1) called.push(++count);
        else count += 1 - (((forgives ? foreign : spared) >> bit) & 1);
      }
      return averagePrecision(called, objects);
    };
    return mean(classes.map((one) => mean(bits.map((bit) => ofClass(one, bit)))));
  }

  /** Return a row of percent a detector: mAP on ordinary and adversarial pictures, lost in points and in percent. */
  robust.whatIf.map = ({ detectors, thresholds }, { iou, score, foreign = [] }) => {
    const bits = iou === "mean" ? [...thresholds.keys()] : [Number(iou)];
    const rows = detectors.map(({ ordinary, adversarial }) => {
      const of = (seeds, forgives) => mean(seeds.map((classes) => meanAveragePrecision(classes, bits, score, forgives)));
      const [before, after] = [of(ordinary, false), of(adversarial, foreign.length > 0)];
      return [before, after, less(before, after), before >= 0.0005 ? 1 - after / before : null].map(percent);
    });
    const at = iou === "mean" ? `a mean over IoU ${thresholds[0]} to ${thresholds.at(-1)}` : `at IoU ${thresholds[bits[0]]}`;
    const boxes = score ? `boxes below a score of ${score} % left out` : "all boxes";
    const lower = rows.filter(([before, after]) => after < before).length;
    return { rows, told: `mAP ${at}, ${boxes}: ${lower} of ${rows.length} detectors have a lower mAP on adversarial images.` };
  };
}
