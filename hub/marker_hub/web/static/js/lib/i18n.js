// Words, numbers, times and names in the language of the page.

const root = document.documentElement;
export const lang = root.lang;
export const zone = root.dataset.zone;
const base = new URL("../../locales/", import.meta.url);

let words = {};
let fallback = null;
export const missing = new Set();

/** Loads the catalogue of the page's language. */
export async function loadWords() {
  words = await (await fetch(new URL(`${lang}.json`, base))).json();
}

const plurals = new Intl.PluralRules(lang);
const plain = new Intl.NumberFormat(lang, { maximumFractionDigits: 2, useGrouping: false });

/** A number as the language writes it, with a true minus and never a negative zero. */
export function num(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const text = digits === undefined ? plain.format(value === 0 ? 0 : value) : new Intl.NumberFormat(lang, {
    minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).format(value === 0 ? 0 : value);
  return text.replace("-", "−");
}

/** A number of points with its sign: `+6`, `−2`, `0`. */
export const signed = (value) => (value > 0 ? `+${num(value)}` : num(value));

/** The text of `key` with `{name}` filled from `values`; a plural entry is chosen by `values.n`. */
export function t(key, values = {}) {
  let entry = words[key];
  if (entry === undefined) {
    if (!missing.has(key)) {
      missing.add(key);
      console.error(`no text for "${key}" in ${lang}`);
      if (fallback === null) {
        fallback = {};
        if (lang !== "en") fetch(new URL("en.json", base)).then((answer) => answer.json()).then((loaded) => { fallback = loaded; });
      }
    }
    entry = fallback?.[key] ?? key;
  }
  if (typeof entry === "object") entry = entry[plurals.select(Math.abs(values.n ?? 0))] ?? entry.other;
  return entry.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? num(value) : (value ?? "");
  });
}

/** Whether the catalogue has `key`. */
export const has = (key) => key in words;

/** The text of a value the hub sends in all three languages. */
export const pick = (texts) => (texts ? (texts[lang] ?? texts.en ?? "") : "");

const hallClock = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone });
const hallSeconds = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: zone });
const hallDay = new Intl.DateTimeFormat(lang, { day: "numeric", month: "long", timeZone: zone });

/** Time of day in the zone of the hall. */
export const clockText = (ms) => hallClock.format(ms);
export const secondsText = (ms) => hallSeconds.format(ms);
export const dayText = (ms) => hallDay.format(ms);

/** Minutes and seconds: `0:14`, `3:12`. */
export function span(ms) {
  const whole = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export const upper = (text) => (text ? text[0].toLocaleUpperCase(lang) + text.slice(1) : text);

/** The lines of a player's name: a double surname that does not fit breaks after its hyphen, the given name fills a free second line. */
export function nameLines(player, fits) {
  const name = player.name || t("player.unnamed");
  const cut = fits(name) ? -1 : name.search(/[-\u2010\s]/);
  if (cut > 2 && cut < name.length - 3) {
    const keep = name[cut] === " " ? cut : cut + 1;
    return { first: name.slice(0, keep), second: name.slice(cut + 1), isGiven: false };
  }
  return { first: name, second: player.given || "", isGiven: true };
}

/** A surname in one short line: the second part of a double one becomes an initial. `other` keeps the two players apart. */
export function shortName(player, other, limit = 16) {
  const name = player.name || t("player.unnamed");
  const make = (it, letters) => {
    const parts = it.match(/^(.+?[-\u2010\s])(.+)$/u);
    return it.length <= limit || !parts ? it : `${parts[1]}${parts[2].slice(0, letters)}.`;
  };
  for (let letters = 1; letters < name.length; letters += 1) {
    const short = make(name, letters);
    if (!other?.name || other.name === name || short !== make(other.name, letters)) return short;
  }
  return name;
}
