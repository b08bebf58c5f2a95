// What the referee's page asks for in each phase, and what its big button does there.
import { h } from "../lib/dom.js";
import { PINS, phaseText, placedWord, placementsText, pointsOf, spotWord } from "../lib/facts.js";
import { has, num, pick, signed, span, t } from "../lib/i18n.js";
import { arrow, tick } from "../lib/marks.js";
import { remaining } from "../lib/stream.js";
import { choice, surname } from "./parts.js";
import { change, evidence, layout, missingRow, notices, rows } from "./sheet.js";

const WITH_SHEET = new Set(["rolling", "settling", "asking", "proposed"]);

/** Body of the page by phase. */
export function body(state) {
  const { view } = state;
  if (WITH_SHEET.has(view.phase)) return [clock(state), view.phase === "proposed" && !state.sheet?.rows?.length ? null : evidence(state), ...rows(state), quickKeys(state)];
  const parts = { lag: lag, placing: placing, respotting: placing, armed: armed, break: pausing, suspended: pausing, game_over: between, match_over: between, confirmed: between };
  return [clock(state), ...(parts[view.phase]?.(state) ?? [h("p", { class: "notice" }, phaseText(view))])];
}

function clock(state) {
  const { view, stream } = state;
  if (view.break) return null;
  if (!view.clock) return null;
  const left = remaining(view.clock, view, stream.now());
  const seconds = Math.ceil(left / 1000);
  const warn = seconds <= 10 && view.clock.running && !stream.stale;
  return h("section", { class: warn ? "clock-line flame" : "clock-line" },
    h("span", { class: "digits" }, seconds > 99 ? span(left) : num(seconds)), h("span", {}, view.clock.running ? t("seconds", { n: seconds }) : t("paused")),
    view.clock.expired || (seconds === 0 && view.clock.running) ? choice(state, t("time.ask"), { kind: "time_called" }, { disabled: !view.clock.running, sub: spends(view) }) : null,
    view.clock.taken ? h("span", { class: "taken", role: "status" }, t("extension.taken.by", { name: surname(view, view.turn), n: view.players[view.turn]?.extensions_left ?? 0 })) : null,
    choice(state, view.clock.running ? t("clock.stop") : t("clock.start"), { kind: "clock", running: !view.clock.running }),
    view.turn === "A" || view.turn === "B" ? choice(state, t("extension.give", { n: view.players[view.turn].extensions_left ?? 0 }), { kind: "extension", by: view.turn }, { disabled: view.players[view.turn].extensions_left === 0 }) : null);
}

/** What 'Time' does: it takes one of the player's extra times; with none left it is a foul. */
function spends(view) {
  const left = view.players?.[view.turn]?.extensions_left ?? 0;
  return view.clock.extend === false || left === 0 ? t("time.foul") : t("time.spends", { n: left - 1 });
}

function lag(state) {
  const { view, ui } = state;
  const late = new Set(ui.late ?? []);
  const toggle = (player) => { late.has(player) ? late.delete(player) : late.add(player); ui.late = [...late]; state.draw(); };
  return [
    notices(state),
    hints(state),
    h("h2", {}, t("lag.who")),
    h("div", { class: "stack" }, ["A", "B"].map((player) => choice(state, surname(view, player), { kind: "lag_result", winner: player, late: [...late] })),
      choice(state, t("lag.replay"), { kind: "lag_result", winner: "replay", late: [...late] })),
    h("h2", { class: "dim" }, t("lag.late")),
    h("div", { class: "answers n2" }, ["A", "B"].map((player) =>
      h("button", { key: player, class: late.has(player) ? "answer on" : "answer", "aria-pressed": String(late.has(player)), onclick: () => toggle(player) }, h("span", { class: "label name" }, late.has(player) ? tick() : null, surname(view, player))))),
    layout(state), seats(state),
  ];
}

/** What the sensors say of a lag; never more than a hint. */
function hints(state) {
  const lag_ = state.view.lag;
  if (!lag_) return null;
  const said = [
    lag_.late === true ? t("lag.hint.late") : "",
    lag_.long?.length ? t("lag.hint.long", { rails: lag_.long.map((rail) => t(`rail.${rail}`)).join(", ") }) : "",
    lag_.pins?.length ? t("lag.hint.pins", { pins: lag_.pins.map((pin) => t(`pin.${pin}`)).join(", ") }) : "",
  ].filter(Boolean);
  return said.length ? h("p", { class: "dim", role: "status" }, t("sensors.say", { text: said.join(", ") })) : null;
}

function choices(state) {
  const { due } = state.view;
  const ids = openChoices(state.view);
  if (!ids.length) return null;
  const word = (id) => (due.labels?.[id] ? pick(due.labels[id]) : has(`choice.${id}`) ? t(`choice.${id}`) : id);
  return h("section", { class: "row needed", key: "choice" },
    h("div", { class: "ask" }, h("h2", {}, due.player ? t("choice.by", { name: surname(state.view, due.player) }) : t("choice"))),
    h("div", { class: "stack" }, ids.map((id) => choice(state, word(id), { kind: "choice", value: id }))));
}

