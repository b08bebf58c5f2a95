// The history: one row a match, newest first.
import { h, render } from "../lib/dom.js";
import { clockText, dayText, loadWords, num, t } from "../lib/i18n.js";
import { links } from "../lib/parts.js";
import { setTheme } from "../lib/settings.js";

const app = document.getElementById("app");
const STEP = 100;
let shown = STEP;
let list = null;
let wanted = "";

await loadWords();
setTheme();
document.title = t("matches");
draw();
const answer = await fetch("/api/matches").catch(() => null);
list = answer?.ok ? (await answer.json()).matches : [];
draw();

function draw() {
  const found = (list ?? []).filter((match) => !wanted || ["A", "B"].some((side) => `${match.players?.[side]?.name} ${match.players?.[side]?.given}`.toLocaleLowerCase().includes(wanted.toLocaleLowerCase())));
  render(app, h("main", { class: "sheet" },
    h("header", { class: "page-head" }, h("h1", {}, t("matches")), links("matches")),
    h("p", { class: "small-head" }, h("label", { for: "find" }, t("find.player")), h("input", { id: "find", class: "pick", type: "search", value: wanted, oninput: (event) => { wanted = event.target.value; draw(); } }), h("span", { class: "fill" }, list ? t("matches.n", { n: found.length }) : t("loading"))),
    list && !found.length ? h("p", { class: "empty" }, t("matches.none")) : h("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": t("matches") }, h("table", { class: "list-table matches" },
      h("thead", {}, h("tr", {}, ["col.day", "col.time", "col.table", "col.game", "col.players", "col.result"].map((key) => h("th", { scope: "col", key }, t(key))))),
      h("tbody", {}, found.slice(0, shown).map(row)))),
    found.length > shown ? h("button", { class: "key", onclick: () => { shown += STEP; draw(); } }, t("more.rows")) : null));
}

function row(match) {
  const person = (side) => h("span", { class: match.winner === side ? "won-name" : "", lang: match.players?.[side]?.lang || null }, match.players?.[side]?.name || t(`player.${side}`));
  return h("tr", { key: match.id, class: match.ended_ms ? "" : "running" },
    h("td", {}, dayText(match.started_ms)), h("td", {}, match.ended_ms ? `${clockText(match.started_ms)}–${clockText(match.ended_ms)}` : clockText(match.started_ms)),
    h("td", {}, match.table_name || match.table), h("td", {}, match.practice ? t("practice") : t(`short.${match.game}`)),
    h("td", {}, h("a", { href: `/matches/${encodeURIComponent(match.id)}` }, person("A"), "\u00a0–\u00a0", person("B"))),
    h("td", { class: "bold" }, `${num(match.games?.A ?? 0)}:${num(match.games?.B ?? 0)}`, match.ended_ms ? "" : h("span", { class: "dim" }, ` ${t("running")}`)));
}
