// Corrections of earlier shots: choose, change, look at what would follow, take it. The live shot goes on beside it.
import { h } from "../lib/dom.js";
import { cutText, gains, PINS } from "../lib/facts.js";
import { num, pick, t } from "../lib/i18n.js";
import { newKey } from "../lib/commands.js";
import { manualFields } from "./more.js";
import { segments, surname } from "./parts.js";

/** The list of the match's shots, newest first. */
export function history(state) {
  const { record } = state.ui;
  if (!record) {
    state.loadRecord();
    return [h("p", { class: "dim" }, t("loading"))];
  }
  return (record.games_list ?? []).toReversed().map((game) => h("section", { key: `g${game.n}` },
    h("h2", {}, t("game.no", { k: game.n }), " ", h("span", { class: "dim" }, `${num(game.score.A)}:${num(game.score.B)}`)),
    h("ol", { class: "shots" }, game.shots.toReversed().map((shot) => h("li", { key: `s${shot.shot}` },
      h("button", { class: shot.status === "void" ? "shot-line void" : "shot-line", onclick: () => state.amend(shot.shot) },
        h("span", { class: "num dim" }, num(shot.shot)), h("span", { class: "name" }, surname(state.view, shot.striker)),
        h("span", { class: shot.status === "open" ? "words flame" : "words" }, shot.status === "void" ? t("void") : shot.status === "open" ? t("amend.open") : pick(shot.ruling?.said ?? shot.ruling?.sentence), shot.status === "corrected" || shot.status === "manual" ? h("span", { class: "small-tag" }, t(shot.status === "manual" ? "by.hand" : "corrected")) : null, shot.ruling?.limit ? h("span", { class: "cut" }, `, ${cutText(shot.ruling, record.limit)}`) : null),
        h("span", { class: "bold gets" }, shot.ruling ? gains(state.view.players, shot.ruling, shot.striker) : "–")))))));
}

/** The correction of one shot. The draft stays until it is taken or thrown away, whatever happens at the table. */
export function amend(state) {
  const draft = state.ui.draft;
  if (!draft) return [h("p", { class: "dim" }, t("loading"))];
  const { view } = state;
  const set = (change) => { Object.assign(draft, change, { preview: null }); state.draw(); };
  return [
    h("h2", {}, t("amend.shot", { n: draft.shot }), draft.old ? h("span", { class: "dim" }, ` ${gains(view.players, draft.old)}: ${pick(draft.old.said ?? draft.old.sentence)}`) : null),
    draft.rows?.length ? draft.rows.map((row) => segments(pick(row.text), row.answers.filter((item) => item.id !== "unknown").map((item) => [item.id, pick(item.label)]), draft.answers[row.id] ?? row.answers.find((item) => item.selected)?.id,
      (id) => set(changedAt(draft, row.id, id)))) : null,
    view.pins ? h("fieldset", { class: "segments" }, h("legend", {}, t("amend.pins")), h("div", {}, PINS.map((pin) =>
      h("button", { key: pin, class: draft.pins?.includes(pin) ? "choice on" : "choice", "aria-pressed": String(Boolean(draft.pins?.includes(pin))), onclick: () => set({ ...changedAt(draft), pins: draft.pins?.includes(pin) ? draft.pins.filter((one) => one !== pin) : [...(draft.pins ?? []), pin] }) }, t(`pin.${pin}`))))) : null,
    segments(t("amend.striker"), [["A", surname(view, "A")], ["B", surname(view, "B")]], draft.striker, (id) => set({ ...changedAt(draft), striker: id })),
    segments(t("amend.kind"), [["facts", t("amend.facts")], ["manual", t("amend.manual")], ["void", t("amend.void")], ["delete", t("amend.delete")]], draft.mode, (id) => set({ mode: id })),
    draft.mode === "manual" ? manualFields({ ...state, draw: () => { draft.preview = null; state.draw(); } }, draft.manual, view) : null,
    draft.preview ? preview(state, draft.preview) : null,
    open(draft) ? h("p", { class: "flame", role: "status" }, open(draft)) : null,
    h("div", { class: "quick" },
      h("button", { class: "choice", key: "drop", onclick: () => { state.ui.draft = null; state.show("history"); } }, t("amend.drop")),
      h("button", { class: "choice", key: "calls", onclick: () => state.show("calls") }, t("panel.calls")),
      h("button", { class: draft.preview ? "choice" : "choice on", key: "see", disabled: !state.commander.ready || (draft.mode === "manual" && !draft.manual.note.trim()), onclick: () => look(state) }, t("amend.preview")),
      draft.preview ? h("button", { class: "choice on", key: "take", disabled: !state.commander.ready || Boolean(open(draft)), onclick: () => take(state) }, t("amend.take")) : null),
  ];
}

function preview(state, seen) {
  const { view } = state;
  return h("section", { class: "preview", role: "status" },
    h("p", { class: "bold" }, t("amend.score"), ` ${num(seen.before.A)}:${num(seen.before.B)} → ${num(seen.after.A)}:${num(seen.after.B)}`.replace("→", "–")),
    seen.winner ? h("p", {}, t("game.wins", { name: surname(view, seen.winner) })) : null,
    h("ul", {}, (seen.changed ?? []).map((item) => h("li", { key: `c${item.shot}` }, changedLine(view, item)))),
    seen.set_aside?.length ? h("p", { class: "flame" }, t("amend.aside", { n: seen.set_aside.length })) : null);
}

