// A table drawn from above in the frame of the hardware data: the first end at the left, `left` at the top. No ball, no path.
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { PIN_PATH } from "./marks.js";

export const RIM = 130;

/** Geometry of the profiles, asked for once. */
let known = null;
export async function profiles() {
  known ??= await (await fetch("/api/profiles")).json();
  return known;
}

/** Distances of the pins are drawn larger than they are, or nobody could tell them apart. */
const spread = (geometry) => (Object.keys(geometry.pins).length ? geometry.bed.l / 10.3 / 66 : 1);

/** Where a channel is on the drawing: {x, y, kind}. */
export function placeOf(geometry, name) {
  const pin = geometry.pins[name];
  if (pin) return { x: pin[0] * spread(geometry), y: -pin[1] * spread(geometry), kind: "pin" };
  const rail = geometry.rails[name] ?? Object.values(geometry.rails).find((item) => item.rail === name || item.position === name);
  if (rail) return { x: (rail.from[0] + rail.to[0]) / 2, y: -(rail.from[1] + rail.to[1]) / 2, kind: "rail", rail };
  const pocket = geometry.pockets[name] ?? Object.values(geometry.pockets).find((item) => item.name === name);
  if (pocket) return { x: pocket.xy[0], y: -pocket.xy[1], kind: "pocket" };
  if (/click/i.test(name)) return { x: geometry.click[0], y: -geometry.click[1], kind: "click" };
  return null;
}

/** The drawing. `around`: mm left free outside the rim; `marks`: channel -> class; `down`: pins that lie; `extra`: nodes drawn on top; `label`: the same in words. */
export function tableDrawing(geometry, { marks = {}, down = [], extra = null, label = "", carom = true, around = 0 } = {}) {
  const { l, w } = geometry.bed;
  const k = spread(geometry);
  const off = RIM * 0.62;
  const edge = RIM + 10 + around;
  return h("svg", { viewBox: `${-l / 2 - edge} ${-w / 2 - edge} ${l + 2 * edge} ${w + 2 * edge}`, class: "table-drawing", role: "img", "aria-label": label },
    h("rect", { class: "rim", x: -l / 2 - RIM, y: -w / 2 - RIM, width: l + 2 * RIM, height: w + 2 * RIM, rx: carom ? 30 : 60 }),
    h("rect", { class: "bed", x: -l / 2, y: -w / 2, width: l, height: w }),
    Object.entries(geometry.lines).filter(([name]) => name === "house" || name === "middle").map(([name, x]) => h("line", { key: name, class: `mid ${name}`, x1: x, x2: x, y1: -w / 2, y2: w / 2 })),
    Object.entries(geometry.spots).map(([name, [x, y]]) => h("circle", { key: name, class: "spot", cx: x, cy: -y, r: l / 230 })),
    Object.entries(geometry.rails).map(([name, rail]) => {
      const flat = Math.abs(rail.to[0] - rail.from[0]) < 1;
      const sx = flat ? Math.sign(rail.from[0]) * off : 0;
      const sy = flat ? 0 : -Math.sign(rail.from[1]) * off;
      const trim = carom ? 0.97 : 1;
      return h("line", { key: name, class: `rail ${marks[name] ?? ""}`, x1: rail.from[0] * (flat ? 1 : trim) + sx, y1: -rail.from[1] * (flat ? trim : 1) + sy, x2: rail.to[0] * (flat ? 1 : trim) + sx, y2: -rail.to[1] * (flat ? trim : 1) + sy });
    }),
    Object.entries(geometry.pockets).map(([name, pocket]) => h("circle", { key: name, class: `pocket ${marks[name] ?? ""}`, cx: pocket.xy[0], cy: -pocket.xy[1], r: l / 42 })),
    Object.entries(geometry.pins).map(([name, [x, y]]) => h("g", { key: name, transform: `translate(${x * k} ${-y * k}) scale(${l / 760})`, class: `pin-mark ${marks[name] ?? ""}` },
      h("path", { class: "pin", d: PIN_PATH, style: { transform: down.includes(name) ? `translate(${name === "E" ? -36 : 36}px, 12px) rotate(${name === "E" ? 90 : -90}deg)` : "translate(0px, 24px)" } }))),
    carom ? [h("text", { key: "first", class: "end", x: -l / 2 + 60, y: -w / 2 + 130 }, t("end.top")), h("text", { key: "second", class: "end", x: l / 2 - 60, y: -w / 2 + 130, "text-anchor": "end" }, t("end.bottom"))]
      : h("text", { key: "house", class: "end", x: -l / 4 - 40, y: w / 2 - 40, "text-anchor": "end" }, t("end.house")),
    h("g", { key: "extra" }, extra)); // apart: its nodes may be keyed by the same names
}
