// The guided check of one sensor: 20 hits, each heard or missed; nobody passes at 19.
import { h } from "../lib/dom.js";
import { tableName } from "../lib/facts.js";
import { dayText, has, num, secondsText, t } from "../lib/i18n.js";
import { cross, tick } from "../lib/marks.js";
import { plot, thresholdPanel } from "./threshold.js";

export const TRIALS = 20;
const COUNTS = { pin: "lost", cushion: "hit", click: "hit", gate: "drop" };
const PLAN = { cushion: ["weak", "medium", "weak", "strong"], click: ["weak", "medium", "weak", "strong"], pin: ["topple"], gate: ["drop"] };

/** What the next hit should be like. */
export const strengthOf = (kind, index) => (PLAN[kind] ?? ["medium"])[index % (PLAN[kind] ?? [1]).length];

/** A fresh check of `channel`; `since`: id of the newest event before it. */
export const begin = (channel, since) => ({ channel: channel.channel, kind: channel.kind, trials: [], since, ended: null });

/** Takes the events that came since the last look; several records of one hit within a second are one trial. */
export function listen(check, events) {
  if (!check || check.ended) return;
  for (const event of events) {
    if (event.id <= check.since) continue;
    check.since = event.id;
    if (event.kind !== COUNTS[check.kind] && !Object.values(COUNTS).includes(event.kind)) continue; // a pin being set up again is no hit
    if (event.channel === check.channel && event.kind !== COUNTS[check.kind]) continue;
    if (event.channel !== check.channel) {
      const last = check.trials.at(-1);
      if (last?.heard && last.heardAt !== undefined && event.at - last.heardAt < 300) last.foreign = (last.foreign ?? 0) + 1;
      continue;
    }
    const last = check.trials.at(-1);
    if (last?.heard && last.heardAt !== undefined && event.at - last.heardAt < 1000) {
      if (check.kind === "gate") last.drops = (last.drops ?? 1) + 1;
      continue;
    }
    if (check.trials.length >= TRIALS) continue;
    check.trials.push({ heard: true, volts: event.v ?? null, pulse_ms: event.pulse_ms ?? null, unsure: Boolean(event.unsure), heardAt: event.at, drops: 1, foreign: 0 });
  }
}

/** The panel. `act`: {miss, undo, stop, save, start}; `context`: {draft, law, channels, move, send} of the threshold. */
export function panel(check, channel, act, context) {
  if (!check) return h("aside", { class: "check" }, h("h2", {}, t("check.title")), h("p", { class: "dim" }, t("check.choose")),
    channel ? [plot(null, channel, TRIALS, context), thresholdPanel(null, channel, context.channels, TRIALS, context),
      h("div", { class: "check-keys last" }, h("button", { class: "main", onclick: act.start }, t("check.start", { channel: channel.channel })))] : null);
  const done = check.trials.length;
  const heard = check.trials.filter((trial) => trial.heard).length;
  return h("aside", { class: "check", "aria-label": t("check.title") },
    h("h2", {}, t("check.of", { channel: check.channel, place: act.placeText })),
    h("div", { class: "count" }, h("span", { class: "digits" }, num(done)), h("span", { class: "of" }, h("span", {}, t("check.hits", { n: TRIALS })), h("br", {}), h("span", { class: "bold" }, t("check.heard", { n: heard })), done - heard ? h("span", {}, `, ${t("check.missed", { n: done - heard })}`) : null)),
    h("div", { class: "cells", role: "img", "aria-label": t("check.cells", { n: heard, m: done }) }, Array.from({ length: TRIALS }, (_, index) => cell(check, index))),
    check.ended ? verdict(check.ended) : done < TRIALS ? h("div", { class: "task", role: "status" }, h("p", { class: "bold" }, t(`task.${strengthOf(check.kind, done)}`, { n: done + 1 })), h("p", { class: "dim" }, t("task.left", { n: TRIALS - done }))) : null,
    channel ? [plot(check, channel, TRIALS, context), thresholdPanel(check, channel, context.channels, TRIALS, context)] : null,
    h("div", { class: "check-keys last" },
      h("button", { disabled: Boolean(check.ended) || done >= TRIALS, onclick: act.miss }, t("check.miss")),
      h("button", { disabled: Boolean(check.ended) || !done, onclick: act.undo }, done ? t("check.undo", { n: done }) : t("undo")),
      check.ended ? h("button", { class: "main", onclick: act.save }, t("check.save")) : h("button", { class: "main", disabled: !done, onclick: act.stop }, done >= TRIALS ? t("check.judge") : t("check.stop")),
      check.ended ? h("button", { onclick: act.start }, t("check.again")) : null));
}

function cell(check, index) {
  const trial = check.trials[index];
  if (trial) return h("span", { key: String(index), class: trial.heard ? "cell hit" : "cell miss" }, trial.heard ? tick() : cross());
  return h("span", { key: String(index), class: index === check.trials.length && !check.ended ? "cell next" : "cell" }, num(index + 1));
}

/** Why a trial was a miss, in the reader's language. */
function why(reason) {
  const key = `check.why.${reason.replace(/[\d.-]+ /g, "").replaceAll(" ", "_")}`;
  return has(key) ? t(key) : reason;
}

function verdict(found) {
  const reasons = Object.entries(found.failures ?? {}).map(([reason, count]) => `${why(reason)} ${count}`).join(", ");
  return h("p", { class: found.verdict === "approved" ? "verdict" : "verdict bad", role: "status" }, t(`verdict.${found.verdict.replace(" ", "_")}`, { hits: found.hits, of: found.of }), reasons ? h("span", { class: "dim" }, ` ${reasons}`) : null);
}

/** The report as text to keep: every trial, the verdict, table, time. */
export function reportText(check, view) {
  const lines = [
    `${t("check.title")}: ${check.channel}`, `${tableName(view)}, ${dayText(check.ended.at_ms)} ${secondsText(check.ended.at_ms)}`,
    t(`verdict.${check.ended.verdict.replace(" ", "_")}`, { hits: check.ended.hits, of: check.ended.of }), "",
    ...check.trials.map((trial, index) => [index + 1, trial.heard ? t("trial.heard") : t("trial.missed"), trial.volts === null || trial.volts === undefined ? "" : `${num(trial.volts)} V`, trial.pulse_ms === null || trial.pulse_ms === undefined ? "" : `${num(trial.pulse_ms)} ms`, trial.unsure ? "unsure" : ""].filter((part) => part !== "").join("\t")),
    "", JSON.stringify({ ...check.ended, trials_raw: check.trials.map(({ heardAt, ...trial }) => trial) }),
  ];
  return lines.join("\n");
}
