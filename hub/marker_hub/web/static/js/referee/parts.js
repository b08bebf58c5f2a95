// Pieces that every panel of the referee page is made of.
import { h } from "../lib/dom.js";
import { awardText, ballOf, cutText, gameNumber, goal, goalShort, pointsOf, saidOf, tableName } from "../lib/facts.js";
import { num, pick, shortName, signed, t, upper } from "../lib/i18n.js";
import { backMark, ball, health, tip, undoMark } from "../lib/marks.js";

export const surname = (view, player) => shortName(view.players?.[player] ?? {}, view.players?.[player === "A" ? "B" : "A"], 24);

const aim = (view) => (matchMedia("(min-width: 768px)").matches ? goal(view.match, view.game) : goalShort(view));

/** Top line: where we are, the connection, the menu. */
export function status(state) {
  const { view, stream, ui } = state;
  const title = ui.panel === "sheet" ? [h("span", { class: "bold" }, tableName(view)),
    h("span", { class: "dim" }, view.match ? [gameNumber(view.match, view.game), aim(view)].filter(Boolean).join(", ") : t(`game.${view.game}`))]
    : [h("span", { class: "bold big" }, t(`panel.${ui.panel}`)), h("span", { class: "dim" }, state.shot && view.match ? t("shot", { n: state.shot }) : "")];
  return h("header", { class: "status" }, title,
    h("span", { class: stream.stale ? "link flame" : "link dim" }, health(stream.stale ? "absent" : "ok"), h("span", {}, stream.stale ? t("link.lost") : t("link.ok"))),
    h("button", { class: "menu-button", onclick: () => state.show(ui.panel === "menu" ? "sheet" : "menu"), "aria-expanded": String(ui.panel === "menu") }, t("menu")));
}

/** The two players with their decided scores. */
export function scores(state) {
  const { view, stream } = state;
  if (!view.players) return null;
  return h("section", { class: "scores", "aria-label": t("score") }, ["A", "B"].map((player) => {
    const who = view.players[player];
    const kind = ballOf(view, player);
    const turn = view.turn === player && view.match;
    const extra = who.debt ? t("debt", { n: who.debt }) : who.run ? `${t("run")} ${num(who.run)}` : "";
    return h("div", { class: turn ? "player turn" : "player", key: player },
      kind ? ball(kind, { ring: stream.stale }) : h("span", { class: "letter" }, player),
      h("span", { class: "name", lang: who.lang || null }, h("span", { class: "fit", "data-full": who.name || t("player.unnamed"), "data-short": surname(view, player) }, who.name || t("player.unnamed"))),
      turn ? h("span", { class: "turn-mark" }, tip(false), h("span", { class: "unseen" }, t("at.table"))) : null,
      extra ? h("span", { class: "dim extra" }, extra) : null,
      h("span", { class: "games-won dim" }, t("games.short", { n: who.games ?? 0 })),
      h("span", { class: "digits points" }, num(who.score)));
  }));
}

/** The result as it stands: the proposal of the sheet, the last ruling, or nothing yet. */
export function result(state) {
  const { view, sheet, stream } = state;
  const proposal = view.proposal?.ruling ?? sheet?.proposal ?? null;
  const open = Boolean(proposal);
  const waiting = !open && (view.phase === "asking" || view.phase === "settling" || view.phase === "rolling") && sheet?.shot;
  if (waiting) return undecided(state, sheet.shot);
  if (view.award && !open) return awarded(state);
  const ruling = proposal ?? view.last?.ruling;
  if (!ruling) return null;
  const [gets, value] = pointsOf(ruling);
  const who = gets ?? ruling.subject ?? ruling.striker ?? null;
  const hand = ruling.ball_in_hand ? `, ${t("hand")}` : "";
  const status_ = open ? "provisional" : view.last.status === "corrected" ? "corrected" : "ruling";
  const shot = open ? (view.proposal?.shot ?? sheet?.shot) : view.last.shot;
  const old = !open && view.last.status === "corrected" && view.last.old ? h("s", { class: "dim" }, ` ${signed(pointsOf(view.last.old)[1])}`) : null;
  const clauses = [shot ? t("shot", { n: shot }) : "", ...(ruling.decided ?? ruling.clauses ?? [])].filter(Boolean);
  return h("section", { class: `result ${stream.stale ? "known" : status_}`, "aria-label": upper(t(status_)) },
    h("div", { class: "first" }, h("span", { class: "bold" }, upper(stream.stale ? t("last.known") : t(status_)), old), h("span", { class: "clauses" }, clauses.slice(0, 3).join(", "))),
    h("div", { class: "main" },
      h("span", { class: "digits" }, signed(value)),
      h("span", { class: "who", lang: view.players?.[who]?.lang || null }, who ? (view.players?.[who]?.name ?? who) : t("nobody"), gets ? hand : "")),
    h("p", { class: "sentence", "aria-live": "polite" }, sentence(view, ruling, who)),
    ruling.limit ? h("p", { class: "cut" }, cutText(ruling, view.match?.limit)) : null,
    ruling.winner ? h("p", { class: "bold wins" }, t("game.wins", { name: surname(view, ruling.winner) })) : null);
}

/** What was awarded, with the note that says why. */
function awarded(state) {
  const { view, sheet, stream } = state;
  return h("section", { class: `result awarded ${stream.stale ? "known" : "ruling"}`, "aria-label": t("ruling.manual") },
    h("div", { class: "first" }, h("span", { class: "bold" }, stream.stale ? t("last.known") : t("ruling.manual")), h("span", { class: "clauses" }, t("game.no", { k: view.award.game_no }))),
    h("p", { class: "bold wins", "aria-live": "polite" }, awardText(view.players, view.award)),
    sheet?.award?.note ? h("p", { class: "sentence" }, `${t("note")}: ${sheet.award.note}`) : null);
}