/** What the player with ball in hand may ask for; nobody has to say that all stays as it lies. */
function wishes(state) {
  const { view } = state;
  const ids = optional(view);
  if (!ids.length) return null;
  const chosen = view.due.chosen ?? ids[0];
  return h("section", { class: "row", key: "wishes" }, h("div", { class: "ask" }, h("h2", {}, t("hand.offender"))),
    h("div", { class: `answers n${ids.length}`, role: "radiogroup", "aria-label": t("hand.offender") }, ids.map((id) =>
      h("button", { key: id, role: "radio", "aria-checked": String(id === chosen), class: id === chosen ? "answer on" : "answer", disabled: !state.commander.ready, "data-answer": id, onclick: () => state.send({ kind: "choice", value: id }) },
        h("span", { class: "label" }, id === chosen ? tick() : null, t(`choice.${id}`))))));
}

function placing(state) {
  return [notices(state), choices(state), wishes(state), todo(state), layout(state), seats(state), callsRow(state), quickKeys(state)];
}

/** What goes back where, drawn and to be ticked off. */
function todo(state) {
  const { view, sheet } = state;
  const list = sheet?.placements ?? view.due?.placements ?? [];
  if (!list.length && !sheet?.respot) return null;
  return h("section", { class: "row", key: "todo" }, h("div", { class: "ask" }, h("h2", {}, t("place.todo"))),
    h("div", { class: "respot" },
      sheet?.respot ? h("div", { class: "respot-drawing", key: "drawing", role: "img", "aria-label": placementsText(view) || t("place.todo"), drawing: sheet.respot }) : null,
      h("ul", { class: "todo", key: "list" }, list.map((item) => h("li", { key: `${item.what}${item.spot}` },
        h("button", { class: item.done ? "choice on" : "choice", "aria-pressed": String(Boolean(item.done)), disabled: !state.commander.ready, onclick: () => state.send({ kind: "place", what: item.what, done: !item.done }) },
          item.done ? tick() : null, h("span", {}, placedWord(view, item.what)), h("span", { class: "sub" }, spotWord(item.spot))))))));
}

/** The five seats as switches: standing or taken off, for a seat whose sensor does not tell. */
function seats(state) {
  const { view } = state;
  if (!view.pins) return null;
  const quality = Object.fromEntries((view.sensors ?? []).map((sensor) => [sensor.channel, sensor.quality]));
  const toggle = (pin) => {
    const standing = PINS.filter((one) => (one === pin ? view.pins[pin] !== "standing" : view.pins[one] === "standing"));
    const off = PINS.filter((one) => (one === pin ? view.pins[pin] === "standing" : view.pins[one] === "off"));
    return state.send({ kind: "layout", pins: standing, off });
  };
  return h("section", { class: "row", key: "seats" }, h("div", { class: "ask" }, h("h2", { class: "dim" }, t("seats"))),
    h("div", { class: "answers n5" }, PINS.map((pin) => h("button", { key: pin, class: view.pins[pin] === "standing" ? "answer on" : "answer", "aria-pressed": String(view.pins[pin] === "standing"), disabled: !state.commander.ready, onclick: () => toggle(pin) },
      h("span", { class: "label" }, t(`pin.short.${pin}`)), h("span", { class: "gives" }, quality[pin] && quality[pin] !== "ok" ? t(`quality.${quality[pin]}`) : t(`pin.state.${view.pins[pin]}`))))));
}

function callsRow(state) {
  if (!state.sheet?.palette?.length) return null;
  return h("button", { class: "calls-row", key: "calls", onclick: () => state.show("calls") }, h("span", {}, t("calls"), ": ", h("span", { class: "bold" }, t("calls.none"))));
}

const armed = (state) => [notices(state), h("p", { class: "notice" }, phaseText(state.view)), wishes(state), todo(state), callsRow(state), layout(state), quickKeys(state)];

function pausing(state) {
  const { view, stream } = state;
  const left = view.break ? remaining({ remaining_ms: view.break.remaining_ms, running: true }, view, stream.now()) : null;
  return [h("p", { class: "notice bold" }, phaseText(view), left === null ? "" : ` ${span(left)}`)];
}

function between(state) {
  const { view } = state;
  const games = (view.games ?? []).filter((game) => game.winner);
  return [
    h("p", { class: "notice bold" }, phaseText(view), view.winner ? `: ${surname(view, view.winner)}` : ""),
    h("table", { class: "games-list" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("game")), h("th", { scope: "col" }, surname(view, "A")), h("th", { scope: "col" }, surname(view, "B")))),
      h("tbody", {}, games.map((game) => h("tr", { key: String(game.n) }, h("th", { scope: "row" }, num(game.n)), ["A", "B"].map((player) => h("td", { class: game.winner === player ? "bold" : "dim" }, num(game.score?.[player]), game.winner === player ? tick() : null)))))),
    quickKeys(state),
  ];
}

