// The shot sheet: only the rows that can still change the result, the likeliest answers chosen, one press accepts.
import { h } from "../lib/dom.js";
import { isPyramid, PINS, gains, pinsFirst, pinsText, pointsOf } from "../lib/facts.js";
import { has, lang, num, pick, signed, t } from "../lib/i18n.js";
import { diamond, forward, PIN_PATH, tick } from "../lib/marks.js";
import { surname } from "./parts.js";

const UNSEEN = "unknown"; // the answer "did not see": it never excludes anything

/** What the sensors say, in one line. */
export function evidence(state) {
  const { view, sheet } = state;
  if (view.watched === false) return null; // nobody's sensors are silent: there are none
  const text = heard(view);
  if (!text && !sheet?.shot) return null;
  return h("p", { class: "evidence dim" },
    h("svg", { viewBox: "-14 -73 28 74", "aria-hidden": "true", class: "pin-mark" }, h("path", { d: PIN_PATH })), h("span", {}, t("sensors.say", { text: text || t("sensors.nothing") })));
}

function heard(view) {
  const facts = view.live?.facts ?? [];
  const pins = PINS.filter((pin) => facts.some((fact) => fact.kind === "pin" && fact.what === pin && fact.sure !== false));
  const count = (kind) => facts.filter((fact) => fact.kind === kind).length;
  const contacts = count("click"); // the tip is not among them
  return [
    pins.length ? t("heard.pins", { n: pins.length, pins: new Intl.ListFormat(lang, { type: "conjunction" }).format(pins.map((pin) => t(`pin.${pin}`))) }) : "",
    count("pot") ? t("live.pots", { n: count("pot") }) : "",
    contacts > 0 ? t("heard.contacts", { n: contacts }) : "",
  ].filter(Boolean).join(", ");
}

/** What an answer would give, in small type. */
export function wouldGive(state, ruling, narrow = false) {
  if (!ruling) return "";
  const [who, value] = pointsOf(ruling);
  if (!who) return isPyramid(state.view) && /^F/.test(ruling.short ?? "") ? t(narrow ? "foul.short" : "foul") : num(0);
  const striker = state.striker;
  return who === striker ? signed(value) : t("to.opponent", { points: signed(value) });
}

/** All rows of the sheet and the way to the calls. */
export function rows(state) {
  const { sheet, view } = state;
  const list = sheet?.rows ?? [];
  return [
    incomplete(view),
    sheet?.problem ? h("p", { class: "notice flame", role: "status" }, t("sheet.problem")) : null,
    notices(state),
    ...list.map((row, index) => (row.multi ? multi(state, row, index) : single(state, row, index))),
    sheet?.direct?.length > 1 && list.length > 1 ? direct(state) : null,
    calls(state),
  ];
}

const incomplete = (view) => (view.incomplete ? h("p", { class: "notice flame", role: "status" }, t("shot.incomplete")) : null);

function single(state, row, index) {
  const chosen = row.answers.find((answer) => answer.selected);
  const needed = !chosen && row.selected !== UNSEEN;
  const unseen = row.selected === UNSEEN;
  const shown = row.answers.filter((answer) => answer.id !== UNSEEN);
  const numbers = shown.length > 4 && shown.every((answer) => /^\d+$/.test(pick(answer.label)));
  const long = !numbers && (shown.some((answer) => pick(answer.label).length > 26) || shown.length > 6);
  const disabled = !state.commander.ready;
  return h("section", { class: needed ? "row needed" : "row", key: row.id, "data-row": row.id, "data-index": index },
    h("div", { class: "ask" }, h("h2", { id: `q-${row.id}` }, pick(row.text)),
      h("span", { class: `origin ${row.origin}` }, t(`origin.${row.origin}`)),
      h("button", { class: unseen ? "unseen-button on" : "unseen-button", disabled, "aria-pressed": String(unseen), onclick: () => (unseen ? state.send({ kind: "unanswer", question: row.id }) : answer(state, row, { id: UNSEEN })) },
        h("span", {}, t("not.seen")))),
    h("div", { class: numbers ? "answers numbers" : `answers n${shown.length}${long ? " long" : ""}`, role: "radiogroup", "aria-labelledby": `q-${row.id}` }, shown.map((item, place) =>
      h("button", { key: item.id, role: "radio", "aria-checked": String(Boolean(item.selected)), class: item.selected ? "answer on" : "answer", disabled, "data-answer": item.id, onclick: () => answer(state, row, item) },
        h("span", { class: "label" }, item.selected ? tick() : null, pick(item.label)),
        h("span", { class: "gives" }, wouldGive(state, item.ruling, numbers)),
        key(state, row, place, item)))));
}

