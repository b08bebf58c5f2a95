// No such table, or no such page.
import { h, render } from "../lib/dom.js";
import { loadWords, t } from "../lib/i18n.js";
import { setTheme } from "../lib/settings.js";

await loadWords();
setTheme();
render(document.getElementById("app"), h("main", {}, h("div", { class: "card" }, h("h1", {}, document.documentElement.dataset.absent === "page" ? t("missing.page") : t("missing")), h("a", { href: "/" }, t("hall")))));
