// The table display: a view model becomes a tree. Nothing here knows the stream or the clock of the page.
import { h } from "./dom.js";
import { awardText, ballOf, cutText, gameNumber, goal, isPyramid, liveText, phaseText, pinsText, placementsText, pointsOf, saidOf, secondsLeft, tableName, targetOf, upper } from "./facts.js";
import { saidLines, widthOf } from "./fit.js";
import { clockText, nameLines, num, pick, secondsText, signed, span, t } from "./i18n.js";
import { ball, diamond, qr, slot, tip } from "./marks.js";
import { remaining } from "./stream.js";

const SETTING = new Set(["lag", "placing", "break", "suspended", "idle"]);

/** `context`: {now, stale, silentMs, old: {A,B}|null, join, band: {width, height, size, digits, ball}, nameRoom, size}; times in ms, the rest in pixels. */
export function board(view, context) {
  const pyramid = isPyramid(view);
  const over = view.phase === "match_over";
  const cls = ["board", pyramid && "pyramid", over && "over", context.stale && "stale"].filter(Boolean).join(" ");
  return h("main", { class: cls, "aria-label": tableName(view) },
    context.stale ? banner(context) : top(view, context),
    side(view, "A", context), centre(view, context), side(view, "B", context), band(view, context));
}

function top(view, context) {
  const match = view.match;
  return h("header", { class: "top", key: "top" },
    h("span", { class: "table" }, tableName(view)),
    h("span", { class: "part" }, t(`game.${view.game}`)),
    match ? [h("span", { class: "part" }, gameNumber(match, view.game)), h("span", { class: "part" }, goal(match, view.game))] : null,
    view.recording === false ? h("span", { class: "tag call" }, t("not.recording")) : view.node === "offline" ? h("span", { class: "tag known" }, t("node.offline")) : null,
    h("span", { class: "hall-clock" }, clockText(context.now)));
}

const banner = (context) => h("header", { class: "banner", key: "banner", role: "alert" },
  h("span", { class: "bold" }, t("stale"), " ", h("span", { "aria-hidden": "true" }, span(context.silentMs))),
  h("span", {}, t("stale.score", { time: secondsText(context.now) })));

function side(view, player, context) {
  const who = view.players?.[player];
  const over = view.phase === "match_over";
  const turn = over ? view.winner === player : view.turn === player && view.match !== null && view.phase !== "lag" && view.phase !== "suspended";
  const score = who ? num(who.score) : "–";
  const wide = score.length > 1;
  const cls = ["side", player.toLowerCase(), turn && "turn", wide && "wide"].filter(Boolean).join(" ");
  return h("section", { class: cls, key: player, "aria-label": who?.name || t("player.unnamed") },
    strip(view, player, context, turn), plate(who, context), ...numbers(view, player, context, score),
    over ? h("div", { class: "verdict" }, h("span", { class: "fit" }, view.winner === player ? t(view.award?.what === "match" ? "match.awarded" : "match.wins") : forfeited(view, player))) : null);
}

const forfeited = (view, player) => (view.games?.some((game) => game.forfeit && game.winner && game.winner !== player) ? t("match.forfeit") : "");

function strip(view, player, context, turn) {
  const kind = ballOf(view, player);
  const who = view.players?.[player];
  const hand = turn && (view.mode === "hand" || String(view.due?.mode ?? "").includes("hand"));
  const word = hand ? t("hand") : kind ? t(`ball.${kind}`) : who && who.extensions_left !== null && who.extensions_left !== undefined ? t("extensions", { n: who.extensions_left }) : "";
  const left = player === "B";
  return h("div", { class: "strip" },
    kind ? ball(kind, { ring: context.stale }) : null,
    h("span", { class: hand ? "bold" : null }, word || "\u00a0"),
    turn && view.phase !== "match_over" ? h("span", { class: "at" }, h("span", {}, t("at.table")), tip(left)) : null);
}

function plate(who, context) {
  if (!who) return h("div", { class: "plate" }, h("div", { class: "name" }, "–"));
  const lines = nameLines(who, (text) => widthOf(text, `600 ${context.size}px "Marker Name"`) <= context.nameRoom);
  return h("div", { class: "plate", lang: who.lang || null, "aria-label": `${who.name} ${who.given ?? ""}` },
    h("div", { class: "name line" }, h("span", { class: "fit" }, lines.first)),
    lines.second ? h("div", { class: lines.isGiven ? "given line" : "name line" }, h("span", { class: "fit" }, lines.second)) : null);
}

function numbers(view, player, context, score) {
  const who = view.players?.[player];
  const old = context.old?.[player];
  const shown = [
    h("div", { class: "score digits", "aria-live": "polite", "aria-atomic": "true" },
      h("span", { class: "value", enter: "enter", key: score }, score)),
    old === undefined || old === null || num(old) === score ? null : h("div", { class: "old" }, num(old)),
  ];
  if (!who || !isPyramid(view) || view.phase === "match_over") return shown;
  if (who.run) shown.push(h("div", { class: "run" }, t("run"), h("span", { class: "digits" }, num(who.run))));
  shown.push(shelf(view, player, context));
  return shown;
}