function key(state, row, place, item) {
  if (state.view.node !== "online") return null;
  const button = Object.entries(state.sheet?.buttons ?? {}).find(([, id]) => id === item.id && state.sheet.rows[0] === row);
  return button ? h("span", { class: "key dim" }, t(`button.${button[0]}`)) : null;
}

/**
 * Sends an answer. The rows above it stand as they are selected: "red was then touched by the cue ball" says that the
 * opponent's ball was first, so what was only likely above is said too, in the order of the sheet.
 */
async function answer(state, row, item) {
  state.ui.row = row.id;
  if (item.id !== UNSEEN) {
    const list = state.sheet.rows;
    const above = list.slice(0, list.indexOf(row)).filter((one) => !one.multi && one.origin === "likely" && one.selected && one.selected !== UNSEEN);
    for (const one of above) {
      const said = await state.send({ kind: "answer", question: one.id, answer: one.selected });
      if (said?.status !== 200) return said;
    }
  }
  return state.send({ kind: "answer", question: row.id, answer: item.id });
}

function multi(state, row) {
  const chosen = new Set(row.answers.filter((item) => item.selected).map((item) => item.id));
  const pins = row.answers.filter((item) => PINS.includes(item.id));
  const needed = row.origin === "needed";
  const toggle = (id) => {
    const next = new Set(chosen);
    if (next.has(id)) next.delete(id);
    else next.add(id);
    return state.send({ kind: "answer", question: row.id, answer: row.answers.map((item) => item.id).filter((one) => next.has(one)).join(",") || "none" });
  };
  return h("section", { class: needed ? "row needed" : "row", key: row.id },
    h("div", { class: "ask" }, h("h2", {}, pick(row.text)), h("span", { class: `origin ${row.origin}` }, t(`origin.${row.origin}`)),
      pins.length ? h("button", { class: "unseen-button", disabled: !state.commander.ready, onclick: () => state.send({ kind: "answer", question: row.id, answer: "none" }) }, h("span", {}, t("none.fell"))) : null),
    h("div", { class: `answers n${Math.min(5, row.answers.length)}`, role: "group", "aria-label": pick(row.text) }, pinsFirst(row.answers, (item) => item.id).map((item) =>
      h("button", { key: item.id, class: item.selected ? "answer on" : "answer", "aria-pressed": String(Boolean(item.selected)), disabled: !state.commander.ready || Boolean(item.fixed), "data-answer": item.id, onclick: () => toggle(item.id) },
        h("span", { class: "label" }, item.selected ? tick() : null, PINS.includes(item.id) ? t(`pin.short.${item.id}`) : pick(item.label))))));
}

function direct(state) {
  return h("section", { class: "row", key: "direct" }, h("div", { class: "ask" }, h("h2", {}, t("direct"))),
    h("div", { class: "answers long" }, state.sheet.direct.slice(0, 4).map((item) =>
      h("button", { key: item.id, class: "answer", disabled: !state.commander.ready, onclick: () => state.send({ kind: "pick", ruling: item.id }) },
        h("span", { class: "label" }, outcome(state, item)), h("span", { class: "gives" }, typeof item.story === "object" ? pick(item.story) : (item.story ?? ""))))));
}