const COMMANDS = new Set(["continue_run", "new_rack"]); // choices due that are commands of their own
const offers = (view, name) => Boolean(view.due?.choices?.includes(name));
const openChoices = (view) => (view.due?.kind === "shot" ? [] : (view.due?.choices ?? []).filter((id) => !COMMANDS.has(id)));
const optional = (view) => (view.due?.kind === "shot" ? (view.due.choices ?? []).filter((id) => !COMMANDS.has(id)) : []);

/** Keys of the moment that are not the big button. */
function quickKeys(state) {
  const { view } = state;
  const keys = [];
  const running = view.phase === "rolling" || view.phase === "settling";
  if (running) keys.push([t("not.a.shot"), { kind: "not_a_shot" }], [t("premature"), { kind: "premature" }]);
  if (view.phase === "asking") keys.push([t("not.a.shot"), { kind: "not_a_shot" }]);
  if (view.phase === "proposed") keys.push([t("reopen"), { kind: "reopen" }]);
  if (view.phase === "armed" && view.game === "five-pins") keys.push([t("contact.reset"), { kind: "contact_reset" }]);
  if (offers(view, "continue_run")) keys.push([t("continue.run"), { kind: "continue_run" }]);
  if (offers(view, "new_rack")) keys.push([t("new.rack"), { kind: "new_rack" }]);
  if (!keys.length) return null;
  return h("div", { class: "quick", key: "quick" }, keys.map(([label, command]) => choice(state, label, command)));
}

const simple = (state, kind, label, extra = {}) => ({ kind, label, enabled: true, act: () => state.send({ kind, ...extra }) });

/** The big button of the phase: {kind, label, meaning, sub, enabled, reason, act, countdown, second}; `meaning`: the label without what only ticks. */
export function primary(state) {
  const { view, ui } = state;
  if (!view.match) return ui.panel === "setup" ? { ...state.setupPrimary() } : { kind: "setup", label: t("setup.new"), enabled: true, act: () => state.show("setup") };
  switch (view.phase) {
    case "rolling": case "settling": return running(state);
    case "asking": case "proposed": return accept(state);
    case "armed": return simple(state, "strike", t("do.strike"));
    case "placing": case "respotting": return openChoices(view).length
      ? { kind: "ready", label: t("do.ready"), enabled: false, reason: t("choice.first"), act: () => {} } : simple(state, "ready", t("do.ready"));
    case "break": case "suspended": return simple(state, "resume", t("do.resume"));
    case "game_over": return simple(state, "next_game", t("do.next"));
    case "match_over": return simple(state, "close", t("do.close"));
    case "lag": return { kind: "lag_result", label: t("lag.who"), enabled: false, reason: t("lag.choose"), act: () => {} };
    default: return { kind: "none", label: phaseText(view), enabled: false, reason: "", act: () => {} };
  }
}

function running(state) {
  const still = simple(state, "still", t("do.still"));
  if (state.view.phase === "rolling" || missingRow(state) || !state.sheet?.proposal) return still;
  return accept(state);
}

function accept(state) {
  const { view, sheet } = state;
  const ruling = view.proposal?.ruling ?? sheet?.proposal;
  const missing = missingRow(state);
  if (!ruling || (missing && !view.proposal)) return { kind: "accept", label: t("accept.plain"), enabled: false, reason: missing || t("accept.wait"), act: () => {} };
  const [, value] = pointsOf(ruling);
  const to = change(state, ruling);
  const sub = !to ? null : Array.isArray(to) ? to : [to.name ? `${to.name} ` : "", to.from, arrow(), to.to];
  // The ruling of a sheet is accepted only beside the state it belongs to: the next sheet, on its way, may say another.
  const current = Boolean(view.proposal) || sheet.n >= view.n;
  const made = { kind: "accept", label: t("accept", { points: signed(value) }), sub, enabled: current, act: () => state.send({ kind: "accept", seen: view.proposal ? view.n : sheet.n }) };
  const countdown = view.countdown;
  if (countdown && view.phase === "proposed" && !countdown.held) {
    const left = remaining({ remaining_ms: countdown.remaining_ms, running: true }, view, state.stream.now());
    made.meaning = made.label;
    made.label = `${made.label} · ${num(Math.ceil(left / 1000))}`;
    made.countdown = Math.max(0, 1 - left / (countdown.total_ms || 5000));
    made.second = { label: t("hold"), act: () => state.send({ kind: "hold" }) };
  }
  return made;
}
