// The overlay for a stream: shows only what is fresh; hidden, stale or not yet heard it is empty.
import { h, render } from "../lib/dom.js";
import { awardText, ballOf, cutText, gameNumber, goalShort, isPyramid, liveText, pointsOf, saidOf } from "../lib/facts.js";
import { fitLines, fontsReady, withLateFaces } from "../lib/fit.js";
import { loadWords, num, pick, shortName, signed, t, upper } from "../lib/i18n.js";
import { ball, tip } from "../lib/marks.js";
import { remaining, Stream } from "../lib/stream.js";

const SHOWN_MS = { points: 8000, zero: 8000, manual: 8000, foul: 12_000 };
const app = document.getElementById("app");
const table = document.documentElement.dataset.table;
const asked = new URLSearchParams(location.search);
const compact = asked.get("variant") === "compact";
const withLower = asked.get("lower") !== "0";
const side = asked.get("side") ?? (compact ? "right" : "left");
let visible = document.visibilityState !== "hidden";
let lower = null;
let lastKey = null;
let first = true;

const ready = Promise.all([loadWords(), fontsReady()]); // the stream opens meanwhile
let drawable = false;
const stream = new Stream([table], { onChange: draw });

/** Hidden: nothing stays on the picture. Shown again: nothing comes back before a snapshot made from now on. */
function setVisible(now) {
  if (visible === now) return;
  visible = now;
  stream.fresh = false;
  lower = null;
  lastKey = null;
  draw();
  if (now) stream.open();
}
document.addEventListener("visibilitychange", () => setVisible(document.visibilityState !== "hidden"));
window.addEventListener("obsSourceVisibleChanged", (event) => setVisible(event.detail.visible));
window.addEventListener("resize", draw);
withLateFaces(draw);
setInterval(() => parent !== window && parent.postMessage("marker-overlay", "*"), 1000);

function watchRuling(view) {
  const last = view.last;
  const key = last ? `${view.match?.id}/${last.shot}/${last.status}/${last.ruling?.short}` : "";
  if (lastKey !== null && key !== lastKey && last?.ruling) {
    lower = { shot: last.shot, until: view.phase === "match_over" ? Infinity : performance.now() + (SHOWN_MS[last.ruling.kind] ?? 8000) };
  }
  lastKey = key;
  if (lower && (performance.now() > lower.until || (lower.until === Infinity && view.phase !== "match_over") || !last)) lower = null;
}

function draw() {
  if (!drawable) return;
  const view = stream.tables.get(table);
  const shown = visible && !stream.stale && view?.match && !document.hidden;
  if (!shown) {
    // A cut, not a fade, when there is nothing to fade from; the old score never comes back.
    render(app, first || !visible ? [] : h("main", { class: `layer gone ${side}` }));
    return;
  }
  first = false;
  watchRuling(view);
  render(app, h("main", { class: `layer ${side}` }, compact ? line(view) : bug(view), !compact && withLower && lower && !view.proposal ? third(view) : null));
  fitLines(app);
}

const striking = (view, player) => view.turn === player && view.phase !== "match_over" && view.phase !== "lag";

function bug(view) {
  return h("section", { class: "bug" }, ["A", "B"].map((player) => {
    const who = view.players[player];
    const kind = ballOf(view, player);
    const other = view.players[player === "A" ? "B" : "A"];
    return h("div", { class: striking(view, player) ? "row turn" : "row", key: player },
      kind ? ball(kind) : h("span", { class: "letter" }, isPyramid(view) && who.debt ? "−" : ""),
      h("span", { class: "who", lang: who.lang || null, "aria-label": who.name }, h("span", { class: "box" }, h("span", { class: "fit" }, shortName(who, other, 24))), striking(view, player) ? tip() : null),
      h("span", { class: "won digits" }, num(who.games ?? 0)), h("span", { class: "value digits" }, num(who.score)));
  }), live(view) ? h("div", { class: "live" }, live(view)) : h("div", { class: "label" }, h("span", {}, view.award ? awardText(view.players, view.award) : `${t(`short.${view.game}`)}, ${gameNumber(view.match, view.game)}`), view.award ? null : right(view)));
}

const live = (view) => {
  const text = liveText(view);
  return text && (view.live || view.asking) ? `${t("provisional")}: ${text}` : "";
};

function right(view) {
  if (view.clock?.running) {
    const seconds = Math.ceil(remaining(view.clock, view, stream.now()) / 1000);
    return h("span", { class: seconds <= 10 ? "flame" : "" }, t("seconds.short", { n: seconds }));
  }
  return h("span", {}, goalShort(view));
}

function third(view) {
  const { last } = view;
  const [name, text] = saidOf(view, last.ruling);
  const word = last.status === "corrected" ? t("corrected") : last.status === "manual" ? t("ruling.manual") : t("ruling");
  return h("section", { class: `lower ${last.status}`, key: `l${last.shot}${last.status}` },
    h("div", { class: "text" }, h("div", { class: "first" }, h("span", { class: "tag" }, upper(word)), h("span", {}, t("shot", { n: last.shot })), last.ruling.limit ? h("span", {}, cutText(last.ruling, view.match.limit)) : null, h("span", { class: "clause" }, pick(last.ruling.public))),
      h("p", { class: "said" }, h("span", { class: "fit" }, name ? h("span", {}, `${name}: `) : null, text))),
    h("div", { class: "points digits" }, signed(pointsOf(last.ruling)[1])));
}

function line(view) {
  const name = (player) => {
    const who = view.players[player];
    const kind = ballOf(view, player);
    return h("span", { class: striking(view, player) ? "turn" : "", lang: who.lang || null, key: player }, kind ? ball(kind) : null, shortName(who, view.players[player === "A" ? "B" : "A"], 34), striking(view, player) ? tip() : null);
  };
  const { A, B } = view.players;
  const provisional = live(view);
  const ten = view.clock?.running && Math.ceil(remaining(view.clock, view, stream.now()) / 1000) <= 10;
  return h("section", { class: "strip-line" }, name("A"), h("span", { class: "value digits" }, `${num(A.score)}:${num(B.score)}`), name("B"),
    provisional ? h("span", { class: "note chalk" }, provisional) : ten ? h("span", { class: "note flame" }, t("call.ten"))
      : lower && withLower && view.last ? h("span", { class: "note ivory" }, `${upper(t("ruling"))} ${signed(pointsOf(view.last.ruling)[1])}`) : null);
}

await ready;
document.title = t("title.display", { table });
drawable = true;
draw();
