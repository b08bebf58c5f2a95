// Text that must stay whole: a line too long for its place becomes narrower, then smaller; it is never cut.

const canvas = document.createElement("canvas").getContext("2d");
const NARROWEST = 0.9;

/** Width of `text` in CSS pixels. */
export function widthOf(text, font) {
  canvas.font = font;
  return canvas.measureText(text).width;
}

/** Fits every `.fit` line inside `root` into the width of its parent. Cheap: looks only at lines whose text or place changed. */
export function fitLines(root) {
  for (const el of root.querySelectorAll(".fit")) {
    const box = el.parentElement;
    const key = `${el.textContent}|${box.clientWidth}|${box.clientHeight}|${window.innerHeight}`;
    if (el.fitted === key) continue;
    el.fitted = key;
    el.style.removeProperty("transform");
    el.style.removeProperty("font-size");
    const style = getComputedStyle(box);
    const room = box.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    const ratio = room / el.offsetWidth;
    if (ratio >= 1 || !Number.isFinite(ratio) || room <= 0) continue;
    if (ratio < NARROWEST) el.style.fontSize = `${(ratio / NARROWEST) * 100}%`;
    el.style.transform = `scaleX(${Math.max(ratio, NARROWEST).toFixed(4)})`;
  }
}

/** Loads the faces a page draws with, so that the first measurement is right. */
export async function fontsReady() {
  const sample = "AБàЁŁ0";
  await Promise.all(['500 20px "Marker Text"', '700 20px "Marker Text"', '600 20px "Marker Name"', '760 20px "Marker Digits"'].map(
    (font) => document.fonts.load(font, sample),
  ));
}

/**
 * "Name: sentence" in at most two lines for `room` pixels: one line if it fits, else the name on the first, else two
 * balanced lines. Returns [[bold, plain], …].
 */
export function saidLines(name, sentence, room, size) {
  const bold = `500 ${size}px "Marker Text"`;
  const plain = `500 ${size}px "Marker Text"`;
  const head = name ? `${name}:` : "";
  const space = head && sentence ? " " : "";
  const wide = widthOf(sentence, plain);
  if (widthOf(head + space, bold) + wide <= room || !head || !sentence) {
    if (head || wide <= room) return [[head, space + sentence]];
    return halves(sentence).map((part) => ["", part]);
  }
  if (wide <= room * 1.12) return [[head, ""], ["", sentence]];
  const [first, second] = halves(sentence, Math.max(8, Math.floor((sentence.length - name.length) / 2)));
  return [[head, ` ${first}`], ["", second]];
}

function halves(text, at = Math.floor(text.length / 2)) {
  const places = [...text.matchAll(/[,;] | /g)].map((match) => ({ index: match.index + match[0].length, comma: match[0].length > 1 }));
  if (!places.length) return [text, ""];
  const cost = (place) => Math.abs(place.index - at) - (place.comma ? 6 : 0);
  const best = places.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  return [text.slice(0, best.index).trimEnd(), text.slice(best.index)];
}

/** Makes the names in a row of fixed width narrower or smaller until nothing of the row is pushed out. */
export function fitNames(root) {
  for (const row of root.querySelectorAll(".player")) {
    const el = row.querySelector(".fit");
    const key = `${el?.textContent}|${row.clientWidth}|${row.children.length}|${row.lastElementChild.textContent.length}`;
    if (!el || el.fitted === key) continue;
    el.fitted = key;
    el.style.removeProperty("font-size");
    const gap = Number.parseFloat(getComputedStyle(row).columnGap) || 0;
    const others = [...row.children].filter((child) => child !== el.parentElement && child.offsetParent !== null);
    const taken = others.reduce((sum, child) => sum + child.getBoundingClientRect().width + gap, 0);
    const ratio = (row.clientWidth - taken - 6) / el.offsetWidth;
    if (ratio < 1) el.style.fontSize = `${Math.floor(ratio * 1000) / 10}%`;
  }
}
