// Service: the sensors of a table on its drawing, live, and the guided check.
import { h, render } from "../lib/dom.js";
import { pinsFirst, tableName } from "../lib/facts.js";
import { loadWords, num, pick as textOf, span, t } from "../lib/i18n.js";
import { health } from "../lib/marks.js";
import { hubNotes } from "../lib/parts.js";
import { remember, setTheme } from "../lib/settings.js";
import { placeOf, profiles, tableDrawing } from "../lib/tabledraw.js";
import { begin, listen, panel, reportText } from "../service/check.js";
import { draftOf } from "../service/threshold.js";
import { meter, pinSign, pocketNames } from "../service/meters.js";

const POLL_MS = 300;
const TOLD_MS = 60_000;
const STALE_MS = 5000;
const SCALE_V = 3;
const CLIP_V = 2.8;
const app = document.getElementById("app");
let tables = [];
let table = document.documentElement.dataset.table;
let view = null;
let drawings = null;
let chosen = null;
let check = null;
let draft = null;
let told = null;
let tested = null;
let heardAt = performance.now();

await loadWords();
setTheme();
drawings = await profiles();
tables = (await (await fetch("/api/tables")).json()).tables;
table ||= tables[0]?.id ?? "";
poll();

async function poll() {
  try {
    const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/service`, { signal: AbortSignal.timeout(4000) });
    if (answer.status === 401) location.href = `/login?next=${encodeURIComponent(location.pathname)}&role=admin`;
    if (answer.ok) {
      const fresh = await answer.json();
      if (fresh.id === table) {
        view = take(fresh);
        heardAt = performance.now();
        listen(check, (view.events ?? []).map((event) => ({ ...event, at: heardAt + event.ms })));
      }
    }
  } catch {
    // Nothing heard: the page says so by itself after five seconds.
  }
  draw();
  setTimeout(poll, POLL_MS);
}

/** The node reports its threshold with its next health message; until then what it was given is shown. */
function take(fresh) {
  fresh.channels = pinsFirst(fresh.channels, (channel) => channel.channel);
  if (told && told.table === fresh.id && performance.now() < told.until) {
    for (const channel of fresh.channels) if (piezo(channel)) channel.threshold_v = told.volts;
  }
  return fresh;
}

const stale = () => performance.now() - heardAt > STALE_MS;
const sick = (channel) => channel.quality === "noisy" || channel.quality === "stuck";
const classOf = (channel) => (chosen === channel.channel ? "chosen" : sick(channel) ? "sick" : channel.quality === "absent" || stale() ? "none" : "");
const geometry = () => drawings[view.profile === "carom5" ? "carom5" : "pyramid"];
const placeText = (channel) => {
  const info = geometry().channels?.[channel.channel];
  const key = `position.${info?.position ?? channel.place ?? ""}`;
  return t(key in positions() ? key : "position.other", { name: info?.place ?? channel.place ?? channel.channel });
};

function positions() {
  return Object.fromEntries(["top", "bottom", "left", "right", "head", "foot", "left_head", "left_foot", "right_head", "right_foot", "C", "N", "E", "S", "W", "click"].map((name) => [`position.${name}`, true]));
}

function draw() {
  if (!view) return undefined;
  document.title = t("service.title", { table: view.name ?? view.id });
  const selected = view.channels.find((channel) => channel.channel === chosen);
  if (view.fitted === false && !view.node) return render(app, h("main", { class: "service-page" }, top(), h("div", { class: "left" }, h("p", { class: "unfitted", role: "status" }, t("sensors.unfitted.here")), notes())));
  return render(app, h("main", { class: "service-page" }, top(),
    h("div", { class: "work" }, h("section", { class: "left" }, legend(), testLine(), stage(), bars(), channelTable(), lanes(), notes()),
      panel(check, selected, {
        placeText: selected ? placeText(selected) : "",
        start: () => { check = begin(selected, (view.events ?? []).at(-1)?.id ?? 0); draw(); },
        miss: () => { check.trials.push({ heard: false, drops: 0 }); draw(); },
        undo: () => { check.trials.pop(); draw(); },
        stop: judge, save,
      }, { draft, law: view.threshold, channels: view.channels, move: (mv) => { Object.assign(draft, { mv, problem: "" }); draw(); }, send: setThreshold }))));
}

function top() {
  const { node } = view;
  const lost = stale();
  return h("header", { class: "bar-top" },
    h("h1", {}, t("service.title", { table: view.name ?? view.id })), h("span", {}, t(view.profile === "carom5" ? "game.five-pins" : "pyramid")),
    h("label", {}, h("span", { class: "unseen" }, t("col.table")), h("select", { onchange: (event) => { table = event.target.value; view = null; chosen = null; check = null; draft = null; history.replaceState(null, "", `/service/${table}`); } }, tables.map((item) => h("option", { value: item.id, selected: item.id === table, key: item.id }, tableName(item))))),
    h("span", { class: "fill with-mark" }, health(lost || node?.state !== "online" ? "absent" : "ok"), lost ? `${t("stale")} ${span(performance.now() - heardAt)}` : node ? t(node.state === "online" ? "node.named" : "node.gone", { uid: node.uid ?? "" }) : t(view.fitted === false ? "sensors.none" : "node.never")),
    node?.clock_ms !== null && node?.clock_ms !== undefined ? h("span", {}, t("node.clock", { ms: num(node.clock_unc_ms ?? 0, 1) })) : null,
    node?.volts ? h("span", { class: node.volts < 4.6 || node.volts > 5.4 ? "sick" : "" }, `${num(node.volts, 2)} ${t("volt")}`) : null,
    node?.latency_ms !== null && node?.latency_ms !== undefined ? h("span", {}, t("node.latency", { ms: num(node.latency_ms, 1) })) : null,
    node?.drops ? h("span", { class: "sick" }, t("node.drops", { n: node.drops })) : null,
    h("button", { class: "pick", disabled: Boolean(tested?.running) || node?.state !== "online", onclick: selfTest }, tested?.running ? t("sent") : t("selftest")),
    h("button", { class: "pick", onclick: () => { remember("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark"); setTheme(); draw(); } }, t(document.documentElement.dataset.theme === "dark" ? "theme.light" : "theme.dark")));
}

const legend = () => h("div", { class: "legend" }, ["ok", "hint", "noisy", "stuck", "absent"].map((quality) =>
  h("span", { key: quality, class: `with-mark ${quality === "noisy" || quality === "stuck" ? "sick" : quality === "absent" ? "none" : ""}` }, health(quality), t(`quality.${quality}`))), h("span", { class: "fill" }, t("service.scale")));

function stage() {
  const marks = Object.fromEntries(view.channels.map((channel) => [channel.channel, classOf(channel)]));
  const shape = geometry();
  const signs = view.channels.map((channel) => {
    const place = placeOf(shape, channel.channel);
    if (!place) return null;
    if (piezo(channel)) return meter(shape, place, channel, { cls: classOf(channel), name: `${channel.channel} ${placeText(channel)}`, value: voltsText(channel), volts: stale() ? null : channel.last_v, scale: SCALE_V, mark: health(stale() ? "absent" : channel.quality, "inner") });
    const sign = health(stale() ? "absent" : channel.quality, "inner").children;
    if (place.kind === "pin") return pinSign(channel, place, sign, classOf(channel));
    return h("g", { key: channel.channel, class: `sign ${classOf(channel)}`, transform: `translate(${place.x - 60} ${place.y - 60}) scale(6)` }, sign);
  });
  const label = view.channels.map((channel) => `${channel.channel} ${t(`quality.${channel.quality}`)}${piezo(channel) ? ` ${voltsText(channel)}` : ""}`).join(", ");
  return h("div", { class: "stage" }, tableDrawing(shape, { marks, carom: view.profile === "carom5", extra: [pocketNames(shape), signs], label, around: matchMedia("(min-width: 768px)").matches ? 250 : 0 }));
}

function voltsText(channel) {
  const volts = stale() ? null : channel.last_v;
  return volts === null || volts === undefined ? t("service.quiet") : volts >= CLIP_V ? t("service.clipped") : `${num(volts, 2)} ${t("volt")}`;
}

const piezo = (channel) => channel.kind === "cushion" || channel.kind === "click";

function bars() {
  return h("div", { class: "bars" }, view.channels.filter(piezo).map((channel) => {
    const volts = stale() ? null : channel.last_v;
    return h("div", { class: `bar-row ${classOf(channel)}`, key: channel.channel },
      h("div", { class: "words" }, h("span", { class: "with-mark bold" }, health(channel.quality), `${channel.channel} ${placeText(channel)}`), h("span", {}, voltsText(channel))),
      h("div", { class: "bar" }, h("span", { class: "is", style: { transform: `scaleX(${Math.min(1, (volts ?? 0) / SCALE_V).toFixed(3)})` } }),
        channel.noise_v ? h("span", { class: "floor", style: { left: `${Math.min(100, (channel.noise_v / SCALE_V) * 100)}%` } }) : null,
        channel.threshold_v ? h("span", { class: "need", style: { left: `${Math.min(100, (channel.threshold_v / SCALE_V) * 100)}%` } }) : null));
  }));
}

function channelTable() {
  const cell = (value, digits) => h("td", { class: "num" }, value === null || value === undefined ? "–" : num(value, digits));
  return h("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": t("sensors") }, h("table", { class: "channels" },
    h("thead", {}, h("tr", {}, ["ch.name", "ch.place", "ch.state", "ch.last", "ch.noise", "ch.need", "ch.pulse", "ch.delay"].map((key, index) => h("th", { scope: "col", key, class: index > 2 ? "num" : "" }, t(key))))),
    h("tbody", {}, view.channels.map((channel) => h("tr", { key: channel.channel, class: classOf(channel) === "chosen" ? "" : classOf(channel), "aria-selected": String(chosen === channel.channel), onclick: () => pick(channel) },
      h("td", {}, h("button", { onclick: (event) => { event.stopPropagation(); pick(channel); } }, health(stale() ? "absent" : channel.quality), channel.channel)),
      h("td", {}, placeText(channel)), h("td", {}, channel.reason || t(`quality.${channel.quality}`)),
      cell(channel.last_v, 2), cell(channel.noise_v, 3), cell(channel.threshold_v, 2), cell(channel.pulse_ms, 1), cell(channel.latency_ms, 0))))));
}

function pick(channel) {
  if (check && !check.ended && check.trials.length && check.channel !== channel.channel) return; // a running check is not lost by a touch
  chosen = channel.channel;
  if (check?.channel !== chosen) check = null;
  if (draft?.channel !== chosen) draft = draftOf(channel);
  draw();
}

/** Ten seconds of every channel, newest at the right. */
function lanes() {
  const names = view.channels.map((channel) => channel.channel);
  const [w, left, row] = [900, 78, 22];
  const height = names.length * row + 34;
  const x = (ms) => left + ((w - left - 12) * (10_000 + ms)) / 10_000;
  return h("svg", { viewBox: `0 0 ${w} ${height}`, class: "lanes", role: "img", "aria-label": t("service.lanes") },
    [-10, -8, -6, -4, -2, 0].map((second) => h("g", { key: `s${second}` }, h("line", { class: "sec", x1: x(second * 1000), x2: x(second * 1000), y1: 0, y2: height - 24 }), h("text", { x: x(second * 1000), y: height - 6, "text-anchor": second === 0 ? "end" : "middle" }, second === 0 ? t("now") : num(second)))),
    names.map((name, index) => h("g", { key: name, class: classOf(view.channels[index]) }, h("text", { x: 0, y: index * row + 16 }, name), h("line", { class: "lane", x1: left, x2: w - 12, y1: index * row + 19, y2: index * row + 19 }),
      (view.events ?? []).filter((event) => event.channel === name && event.ms > -10_000).map((event) => {
        const tall = event.v ? Math.max(4, Math.min(16, (event.v / SCALE_V) * 18)) : 9;
        return h("rect", { key: String(event.id), x: x(event.ms) - 2, y: index * row + 19 - tall, width: 4, height: tall });
      }))));
}

const notes = () => h("ul", { class: "notes" }, hubNotes(view.notices), view.faults ? h("li", { key: "faults", class: "sick" }, t("admin.faults", { n: view.faults })) : null,
  (view.rejects ?? []).slice(0, 5).map((reject, index) => h("li", { key: `r${index}` }, `${reject.topic}: ${reject.reason}`)));

async function judge() {
  const body = { channel: check.channel, gate: check.kind === "gate", trials: check.trials.map(({ heardAt: _, ...trial }) => ({ ...trial, volts: trial.volts ?? null, pulse_ms: trial.pulse_ms ?? null })) };
  const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/commissioning`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => null);
  if (answer?.ok) check.ended = await answer.json();
  draw();
}

