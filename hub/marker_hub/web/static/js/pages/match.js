// One match: score graph, shot list, replay of what was sensed. Never a ball, never a path.
import { h, render } from "../lib/dom.js";
import { awardText, cutText, credited, gains, other, pointsOf, saidOf, tableName } from "../lib/facts.js";
import { clockText, dayText, has, loadWords, num, pick, secondsText, shortName, signed, t } from "../lib/i18n.js";
import { scoreGraph } from "../lib/graph.js";
import { ball } from "../lib/marks.js";
import { links } from "../lib/parts.js";
import { setTheme } from "../lib/settings.js";
import { placeOf, profiles, tableDrawing } from "../lib/tabledraw.js";

const app = document.getElementById("app");
const id = document.documentElement.dataset.match;
const STEP_MS = 900;
let match = null;
let geometry = null;
let gameNo = null;
let shotNo = null;
let step = 0;
let timer = null;

await loadWords();
setTheme();
draw();
const answer = await fetch(`/api/matches/${encodeURIComponent(id)}`).catch(() => null);
match = answer?.ok ? await answer.json() : { missing: true };
if (!match.missing) {
  geometry = (await profiles())[match.game === "five-pins" ? "carom5" : "pyramid"];
  const games = match.games_list ?? [];
  const asked = Number(new URLSearchParams(location.search).get("shot"));
  const game = games.find((item) => item.shots.some((shot) => shot.shot === asked)) ?? games.findLast((item) => item.shots.length) ?? games.at(-1);
  gameNo = game?.n ?? null;
  shotNo = game?.shots.some((shot) => shot.shot === asked) ? asked : (game?.shots.at(-1)?.shot ?? null);
  step = eventsOf(current()).length;
  document.title = `${match.players.A.name} – ${match.players.B.name}`;
}
draw();

function current() {
  return (match.games_list ?? []).flatMap((game) => game.shots).find((shot) => shot.shot === shotNo);
}

function eventsOf(shot) {
  return shot?.events ?? [];
}

function kindOf(side) {
  return match.game === "five-pins" ? (match.balls?.[side] ?? (side === "A" ? "white" : "yellow")) : null;
}

function choose(number) {
  shotNo = number;
  step = eventsOf(current()).length;
  stop();
  draw();
}

function stop() {
  clearInterval(timer);
  timer = null;
}

function play() {
  if (timer) {
    stop();
    return draw();
  }
  const length = eventsOf(current()).length;
  if (step >= length) step = 0;
  timer = setInterval(() => {
    step += 1;
    if (step >= length) stop();
    draw();
  }, STEP_MS);
  return draw();
}

function draw() {
  if (!match) return render(app, h("main", { class: "sheet" }, h("p", { class: "empty" }, t("loading"))));
  if (match.missing) return render(app, h("main", { class: "sheet" }, h("h1", { class: "empty" }, t("match.missing")), links("")));
  const game = (match.games_list ?? []).find((item) => item.n === gameNo);
  return render(app, h("main", { class: "sheet match-page" }, head(), sub(),
    h("div", { class: "columns" },
      h("section", {}, game ? [graphHead(game), awardLine(game), graph(game), shotTable(game)] : h("p", { class: "empty" }, t("match.noshots"))), replay())));
}

function head() {
  const side = (who) => h("div", { class: `who ${who.toLowerCase()}`, lang: match.players[who].lang || null }, kindOf(who) ? ball(kindOf(who)) : null, h("span", {}, match.players[who].name || t(`player.${who}`)));
  return h("header", { class: "match-head" }, side("A"), h("h1", { class: "result digits", "aria-label": t("games") }, `${num(match.games.A)}:${num(match.games.B)}`), side("B"));
}

function sub() {
  const time = match.ended_ms ? `${clockText(match.started_ms)}–${clockText(match.ended_ms)}` : clockText(match.started_ms);
  const goal = match.game === "five-pins" ? (match.limit ? t("limit", { n: match.limit }) : "") : match.race_to ? t("race", { n: match.race_to }) : "";
  return h("div", { class: "match-sub" }, h("span", { class: "bold" }, match.ended_ms ? t("phase.match_over") : t("running")), h("span", {}, `${dayText(match.started_ms)}, ${time}`),
    h("span", {}, tableName({ id: match.table, name: match.table_name || null })), h("span", {}, [t(`game.${match.game}`), goal].filter(Boolean).join(", ")),
    match.awards?.some((award) => award.what === "match") ? h("span", { class: "bold awarded" }, awardText(match.players, match.awards.findLast((award) => award.what === "match"))) : null,
    match.revision ? h("span", {}, t("revision", { n: match.revision })) : null,
    match.ended_ms ? h("span", { class: "dim" }, t("match.fix")) : null,
    h("span", { class: "fill" }, ["jsonl", "csv", "pdf"].map((form) => h("a", { key: form, href: `/api/matches/${encodeURIComponent(id)}/export.${form}`, download: true }, t(`export.${form}`), " "))), links("match"));
}