/** A shot that the correction changes: who got what and who gets what, why, and what the limit cuts off. */
function changedLine(view, item) {
  const was = item.old ? h("s", { class: "dim" }, gains(view.players, item.old)) : "–";
  const head = h("span", { class: "bold" }, t("shot", { n: item.shot }), ": ", was, " ");
  if (item.open) return [head, h("span", { class: "chalk" }, t("amend.open"))];
  if (!item.new) return [head, t("void")];
  const why = [pick(item.new.said ?? item.new.sentence), item.out_of_turn ? t("amend.turn") : ""].filter(Boolean).join(", ");
  return [head, h("span", { class: "bold" }, gains(view.players, item.new)), h("span", { class: "line-of" }, why), item.new.limit ? h("span", { class: "line-of dim" }, cutText(item.new, view.match?.limit)) : null];
}

/** The draft with row `id` answered (without one: with other facts). What followed from what was said before is asked anew. */
function changedAt(draft, id = null, answer = null) {
  const at = draft.rows.findIndex((row) => row.id === id);
  const follows = new Set(draft.rows.filter((row, index) => index > at && !draft.stored.some((one) => one.id === row.id)).map((row) => row.id));
  const auto = draft.auto.filter((one) => draft.rows.findIndex((row) => row.id === one) < at);
  const gone = new Set([...follows, ...draft.auto.filter((one) => !auto.includes(one))]);
  const answers = Object.fromEntries(Object.entries(draft.answers).filter(([one]) => !gone.has(one)));
  const rows = draft.rows.filter((row) => !follows.has(row.id)).map((row) => (gone.has(row.id) ? draft.stored.find((one) => one.id === row.id) ?? row : row));
  return { answers: id === null ? answers : { ...answers, [id]: answer }, rows, auto };
}

function changes(draft) {
  const made = {};
  if (Object.keys(draft.answers).length) made.answers = draft.answers;
  if (draft.pins && draft.pins.join() !== (draft.pinsWere ?? []).join()) made.pins = draft.pins;
  if (draft.striker !== draft.strikerWas) made.striker = draft.striker;
  if (draft.mode === "void") made.void = true;
  if (draft.mode === "delete") made.delete = true;
  if (draft.mode === "manual") {
    made.note = draft.manual.note.trim();
    made.ruling = { points: { A: draft.manual.A, B: draft.manual.B }, next: draft.manual.next, ball_in_hand: draft.manual.hand };
  }
  return made;
}

/** Changed facts may ask something new: its likeliest answers are chosen on the page, where they can be seen and changed, and sent with the correction. */
async function look(state) {
  const draft = state.ui.draft;
  for (let round = 0; round < 4; round += 1) {
    const answer = await state.send({ kind: "amend", shot: draft.shot, changes: changes(draft), dry_run: true });
    if (answer?.status !== 200 || state.ui.draft !== draft) break;
    draft.preview = answer.body.preview ?? answer.body;
    const rows = draft.mode === "facts" ? (draft.preview.sheet?.rows ?? []).filter((row) => !row.multi) : [];
    if (!rows.length) break;
    const known = new Map(rows.map((row) => [row.id, row])); // what is answered stays on the page beside what is asked now
    draft.rows = [...(draft.rows ?? []).map((row) => known.get(row.id) ?? row), ...rows.filter((row) => !draft.rows?.some((one) => one.id === row.id))];
    const chosen = rows.filter((row) => row.selected && !(row.id in draft.answers));
    if (draft.preview.sheet.certain || !chosen.length) break;
    for (const row of chosen) {
      draft.answers[row.id] = row.selected;
      draft.auto.push(row.id);
    }
  }
  state.draw();
}

/** What is still to be answered before the correction can be taken; empty where nothing is. */
function open(draft) {
  const sheet = draft.preview?.sheet;
  if (draft.mode !== "facts" || !sheet || sheet.certain) return "";
  const row = sheet.rows.find((item) => sheet.needed.includes(item.id));
  return row ? t("needs", { question: pick(row.text) }) : t("amend.open");
}

async function take(state) {
  const draft = state.ui.draft;
  const answer = await state.send({ kind: "amend", shot: draft.shot, changes: changes(draft) });
  if (answer?.status === 200) {
    state.ui.draft = null;
    state.ui.record = null;
    state.show("sheet");
  }
}

/** A fresh draft for `shot` from the record of the match and its stored sheet. */
export async function draftFor(state, number) {
  const { view, ui } = state;
  const record = await (await fetch(`/api/matches/${encodeURIComponent(view.match.id)}`)).json();
  const shot = (record.games_list ?? []).flatMap((game) => game.shots).find((item) => item.shot === number);
  const sheet = await fetch(`/api/tables/${encodeURIComponent(view.id)}/sheet?shot=${number}`).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  const stored = (sheet?.shot === number ? sheet.rows : []) ?? [];
  const seen = (shot?.events ?? []).filter((event) => event.kind === "pin").map((event) => event.what).filter((pin) => PINS.includes(pin));
  const asked = stored.find((row) => row.multi && row.answers.some((item) => PINS.includes(item.id)));
  const pins = asked ? asked.answers.filter((item) => item.selected).map((item) => item.id) : seen;
  const rows = stored.filter((row) => !row.multi);
  ui.draft = {
    id: newKey(), shot: number, old: shot?.ruling ?? null, rows, stored: rows, answers: {}, auto: [], pins, pinsWere: pins,
    striker: shot?.striker ?? "A", strikerWas: shot?.striker ?? "A", mode: "facts", manual: { A: 0, B: 0, next: shot?.striker === "A" ? "B" : "A", hand: false, note: "" }, preview: null,
  };
  state.draw();
}