/** What the last self-test found; a sick sensor and a dirty beam are named. */
function testLine() {
  if (!tested || tested.running || tested.table !== view.id) return null;
  if (tested.problem) return h("p", { class: "sick bold", role: "alert" }, tested.problem);
  const bad = Object.entries(tested.channels).filter(([, quality]) => quality !== "ok").map(([name, quality]) => `${name} ${t(`quality.${quality}`)}`);
  const parts = [bad.length ? bad.join(", ") : t("selftest.ok", { n: Object.keys(tested.channels).length }), tested.clean.length ? t("selftest.clean", { beams: tested.clean.join(", ") }) : "", tested.volts ? `${num(tested.volts, 2)} ${t("volt")}` : ""];
  return h("p", { class: bad.length || tested.clean.length ? "sick bold" : "bold", role: "status" }, `${t("selftest")}: ${parts.filter(Boolean).join("; ")}`);
}

async function selfTest() {
  tested = { running: true };
  const asked = table;
  draw();
  const answer = await fetch(`/api/tables/${encodeURIComponent(asked)}/selftest`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  const problem = answer?.ok ? "" : typeof body?.text === "object" ? textOf(body.text) : (body?.text ?? t("error.net"));
  tested = { table: asked, problem, channels: {}, clean: [], ...(answer?.ok ? body : {}) };
  draw();
}

async function setThreshold() {
  const mine = draft;
  mine.sent = true;
  draw();
  const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/threshold`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ mv: mine.mv }) }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  mine.sent = false;
  mine.problem = answer?.ok ? "" : (body?.text ?? t("error.net"));
  if (answer?.ok) {
    mine.mv = null;
    told = { table, volts: body.mv / 1000, until: performance.now() + TOLD_MS };
    take(view);
  }
  draw();
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([reportText(check, view)], { type: "text/plain;charset=utf-8" }));
  link.download = `sensor-${table}-${check.channel}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