function graphHead(game) {
  return h("div", { class: "small-head" }, h("h2", {}, t("graph")),
    h("div", { class: "picks", role: "group", "aria-label": t("games") }, match.games_list.map((item) => h("button", { key: String(item.n), class: item.n === gameNo ? "pick on" : "pick", "aria-pressed": String(item.n === gameNo), onclick: () => { gameNo = item.n; choose(item.shots.at(-1)?.shot ?? null); } }, item.n === gameNo ? t("game.no", { k: item.n }) : num(item.n), " "))),
    h("span", { class: "fill" }, figures(game)));
}

/** Averages and best shots or runs of the two players. */
function figures(game) {
  const of = (side) => {
    const own = game.shots.filter((shot) => shot.striker === side && shot.status !== "void" && shot.ruling);
    const gains = own.map((shot) => { const [who, value] = pointsOf(shot.ruling); return who === side ? value : 0; });
    let run = 0;
    let best = 0;
    for (const gain of gains) {
      run = gain > 0 ? run + gain : 0;
      best = Math.max(best, run);
    }
    return { mean: own.length ? gains.reduce((sum, gain) => sum + gain, 0) / own.length : 0, best: Math.max(0, ...gains), run: best };
  };
  const [a, b] = [of("A"), of("B")];
  const mean = t("figures.mean", { a: num(a.mean, 2), b: num(b.mean, 2) });
  return match.game === "five-pins" ? `${mean}, ${t("figures.best", { a: num(a.best), b: num(b.best) })}` : `${mean}, ${t("figures.run", { a: num(a.run), b: num(b.run) })}`;
}

/** What was decided in this game by no stroke. */
function awardLine(game) {
  const made = (match.awards ?? []).filter((award) => award.game_no === game.n);
  return made.length ? h("p", { class: "awarded bold", key: "awarded" }, made.map((award) => awardText(match.players, award)).join("; ")) : null;
}

function graph(game) {
  const label = t("graph.label", { a: match.players.A.name, b: match.players.B.name, x: game.score.A, y: game.score.B, n: game.shots.length });
  return scoreGraph(game.shots, { limit: match.game === "five-pins" ? match.limit : (match.target ?? 8), cursor: game.shots.findIndex((shot) => shot.shot === shotNo), kinds: { A: kindOf("A"), B: kindOf("B") }, label });
}

function shotTable(game) {
  const cols = ["shots.no", "shots.by", "shots.ruling", "shots.points", "shots.score", "shots.clauses"];
  return h("div", { class: "shots-box scroll-x", tabindex: "0", role: "region", "aria-label": t("shots") }, h("table", { class: "shots-table" },
    h("thead", {}, h("tr", {}, cols.map((key) => h("th", { scope: "col", key, class: /no|points|score/.test(key) ? "num" : "" }, t(key))))),
    h("tbody", {}, game.shots.toReversed().map(shotRow))));
}

function shotRow(shot) {
  const text = shot.ruling ? saidOf({ players: match.players }, shot.ruling)[1] : "";
  const clause = pick(shot.ruling?.public).replace(/^(п\.|cl\.|art\.)\s*/, "");
  return h("tr", { key: String(shot.shot), "aria-selected": String(shot.shot === shotNo), class: shot.status, onclick: () => choose(shot.shot) },
    h("td", { class: "num" }, h("button", { "aria-label": t("shot", { n: shot.shot }) }, num(shot.shot))),
    h("td", { class: "name" }, kindOf(shot.striker) ? ball(kindOf(shot.striker)) : null, shortName(match.players[shot.striker], match.players[other(shot.striker)], 20)),
    h("td", { class: "words" }, shot.status === "void" ? t("void") : shot.status === "open" ? t("amend.open") : text,
      elsewhere(shot),
      shot.ruling?.limit ? h("span", { class: "cut" }, `, ${cutText(shot.ruling, match.limit)}`) : null,
      shot.status === "corrected" && shot.old ? h("span", {}, ` ${t("instead")} `, h("s", {}, gains(match.players, shot.old))) : null,
      shot.status === "corrected" || shot.status === "manual" ? h("span", { class: "small-tag" }, t(shot.status === "manual" ? "by.hand" : "corrected")) : null),
    h("td", { class: "num bold gets" }, shot.ruling ? points(shot) : "–"), h("td", { class: "num" }, shot.score ? `${num(shot.score.A)}:${num(shot.score.B)}` : "–"), h("td", {}, clause));
}

/** What each player got, with his ball. */
function points(shot) {
  const got = credited(shot.ruling);
  return got.length ? got.map(([who, value]) => h("span", { key: who, class: "line" }, kindOf(who) ? ball(kindOf(who)) : null, signed(value))) : num(0);
}

