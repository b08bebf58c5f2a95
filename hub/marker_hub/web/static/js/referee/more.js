// Everything that is not the shot: the menu, a ruling by hand, interruptions, awards, raw facts.
import { h } from "../lib/dom.js";
import { awardText, other, pinsFirst } from "../lib/facts.js";
import { has, lang, num, pick, t } from "../lib/i18n.js";
import { health } from "../lib/marks.js";
import { choice, field, segments, surname } from "./parts.js";

const inMatch = (view) => Boolean(view.match);

/** The menu. */
export function menu(state) {
  const { view } = state;
  const go = (panel) => () => state.show(panel);
  const items = [
    [t("panel.manual"), go("manual"), inMatch(view) && state.referee],
    [t("panel.history"), go("history"), inMatch(view)],
    [t("redo"), () => state.send({ kind: "redo" }), Boolean(view.redo)],
    [t("panel.count"), go("count"), inMatch(view) && Boolean(view.balls)],
    [t("panel.stop"), go("stop"), inMatch(view)],
    [t("panel.award"), go("award"), inMatch(view) && state.referee],
    [t("panel.facts"), go("facts"), true],
    [t("panel.calls"), go("calls"), inMatch(view)],
    [t("setup.new"), go("setup"), !view.match],
    [t("logout"), () => state.logout(), true],
  ];
  return [
    h("nav", { class: "stack", "aria-label": t("menu") }, items.filter(([, , shown]) => shown).map(([label, act]) => h("button", { class: "choice", key: label, onclick: act }, label))),
    h("div", { class: "settings" }, segments(t("language"), [["ru", "Русский"], ["en", "English"], ["it", "Italiano"]], lang, (id) => state.language(id)),
      segments(t("theme"), [["dark", t("theme.dark")], ["light", t("theme.light")]], document.documentElement.dataset.theme, (id) => state.theme(id))),
  ];
}

/** A ruling by hand: points, who strikes next, ball in hand, and a note without which it is not taken. */
export function manual(state) {
  const { view } = state;
  const form = (state.ui.manual ??= { A: 0, B: 0, next: other(state.striker), hand: false, note: "" });
  return [h("p", { class: "dim" }, t("manual.about")), replaces(view, form), ...manualFields(state, form, view),
    h("button", { class: "accept on wide", disabled: !form.note.trim() || !state.commander.ready, onclick: async () => {
      const answer = await state.send({ kind: "manual", points: { A: form.A, B: form.B }, note: form.note.trim(), next: form.next, ball_in_hand: form.hand });
      if (answer?.status === 200) { state.ui.manual = null; state.show("sheet"); }
    } }, h("span", { class: "what" }, t("manual.do")), form.note.trim() ? null : h("span", { class: "sub" }, t("note.needed")))];
}

const OPENING = new Set(["opening", "break"]);

/** A ruling by hand stands for the stroke that is due: at the opening it is said that there will be no other. */
function replaces(view, form) {
  if (!OPENING.has(view.due?.mode)) return null;
  return h("p", { class: "notice flame", role: "status", key: "replaces" }, t(view.game === "five-pins" ? "manual.opening" : "manual.break", { name: surname(view, form.next) }));
}

/** The fields of a ruling by hand; `form` is changed in place. */
export function manualFields(state, form, view) {
  const step = (player, by) => () => { form[player] += by; state.draw(); };
  return [
    ...["A", "B"].map((player) => h("div", { class: "stepper", key: player }, h("span", { class: "name" }, surname(view, player)),
      h("button", { class: "choice", "aria-label": t("less"), onclick: step(player, -1) }, "−"), h("output", { class: "digits" }, num(form[player])), h("button", { class: "choice", "aria-label": t("more"), onclick: step(player, 1) }, "+"))),
    segments(t("manual.next"), [["A", surname(view, "A")], ["B", surname(view, "B")]], form.next, (id) => { form.next = id; state.draw(); }),
    segments(t("hand"), [["no", t("no")], ["yes", t("yes")]], form.hand ? "yes" : "no", (id) => { form.hand = id === "yes"; state.draw(); }),
    field(t("note"), form.note, (value) => { form.note = value; state.draw(); }, { area: true, maxlength: 1000, rows: 3, required: true }),
  ];
}

