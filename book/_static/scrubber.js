// The scrubber of clips: choose a clip, and step through its frames.
// Everything is readable without this file.

"use strict";

{
  const { onPage } = robust;

  function makeScrubber(scrubber) {
    const range = scrubber.querySelector("input[type=range]");
    const reels = [...scrubber.querySelectorAll(".rb-reel")];
    let [reel, offset] = [null, +range.value];

    const frames = () => [...reel.querySelectorAll("figure")];
    const offsets = () => frames().map((frame) => +frame.dataset.offset);
    // What the review dropped is not there: go on to the next kept frame, or stay at the last one.
    const kept = (wanted) => {
      const there = offsets();
      if (there.includes(wanted)) return wanted;
      const ahead = wanted > offset ? there.filter((one) => one > wanted) : there.filter((one) => one < wanted);
      const nearest = (one, other) => Math.abs(other - wanted) - Math.abs(one - wanted);
      return (ahead.length ? ahead : there).sort(nearest).at(-1);
    };
    const show = () => {
      const clip = scrubber.querySelector("input[name=scrubber-clip]:checked").value;
      reel = reels.find((one) => one.dataset.clip === clip);
      offset = kept(+range.value);
      range.value = offset;
      reels.forEach((one) => (one.hidden = one !== reel));
      frames().forEach((frame) => {
        frame.hidden = +frame.dataset.offset !== offset;
        frame.querySelector("img").loading = "eager";
      });
      reel.querySelectorAll("i").forEach((cell) => cell.classList.toggle("rb-now", +cell.dataset.at === offset));
      range.setAttribute("aria-valuetext", reel.querySelector("figure:not([hidden]) strong").textContent);
    };
    scrubber.addEventListener("input", show);
    scrubber.querySelectorAll("i.rb-kept").forEach((cell) =>
      cell.addEventListener("click", () => {
        range.value = cell.dataset.at;
        show();
      }),
    );
    scrubber.querySelector(".rb-scrub").hidden = false;
    scrubber.classList.add("rb-live");
    show();
  }

  onPage(".rb-scrubber", makeScrubber);
}
