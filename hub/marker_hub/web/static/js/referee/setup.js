// Match set-up: players, game, preset, limit or race. Last values come back by themselves, so that a usual match is one tap.
import { h } from "../lib/dom.js";
import { lang, num, pick, t } from "../lib/i18n.js";
import { field, segments } from "./parts.js";

const GAMES = ["five-pins", "free-pyramid", "dynamic-pyramid", "combined-pyramid"];
const MEMORY = "marker-setup";
const OWN_ROWS = ["points_limit", "games", "race_to", "shot_clock_s"]; // switches with a row of their own on the form

/** Language of a name's script, so that its letters are drawn in their own forms. */
export const scriptOf = (name) => (/[\u0400-\u04ff]/.test(name) ? "ru" : lang === "ru" ? "en" : lang);

function fresh(state) {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(`${MEMORY}-${state.table}`) ?? "{}");
  } catch {
    kept = {};
  }
  const { view } = state;
  const table = JSON.stringify(view.setup ?? null);
  if (kept.table !== table) kept = { ...(kept.A ? { A: kept.A } : {}), ...(kept.B ? { B: kept.B } : {}) }; // the table plays by other rules now
  const game = view.setup?.game || ((view.profile ?? view.game ?? "").includes("pyramid") ? "free-pyramid" : "five-pins");
  return {
    A: { name: "", given: "" }, B: { name: "", given: "" }, opener: "lag", ball: "", policy: state.referee ? (view.setup?.policy ?? "referee") : "self",
    manual: false, practice: false, handicap: { A: 0, B: 0 }, ...configured(view, game), ...kept, table,
  };
}

/** What a match of `game` starts with at this table: as it is configured, else as it is usually played. */
function configured(view, game) {
  const own = view.setup?.game === game ? view.setup : {};
  const { points_limit = 60, games = 3, race_to = 5, shot_clock_s = own.options?.live_tv ? 30 : 40, ...switches } = own.options ?? {};
  return { game, points_limit, games, race_to, shot_clock_s, preset: own.preset ?? "", switches };
}

/** The usual numbers, and the one that is chosen. */
const numbers = (usual, chosen) => [...new Set([...usual, chosen])].sort((a, b) => a - b).map((n) => [n, num(n)]);

const fits = (view, game) => !view.profile || view.profile.startsWith("pyramid") === (game !== "five-pins");

/** The form. */
export function setup(state) {
  const form = (state.ui.setup ??= fresh(state));
  if (!state.referee) form.policy = "self";
  const set = (change) => { Object.assign(form, change); state.draw(); };
  const five = form.game === "five-pins";
  const presets = state.games?.[form.game]?.presets ?? [];
  const player = (who) => h("fieldset", { class: "pair", key: who }, h("legend", {}, t(`player.${who}`)),
    field(t("player.name"), form[who].name, (value) => set({ [who]: { ...form[who], name: value } }), { maxlength: 60, key: who, lang: scriptOf(form[who].name) }),
    field(t("player.given"), form[who].given, (value) => set({ [who]: { ...form[who], given: value } }), { maxlength: 60, key: `${who}g`, lang: scriptOf(form[who].given) }));
  return [
    h("button", { class: "choice practice", key: "practice", disabled: !state.commander.ready, onclick: () => practise(state, form) }, h("span", { class: "bold" }, t("practice.start")), h("span", { class: "sub" }, t("practice.about"))),
    player("A"), player("B"),
    segments(t("game.which"), GAMES.filter((game) => fits(state.view, game) && (state.games === null || game in (state.games ?? {}))).map((game) => [game, t(`short.${game}`)]), form.game, (id) => set({ game: id, preset: configured(state.view, id).preset, switches: configured(state.view, id).switches })),
    five ? segments(t("setup.limit"), numbers([30, 40, 50, 60, 80, 100], form.points_limit), form.points_limit, (n) => set({ points_limit: n }))
      : segments(t("setup.race"), numbers([1, 3, 4, 5, 6, 7, 9], form.race_to), form.race_to, (n) => set({ race_to: n })),
    five ? segments(t("setup.games"), numbers([1, 3, 5, 7], form.games), form.games, (n) => set({ games: n }))
      : segments(t("clock"), [[0, t("off")], [30, num(30)], [40, num(40)]], form.shot_clock_s, (n) => set({ shot_clock_s: n })),
    h("details", { class: "more" }, h("summary", {}, t("setup.more")),
      presets.length ? segments(t("setup.preset"), presets.map((item) => [item.name, pick(item.label) || item.name]), form.preset || presets[0].name, (id) => set({ preset: id })) : null,
      segments(t("setup.opener"), [["lag", t("setup.lag")], ["A", form.A.name || t("player.A")], ["B", form.B.name || t("player.B")]], form.opener, (id) => set({ opener: id })),
      five ? segments(t("setup.ball", { name: form.A.name || t("player.A") }), [["", t("setup.later")], ["white", t("ball.white")], ["yellow", t("ball.yellow")]], form.ball, (id) => set({ ball: id })) : null,
      state.referee ? segments(t("setup.policy"), [["referee", t("policy.referee")], ["self", t("policy.self")], ...([form.policy, state.view.setup?.policy].includes("auto") ? [["auto", t("policy.auto")]] : [])], form.policy, (id) => set({ policy: id })) : null,
      segments(t("sensors"), [["yes", t("setup.sensors")], ["no", t("setup.nosensors")]], form.manual ? "no" : "yes", (id) => set({ manual: id === "no" })),
      segments(t("practice"), [["no", t("no")], ["yes", t("yes")]], form.practice ? "yes" : "no", (id) => set({ practice: id === "yes" })),
      switches(state, form, set)),
  ];
}

