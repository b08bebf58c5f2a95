// The score of a game shot by shot: steps, A solid, B dashed, the end marked with the ball.
import { h } from "./dom.js";
import { num, t } from "./i18n.js";

const W = 760;
const H = 292;
const LEFT = 44;
const RIGHT = 690;
const TOP = 26;
const BOTTOM = 248;

const nice = (top) => [5, 10, 20, 25, 50, 100, 200].find((step) => top / step <= 5) ?? 500;

/** `shots`: [{score: {A, B}}] in order; `limit`; `cursor`: index of the chosen shot or -1; `balls`: drawn at the ends. */
export function scoreGraph(shots, { limit, cursor = -1, kinds = {}, label = "", start = { A: 0, B: 0 } }) {
  const all = [start, ...shots.map((shot) => shot.score)];
  const top = Math.max(limit ?? 0, ...all.map((score) => Math.max(score.A, score.B)), 5);
  const bottom = Math.min(0, ...all.map((score) => Math.min(score.A, score.B)));
  const step = nice(top - bottom);
  const x = (index) => LEFT + ((RIGHT - LEFT) * index) / Math.max(1, shots.length);
  const y = (value) => BOTTOM - ((BOTTOM - TOP) * (value - bottom)) / (top - bottom);
  const path = (player) => all.reduce((d, score, index) => (index ? `${d}H${x(index).toFixed(1)}V${y(score[player]).toFixed(1)}` : `M${LEFT} ${y(score[player]).toFixed(1)}`), "");
  const marks = [];
  for (let value = Math.ceil(bottom / step) * step; value <= top; value += step) marks.push(value);
  const every = nice(shots.length);
  const ends = { A: all.at(-1).A, B: all.at(-1).B };
  const apart = Math.abs(y(ends.A) - y(ends.B)) < 24 ? (24 - Math.abs(y(ends.A) - y(ends.B))) / 2 * (ends.B > ends.A ? 1 : -1) : 0;
  return h("svg", { viewBox: `0 0 ${W} ${H}`, class: "graph", role: "img", "aria-label": label },
    marks.map((value) => h("g", { key: `m${value}` }, h("line", { class: value === 0 ? "axis" : "grid", x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value) }), h("text", { x: LEFT - 8, y: y(value) + 5, "text-anchor": "end" }, num(value)))),
    limit ? [h("line", { key: "limit", class: "limit", x1: LEFT, x2: RIGHT, y1: y(limit), y2: y(limit) }), h("text", { key: "lt", x: LEFT + 6, y: y(limit) + 18 }, t("graph.limit", { n: limit }))] : null,
    Array.from({ length: Math.floor(shots.length / every) }, (_, index) => h("text", { key: `x${index}`, x: x((index + 1) * every), y: BOTTOM + 22, "text-anchor": "middle" }, num((index + 1) * every))),
    h("text", { x: RIGHT, y: BOTTOM + 40, "text-anchor": "end" }, t("graph.shot")),
    h("path", { class: "line-b", d: path("B") }), h("path", { class: "line-a", d: path("A") }),
    cursor >= 0 ? h("line", { class: "cursor", x1: x(cursor + 1), x2: x(cursor + 1), y1: TOP, y2: BOTTOM }) : null,
    ["A", "B"].map((player) => h("g", { key: player, transform: `translate(${RIGHT + 4} ${(y(ends[player]) + (player === "A" ? apart : -apart)).toFixed(1)})` },
      h("circle", { class: `end ${kinds[player] ?? ""}`, r: 8.4 }), kinds[player] === "yellow" ? h("circle", { class: "dot", r: 2.6 }) : kinds[player] ? null : h("text", { class: "letter", y: 5, "text-anchor": "middle" }, player),
      h("text", { class: "value", x: 16, y: 6 }, num(ends[player])))));
}
