// Words about a table that several pages share.
import { has, num, pick, span, t, upper } from "./i18n.js";

export const PINS = ["N", "W", "C", "E", "S"];
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

/** What is to be put back, in words. */
export function placementsText(view) {
  const waiting = (view.due?.waiting ?? []).map((what) => ({ what }));
  const list = [...(view.due?.placements ?? []).filter((item) => !item.done && !PINS.includes(item.what)), ...(waiting.length ? waiting : (view.due?.placements ?? []).filter((item) => !item.done && PINS.includes(item.what)))];
  if (!list.length) return "";
  const pins = list.map((item) => item.what).filter((what) => PINS.includes(what));
  const balls = list.map((item) => item.what).filter((what) => !PINS.includes(what));
  return [
    pins.length ? t("place.pins", { pins: pinNames(PINS.filter((pin) => pins.includes(pin))) }) : "",
    balls.length ? (balls.every((ball) => has(`which.${ball}`)) ? t("place.named", { balls: balls.map((ball) => t(`which.${ball}`)).join(", ") }) : t("place.balls", { n: balls.length })) : "",
  ].filter(Boolean).join("; ");
}

/** The clock of a table as the hall board writes it. */
export const clockShort = (ms) => span(ms);
export const secondsLeft = (ms) => Math.ceil(ms / 1000);
export { num, upper };