/** The rule switches of the game, each with its clause. */
function switches(state, form, set) {
  const list = state.games?.[form.game]?.switches ?? [];
  const preset = state.games?.[form.game]?.presets.find((one) => one.name === form.preset);
  return list.filter((item) => item.values?.length > 1 && !OWN_ROWS.includes(item.name)).map((item) => {
    const value = form.switches[item.name] ?? preset?.switches[item.name] ?? item.default;
    return h("div", { class: "switch", key: item.name },
      segments(meaning(item), item.values.map((one) => [String(one), valueWord(one)]), String(value),
        (id) => set({ switches: { ...form.switches, [item.name]: item.values.find((one) => String(one) === id) } })));
  });
}

const valueWord = (value) => (typeof value === "boolean" ? t(value ? "yes" : "no") : typeof value === "number" ? num(value) : t(`switch.${value}`));

/** What a switch means, with the clause as the text numbers it; a value that its text names is called as on its button. */
function meaning(item) {
  const named = item.values.filter((one) => typeof one !== "number").reduce((text, one) => text.replace(`${one}:`, `${valueWord(one)}:`), pick(item.meaning));
  const clause = pick(item.public);
  return clause ? `${named} (${clause})` : named;
}

/** The big button while the form is open. */
export function setupPrimary(state) {
  const form = state.ui.setup ?? fresh(state);
  const named = form.practice || (form.A.name.trim() && form.B.name.trim());
  const same = named && form.A.name.trim() === form.B.name.trim() && form.A.given.trim() === form.B.given.trim() && !form.practice;
  return { kind: "match_start", label: t("setup.start"), enabled: Boolean(named) && !same, reason: !named ? t("setup.names") : same ? t("setup.same") : "", act: () => start(state, form) };
}

/** One tap: a practice of the game chosen last, without names, lag or referee. What the form holds stays for the next match. */
const practise = (state, form) => start(state, { ...form, practice: true, policy: "self", opener: "A", ball: "white" }, form);

async function start(state, form, kept = form) {
  const five = form.game === "five-pins";
  const options = five ? { points_limit: form.points_limit, games: form.games } : { race_to: form.race_to, shot_clock_s: form.shot_clock_s };
  const person = (who) => ({ name: form[who].name.trim() || t(`player.${who}`), given: form[who].given.trim(), lang: scriptOf(form[who].name) });
  const body = {
    kind: "match_start", game: form.game, players: { A: person("A"), B: person("B") }, options: { ...form.switches, ...options }, preset: form.preset, policy: form.policy,
    manual: form.manual, practice: form.practice, ...(form.opener === "lag" ? {} : { opener: form.opener }), ...(five && form.ball ? { ball_of_a: form.ball } : {}),
  };
  try {
    localStorage.setItem(`${MEMORY}-${state.table}`, JSON.stringify(kept));
  } catch {
    // Private windows keep nothing; the match starts all the same.
  }
  const answer = await state.send(body);
  if (answer?.status === 200) {
    state.ui.setup = null;
    state.show("sheet");
  }
}
