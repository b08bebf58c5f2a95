// What a phone opens from the code at a free table: the code becomes a session, then the match is set up.
import { h, render } from "../lib/dom.js";
import { loadWords, t } from "../lib/i18n.js";
import { setTheme } from "../lib/settings.js";

const app = document.getElementById("app");
const table = document.documentElement.dataset.table;

await loadWords();
setTheme();
document.title = t("join.title", { table });
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const show = (text) => render(app, h("main", {}, h("div", { class: "card" }, h("h1", {}, t("join.title", { table })), h("p", { role: "status" }, text), h("a", { href: `/tables/${table}` }, t("join.watch")))));
show(t("loading"));
const answer = await fetch("/api/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ table, token }) }).catch(() => null);
if (answer?.ok) location.replace(`/tables/${table}/referee`);
else show(answer === null ? t("error.net") : t("join.old"));
