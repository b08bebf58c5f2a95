// The administrator's page: hub, tables and their PINs, backups, addresses of the screens.
import { h, render } from "../lib/dom.js";
import { tableName } from "../lib/facts.js";
import { clockText, dayText, loadWords, num, pick, t } from "../lib/i18n.js";
import { health } from "../lib/marks.js";
import { hubNotes, links } from "../lib/parts.js";
import { setTheme } from "../lib/settings.js";

const POLL_MS = 10_000;
const app = document.getElementById("app");
const shown = new Set(); // tables whose PIN stands open
const screen = { sound: false, volume: 60 };
let state = null;
let problem = "";
let busy = "";
let lost = false;

await loadWords();
setTheme();
document.title = t("admin");
poll();

async function poll() {
  await load();
  setTimeout(poll, POLL_MS);
}

async function load() {
  const answer = await fetch("/api/admin").catch(() => null);
  if (answer?.status === 401 || answer?.status === 403) location.href = `/login?next=${encodeURIComponent("/admin")}&role=admin`;
  lost = !answer?.ok;
  if (answer?.ok) state = await answer.json();
  draw();
}

async function send(name, path) {
  if (busy) return;
  busy = name;
  draw();
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  problem = answer?.ok ? "" : typeof body?.text === "object" ? pick(body.text) : (body?.text ?? t("error.net"));
  busy = "";
  await load();
}

const stamp = (ms) => `${dayText(ms)}, ${clockText(ms)}`;
const size = (bytes) => t("admin.mb", { n: num(bytes / 1e6, 1) });
const table = (label, heads, rows) => h("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": label }, h("table", { class: "list-table" },
  h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col", key }, t(key))))), h("tbody", {}, rows)));

function draw() {
  render(app, h("main", { class: "sheet admin" },
    h("header", { class: "page-head" }, h("h1", {}, t("admin")), h("a", { href: "/service" }, t("sensors")), links("admin")),
    lost ? h("p", { class: "flame bold", role: "alert" }, t("stale")) : null,
    problem ? h("p", { class: "flame bold", role: "alert" }, problem) : null,
    state ? [hub(), tables(), screens(), backups(), settings()] : h("p", { class: "empty" }, t("loading"))));
}

function hub() {
  const { health: found, broker } = state;
  const line = (good, text) => h("li", { class: good ? "with-mark" : "with-mark flame bold" }, health(good ? "ok" : "stuck"), text);
  return h("section", {}, h("h2", {}, t("admin.hub")), h("ul", { class: "facts-list" },
    line(found.recording, found.recording ? t("admin.recording") : `${t("not.recording")}: ${found.failure}`),
    line(found.broker, found.broker ? t("admin.broker", { where: broker ? `${broker.kind}, ${broker.host}:${broker.port}` : "" }) : t("admin.nobroker")),
    h("li", {}, t("admin.version", { version: state.version, since: stamp(found.since_ms) })),
    h("li", {}, t("admin.journal", { file: state.journal.file, size: size(state.journal.bytes) }))),
  found.notices.length ? h("ul", { class: "facts-list flame" }, hubNotes(found.notices)) : null);
}

function tables() {
  return h("section", {}, h("h2", {}, t("admin.tables")), table(t("admin.tables"), ["col.table", "admin.node", "col.state", "admin.pin", "pages"], state.tables.map((item) => {
    const open = shown.has(item.id);
    const quality = item.node === "online" ? "ok" : item.node === "offline" ? "stuck" : "absent";
    const base = `/tables/${item.id}`;
    return h("tr", { key: item.id },
      h("td", { class: "bold" }, item.name), h("td", {}, h("span", { class: `with-mark ${item.node === "offline" ? "flame" : ""}` }, health(quality), t(`admin.node.${item.node}`))),
      h("td", {}, item.match ? t(`hall.${item.phase}`) : t("free"), item.faults ? h("span", { class: "flame bold" }, ` ${t("admin.faults", { n: item.faults })}`) : null),
      h("td", {}, h("span", { class: "pin-code" }, open ? item.pin : "••••••"),
        h("button", { class: "pick", "aria-expanded": String(open), onclick: () => { if (open) shown.delete(item.id); else shown.add(item.id); draw(); } }, t(open ? "admin.hide" : "admin.show")), " ",
        h("button", { class: "pick", disabled: Boolean(busy), onclick: () => { shown.add(item.id); send(`pin-${item.id}`, `/api/admin/pins/${item.id}`); } }, t("admin.newpin"))),
      h("td", {}, [["referee", `${base}/referee`], ["overlay", `${base}/overlay`], ["launcher", `${base}/overlay.html`], ["service", `/service/${item.id}`]].map(([name, path]) => h("a", { key: name, href: path, class: "apart" }, t(`admin.to.${name}`)))));
  })), h("p", { class: "dim" }, t("admin.pin.about")));
}

/** Addresses for the kiosk browsers, with sound and volume as they shall be there. */
function screens() {
  const query = `?kiosk=1${screen.sound ? `&sound=1&volume=${screen.volume}` : "&sound=0"}`;
  return h("section", {}, h("h2", {}, t("admin.screens")),
    h("p", { class: "small-head" },
      h("label", { class: "with-mark" }, h("input", { type: "checkbox", checked: screen.sound, onchange: (event) => { screen.sound = event.target.checked; draw(); } }), t("admin.sound")),
      h("label", { class: "with-mark" }, t("admin.volume", { n: screen.volume }), h("input", { type: "range", min: "10", max: "100", step: "10", value: String(screen.volume), disabled: !screen.sound, oninput: (event) => { screen.volume = Number(event.target.value); draw(); } }))),
    h("ul", { class: "facts-list" }, [["", "/?kiosk=1", t("hall")], ...state.tables.map((item) => [item.id, `/tables/${item.id}${query}`, tableName(item)])].map(([id, path, name]) =>
      h("li", { key: `s${id}` }, `${name}: `, h("a", { href: path }, `${location.origin}${path}`)))));
}

function backups() {
  return h("section", {}, h("h2", {}, t("admin.backups")), table(t("admin.backups"), ["admin.folder", "admin.newest", "admin.count"], state.backups.map((item) => h("tr", { key: item.folder },
    h("td", {}, item.folder), h("td", { class: item.newest ? "" : "flame bold" }, item.newest ? `${stamp(item.newest.at_ms)}, ${size(item.newest.bytes)}` : t("admin.nobackup")), h("td", {}, num(item.count))))),
  h("p", { class: "small-head" }, h("button", { class: "pick on", disabled: Boolean(busy), onclick: () => send("backup", "/api/admin/backup") }, busy === "backup" ? t("sent") : t("admin.backup")), h("span", { class: "dim" }, t("admin.every", { n: state.backup_minutes }))));
}

function settings() {
  const { settings: set } = state;
  const yes = (value) => t(value ? "admin.yes" : "admin.no");
  const rows = [["admin.hall", set.hall || "–"], ["language", set.language], ["admin.zone", set.zone], ["admin.hosts", set.hosts.join(", ") || "–"], ["admin.self", yes(set.self_service)], ["admin.hallsound", yes(set.sound)], ["admin.data", state.data]];
  return h("section", {}, h("h2", {}, t("admin.settings")), h("dl", { class: "pairs" }, rows.map(([key, value]) => [h("dt", {}, t(key)), h("dd", {}, value)])), h("p", { class: "dim" }, t("admin.file")));
}
