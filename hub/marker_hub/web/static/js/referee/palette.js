// The palette of calls: the rules' own letters and words, for the striker or the waiting player.
import { h } from "../lib/dom.js";
import { other } from "../lib/facts.js";
import { has, pick, t } from "../lib/i18n.js";
import { tick } from "../lib/marks.js";
import { surname } from "./parts.js";

/** The panel. `ui.by`: striker or waiting. */
export function palette(state) {
  const { sheet, view, ui } = state;
  const by = ui.by ?? "striker";
  const list = (sheet?.palette ?? []).filter((entry) => !entry.by || entry.by.includes(by));
  const now = list.filter((entry) => entry.possible !== false);
  const later = list.filter((entry) => entry.possible === false);
  const reasons = [...new Set(later.map((entry) => entry.reason).filter(Boolean))];
  const player = (role) => (role === "striker" ? state.striker : other(state.striker));
  return [
    h("div", { class: "answers n2 who", role: "radiogroup", "aria-label": t("calls.by") }, ["striker", "waiting"].map((role) =>
      h("button", { key: role, role: "radio", "aria-checked": String(role === by), class: role === by ? "answer on" : "answer", onclick: () => { ui.by = role; state.draw(); } },
        h("span", { class: "label" }, role === by ? tick() : null, t(`by.${role}`)), h("span", { class: "gives" }, surname(view, player(role)))))),
    h("div", { class: "chips" }, now.map((entry) => chip(state, entry, player(by), by))),
    later.length ? h("h2", { class: "dim later" }, reasons.length === 1 && has(`reason.${reasons[0]}`) ? t(`reason.${reasons[0]}`) : t("calls.later")) : null,
    later.length ? h("div", { class: "chips" }, later.map((entry) => chip(state, entry, player(by), by))) : null,
    ui.clause ? h("p", { class: "notice clause-text", role: "status" }, ui.clause) : null,
  ];
}

function chip(state, entry, player, by) {
  const { sheet, ui } = state;
  const made = (sheet.calls ?? []).find((call) => call.code === entry.code && call.by === player);
  const off = entry.possible === false;
  const word = pick(entry.short) || pick(entry.word);
  const press = () => {
    if (made) return state.send({ kind: "uncall", code: entry.code, by: player });
    if (entry.args?.length && ui.asking !== entry.code) {
      ui.asking = entry.code;
      ui.args = [];
      return state.draw();
    }
    return call(state, entry, player, by);
  };
  return h("div", { class: "chip-box", key: entry.code },
    h("button", { class: made ? "chip on" : off ? "chip off" : "chip", disabled: off || !state.commander.ready, "aria-pressed": String(Boolean(made)), "data-code": entry.code, onclick: press,
      oncontextmenu: (event) => { event.preventDefault(); showClause(state, entry); }, title: clauseText(entry) },
    h("span", { class: "letter", "data-long": entry.letter ? null : "" }, entry.letter ? pick(entry.letter) : entry.code.replace(/^[A-Z]+-/, "")), h("span", { class: "word" }, word), made ? tick() : null),
    ui.asking === entry.code && !made ? ballsOf(state, entry, player, by) : null);
}

function ballsOf(state, entry, player, by) {
  const { ui } = state;
  const toggle = (ball) => { ui.args = ui.args.includes(ball) ? ui.args.filter((one) => one !== ball) : [...ui.args, ball]; state.draw(); };
  return h("div", { class: "answers n3 args", role: "group", "aria-label": t("calls.balls") },
    entry.args.map((ball) => h("button", { key: ball, class: ui.args.includes(ball) ? "answer on" : "answer", "aria-pressed": String(ui.args.includes(ball)), onclick: () => toggle(ball) }, h("span", { class: "label" }, t(`which.${ball}`)))),
    h("button", { key: "do", class: "answer", disabled: !ui.args.length || !state.commander.ready, onclick: () => call(state, entry, player, by) }, h("span", { class: "label" }, t("calls.add"))));
}

function call(state, entry, player, by) {
  const body = { kind: "call", code: entry.code, by: player, when: by === "waiting" ? "sitting" : "during" };
  if (entry.args?.length) body.args = state.ui.args ?? [];
  state.ui.asking = null;
  return state.send(body);
}

const clauseText = (entry) => `${entry.clause ?? entry.code}${entry.text ? `: ${pick(entry.text)}` : ""}`;

function showClause(state, entry) {
  state.ui.clause = clauseText(entry);
  state.draw();
}
