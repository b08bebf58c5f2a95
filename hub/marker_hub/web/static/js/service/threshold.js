// The threshold of the piezos on a plot: hits, noise floor, the threshold as it is and as it shall be. One comparator threshold serves them all.
import { h } from "../lib/dom.js";
import { num, pick, t } from "../lib/i18n.js";

const W = 412;
const H = 250;
const BASE = H - 30;
const ROOM = H - 50;
const STEP_MV = 5;
const SPARE = 0.8; // a threshold stays this far below the weakest hit

const volts = (mv) => num(mv / 1000, 3);

/** What a noise floor asks for, mV: the rule of the hardware data. */
export const asked = (noiseMv, law) => Math.max(law.min_mv, Math.round(law.gain * noiseMv + law.add_mv));

/** Between the noise floor and the weakest hit, mV; null where there is no room between them. */
export function suggested(noiseMv, weakestMv, law) {
  const low = asked(noiseMv, law);
  const high = Math.min(law.max_mv, weakestMv * SPARE);
  if (low > high) return null;
  const middle = Math.sqrt(noiseMv * weakestMv);
  return Math.round(Math.min(high, Math.max(low, middle)) / STEP_MV) * STEP_MV;
}

/** The draft of a threshold for `channel`: {mv, channel, sent, problem}. */
export const draftOf = (channel) => ({ channel: channel.channel, mv: null, sent: false, problem: "" });

const piezo = (kind) => kind === "cushion" || kind === "click";

/** The plot of a check, with the threshold to drag where the channel has one. `act`: {move(mv), send()}. */
export function plot(check, channel, count, context) {
  const gate = (check?.kind ?? channel.kind) === "gate";
  const trials = check?.trials ?? [];
  const values = trials.map((trial) => (gate ? trial.pulse_ms : trial.volts));
  const known = values.filter((value) => value !== null && value !== undefined);
  const need = channel?.threshold_v ?? null;
  if (!known.length && need === null) return null;
  const floor = channel?.noise_v ?? null;
  const top = Math.max(gate ? 100 : 1, ...known) * 1.1;
  const y = (value) => BASE - (ROOM * value) / top;
  const step = (W - 60) / count;
  const part = (share) => (top / 1.1) * share;
  return h("svg", { viewBox: `0 0 ${W} ${H}`, class: "hits", role: "group", "aria-label": t("check.plot", { need: need === null ? "–" : num(need), floor: floor === null ? "–" : num(floor) }) },
    h("text", { x: 0, y: 14 }, gate ? t("ms") : t("volt")),
    [0, 0.5, 1].map((share) => h("g", { key: String(share) }, h("line", { class: "grid", x1: 34, x2: W, y1: y(part(share)), y2: y(part(share)) }), h("text", { x: 28, y: y(part(share)) + 5, "text-anchor": "end" }, num(part(share), gate ? 0 : 1)))),
    trials.map((trial, index) => {
      const value = values[index];
      const at = { x: 40 + index * step, width: step * 0.66, key: String(index) };
      return trial.heard && value !== null && value !== undefined ? h("rect", { ...at, class: "bar-hit", y: y(value), height: Math.max(1, BASE - y(value)) })
        : h("rect", { ...at, class: trial.heard ? "floor" : "missed", y: BASE - 11, height: 10 });
    }),
    floor !== null && !gate ? [h("line", { key: "f", class: "floor", x1: 34, x2: W, y1: y(floor), y2: y(floor) }), h("text", { key: "ft", x: W, y: H - 8, "text-anchor": "end" }, t("check.floor", { v: num(floor, 3) }))] : null,
    need !== null && !gate ? [h("line", { key: "n", class: "need", x1: 34, x2: W, y1: y(need), y2: y(need) }), h("text", { key: "nt", class: "need-text", x: W, y: y(need) - 6, "text-anchor": "end" }, t("check.need", { v: num(need, 2) }))] : null,
    context.draft && piezo(channel.kind) && need !== null ? handle(context, need, top, y) : null);
}

