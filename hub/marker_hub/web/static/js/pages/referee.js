// The referee's page: phone first, keyboard too. It shows what the hub says and sends one command at a time.
import { Commander } from "../lib/commands.js";
import { h, render } from "../lib/dom.js";
import { fitNames, withLateFaces } from "../lib/fit.js";
import { loadWords, lang, t } from "../lib/i18n.js";
import { remember, setTheme } from "../lib/settings.js";
import { Stream } from "../lib/stream.js";
import { amend, draftFor, history } from "../referee/history.js";
import { award, count, facts, manual, menu, stop } from "../referee/more.js";
import { palette } from "../referee/palette.js";
import { foot, result, scores, status } from "../referee/parts.js";
import { body, primary } from "../referee/play.js";
import { setup, setupPrimary } from "../referee/setup.js";
import { evidence, layout } from "../referee/sheet.js";

const root = document.documentElement;
const app = document.getElementById("app");
const table = root.dataset.table;
const PANELS = { menu, manual, count, history, amend, stop, award, facts, calls: palette, setup };

const MENU_OPEN = "marker-menu-open";

/** Whether the page was left from its menu for another language; told once. */
function reopened() {
  try {
    const open = sessionStorage.getItem(MENU_OPEN) !== null;
    sessionStorage.removeItem(MENU_OPEN);
    return open;
  } catch {
    return false;
  }
}

await loadWords();
setTheme();
const state = {
  table, ui: { panel: reopened() ? "menu" : "sheet" }, games: null, referee: root.dataset.role === "referee" || root.dataset.role === "admin",
  get view() { return this.stream.tables.get(table); },
  get sheet() { return this.stream.sheets.get(table); },
  get shot() { return this.view.proposal?.shot ?? this.sheet?.shot ?? this.view.live?.shot ?? null; },
  get striker() { return this.sheet?.striker ?? this.view.proposal?.ruling?.striker ?? (this.view.turn === "B" ? "B" : "A"); },
  draw, show, setupPrimary: () => setupPrimary(state),
  send: (command) => state.commander.send(command),
  amend: (shot) => { state.ui.draft = null; show("amend"); draftFor(state, shot); },
  async loadRecord() {
    if (state.ui.loading || !state.view.match) return;
    state.ui.loading = true;
    const answer = await fetch(`/api/matches/${encodeURIComponent(state.view.match.id)}`).catch(() => null);
    state.ui.record = answer?.ok ? await answer.json() : { games_list: [] };
    state.ui.loading = false;
    draw();
  },
  async logout() {
    await fetch("/api/logout", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    location.href = "/";
  },
  language(id) {
    remember("lang", id);
    if (id === lang) return;
    try {
      sessionStorage.setItem(MENU_OPEN, "yes"); // the page comes back with the menu it was chosen in
    } catch {
      // Without storage the page comes back with its sheet.
    }
    location.reload();
  },
  theme: (id) => { remember("theme", id); setTheme(); draw(); },
};
state.stream = new Stream([table], { sheets: true, onChange: draw });
state.commander = new Commander(table, state.stream, draw);
fetch("/api/games").then((answer) => answer.json()).then((games) => { state.games = games; draw(); }).catch(() => {});
document.title = t("title.referee", { table });

function show(panel) {
  if (panel === "history") state.ui.record = null;
  state.ui.panel = panel;
  state.ui.clause = state.ui.awarding = null;
  draw();
  document.querySelector(".body")?.scrollTo(0, 0);
}

/** Once a shot is decided, or another one is struck, the calls start anew: the sheet is open and the striker is meant. */
function followShot({ view, ui, shot }) {
  const before = ui.shot;
  ui.shot = shot;
  if (before === undefined || before === shot || (before === null && view.phase !== "rolling")) return;
  ui.by = ui.asking = null;
  if (ui.panel === "calls") ui.panel = "sheet";
}

function draw() {
  if (!state.view || !state.commander) return;
  const { view, ui } = state;
  followShot(state);
  if (view.match && ui.panel === "setup") ui.panel = "sheet";
  if (!view.match && !["setup", "menu", "facts"].includes(ui.panel)) ui.panel = state.commander.pending ? ui.panel : "setup";
  const wide = matchMedia("(min-width: 768px)").matches;
  const desk = matchMedia("(min-width: 1280px)").matches;
  const panel = ui.panel === "sheet" ? body(state) : PANELS[ui.panel](state);
  const live = wide && ui.panel !== "sheet" && ui.panel !== "setup" && view.match ? body(state) : null;
  render(app, h("main", { class: `ref panel-${ui.panel}${state.stream.stale ? " stale" : ""}`, "data-phase": view.phase, "data-n": String(view.n) },
    status(state), scores(state), view.match ? result(state) : null,
    wide && view.match ? h("aside", { class: "aside" }, evidence(state), layout(state), live ? h("div", { class: "live-rows" }, live) : null) : null,
    h("div", { class: "body", key: `body-${ui.panel}`, tabindex: "-1" }, panel),
    desk ? h("aside", { class: "raw", "aria-label": t("panel.facts") }, facts(state)) : null,
    foot(state, primary(state))));
  fitNames(app);
}

const typing = (el) => el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(document.activeElement)) return;
  if (/^[1-9]$/.test(event.key)) {
    const row = document.activeElement?.closest(".row") ?? document.querySelector(".row.needed") ?? document.querySelector(`.row[data-row="${state.ui.row ?? ""}"]`) ?? document.querySelector(".row[data-row]");
    row?.querySelectorAll(".answer")[Number(event.key) - 1]?.click();
  } else if (event.key === "Enter" && !(document.activeElement instanceof HTMLButtonElement)) document.querySelector(".foot .accept.on")?.click();
  else if (event.key === "u") document.querySelector(".foot .side-button")?.click();
  else if (event.key === "c") show("calls");
  else if (event.key === "Escape") show("sheet");
  else return;
  event.preventDefault();
});
window.addEventListener("resize", draw);
withLateFaces(draw);