/** A ruling that is offered straight away, in words: who gets what, and whose ball comes in hand. */
function outcome(state, item) {
  if (!item.ruling) return item.short;
  const parts = [gains(state.view.players, item.ruling)];
  if (parts[0] === num(0) && item.ruling.kind === "foul") parts[0] = t("foul");
  if (item.ruling.ball_in_hand) parts.push(t("hand"));
  return parts.join(", ");
}

function calls(state) {
  const { sheet } = state;
  if (!sheet?.palette?.length) return null;
  const made = sheet.calls ?? [];
  const words = made.map((call) => {
    const entry = sheet.palette.find((item) => item.code === call.code);
    return entry ? `${entry.letter ? `«${pick(entry.letter)}» ` : ""}${pick(entry.word)}` : (pick(call.words) || call.code);
  });
  return h("button", { class: made.length ? "calls-row on" : "calls-row", key: "calls", onclick: () => state.show("calls") },
    h("span", {}, t("calls"), ": ", h("span", { class: "bold" }, words.join(", ") || t("calls.none"))), forward());
}

const QUIET = new Set(["incomplete", "suspended", "time_called"]); // said elsewhere on the page
const ALARM = new Set(["not-recording", "no-link", "fault", "replay-mismatch", "node-lost", "loss", "open", "count-less", "count-more"]);

/** What the hub has to say: late evidence, open shots, a node that went away. */
export function notices(state) {
  const list = (state.view.notices ?? []).filter((note) => !QUIET.has(note.code) && has(`notice.${note.code}`));
  if (!list.length) return null;
  return h("section", { class: "notices", key: "notices", role: "status" }, list.map((note) => {
    const args = Object.fromEntries(Object.entries(note.args ?? {}).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value?.ru ? pick(value) : value]));
    const shot = note.code === "review" || note.code === "withdrawn" || note.code === "replay-mismatch" ? note.args.shot : note.code === "open" || note.code === "out-of-turn" || note.code === "set-aside" ? note.args.shots?.[0] : null;
    return h("div", { class: ALARM.has(note.code) ? "notice flame" : "notice", key: `${note.code}${shot ?? ""}` }, h("span", {}, t(`notice.${note.code}`, args)),
      shot ? h("button", { class: "choice", onclick: () => state.amend(shot) }, t("review.look")) : null,
      note.code.startsWith("count-") ? h("button", { class: "choice", onclick: () => state.show("count") }, t("panel.count")) : null,
      note.code === "review" ? h("button", { class: "choice", disabled: !state.commander.ready, onclick: () => state.send({ kind: "amend", shot, changes: { keep: true } }) }, t("review.keep")) : null);
  }));
}

/** The table as it stands, for the wider layouts and for setting pins. */
export function layout(state) {
  const { view, stream } = state;
  if (!view.pins) return null;
  return h("section", { class: "layout" }, diamond(view.pins, { decided: view.pins_decided && !view.live, outline: stream.stale, label: pinsText(view.pins) }),
    h("p", { class: "dim" }, pinsText(view.pins)));
}

/** Why a ruling cannot be accepted yet. */
export function missingRow(state) {
  if (state.sheet?.acceptable) return "";
  const rows_ = state.sheet?.rows ?? [];
  const row = rows_.find((item) => (state.sheet.needed ?? []).includes(item.id)) ?? rows_.find((item) => item.origin === "needed" && !item.answers.some((one) => one.selected));
  return row ? t("needs", { question: pick(row.text) }) : "";
}

/** `47 → 55`, with the name where the points go to the other player. */
export function change(state, ruling) {
  const { view } = state;
  const [who] = pointsOf(ruling);
  const after = ruling.score_after;
  if (!after || !view.players) return null;
  if (!who) return [num(view.players.A.score), ":", num(view.players.B.score)];
  const from = num(view.players[who].score);
  return { name: who === ruling.striker ? "" : surname(view, who), from, to: num(after[who]) };
}