function shelf(view, player, context) {
  const who = view.players[player];
  const debt = who.debt ?? 0;
  if (debt > 0) {
    const rings = debt > 8 ? 1 : debt;
    return h("div", { class: "shelf", role: "img", "aria-label": t("debt", { n: debt }) },
      player === "B" ? h("span", { class: "debt-word" }, t("debt", { n: debt })) : null,
      Array.from({ length: rings }, (_, index) => slot("debt", `d${index}`)),
      player === "A" ? h("span", { class: "debt-word" }, t("debt", { n: debt })) : null);
  }
  const target = targetOf(view);
  const full = Math.max(0, who.shelf ?? 0);
  const [gets, points] = view.proposal ? pointsOf(view.proposal.ruling) : [null, 0];
  const coming = gets === player ? Math.max(0, points) : 0;
  return h("div", { class: "shelf", role: "img", "aria-label": t("shelf.text", { n: full, m: target }) },
    h("span", { class: "word" }, t("shelf")),
    Array.from({ length: Math.max(target, full) }, (_, index) => {
      const state = index < full ? "filled" : index < full + coming ? "provisional" : "empty";
      return slot(state, `s${index}${state}`);
    }));
}

function centre(view, context) {
  const match = view.match;
  const games = view.players ? `${num(view.players.A.games ?? 0)}:${num(view.players.B.games ?? 0)}` : "–";
  return h("section", { class: "centre", key: "centre" },
    h("span", { class: "label" }, match?.practice ? t("practice") : t("games")),
    h("span", { class: "games digits" }, games),
    ...middle(view, context));
}

function middle(view, context) {
  if (!view.match) return [free(context)];
  if (view.phase === "match_over") {
    return [h("div", { class: "caption last-score" }, h("span", {}, t("last.game")), h("span", {}, lastScore(view)))];
  }
  if (view.phase === "break" || view.break) return [countdown(view, context)];
  if (view.phase === "suspended") return [h("div", { class: "do" }, h("span", { class: "bold" }, t("phase.suspended")), h("span", { class: "small" }, t("score.stands")))];
  if (isPyramid(view)) return pyramidMiddle(view, context);
  const decided = view.pins_decided && !view.live;
  return [diamond(view.pins, { decided, outline: context.stale, label: pinsText(view.pins) }), caption(view, context)];
}

/** Extra times the player at the table has left. */
const leftOf = (view) => view.players?.[view.turn]?.extensions_left ?? 0;

const lastScore = (view) => {
  const last = view.games?.at(-1);
  return last ? `${num(last.score.A)}:${num(last.score.B)}` : `${num(view.players.A.score)}:${num(view.players.B.score)}`;
};

const free = (context) => h("div", { class: "do" },
  context.join ? [qr(context.join.qr, t("join.label")), h("span", { class: "small" }, t("join.scan"))] : h("span", {}, t("phase.free")));

function countdown(view, context) {
  const left = remaining({ remaining_ms: view.break?.remaining_ms ?? 0, running: true }, view, context.now);
  return h("div", { class: context.stale ? "clock stopped" : "clock", role: "timer", "aria-label": t("phase.break") },
    h("span", { class: "number long digits" }, span(left)),
    h("span", { class: "unit" }, t("phase.break")));
}

function pyramidMiddle(view, context) {
  const clock = view.clock;
  const facts = caption(view, context);
  if (!clock) {
    const quiet = !context.stale && !view.live && !view.asking && !view.proposal && view.node !== "offline" && !placementsText(view);
    return [h("div", { class: "do" }, view.phase === "armed" && view.balls ? t("balls.on.table", { n: view.balls.on_table }) : phaseText(view)), quiet ? null : facts];
  }
  const left = remaining(clock, view, context.now);
  const seconds = secondsLeft(left);
  const warn = clock.warn || (seconds <= 10 && clock.running);
  const cls = ["clock", warn && !context.stale && "warn", !clock.running && "paused", context.stale && "stopped"].filter(Boolean).join(" ");
  return [
    h("div", { class: cls, role: "timer", "aria-label": t("clock") },
      h("span", { class: seconds > 99 ? "number long digits" : "number digits" }, seconds > 99 ? span(left) : num(seconds)),
      h("div", { class: "bar" }, h("i", { style: { transform: `scaleX(${Math.min(1, seconds / (clock.limit_s || 40)).toFixed(3)})` } })),
      h("span", { class: "unit" }, clock.running || context.stale ? t("seconds", { n: seconds }) : t("paused"))),
    view.live || view.notices?.some((note) => note.code === "time_called") ? facts : h("div", { class: "caption" },
      warn && clock.running && !context.stale ? h("span", { class: "tag call" }, t("call.ten")) : null,
      h("span", {}, clock.taken && !context.stale ? t("extension.taken", { n: leftOf(view) }) : t("per.shot", { n: clock.limit_s }))),
  ];
}

