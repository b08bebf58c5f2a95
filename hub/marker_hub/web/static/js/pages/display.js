// The table display of the hall: one stream, one table, no commands.
import { board } from "../lib/board.js";
import { render } from "../lib/dom.js";
import { fitLines, fontsReady, withLateFaces } from "../lib/fit.js";
import { loadWords, t } from "../lib/i18n.js";
import { Kiosk } from "../lib/kiosk.js";
import { Stream } from "../lib/stream.js";

const CORRECTED_MS = 10_000;
const CARD_MS = 600_000;
const app = document.getElementById("app");
const table = document.documentElement.dataset.table;
let scores = null;
let old = null;
let join = null;
let ended = null;

const ready = Promise.all([loadWords(), fontsReady()]); // the stream opens meanwhile
let drawable = false;

const kiosk = new Kiosk();
const stream = new Stream([table], { onChange: draw, onAnnounce: (data) => drawable && kiosk.announce(data, stream.tables.get(table)) });
window.addEventListener("resize", draw);
withLateFaces(draw);

function remember(view) {
  const now = view.players ? { A: view.players.A.score, B: view.players.B.score } : null;
  if (scores && now && view.last?.status === "corrected" && (scores.A !== now.A || scores.B !== now.B)) {
    old = { ...scores, until: performance.now() + CORRECTED_MS };
  }
  if (old && (performance.now() > old.until || !now)) old = null;
  scores = now;
}

/** The card of a match stays for ten minutes after it was closed, or until the next one; not where players need the code to begin. */
function withCard(view) {
  if (view.match || stream.hello?.self_service) ended = view.phase === "match_over" ? { view, until: Infinity } : null;
  else if (ended) {
    ended.until = Math.min(ended.until, performance.now() + CARD_MS);
    if (performance.now() < ended.until) return ended.view;
    ended = null;
  }
  return view;
}

async function askJoin(view) {
  if (view.match || !stream.hello?.self_service) {
    join = null;
    return;
  }
  if (join && performance.now() < join.until) return;
  join = { ...(join ?? {}), until: performance.now() + 60_000 };
  const answer = await fetch(`/api/tables/${table}/join`).catch(() => null);
  if (answer?.ok) {
    join = { ...(await answer.json()), until: performance.now() + 300_000 };
    draw();
  }
}

/** Pixels of what is set by measuring text: names, and the sentence of the band beside its points. */
function measures() {
  const style = getComputedStyle(document.documentElement);
  const px = (name) => Number.parseFloat(style.getPropertyValue(name));
  const apart = innerWidth * 0.019;
  return {
    size: px("--t2"), nameRoom: innerWidth * (innerWidth / innerHeight > 1.375 ? 0.36 : 0.9),
    band: { width: innerWidth - 2 * px("--gutter"), height: px("--words"), size: px("--t2"), digits: px("--s3"), ball: px("--ball-of-points") + apart, gap: apart },
  };
}

function draw() {
  if (!drawable) return;
  const newest = stream.tables.get(table);
  if (!newest) return;
  const view = withCard(newest);
  remember(view);
  askJoin(newest);
  const context = { now: stream.now(), stale: stream.stale, silentMs: stream.silentMs, old, join: join?.qr ? join : null, ...measures() };
  render(app, board(view, context));
  fitLines(app);
  kiosk.between(stream, view);
}

await ready;
document.title = t("title.display", { table });
drawable = true;
draw();
