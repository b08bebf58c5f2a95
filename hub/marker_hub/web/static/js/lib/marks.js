// Drawn marks. Every mark differs from the others by its shape, so that colour is never the only carrier.
import { h } from "./dom.js";

const svg = (box, attributes, ...children) => h("svg", { viewBox: box, "aria-hidden": "true", focusable: "false", ...attributes }, ...children);
const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 2.4, "stroke-linecap": "round", "stroke-linejoin": "round" };

/** A ball: white is plain, yellow has a dot, red has a bar. `ring`: an outline only (stale). */
export function ball(kind, { ring = false, cls = "ball" } = {}) {
  const colour = { white: "var(--ball-white)", yellow: "var(--ball-yellow)", red: "var(--ball-red)" }[kind] ?? "var(--ball-white)";
  const ink = ring ? "currentColor" : "var(--ball-ink)";
  const inner = kind === "yellow" ? h("circle", { cx: 12, cy: 12, r: 2.6, fill: ink })
    : kind === "red" ? h("rect", { x: 6.5, y: 10.6, width: 11, height: 2.8, fill: ink }) : null;
  const body = ring ? h("circle", { cx: 12, cy: 12, r: 10.6, fill: "none", stroke: "currentColor", "stroke-width": 1.3 })
    : h("circle", { cx: 12, cy: 12, r: 11.2, fill: colour, class: `ball-${kind}` });
  return svg("0 0 24 24", { class: cls }, body, inner);
}

/** The cue tip that points at the table: `left` for the player on the right. */
export const tip = (left = false) => svg("0 0 24 16", { class: "tip" }, h("path", { d: left ? "M24 0V16L0 8Z" : "M0 0V16L24 8Z" }));

export const tick = (cls = "tick") => svg("0 0 16 16", { class: cls }, h("path", { d: "M2.5 8.5 6.3 12.5 13.5 3.5", ...stroke }));
export const cross = (cls = "cross") => svg("0 0 16 16", { class: cls }, h("path", { d: "M3.5 3.5 12.5 12.5M12.5 3.5 3.5 12.5", ...stroke }));
export const undoMark = () => svg("0 0 32 28", { class: "sign" }, h("path", { d: "M12 2 4 10 12 18M4 10H19a7.5 7.5 0 0 1 0 15H14", ...stroke, "stroke-width": 3.2 }));
export const backMark = () => svg("0 0 32 28", { class: "sign" }, h("path", { d: "M20 4 11 14 20 24", ...stroke, "stroke-width": 3.6 }));
export const forward = (cls = "forward") => svg("0 0 10 16", { class: cls }, h("path", { d: "M2 2 8 8 2 14", ...stroke }));
export const arrow = () => svg("0 0 22 14", { class: "arrow" }, h("path", { d: "M1 7H20M14.5 1.5 20 7 14.5 12.5", ...stroke, "stroke-width": 1.9 }));
export const clockMark = () => svg("0 0 20 20", { class: "mark" }, h("circle", { cx: 10, cy: 10, r: 8.3, ...stroke, "stroke-width": 2 }), h("path", { d: "M10 5.2V10.3L13.2 12.2", ...stroke, "stroke-width": 2 }));
export const provisionalMark = () => svg("0 0 20 20", { class: "mark" }, h("circle", { cx: 10, cy: 10, r: 8.3, ...stroke, "stroke-width": 2.2, "stroke-dasharray": "3.6 2.92", "stroke-linecap": "butt" }));
export const doneMark = () => health("ok");

/** Health of a channel: ok, hint, noisy, stuck, absent. */
export function health(quality, cls = "mark") {
  const marks = {
    ok: [h("circle", { cx: 10, cy: 10, r: 9.3 }), h("path", { d: "M5.6 10.3 8.7 13.5 14.4 6.7", fill: "none", stroke: "var(--mark-ink, var(--ground))", "stroke-width": 2.5, "stroke-linecap": "round", "stroke-linejoin": "round" })],
    hint: [h("circle", { cx: 10, cy: 10, r: 8.3, ...stroke, "stroke-width": 2 }), h("path", { d: "M10 2V18A8 8 0 0 1 10 2Z" })],
    noisy: [h("rect", { x: 1.2, y: 1.2, width: 17.6, height: 17.6, ...stroke, "stroke-width": 2 }), h("path", { d: "M3.5 10.5 6 10.5 7.8 5 10.2 15 12.4 7.5 13.8 10.5 16.5 10.5", ...stroke, "stroke-width": 1.7 })],
    stuck: [h("rect", { x: 0.8, y: 0.8, width: 18.4, height: 18.4 }), h("rect", { x: 4.6, y: 8.4, width: 10.8, height: 3.2, fill: "var(--mark-ink, var(--ground))" })],
    absent: [h("circle", { cx: 10, cy: 10, r: 8.3, ...stroke, "stroke-width": 2 }), h("path", { d: "M4.3 15.7 15.7 4.3", ...stroke, "stroke-width": 2 })],
  };
  return svg("0 0 20 20", { class: `${cls} health-${quality}` }, ...(marks[quality] ?? marks.absent));
}