function caption(view, context) {
  const lines = [];
  if (context.stale) {
    lines.push(h("span", {}, isPyramid(view) ? t("stale.balls") : t("stale.pins")), h("span", {}, t("stale.at", { time: secondsText(context.now) })));
  } else if (view.notices?.some((note) => note.code === "time_called")) lines.push(h("span", { class: "tag call" }, t("call.time")), view.clock?.taken ? h("span", {}, t("extension.taken", { n: leftOf(view) })) : null);
  else if (view.node === "offline") lines.push(h("span", {}, t("node.silent")));
  else if (view.live || view.asking || view.proposal) {
    const text = liveText(view) || (view.asking || view.phase === "asking" ? t("hall.asking") : "");
    if (text) lines.push(h("span", { class: "tag provisional" }, t("provisional")), h("span", { class: "chalk" }, text));
    else lines.push(h("span", {}, t("phase.rolling")));
  } else if (placementsText(view)) lines.push(...placementsText(view).split("; ").flatMap((text) => text.split(/(?<=:) /)).map((text) => h("span", {}, text)));
  else if (view.phase !== "armed") lines.push(h("span", {}, phaseText(view)));
  return h("div", { class: "caption", "aria-live": "polite" }, lines);
}

function band(view, context) {
  const proposal = !context.stale && view.proposal;
  const shown = proposal || view.last;
  if (view.award && !proposal) return awarded(view, context);
  const announce = SETTING.has(view.phase) && (!shown || view.phase === "lag" || !view.match);
  if (announce || !shown) return doing(view, context);
  const status = proposal ? "provisional" : shown.status;
  const ruling = shown.ruling;
  const cls = ["band", status === "provisional" && "provisional", status === "corrected" && "corrected"].filter(Boolean).join(" ");
  return h("section", { class: cls, key: "band" },
    h("div", { class: "row" }, tag(status, context), h("span", {}, t("shot", { n: shown.shot })), cut(view, ruling), h("span", { class: "clause" }, pick(ruling.public))),
    h("div", { class: "words" }, said(...saidOf(view, ruling), context, `${shown.shot}${status}${ruling.short}`, pointsRoom(view, ruling, context)),
      points(view, ruling, status === "provisional", context)));
}

function tag(status, context) {
  if (context.stale) return h("span", { class: "tag known" }, t("last.known"));
  if (status === "provisional") return h("span", { class: "tag provisional" }, upper(t("provisional")));
  if (status === "corrected") return h("span", { class: "tag corrected" }, upper(t("corrected")));
  return h("span", { class: "tag ruling" }, status === "manual" ? t("ruling.manual") : upper(t("ruling")));
}

/** The sentence; `taken`: pixels at its right that belong to the points. */
function said(name, sentence, context, key, taken) {
  const { width, height, size } = context.band;
  const made = saidLines(name, sentence, { width: width - taken, height, size });
  return h("p", { class: "said", enter: "in", key, "aria-live": "polite", style: { "font-size": `${made.size.toFixed(2)}px` } },
    made.lines.map(([head, text]) => h("span", { class: "line" }, h("span", { class: "fit" }, head ? h("span", { class: "who" }, head) : null, text))));
}

const ballOfPoints = (view, ruling) => {
  const [who, value] = pointsOf(ruling);
  return who ? ballOf(view, who) ?? (isPyramid(view) && value > 0 ? "white" : null) : null;
};

/** Width of the points with ball and question mark, so that nothing moves when the mark goes. */
function pointsRoom(view, ruling, { band }) {
  const text = `${signed(pointsOf(ruling)[1])}?`;
  return widthOf(text, `760 ${band.digits}px "Marker Digits"`) - text.length * 0.055 * band.digits + (ballOfPoints(view, ruling) ? band.ball : 0) + band.gap;
}

/** A shot cut to the limit of the game says both numbers and the limit. */
const cut = (view, ruling) => (ruling.limit ? h("span", { class: "of" }, cutText(ruling, view.match?.limit)) : null);

/** A game or match that was decided by no stroke: by whom the score stands as it does is said, not the last shot. */
function awarded(view, context) {
  const text = awardText(view.players, view.award);
  return h("section", { class: "band", key: "band" },
    h("div", { class: "row" }, tag("manual", context), h("span", {}, t("game.no", { k: view.award.game_no }))),
    h("div", { class: "words" }, said("", text, context, `award${view.award.what}${view.award.to}`, 0)));
}

function points(view, ruling, open, context) {
  const kind = ballOfPoints(view, ruling);
  return h("div", { class: "points" },
    kind ? ball(kind, { ring: context.stale }) : null,
    h("span", { class: "digits" }, signed(pointsOf(ruling)[1]), open ? "?" : ""));
}

function doing(view, context) {
  const key = view.match ? `do.${view.phase}.${isPyramid(view) ? "pyramid" : "five-pins"}` : "do.free";
  const text = view.match ? t(key) : context.join ? t("do.free.join") : t("do.free");
  return h("section", { class: "band", key: "band" },
    h("div", { class: "row" }, h("span", {}, phaseText(view))), h("div", { class: "words" }, said("", text, context, key, 0)));
}
