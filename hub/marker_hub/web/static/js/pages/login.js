// A PIN (referee) or a key (administrator) for a session.
import { h, render } from "../lib/dom.js";
import { loadWords, pick, t } from "../lib/i18n.js";
import { setTheme } from "../lib/settings.js";

const app = document.getElementById("app");
const asked = new URLSearchParams(location.search);
const next = /^\/[^/\\]/.test(asked.get("next") ?? "") ? asked.get("next") : "/";
const admin = asked.get("role") === "admin";
const table = asked.get("table") || "*";
let value = "";
let wrong = "";
let busy = false;

await loadWords();
setTheme();
document.title = t("login");
draw();

async function enter(event) {
  event.preventDefault();
  if (!value.trim() || busy) return;
  busy = true;
  draw();
  const body = admin ? { table, token: value.trim() } : { table, pin: value.trim() };
  const answer = await fetch("/api/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => null);
  if (answer?.ok) {
    location.replace(next);
    return;
  }
  const told = await answer?.json().catch(() => null);
  wrong = answer === null ? t("error.net") : answer.status === 429 ? t("login.locked", { n: Number(answer.headers.get("Retry-After") ?? 60) }) : answer.status === 401 ? t("login.wrong") : typeof told?.text === "object" ? pick(told.text) : t("error.other");
  busy = false;
  value = "";
  draw();
}

function draw() {
  render(app, h("main", {}, h("form", { class: "card", onsubmit: enter },
    h("h1", {}, table === "*" ? t("login") : t("login.table", { table })),
    h("label", { for: "secret" }, h("span", {}, t(admin ? "login.key" : "login.pin")),
      h("input", { id: "secret", type: "password", inputmode: admin ? "text" : "numeric", autocomplete: "current-password", value, oninput: (event) => { value = event.target.value; wrong = ""; draw(); }, "aria-describedby": "wrong", autofocus: true })),
    h("p", { class: "wrong", id: "wrong", role: "alert" }, wrong || "\u00a0"),
    h("button", { class: "go", type: "submit", disabled: busy || !value.trim() }, t("login.go")),
    h("a", { href: "/" }, t("hall")))));
}