export const PIN_PATH = "M-10 0C-12.6-5.5-13.6-10-13.2-16-12.3-25-5.8-37-5.4-46-5.2-51-9.6-55-9.6-61.6-9.6-68-5.4-72 0-72S9.6-68 9.6-61.6C9.6-55 5.2-51 5.4-46 5.8-37 12.3-25 13.2-16 13.6-10 12.6-5.5 10 0Z";
const SEATS = { N: [0, -83], W: [-83, 0], C: [0, 0], E: [83, 0], S: [0, 83] };
const FALLS_LEFT = new Set(["E"]);

/**
 * The diamond of five pins, N up. `pins`: seat -> standing, down, unknown, off; `decided`: the pins that are down are
 * so for good; `outline`: as last known (stale). `label` is the same in words.
 */
export function diamond(pins, { decided = false, outline = false, label = "" } = {}) {
  const seats = Object.entries(SEATS).map(([seat, [x, y]]) => {
    const state = pins?.[seat] ?? "unknown";
    const down = state === "down";
    const look = state === "off" ? "off" : outline ? "last" : state === "unknown" ? "unknown" : down && !decided ? "provisional" : "solid";
    const turn = FALLS_LEFT.has(seat) ? -90 : 90;
    const fall = down ? `translate(${-Math.sign(turn) * 36}px, -14px) rotate(${turn}deg)` : "translate(0px, 0px) rotate(0deg)";
    return h("g", { key: seat, transform: `translate(${x} ${y})`, class: `seat ${state} ${look}` },
      outline || state === "off" ? h("ellipse", { class: "foot", cx: 0, cy: 0, rx: 15, ry: 5 }) : null,
      state === "off" ? null : h("path", { class: "pin", d: PIN_PATH, style: { transform: fall } }),
      state === "unknown" && !outline ? h("path", { class: "query", d: "M-4.6-24.5A4.8 4.8 0 1 1 1.7-20.1C.4-19.4 0-18.6 0-17V-15.6M0-11.4V-11.3", fill: "none", "stroke-width": 3, "stroke-linecap": "round" }) : null);
  });
  return h("svg", { viewBox: "-122 -160 244 250", class: "diamond", role: "img", "aria-label": label },
    h("path", { class: "lines", d: "M0-83 83 0 0 83-83 0Z" }), seats);
}

/** One place of a shelf: filled, slot, provisional, debt. */
export const slot = (state, key) => svg("0 0 24 24", { class: `slot ${state}`, enter: "enter", key },
  state === "filled" ? h("circle", { cx: 12, cy: 12, r: 11.4, fill: "var(--ball-white)" })
    : h("circle", { cx: 12, cy: 12, r: 10.7, fill: "none", stroke: "currentColor", "stroke-width": state === "debt" ? 1.7 : 1.2, "stroke-dasharray": state === "provisional" ? "4 2.4" : null }),
  state === "debt" ? h("path", { d: "M6.5 12H17.5", stroke: "currentColor", "stroke-width": 1.9 }) : null);

/** Rows of 0 and 1 as a QR code with its quiet zone. */
export function qr(rows, label) {
  const size = rows.length;
  let d = "";
  rows.forEach((row, y) => { for (let x = 0; x < size; x += 1) if (row[x] === "1") d += `M${x} ${y}h1v1h-1z`; });
  return h("svg", { viewBox: `-4 -4 ${size + 8} ${size + 8}`, class: "qr", role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    h("rect", { x: -4, y: -4, width: size + 8, height: size + 8, fill: "var(--ball-white)" }), h("path", { d, fill: "var(--ball-ink)" }));
}