function handle({ draft, law, move }, need, top, y) {
  const mv = draft.mv ?? Math.round(need * 1000);
  const set = (value) => move(Math.min(law.max_mv, Math.max(law.min_mv, Math.round(value / STEP_MV) * STEP_MV)));
  const keys = { ArrowUp: mv + STEP_MV, ArrowRight: mv + STEP_MV, ArrowDown: mv - STEP_MV, ArrowLeft: mv - STEP_MV, PageUp: mv + 5 * STEP_MV, PageDown: mv - 5 * STEP_MV, Home: law.min_mv, End: law.max_mv };
  const drag = (event) => {
    const box = event.currentTarget.ownerSVGElement.getBoundingClientRect();
    set(1000 * top * ((BASE - ((event.clientY - box.top) * H) / box.height) / ROOM));
  };
  const at = y(mv / 1000);
  return h("g", {
    key: "handle", class: "handle", role: "slider", tabindex: "0", "aria-label": t("threshold"), "aria-orientation": "vertical",
    "aria-valuemin": law.min_mv, "aria-valuemax": law.max_mv, "aria-valuenow": mv, "aria-valuetext": `${volts(mv)} ${t("volt")}`,
    onkeydown: (event) => { if (event.key in keys) { set(keys[event.key]); event.preventDefault(); } },
    onpointerdown: (event) => { event.currentTarget.setPointerCapture(event.pointerId); event.currentTarget.focus(); drag(event); },
    onpointermove: (event) => { if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event); },
  },
  h("rect", { class: "grip", x: 34, y: at - 14, width: W - 34, height: 28 }),
  h("line", { class: "wish", x1: 34, x2: W, y1: at, y2: at }),
  h("path", { class: "knob", d: `M${34} ${at}l12-8v16z` }));
}

/** Below the plot: the value, what is suggested and why, and the button that sets it. */
export function thresholdPanel(check, channel, channels, count, context) {
  const { draft, law } = context;
  if (!draft || !law || !piezo(channel.kind) || channel.threshold_v === null) return null;
  const now = Math.round(channel.threshold_v * 1000);
  const mv = draft.mv ?? now;
  const noisy = channels.filter((one) => piezo(one.kind) && one.noise_v && asked(one.noise_v * 1000, law) > mv).map((one) => one.channel);
  const heard = (check?.trials ?? []).filter((trial) => trial.heard && trial.volts).map((trial) => trial.volts * 1000);
  const done = (check?.trials.length ?? 0) >= count && heard.length;
  const best = done && channel.noise_v !== null ? suggested(channel.noise_v * 1000, Math.min(...heard), law) : null;
  const why = channel.noise_v === null ? t("threshold.nofloor") : !done ? t("threshold.more", { n: count }) : best === null ? t("threshold.close") : t("threshold.best", { v: volts(best), low: num(channel.noise_v, 3), high: volts(Math.min(...heard)) });
  return h("section", { class: "threshold", "aria-label": t("threshold") },
    h("p", { class: "bold" }, t("threshold.of", { v: volts(mv) }), mv === now ? null : h("span", { class: "dim" }, ` ${t("threshold.was", { v: volts(now) })}`)),
    h("p", { class: "dim" }, t("threshold.all")), h("p", {}, why),
    noisy.length ? h("p", { class: "sick" }, t("threshold.noisy", { channels: noisy.join(", ") })) : null,
    draft.problem ? h("p", { class: "sick", role: "alert" }, typeof draft.problem === "object" ? pick(draft.problem) : draft.problem) : null,
    h("div", { class: "check-keys" },
      h("button", { key: "best", disabled: best === null || best === mv, onclick: () => context.move(best) }, t("threshold.take")),
      h("button", { key: "set", class: mv === now ? "" : "wanted", disabled: draft.sent || mv === now, onclick: context.send }, draft.sent ? t("sent") : t("threshold.set", { v: volts(mv) }))));
}
