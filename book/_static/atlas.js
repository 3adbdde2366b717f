// The map of embeddings: the picture under the pointer, or step through the pictures.
// Everything is readable without this file.

"use strict";

{
  const { onPage } = robust;

  function makeAtlas(atlas) {
    const points = JSON.parse(atlas.dataset.points);
    const [tiles, rows] = [+atlas.dataset.tiles, +atlas.dataset.rows];
    const map = atlas.querySelector("svg");
    const here = map.querySelector(".rb-here");
    const thumb = atlas.querySelector(".rb-thumb");
    const told = atlas.querySelector("output");
    const range = atlas.querySelector("input[type=range]");
    const REACH = 30; // units of the map

    const show = (place) => {
      const [x, y, words] = points[place];
      // A tile's place on the sheet, as CSS counts it: from the first to the last, in percent.
      const across = ((place % tiles) / Math.max(tiles - 1, 1)) * 100;
      const down = (Math.floor(place / tiles) / Math.max(rows - 1, 1)) * 100;
      thumb.style.backgroundPosition = `${across}% ${down}%`;
      thumb.setAttribute("aria-label", words);
      told.textContent = words;
      range.value = place;
      range.setAttribute("aria-valuetext", words);
      here.setAttribute("cx", x);
      here.setAttribute("cy", y);
      here.removeAttribute("hidden");
    };
    const near = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
      const apart = points.map(([x, y]) => Math.hypot(x - at.x, y - at.y));
      const place = apart.indexOf(Math.min(...apart));
      if (apart[place] <= REACH) show(place);
    };
    thumb.style.backgroundSize = `${tiles * 100}% ${rows * 100}%`;
    map.addEventListener("pointermove", near);
    map.addEventListener("pointerdown", near);
    range.addEventListener("input", () => show(+range.value));
    atlas.querySelector(".rb-live-only").hidden = false;
    atlas.querySelector(".rb-still").hidden = true;
    if (points.length) show(0);
  }

  onPage(".rb-atlas", makeAtlas);
}