/** The short sentence; the subject is named where it is not the one whose name stands above. */
function sentence(view, ruling, who) {
  const [name, text] = saidOf(view, ruling);
  const subject = ruling.subject === undefined ? ruling.striker : ruling.subject;
  return name && subject !== who ? `${name}: ${text}` : upper(text);
}

const undecided = (state, shot) => h("section", { class: `result ${state.stream.stale ? "known" : "provisional"}`, "aria-label": upper(t("provisional")) },
  h("div", { class: "first" }, h("span", { class: "bold" }, upper(t("provisional"))), h("span", { class: "clauses" }, t("shot", { n: shot }))),
  h("div", { class: "main" }, h("span", { class: "digits" }, "?"), h("span", { class: "who" }, t(state.sheet.rows?.length ? "answer.needed" : "phase.rolling"))),
  h("p", { class: "sentence" }, "\u00a0"));

const SETTLE_MS = 300;

/** Whether the big button has just changed what it does: a tap that was meant for what it did before must not do the new thing. */
function changing(state, primary) {
  const { ui } = state;
  const meaning = `${primary.kind} ${primary.meaning ?? primary.label}`;
  if (ui.meaning !== undefined && ui.meaning !== meaning) {
    ui.settled = performance.now() + SETTLE_MS;
    setTimeout(state.draw, SETTLE_MS + 1);
  }
  ui.meaning = meaning;
  return performance.now() < (ui.settled ?? 0);
}

/** The two buttons that never move: left undo or back, right what carries the match on. */
export function foot(state, primary) {
  const { view, ui, commander, stream } = state;
  const back = ui.panel !== "sheet" && (view.match || ui.panel !== "setup");
  const undo = view.undo;
  const undoName = undo ? `${t("undo")}: ${t(undo.text_key, undo.args ?? {})}` : t("undo.none");
  const sent = commander.pending && commander.pending.kind === primary.kind;
  const disabled = stream.stale || !primary.enabled || Boolean(commander.pending);
  const soon = changing(state, primary) && !disabled;
  return h("footer", { class: "foot" },
    primary.reason && !primary.enabled ? h("p", { class: "reason chalk", role: "status" }, primary.reason) : null,
    stream.stale ? h("p", { class: "reason flame", role: "alert" }, t("stale.buttons")) : problem(state),
    h("div", { class: "buttons" },
      back ? h("button", { class: "side-button", key: "back", onclick: () => state.show("sheet") }, backMark(), h("span", {}, t("to.sheet")))
        : h("button", { class: "side-button", key: "undo", disabled: stream.stale || !undo || Boolean(commander.pending), "aria-label": undoName, title: undoName, onclick: () => state.send({ kind: "undo" }) },
          h("span", { class: "does" }, undoMark(), t("undo")), undo ? h("span", { class: "takes" }, t(undo.text_key, undo.args ?? {})) : null),
      h("button", { class: `accept ${disabled ? "" : soon ? "soon" : "on"}`, key: "accept", disabled, "aria-disabled": soon ? "true" : null, onclick: () => (soon ? null : primary.act()), "data-kind": primary.kind },
        primary.countdown ? h("span", { class: "fill", style: { transform: `scaleX(${primary.countdown.toFixed(3)})` } }) : null,
        h("span", { class: "what" }, sent ? t("sent") : primary.label), primary.sub && !sent ? h("span", { class: "sub" }, primary.sub) : null),
      primary.second ? h("button", { class: "accept hold", key: "hold", disabled: stream.stale || Boolean(commander.pending), onclick: primary.second.act }, h("span", { class: "what" }, primary.second.label)) : null));
}

function problem(state) {
  const error = state.commander.error;
  if (!error) return null;
  const text = error.status === 409 ? t("error.stale") : error.status === 0 ? t("error.net") : typeof error.text === "object" ? pick(error.text) : (error.text ?? t("error.other"));
  return h("p", { class: "reason flame", role: "alert" }, text,
    h("button", { class: "close", "aria-label": t("close"), onclick: () => { state.commander.error = null; state.draw(); } }, "×"));
}

/** A big button of a panel. */
export function choice(state, label, body, { on = false, sub = "", disabled = false, act } = {}) {
  return h("button", { class: on ? "choice on" : "choice", disabled: disabled || !state.commander.ready, "aria-pressed": on ? "true" : null, onclick: act ?? (() => state.send(body)) },
    h("span", {}, label), sub ? h("span", { class: "sub" }, sub) : null);
}

/** A text field with its label. */
export function field(label, value, onInput, attributes = {}) {
  const id = `f-${label.replace(/\W+/gu, "")}-${attributes.key ?? ""}`;
  const { area, ...rest } = attributes;
  return h("label", { class: "field", for: id, key: id }, h("span", {}, label),
    h(area ? "textarea" : "input", { id, value: value ?? "", oninput: (event) => onInput(event.target.value), autocomplete: "off", ...rest }));
}

/** A set of buttons of which one is chosen. */
export function segments(label, options, value, onPick) {
  return h("fieldset", { class: "segments" }, h("legend", {}, label),
    h("div", { role: "radiogroup", "aria-label": label }, options.map(([id, text]) =>
      h("button", { type: "button", role: "radio", "aria-checked": String(id === value), class: id === value ? "choice on" : "choice", onclick: () => onPick(id), key: String(id) }, text))));
}
