// The hall board: every table one row; scores are decided ones, the last column says what is going on.
import { h, render } from "../lib/dom.js";
import { ballOf, goalShort, isPyramid } from "../lib/facts.js";
import { fitLines, fontsReady, widthOf, withLateFaces } from "../lib/fit.js";
import { clockText, loadWords, nameLines, num, secondsText, shortName, span, t } from "../lib/i18n.js";
import { Kiosk } from "../lib/kiosk.js";
import { ball, clockMark, health, provisionalMark, tip } from "../lib/marks.js";
import { remaining, Stream } from "../lib/stream.js";

const PAGE = 8;
const PAGE_MS = 12_000;
const app = document.getElementById("app");

const ready = Promise.all([loadWords(), fontsReady()]); // the stream opens meanwhile
let drawable = false;
let column = null; // px: the first column where tables have names, null where all are numbers
const kiosk = new Kiosk();
const only = (new URLSearchParams(location.search).get("tables") ?? "").split(",").filter(Boolean);
const stream = new Stream(only, { onChange: draw });
window.addEventListener("resize", draw);
withLateFaces(draw);

function page(ids) {
  if (ids.length <= 10 || innerWidth < 1024) return { ids, text: "" };
  const pages = Math.ceil(ids.length / PAGE);
  const at = Math.floor(stream.now() / PAGE_MS) % pages;
  return { ids: ids.slice(at * PAGE, (at + 1) * PAGE), text: t("page.of", { k: at + 1, m: pages }) };
}

function draw() {
  if (!drawable || !stream.hello) return;
  document.title = stream.hello.hall || t("hall");
  const ids = only.length ? only : [...stream.tables.keys()];
  const shown = page(ids);
  const rows = Math.max(shown.ids.length, innerWidth < 1024 ? 1 : 4);
  const stale = stream.stale && stream.everFresh;
  const named = shown.ids.map(nameOf).filter((name) => !isNumber(name));
  column = named.length ? nameColumn(named) : null;
  render(app, h("main", { class: `boardlist rows-${rows}${column ? " named" : ""}`, style: { "--rows": String(rows), "--no": column ? `${column}px` : "" } },
    stale ? h("header", { class: "banner", role: "alert" }, h("span", { class: "bold" }, t("stale"), " ", h("span", { "aria-hidden": "true" }, span(stream.silentMs))), h("span", {}, t("stale.score", { time: secondsText(stream.now()) })))
      : h("header", { class: "head" }, h("div", { class: "title" }, title(stream.hello.hall || t("hall")), h("span", { class: "count" }, t("tables", { n: ids.length }))),
        h("span", { class: "games" }, t("games.small")), h("span", { class: "right" }, shown.text ? h("span", {}, shown.text) : null, h("span", {}, clockText(stream.now())))),
    shown.ids.length ? h("ul", { class: "list" }, shown.ids.map((id) => h("li", { key: id }, row(stream.tables.get(id), stale)))) : h("p", { class: "dim" }, t("tables", { n: 0 }))));
  fitLines(app);
  if (shown.ids.length) kiosk.between(stream, { phase: "armed" });
}

function row(view, stale) {
  const name = view.name ?? view.id;
  const cls = `line-row${stale ? " stale" : ""}${view.node === "offline" ? " nonode" : ""}`;
  if (!view.match) {
    return h("a", { class: cls, href: `/tables/${view.id}` }, label(name, "no free-no"), h("span", { class: "free" }, t("free")), state(view, stale));
  }
  return h("a", { class: cls, href: `/tables/${view.id}` }, label(name, "no"),
    who(view, "A"), h("span", { class: "score a digits" }, num(view.players.A.score)),
    h("span", { class: "won digits" }, `${num(view.players.A.games ?? 0)}:${num(view.players.B.games ?? 0)}`),
    h("span", { class: "score b digits" }, num(view.players.B.score)), who(view, "B"), state(view, stale));
}

/** A table's number in digits; a name in one line or two, each fitted to the column. */
function label(name, cls) {
  if (isNumber(name)) return h("span", { class: `${cls} digits` }, name);
  return h("span", { class: `${cls} called` }, h("span", { class: "text" }, inLines(name).map((line, at) => h("span", { class: "line", key: at }, h("span", { class: "fit" }, line)))));
}

const nameOf = (id) => stream.tables.get(id).name ?? id;
const isNumber = (name) => /^\d+$/.test(name);
const letter = () => (innerWidth < 1024 ? 19 : Math.min(innerHeight * 0.041, innerWidth * 0.024)); // px, as in hall.css
const nameWidth = (text) => widthOf(text, `600 ${letter()}px "Marker Name"`);
const widest = () => innerWidth * (innerWidth < 1024 ? 0.16 : 0.115);

/** One line where it fits the widest column, else the two most even halves. */
function inLines(name) {
  return innerWidth < 600 || nameWidth(name) <= widest() ? [name] : halves(name);
}

