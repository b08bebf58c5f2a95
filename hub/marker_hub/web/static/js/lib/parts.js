// Small pieces of the data pages.
import { h } from "./dom.js";
import { has, lang, t } from "./i18n.js";
import { remember, setTheme } from "./settings.js";

const PAGES = [["hall", "/"], ["day", "/day"], ["matches", "/matches"]];

/** The way between the pages that everybody may see, and the theme. */
export function links(here) {
  const dark = document.documentElement.dataset.theme === "dark";
  return h("nav", { class: "links fill", "aria-label": t("pages") }, [...PAGES, ...(document.documentElement.dataset.role === "admin" ? [["admin", "/admin"]] : [])].filter(([name]) => name !== here).map(([name, path]) => h("a", { href: path, key: name }, t(name))),
    h("button", { class: "pick", onclick: (event) => { remember("theme", dark ? "light" : "dark"); setTheme(); event.currentTarget.textContent = t(dark ? "theme.dark" : "theme.light"); } }, t(dark ? "theme.light" : "theme.dark")));
}

/** What the hub has to say of itself, in the reader's language; numbers, files and errors follow as the hub wrote them. */
export const hubNotes = (list) => (list ?? []).map((note, index) => {
  const known = lang !== "en" && has(`hub.${note.code}`);
  return h("li", { key: `n${index}` }, known ? [t(`hub.${note.code}`), h("span", { class: "dim", lang: "en" }, ` (${note.text})`)] : note.text);
});
