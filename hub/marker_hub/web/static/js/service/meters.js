// Amplitudes at their rails on the drawing: bar, threshold, noise floor; in millimetres of the table.
import { h } from "../lib/dom.js";
import { RIM } from "../lib/tabledraw.js";

const THICK = 56;
const GAP = 66; // from the rim to the bar
const TURNS = { left: -90, right: 90, up: 0, down: 0 };

/** Where the bar of a piezo lies: middle, length, and the side its words stand on. */
function placeOfBar(geometry, place) {
  if (place.kind === "click") return { x: place.x, y: Object.keys(geometry.pins).length ? geometry.bed.w * 0.4 : place.y + 150, length: 1150, side: "up" }; // clear of the pins
  const { from, to } = place.rail;
  const { l, w } = geometry.bed;
  if (Math.abs(to[0] - from[0]) < 1) return { x: Math.sign(from[0]) * (l / 2 + RIM + GAP), y: place.y, length: w * 0.86, side: from[0] < 0 ? "left" : "right" };
  const length = Math.abs(to[0] - from[0]) * 0.8;
  return { x: place.x, y: Math.sign(place.y) * (w / 2 + RIM + GAP), length, side: place.y < 0 ? "up" : "down" };
}

/** The bar of one piezo. `shown`: {cls, name, value, volts, scale, mark}. */
export function meter(geometry, place, channel, shown) {
  const { x, y, length, side } = placeOfBar(geometry, place);
  const at = (volts) => -length / 2 + length * Math.min(1, volts / shown.scale);
  const words = side === "down" ? THICK / 2 + 92 : -THICK / 2 - 26;
  return h("g", { key: channel.channel, class: `meter ${shown.cls}`, transform: `translate(${x} ${y}) rotate(${TURNS[side]})` },
    h("rect", { class: "frame", x: -length / 2, y: -THICK / 2, width: length, height: THICK }),
    shown.volts ? h("rect", { class: "is", x: -length / 2, y: -THICK / 2, width: Math.max(4, at(shown.volts) + length / 2), height: THICK }) : null,
    channel.noise_v ? h("line", { class: "floor", x1: at(channel.noise_v), x2: at(channel.noise_v), y1: -THICK / 2, y2: THICK / 2 }) : null,
    channel.threshold_v ? h("line", { class: "need", x1: at(channel.threshold_v), x2: at(channel.threshold_v), y1: -THICK / 2 - 18, y2: THICK / 2 + 18 }) : null,
    h("g", { class: "sign-of", transform: `translate(${-length / 2} ${words - 76}) scale(4.4)` }, shown.mark.children),
    h("text", { x: -length / 2 + 112, y: words }, shown.name), h("text", { x: length / 2, y: words, "text-anchor": "end" }, shown.value));
}

/** The health of a pin's sensor and the name of its channel, beside the pin. */
export const pinSign = (channel, place, sign, cls) => h("g", { key: channel.channel, class: `sign pin-sign ${cls}`, transform: `translate(${place.x + 58} ${place.y - 190})` },
  h("g", { transform: "scale(5.2)" }, sign), h("text", { x: 52, y: 186 }, channel.channel));

/** The pockets' names beside them, outside the rim. */
export const pocketNames = (geometry) => Object.entries(geometry.pockets).map(([name, pocket]) => {
  const [x, y] = pocket.xy;
  return h("text", { key: `n${name}`, class: "tag-text", x, y: y > 0 ? -geometry.bed.w / 2 - RIM - 36 : geometry.bed.w / 2 + RIM + 100 }, pocket.name);
});