/** Balls on the table and on the shelves: what they must be together, and the referee's own count. */
export function count(state) {
  const { view, ui } = state;
  const { on_table: table, shelves, full } = view.balls ?? {};
  if (table === undefined) return [h("p", { class: "dim" }, t("loading"))];
  const n = ui.counted ?? table;
  const step = (by) => () => { ui.counted = Math.max(0, Math.min(full, n + by)); state.draw(); };
  const sum = n + shelves.A + shelves.B;
  return [
    h("p", {}, t("count.about", { full, table, shelves: shelves.A + shelves.B })),
    h("div", { class: "stepper" }, h("span", { class: "name" }, t("count.table")),
      h("button", { class: "choice", "aria-label": t("less"), onclick: step(-1) }, "−"), h("output", { class: "digits" }, num(n)), h("button", { class: "choice", "aria-label": t("more"), onclick: step(1) }, "+")),
    h("p", { class: sum === full ? "dim" : "flame", role: "status" }, sum === full ? t("count.right") : t("count.wrong", { sum, full })),
    choice(state, t("count.do", { n }), { kind: "layout", balls: n }, { act: async () => {
      const answer = await state.send({ kind: "layout", balls: n });
      if (answer?.status === 200) { ui.counted = undefined; state.show("sheet"); }
    } }),
  ];
}

/** Interruptions and breaks. */
export function stop(state) {
  const { view, ui } = state;
  const note = ui.stopNote ?? "";
  const has = note.trim().length > 0;
  return [
    h("h2", {}, t("interference")),
    h("div", { class: "stack" }, choice(state, t("interference.restorable"), { kind: "interference", value: "restorable", note }),
      choice(state, t("interference.lost"), { kind: "interference", value: "lost", note })),
    view.game === "five-pins" ? null : h("h2", {}, t("break.ask")), // five-pins knows its scheduled breaks only
    view.game === "five-pins" ? null : h("div", { class: "answers n1" }, ["A", "B"].map((player) => choice(state, surname(view, player), { kind: "break_request", by: player, permitted: true }))),
    h("h2", {}, t("suspend")),
    field(t("note"), note, (value) => { ui.stopNote = value; state.draw(); }, { maxlength: 1000 }),
    choice(state, t("suspend.do"), { kind: "suspend", note: note.trim() }, { disabled: !has, sub: has ? "" : t("note.needed") }),
  ];
}

/** Forfeits and games to be replayed. */
export function award(state) {
  const { view, ui } = state;
  const note = (ui.awardNote ?? "").trim();
  if (ui.awarding && note) return [sure(state, note)];
  const give = (kind, to, label) => choice(state, label, null, { disabled: !note, sub: note ? "" : t("note.needed"), act: () => { ui.awarding = { kind, to }; state.draw(); } });
  return [
    field(t("note"), ui.awardNote ?? "", (value) => { ui.awardNote = value; state.draw(); }, { maxlength: 1000 }),
    h("h2", {}, t("award.game")),
    h("div", { class: "stack" }, ["A", "B"].map((player) => give("award_game", player, surname(view, player))), give("award_game", "replay", t("award.replay"))),
    h("h2", {}, t("award.match")),
    h("div", { class: "stack" }, ["A", "B"].map((player) => give("award_match", player, surname(view, player)))),
  ];
}

