// Words about a table that several pages share.
import { has, num, pick, shortName, signed, span, t, upper } from "./i18n.js";

/** The one order of the pins: as the drawing is read, from the top. */
export const PINS = ["N", "W", "C", "E", "S"];

/** `list` with the pins in their order and before everything else; `name`: an item's name. */
export function pinsFirst(list, name) {
  const place = (item) => (PINS.includes(name(item)) ? PINS.indexOf(name(item)) : PINS.length);
  return list.toSorted((a, b) => place(a) - place(b));
}

export const isPyramid = (view) => view.game !== "five-pins";
export const targetOf = (view) => view.match?.target ?? view.match?.limit ?? 8;
export const other = (player) => (player === "A" ? "B" : "A");
export const tableName = (view) => (/^\d+$/.test(view.name ?? view.id) ? t("table", { name: view.name ?? view.id }) : (view.name ?? view.id));

/** The ball of a player, or null where players share the balls. */
export const ballOf = (view, player) => view.players?.[player]?.ball ?? null;

/** `game 3 of 5`, `frame 6`. */
export function gameNumber(match, game) {
  if (match.practice) return t("practice");
  return game === "five-pins" && match.games ? t("game.of", { k: match.game_no, m: match.games }) : t("game.no", { k: match.game_no });
}

/** `to 60 points`, `race to 5`. */
export function goal(match, game) {
  if (game === "five-pins") return match.limit ? t("limit", { n: match.limit }) : "";
  return match.race_to ? t("race", { n: match.race_to }) : "";
}

/** The same in one number: `to 60`, `to 5`. */
export function goalShort(view) {
  const n = view.game === "five-pins" ? view.match.limit : view.match.race_to;
  return n ? t(view.game === "five-pins" ? "limit.short" : "race.short", { n }) : "";
}

export const pinNames = (pins) => pins.map((pin) => t(`pin.${pin}`)).join(`${t("list.comma")} `);

/** The diamond in words. */
export function pinsText(pins) {
  if (!pins) return "";
  const of = (state) => PINS.filter((pin) => pins[pin] === state);
  return [["standing", "pins.standing"], ["down", "pins.down"], ["unknown", "pins.unknown"], ["off", "pins.off"]]
    .filter(([state]) => of(state).length).map(([state, key]) => t(key, { pins: pinNames(of(state)) })).join("; ");
}

/** Who gets the points of a ruling and how many: [player or null, points]; after a cut to the limit the points given. */
export function pointsOf(ruling) {
  const who = ruling.to ?? (ruling.points?.A ? "A" : ruling.points?.B ? "B" : null);
  return [who, who ? (ruling.limit?.given ?? ruling.points?.[who] ?? 0) : 0];
}

/** Players whose score a ruling moves and by how much, the cut to the limit taken off: [[player, points]]. */
export function credited(ruling) {
  const got = ["A", "B"].filter((who) => ruling.points?.[who]);
  return got.map((who) => [who, ruling.limit && got.length === 1 ? ruling.limit.given : ruling.points[who]]);
}

/** Who gets what by a ruling, with the names: `+6 Ёжиков`; `0` where nobody does. `beside`: the player whose name stands there already. */
export function gains(players, ruling, beside = null) {
  return credited(ruling).map(([who, value]) => (who === beside ? signed(value) : `${signed(value)} ${shortName(players?.[who] ?? {}, players?.[other(who)], 20)}`)).join(", ") || num(0);
}

/** Why a shot gave less than it was worth: the game ends at its limit. */
export const cutText = (ruling, limit) => (ruling?.limit ? t("points.of", { given: ruling.limit.given, wanted: ruling.limit.wanted, n: limit ?? "" }) : "");

/** What was awarded to whom, in one line. */
export function awardText(players, award) {
  const name = award.to ? shortName(players?.[award.to] ?? {}, players?.[other(award.to)], 24) : "";
  return t(`awarded.${award.what}`, { name });
}

/** The player a ruling's short sentence speaks of, and that sentence. */
export function saidOf(view, ruling) {
  const subject = ruling.subject === undefined ? ruling.striker : ruling.subject;
  return [view.players?.[subject]?.name ?? "", pick(ruling.said ?? ruling.sentence)];
}

/** What the live facts of a running shot say, without an owner. */
export function liveText(view) {
  const live = view.live;
  if (!live) return "";
  if (isPyramid(view)) return live.pots ? t("live.pots", { n: live.pots }) : "";
  return live.pins_down ? t("live.pins", { n: live.pins_down }) : "";
}

/** What a person at the table has to do now, or what is going on, by phase. */
export function phaseText(view) {
  if (!view.match) return t("phase.free");
  const key = `phase.${view.phase}`;
  return has(key) ? t(key) : view.phase;
}

/** A ball or pin to be placed, in words: a pin, the balls of five-pins by role, `rack 15`, `w3`, the coloured ball. */
export function placedWord(view, what) {
  if (!isPyramid(view)) return PINS.includes(what) ? t("pin.named", { pin: t(`pin.${what}`) }) : has(`which.${what}`) ? t(`which.${what}`) : t("ball.named", { ball: what });
  const rack = what.match(/^rack (\d+)$/);
  if (rack) return t("rack", { n: Number(rack[1]) });
  return what === "C" ? t("which.C") : t("which.white.ball");
}

/** The place something goes to, in words. */
export function spotWord(name) {
  if (!name || PINS.includes(name)) return "";
  const line = name.match(/^line-(\d+)$/);
  return line ? t("spot.line", { n: Number(line[1]) }) : has(`spot.${name}`) ? t(`spot.${name}`) : name;
}

/** What is to be put back, in words and in at most two lines. */
export function placementsText(view) {
  if (view.phase === "lag") return "";
  const open = (view.due?.placements ?? []).filter((item) => !item.done);
  if (isPyramid(view)) return open.length ? (open.length === 1 ? t("place.named", { balls: placedWord(view, open[0].what) }) : t("place.balls", { n: open.length })) : "";
  const waiting = view.due?.waiting?.length ? view.due.waiting : open.map((item) => item.what).filter((what) => PINS.includes(what));
  if (waiting.length === PINS.length) return t("place.all.pins");
  if (waiting.length) return t("place.pins", { pins: pinNames(PINS.filter((pin) => waiting.includes(pin))) });
  const balls = open.filter((item) => !PINS.includes(item.what));
  return balls.length ? t("place.named", { balls: balls.map((item) => placedWord(view, item.what)).join(", ") }) : "";
}

/** The clock of a table as the hall board writes it. */
export const clockShort = (ms) => span(ms);
export const secondsLeft = (ms) => Math.ceil(ms / 1000);
export { num, upper };