function halves(text) {
  const words = text.split(" ").filter(Boolean);
  if (words.length < 2) return [text];
  const pairs = words.slice(1).map((_, at) => [words.slice(0, at + 1).join(" "), words.slice(at + 1).join(" ")]);
  const longer = (pair) => Math.max(...pair.map(nameWidth));
  return pairs.reduce((best, pair) => (longer(pair) < longer(best) ? pair : best));
}

/** The hall's name; on a board a long one takes two lines (below that width it wraps by itself). */
function title(name) {
  const long = innerWidth >= 1024 && widthOf(name, `700 ${innerHeight * 0.041}px "Marker Text"`) > innerWidth * 0.24;
  return h("h1", { class: long ? "bold long" : "bold" }, (long ? halves(name) : [name]).map((line, at) => h("span", { class: "line", key: at }, h("span", { class: "fit" }, line))));
}

/** Width of the first column, pixels, where tables have names: as wide as the longest line, between a number's width and the widest. */
function nameColumn(names) {
  const longest = Math.max(...names.flatMap(inLines).map(nameWidth));
  const margins = innerWidth < 1024 ? 24 : innerWidth * 0.026;
  return Math.ceil(Math.max(innerWidth < 1024 ? 48 : innerWidth * 0.062, Math.min(longest, widest()) + margins + 2));
}

function who(view, player) {
  const person = view.players[player];
  const turn = view.turn === player && view.phase !== "match_over" && view.phase !== "lag";
  const kind = ballOf(view, player);
  const unit = innerWidth < 1024 ? 21 : innerHeight * 0.041;
  const taken = column ? Math.max(0, column - (innerWidth < 1024 ? 48 : innerWidth * 0.062)) / 2 : 0; // by names of tables, of each half
  const room = innerWidth < 600 ? innerWidth - 190 : innerWidth < 1024 ? innerWidth * 0.27 - taken : Math.min(innerWidth * 0.212, innerWidth * 0.236 - innerHeight * 0.036) - taken;
  const lines = nameLines(person, (text) => widthOf(text, `600 ${unit}px "Marker Name"`) <= room);
  const second = lines.isGiven ? "" : lines.second;
  return h("span", { class: `who ${player.toLowerCase()}${turn ? " turn" : ""}`, lang: person.lang || null, "aria-label": `${person.name}${turn ? `, ${t("at.table")}` : ""}` },
    h("span", { class: "text" }, h("span", { class: "line" }, h("span", { class: "fit" }, lines.first)), second ? h("span", { class: "line" }, h("span", { class: "fit" }, second)) : null),
    h("span", { class: "marks" }, kind ? ball(kind) : null, turn ? tip(player === "B") : null));
}

function state(view, stale) {
  const what = view.match ? [t(`short.${view.game}`), goal2(view)].filter(Boolean).join(", ") : t(isPyramid(view) ? "pyramid" : `short.${view.game}`);
  const [mark, text, cls] = now(view, stale);
  return h("span", { class: view.match ? "state" : "state dim" }, h("span", { class: `now ${cls}` }, mark, whole(text)), h("span", { class: "what" }, whole(what)));
}

/** Text that becomes narrower rather than longer than its column. */
const whole = (text) => h("span", { class: "room" }, h("span", { class: "fit" }, text));

const goal2 = (view) => (view.match.practice ? t("practice") : goalShort(view));

function now(view, stale) {
  if (stale) return [health("absent"), t("stale.small"), ""];
  if (view.node === "offline" && view.match) return [health("absent"), t("node.offline.small"), ""];
  if (!view.match) {
    if (view.node !== "online") return [null, t(view.node === "offline" ? "node.offline.small" : "sensors.none"), ""];
    const sick = (view.sensors ?? []).filter((sensor) => !["ok", "hint"].includes(sensor.quality)).length;
    return sick ? [health("noisy"), t("sensors.sick", { n: sick }), "flame"] : [null, t("sensors.ok"), ""];
  }
  if (view.phase === "match_over") return [health("ok"), view.winner ? t("match.won", { name: shortName(view.players[view.winner], null, 14) }) : t("phase.match_over"), ""];
  if (view.break) return [clockMark(), `${t("break.small")} ${span(remaining({ remaining_ms: view.break.remaining_ms, running: true }, view, stream.now()))}`, ""];
  if (view.phase === "suspended") return [null, t("suspended.small"), ""];
  if (view.proposal || view.live || view.asking) return [provisionalMark(), t("provisional"), "chalk"];
  if (view.clock) {
    const left = remaining(view.clock, view, stream.now());
    const seconds = Math.ceil(left / 1000);
    if (seconds <= 10 && view.clock.running) return [clockMark(), t("ten.small", { n: seconds }), "flame"];
    return [clockMark(), view.clock.running ? t("clock.small", { time: span(left) }) : t("clock.paused"), ""];
  }
  if (view.turn === "A" || view.turn === "B") return view.phase === "armed" ? [tip(false), t("at.table.small"), ""] : [null, t(`hall.${view.phase}`), ""];
  return [null, t(`hall.${view.phase}`), ""];
}

await ready;
drawable = true;
draw();