/** What an award would do, before it is done. */
function sure(state, note) {
  const { view, ui } = state;
  const { kind, to } = ui.awarding;
  const what = to === "replay" ? "replay" : kind === "award_match" ? "match" : "game";
  return h("section", { class: "preview", role: "status", key: "sure" },
    h("p", { class: "bold" }, awardText(view.players, { what, to: to === "replay" ? null : to })),
    h("p", {}, t(`award.does.${what}`)), h("p", {}, `${t("note")}: ${note}`),
    h("div", { class: "quick" },
      h("button", { class: "choice", key: "drop", onclick: () => { ui.awarding = null; state.draw(); } }, t("amend.drop")),
      choice(state, t(`award.do.${what}`), null, { on: true, act: async () => {
        const answer = await state.send({ kind, to, note });
        if (answer?.status === 200) { ui.awarding = null; ui.awardNote = ""; state.show("sheet"); }
      } })));
}

const STATUS_MARK = { seen: "ok", not_seen: "hint", unknown: "hint", no_data: "absent", fault: "stuck" };

/** A record in words: what, and how strong, long or where. */
function sensed(row) {
  const measured = row.value.match(/^([\d.]+) (V|ms)$/);
  const value = measured ? `${num(Number(measured[1]))} ${t(measured[2] === "V" ? "volt" : "ms")}` : has(`fact.is.${row.value}`) ? t(`fact.is.${row.value}`) : row.value;
  return [has(`fact.${row.what}`) ? t(`fact.${row.what}`) : row.what, value].filter(Boolean).join(" ");
}

/** What the referee answered or called, in the words of the sheet. */
function said(state, row) {
  if (row.text) return [h("td", {}, ""), h("td", {}, [pick(row.text), row.what === "A" || row.what === "B" ? surname(state.view, row.what) : ""].filter(Boolean).join(", "))];
  const asked = state.sheet.rows?.find((one) => one.id === row.channel);
  const made = state.sheet.palette?.find((one) => one.code === row.channel);
  const words = row.what.split(/[|,]/).map((id) => pick(asked?.answers.find((one) => one.id === id)?.label) || (id === "A" || id === "B" ? surname(state.view, id) : id)).join(", ");
  return [h("td", {}, asked ? "" : made ? pick(made.short) || pick(made.word) : row.channel), h("td", {}, asked ? `${pick(asked.text)}: ${words}` : words)];
}

/** Every observation of the shot with its source; "no data", "fault" and "not seen" look different. */
export function facts(state) {
  const list = state.sheet?.observations ?? [];
  const offline = state.view.node === "offline";
  return [
    offline ? h("p", { class: "notice", role: "status" }, t("node.silent")) : null,
    state.view.watched === false ? h("p", { class: "notice", role: "status" }, t(state.view.sensors?.length ? "sensors.unused" : "sensors.unfitted")) : null,
    list.length ? h("div", { class: "scroll-x" }, h("table", { class: "facts" },
      h("thead", {}, h("tr", {}, ["facts.time", "facts.channel", "facts.what", "facts.source", "facts.status"].map((key) => h("th", { scope: "col", key }, t(key))))),
      h("tbody", {}, list.map((row, index) => h("tr", { key: `${index}${row.channel}`, class: `obs ${row.status}`, "data-status": row.status },
        h("td", { class: "num" }, row.ms === null || row.ms === undefined ? "—" : row.unc_ms > 20 ? `≈${"\u2009"}${num(row.ms)}` : num(row.ms)),
        ...(row.source === "referee" ? said(state, row) : [h("td", {}, row.channel), h("td", {}, sensed(row))]), h("td", {}, t(`source.${row.source}`)),
        h("td", {}, h("span", { class: "with-mark" }, health(STATUS_MARK[row.status] ?? "absent"), t(`status.${row.status}`)))))))) : state.view.watched === false ? null : h("p", { class: "dim" }, t("facts.none")),
    state.view.sensors?.length ? h("h2", {}, t("sensors")) : null,
    h("ul", { class: "sensors" }, pinsFirst(state.view.sensors ?? [], (sensor) => sensor.channel).map((sensor) => h("li", { key: sensor.channel, class: `sensor ${offline ? "absent" : sensor.quality}` },
      health(offline ? "absent" : sensor.quality), h("span", { class: "bold" }, sensor.channel), h("span", {}, t(`quality.${offline ? "absent" : sensor.quality}`))))),
  ];
}
