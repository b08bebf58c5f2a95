// The palette of calls: the rules' own letters and words, for the striker or the waiting player.
import { h } from "../lib/dom.js";
import { other } from "../lib/facts.js";
import { has, pick, t } from "../lib/i18n.js";
import { tick } from "../lib/marks.js";
import { surname } from "./parts.js";

const HOLD_MS = 500;
const texts = new Map(); // clause -> its words, asked for once

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
    h("button", { class: ui.reading ? "choice reading on" : "choice reading", key: "reading", "aria-pressed": String(Boolean(ui.reading)), onclick: () => { ui.reading = !ui.reading; ui.clause = null; state.draw(); } },
      h("span", {}, t("clause.show")), ui.reading ? h("span", { class: "sub" }, t("clause.hint")) : null),
    ui.clause ? h("p", { class: "notice clause-text", key: "clause", role: "status" }, h("span", {}, clauseText(ui.clause)),
      h("button", { class: "close", "aria-label": t("close"), onclick: () => { ui.clause = null; state.draw(); } }, "×")) : null,
  ];
}

function chip(state, entry, player, by) {
  const { sheet, ui } = state;
  const made = (sheet.calls ?? []).find((call) => call.code === entry.code && call.by === player);
  const off = entry.possible === false;
  const word = pick(entry.short) || pick(entry.word);
  const press = () => {
    if (ui.held) return (ui.held = false);
    if (ui.reading) return show(state, entry);
    if (off) return undefined;
    if (made) return state.send({ kind: "uncall", code: entry.code, by: player });
    if (entry.args?.length && ui.asking !== entry.code) {
      ui.asking = entry.code;
      ui.args = [];
      return state.draw();
    }
    return call(state, entry, player, by);
  };
  return h("div", { class: "chip-box", key: entry.code },
    h("button", { class: made ? "chip on" : off ? "chip off" : "chip", disabled: !state.commander.ready && !ui.reading, "aria-disabled": off && !ui.reading ? "true" : null, "aria-pressed": String(Boolean(made)), "data-code": entry.code, onclick: press,
      ...reading(state, entry) },
    h("span", { class: "letter", "data-long": entry.letter ? null : "" }, entry.letter ? pick(entry.letter) : (entry.number || entry.code.replace(/^[A-Z]+-/, ""))), h("span", { class: "word" }, word), made ? tick() : null),
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

/** How a chip's clause is read: held for half a second, right button, the key `i`; a mouse that rests on it sees the same. */
function reading(state, entry) {
  const { ui } = state;
  const stop = () => clearTimeout(ui.holding);
  return {
    onpointerdown: (event) => {
      ui.held = false;
      stop();
      if (event.button === 0) ui.holding = setTimeout(() => { ui.held = true; show(state, entry); }, HOLD_MS);
    },
    onpointerup: stop, onpointercancel: stop,
    onpointerleave: stop,
    onpointerenter: (event) => { if (event.pointerType === "mouse") wordsOf(entry).then(() => state.draw()); },
    oncontextmenu: (event) => { event.preventDefault(); stop(); show(state, entry); },
    onkeydown: (event) => { ui.held = false; if (event.key === "i") show(state, entry); },
    title: texts.has(entry.clause ?? entry.code) ? clauseText(entry.clause ?? entry.code) : null,
  };
}

const clauseText = (clause) => `${clause}: ${texts.get(clause) ?? "…"}`; // the id is that of the record

async function wordsOf(entry) {
  const clause = entry.clause ?? entry.code;
  if (!texts.has(clause)) {
    const answer = await fetch(`/api/clauses/${encodeURIComponent(clause)}`).catch(() => null);
    if (answer?.ok) texts.set(clause, pick((await answer.json()).text));
  }
  return clause;
}

async function show(state, entry) {
  state.ui.clause = await wordsOf(entry);
  state.draw();
}
