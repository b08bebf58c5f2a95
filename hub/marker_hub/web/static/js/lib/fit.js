// Text that must stay whole: a line too long for its place becomes narrower, then smaller; it is never cut.

const canvas = document.createElement("canvas").getContext("2d");
const NARROWEST = 0.9;
let faces = 0; // how often faces have come: what was measured before is measured again

/** Width of `text` in CSS pixels. */
export function widthOf(text, font) {
  canvas.font = font;
  return canvas.measureText(text).width;
}

/**
 * Fits every `.fit` line inside `root` into the width of its parent. Cheap: looks only at lines whose text or place changed.
 * A line that is too long sticks out at its end whatever its alignment, so its transform starts at the left.
 */
export function fitLines(root) {
  for (const el of root.querySelectorAll(".fit")) {
    const box = el.parentElement;
    const key = `${el.textContent}|${box.clientWidth}|${box.clientHeight}|${window.innerHeight}|${faces}`;
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

/** Draws again when a face has come late, for letters that no page had needed before. */
export function withLateFaces(draw) {
  document.fonts.addEventListener("loadingdone", () => {
    faces += 1;
    kept.clear();
    draw();
  });
}

/** Loads the faces a page draws with, so that the first measurement is right; rarer letters come with their names (`withLateFaces`). */
export async function fontsReady() {
  const sample = "AБàЁ0";
  await Promise.all(['500 20px "Marker Text"', '700 20px "Marker Text"', '600 20px "Marker Name"', '760 20px "Marker Digits"'].map(
    (font) => document.fonts.load(font, sample),
  ));
}

const LEADING = 1.04;
const ANYWHERE = 1.06; // a line that ends in the middle of a part counts as wider by this much
const kept = new Map();

/**
 * "Name: sentence" set as large as the box allows, with as few lines as that takes: { lines: [[name, text], …], size }.
 * `box`: { width, height, size }, pixels; `size` is the largest letter. A part stays together where it can, a number always.
 */
export function saidLines(name, sentence, box) {
  const key = [name, sentence, box.width, box.height, box.size].join("|");
  if (!kept.has(key)) {
    if (kept.size > 20) kept.clear();
    kept.set(key, setLines(name ? `${name}:` : "", sentence, box));
  }
  return kept.get(key);
}

function setLines(head, sentence, box) {
  const font = `500 ${box.size}px "Marker Text"`;
  const tokens = [...(head ? [head] : []), ...pieces(sentence)];
  const widths = tokens.map((token) => widthOf(token, font));
  const space = widthOf(" ", font);
  let best = null;
  for (let count = 1; count <= Math.min(8, Math.max(1, tokens.length)); count += 1) {
    const ends = breaks(tokens, widths, space, count, Boolean(head));
    const widest = Math.max(1, ...ends.map((end, index) => across(widths, space, index ? ends[index - 1] : 0, end)));
    const size = Math.min(box.size, box.height / (count * LEADING), (box.size * box.width) / (widest * NARROWEST));
    if (!best || size > best.size * 1.04) best = { ends, size };
    if (best.size >= box.size) break;
  }
  const lines = best.ends.map((end, index) => {
    const words = tokens.slice(index ? best.ends[index - 1] : 0, end);
    const named = head && index === 0;
    return named ? [head, words.length > 1 ? ` ${words.slice(1).join(" ")}` : ""] : ["", words.join(" ")];
  });
  return { lines, size: best.size };
}

const across = (widths, space, from, to) => widths.slice(from, to).reduce((sum, width) => sum + width, 0) + space * Math.max(0, to - from - 1);

/** Words, each with what must not be torn from it: a number from what it counts, a letter and a dash from their word, a short word from the next. */
function pieces(text) {
  const made = [];
  let glue = false;
  const words = text.split(" ").filter(Boolean);
  words.forEach((word, at) => {
    const last = made.at(-1);
    const counted = /^\d+[,;]?$/.test(word) && (/[,;]$/.test(word) || at === words.length - 1);
    const belongs = counted || /^(–|[«“"]?\p{Lu}{1,2}[»”"]?)[,;]?$/u.test(word);
    if (last !== undefined && (glue || (belongs && !/[,;]$/.test(last)))) made[made.length - 1] = `${last} ${word}`;
    else made.push(word);
    glue = /^(\p{Ll}{1,2}|\d+)$/u.test(word) && !counted;
  });
  return made;
}

/** Where `count` lines end so that the widest is as narrow as can be; after a name or a comma it costs nothing to break. */
function breaks(tokens, widths, space, count, named) {
  const n = tokens.length;
  const table = (value) => Array.from({ length: count + 1 }, () => Array(n + 1).fill(value));
  const [widest, uneven, from] = [table(Infinity), table(Infinity), table(0)];
  widest[0][0] = uneven[0][0] = 0;
  for (let line = 1; line <= count; line += 1) for (let end = line; end <= n; end += 1) for (let start = line - 1; start < end; start += 1) {
    const clean = end === n || /[,;]$/.test(tokens[end - 1]) || (named && end === 1);
    const width = across(widths, space, start, end) * (clean ? 1 : ANYWHERE);
    const [most, sum] = [Math.max(widest[line - 1][start], width), uneven[line - 1][start] + width * width];
    if (most < widest[line][end] || (most === widest[line][end] && sum < uneven[line][end])) {
      [widest[line][end], uneven[line][end], from[line][end]] = [most, sum, start];
    }
  }
  const ends = [];
  for (let line = count, end = n; line > 0; line -= 1) {
    ends.unshift(end);
    end = from[line][end];
  }
  return ends;
}

const fitKey = (row, el) => `${el.textContent}|${row.clientWidth}|${row.children.length}|${row.lastElementChild.textContent.length}|${faces}`;

/** Makes the names in a row of fixed width smaller until nothing of the row is pushed out; below four fifths a double name becomes its short form. */
export function fitNames(root) {
  for (const row of root.querySelectorAll(".player")) {
    const el = row.querySelector(".fit");
    if (!el || el.fitted === fitKey(row, el)) continue;
    el.style.removeProperty("font-size");
    const gap = Number.parseFloat(getComputedStyle(row).columnGap) || 0;
    const others = [...row.children].filter((child) => child !== el.parentElement && child.offsetParent !== null);
    const taken = others.reduce((sum, child) => sum + child.getBoundingClientRect().width + gap, 0);
    const room = row.clientWidth - taken - 20; // what the margins take
    const text = el.firstChild;
    if (el.dataset.full) text.nodeValue = el.dataset.full;
    if (el.dataset.short && room < 0.8 * el.offsetWidth) text.nodeValue = el.dataset.short;
    const ratio = room / el.offsetWidth;
    if (ratio < 1) el.style.fontSize = `${Math.floor(ratio * 1000) / 10}%`;
    el.fitted = fitKey(row, el);
  }
}