/** Points that went to the player who did not strike are named. */
function elsewhere(shot) {
  const got = shot.ruling ? credited(shot.ruling).filter(([who]) => who !== shot.striker) : [];
  return got.map(([who]) => h("span", { key: `to${who}`, class: "to" }, `, ${t("points.to", { name: shortName(match.players[who], match.players[other(who)], 20) })}`));
}

function replay() {
  const shot = current();
  if (!shot || !geometry) return h("aside", { class: "replay" });
  const events = eventsOf(shot);
  const until = events.slice(0, step);
  const down = until.flatMap((event) => (event.kind === "pin" ? [event.what] : event.kind === "answer" && /^QP: /.test(event.what) ? event.what.slice(4).split(",") : []));
  const marks = {};
  for (const event of until) {
    const place = placeOf(geometry, event.what);
    if (place?.kind === "rail") marks[Object.keys(geometry.rails).find((name) => geometry.rails[name] === place.rail)] = event.weak ? "weak" : "on";
    if (place?.kind === "pocket") marks[Object.keys(geometry.pockets).find((name) => name === event.what || geometry.pockets[name].name === event.what)] = "on";
  }
  return h("aside", { class: "replay", "aria-label": t("replay") },
    h("div", { class: "small-head" }, h("h2", {}, t("replay.of", { n: shot.shot })), h("span", { class: "fill" }, events.length ? t("replay.event", { k: step, m: events.length }) : "")),
    tableDrawing(geometry, { marks, down, carom: match.game === "five-pins", extra: tellers(until), label: until.map((event) => words(event)).join("; ") || t("replay.nothing") }),
    h("p", { class: "only" }, events.length ? t("replay.only") : t("replay.nothing")),
    h("ol", { class: "events-list" }, events.map((event, index) => h("li", { key: String(index), class: `${index === step - 1 ? "now" : ""} ${event.weak ? "weak" : ""}` },
      h("button", { onclick: () => { stop(); step = index + 1; draw(); } }, h("span", { class: "when" }, when(event)), h("span", { class: "what" }, `${index + 1}. ${words(event)}`), h("span", { class: "from" }, event.channel ? `${event.channel}${event.volts ? `, ${num(event.volts, 2)} ${t("volt")}` : ""}` : has(`source.${event.source}`) ? t(`source.${event.source}`) : (event.source ?? "")))))),
    h("div", { class: "player-keys" },
      h("button", { class: "key", disabled: step <= 0, onclick: () => { stop(); step -= 1; draw(); } }, t("replay.back")),
      h("button", { class: timer ? "key on" : "key on", disabled: !events.length, onclick: play }, timer ? t("replay.stop") : t("replay.play")),
      h("button", { class: "key", disabled: step >= events.length, onclick: () => { stop(); step += 1; draw(); } }, t("replay.next")),
      h("span", { class: "by" }, shot.by ? `${has(`by.${shot.by}`) ? t(`by.${shot.by}`) : shot.by} ` : "", shot.at_ms ? secondsText(shot.at_ms) : "")));
}

/** The numbers of the events at their places; two at one place stand beside each other. */
function tellers(events) {
  const used = new Map();
  return events.map((event, index) => {
    const place = placeOf(geometry, event.what ?? "");
    if (!place || place.kind === "click") return null; // where a stroke or contact was, nobody sensed
    const key = `${place.x},${place.y}`;
    const turn = used.get(key) ?? 0;
    used.set(key, turn + 1);
    const lift = place.kind === "pin" ? 190 : 0;
    const dx = place.kind === "pin" ? 170 * Math.sign(place.x || 0.001) : 0;
    return h("g", { key: `t${index}`, class: index === events.length - 1 ? "tell now" : "tell", transform: `translate(${place.x + dx + turn * 160} ${place.y - lift})` }, h("circle", { r: 72 }), h("text", { y: 31 }, num(index + 1)));
  });
}

function when(event) {
  if (event.ms === null || event.ms === undefined) return "—";
  const loose = event.unc_ms > 20;
  return event.ms >= 10_000 || loose ? `${loose ? "≈\u2009" : ""}${num(event.ms / 1000, 1)} ${t("s")}` : `${num(event.ms)} ${t("ms")}`;
}

function words(event) {
  const key = `event.${event.kind}`;
  const pin = has(`pin.${event.what}`) ? t(`pin.${event.what}`) : event.what;
  const rail = has(`rail.${event.what}`) ? t(`rail.${event.what}`) : event.what;
  if (event.text) return pick(event.text);
  if (event.called) return t("event.call", { what: [pick(event.called), match.players[event.by]?.name].filter(Boolean).join(", ") });
  return has(key) ? t(key, { what: event.kind === "pin" ? pin : event.kind === "cushion" ? rail : (event.what ?? "") }) : `${event.kind} ${event.what ?? ""}`;
}
