// The tournament day: the hall's rows by time, the running ones on top.
import { h, render } from "../lib/dom.js";
import { clockText, dayText, loadWords, num, span, t } from "../lib/i18n.js";
import { links } from "../lib/parts.js";
import { setTheme } from "../lib/settings.js";
import { Stream } from "../lib/stream.js";

const app = document.getElementById("app");
let matches = [];
let loadedFor = "";

await loadWords();
setTheme();
document.title = t("day");
const stream = new Stream([], { onChange: draw });

async function load(signature) {
  loadedFor = signature;
  const answer = await fetch("/api/matches").catch(() => null);
  if (!answer?.ok) return;
  matches = (await answer.json()).matches;
  draw();
}

const dayOf = (ms) => dayText(ms);

function draw() {
  if (!stream.hello) return;
  const views = [...stream.tables.values()];
  const signature = views.map((view) => `${view.match?.id ?? ""}/${view.phase === "match_over"}`).join();
  if (signature !== loadedFor) load(signature);
  const today = dayOf(stream.now());
  const live = new Map(views.filter((view) => view.match && view.phase !== "match_over").map((view) => [view.match.id, view]));
  const rows = matches.filter((match) => live.has(match.id) || dayOf(match.scheduled_ms ?? match.started_ms) === today)
    .sort((a, b) => Number(live.has(b.id)) - Number(live.has(a.id)) || (a.scheduled_ms ?? a.started_ms) - (b.scheduled_ms ?? b.started_ms));
  render(app, h("main", { class: "sheet" },
    h("header", { class: "page-head" }, h("h1", {}, t("day")), h("span", { class: "dim" }, today), h("span", { class: "dim" }, clockText(stream.now())), links("day")),
    stream.stale && stream.everFresh ? h("p", { class: "flame bold", role: "alert" }, `${t("stale")} ${span(stream.silentMs)}`) : null,
    rows.length ? h("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": t("day") }, h("table", { class: "list-table" },
      h("thead", {}, h("tr", {}, ["col.time", "col.table", "col.players", "col.state"].map((key) => h("th", { scope: "col", key }, t(key))))),
      h("tbody", {}, rows.map((match) => row(match, live.get(match.id)))))) : h("p", { class: "empty" }, t("day.none"))));
}

function row(match, view) {
  const name = (side) => h("span", { class: match.winner === side ? "won-name" : "", lang: match.players?.[side]?.lang || null }, match.players?.[side]?.name || t(`player.${side}`));
  const games = `${num(view?.players?.A.games ?? match.games?.A ?? 0)}:${num(view?.players?.B.games ?? match.games?.B ?? 0)}`;
  const state = view ? `${games}, ${t("game.no", { k: view.match.game_no })}: ${num(view.players.A.score)}:${num(view.players.B.score)}` : match.ended_ms ? games : match.scheduled_ms ? t("day.later") : t("running");
  return h("tr", { key: match.id, class: view ? "running" : "" },
    h("td", {}, clockText(match.scheduled_ms ?? match.started_ms)), h("td", {}, match.table_name || match.table),
    h("td", {}, h("a", { href: view ? `/tables/${match.table}` : `/matches/${encodeURIComponent(match.id)}` }, name("A"), "\u00a0–\u00a0", name("B"))),
    h("td", { class: view ? "bold" : "" }, state, view ? h("span", { class: "dim" }, ` ${t(`hall.${view.phase}`)}`) : null));
}
