// The one stream of a page: newest state of its tables, the hub's clock, and the honest word when both are old.

export const STALE_MS = 5000;

/**
 * Opens the stream for `tables` ([] = all). `onChange()` is called after every change, once a second for clocks, and when the
 * page becomes stale or fresh. `onAnnounce(data)` gets rulings and corrections as they are made.
 */
export class Stream {
  constructor(tables, { sheets = false, onChange = () => {}, onAnnounce = () => {} } = {}) {
    this.tables = new Map();
    this.sheets = new Map();
    this.order = tables;
    this.hello = null;
    this.fresh = false;
    this.everFresh = false;
    this.lastAt = performance.now();
    this.lastHubMs = null;
    this.offset = null;
    this.onChange = onChange;
    this.onAnnounce = onAnnounce;
    this.build = document.documentElement.dataset.build;
    const query = new URLSearchParams();
    if (tables.length) query.set("tables", tables.join(","));
    if (sheets) query.set("sheet", "1");
    this.url = `/api/stream?${query}`;
    this.open();
    setTimeout(() => this.tick(), 0);
  }

  open() {
    this.source?.close();
    const source = new EventSource(this.url);
    this.source = source;
    const on = (name, act) => source.addEventListener(name, (event) => {
      if (this.source !== source) return;
      this.heard();
      act(JSON.parse(event.data));
      this.onChange();
      this.say();
    });
    on("hello", (data) => this.greet(data));
    on("snapshot", (data) => this.snapshot(data));
    on("table", (data) => this.table(data));
    on("sheet", (data) => this.sheets.set(data.table, data));
    on("announce", (data) => this.onAnnounce(data));
    on("beat", (data) => this.beat(data));
    source.onerror = () => {
      // A refused stream (401, 404, 5xx) is closed by the browser for good: try again by hand.
      if (this.source === source && source.readyState === EventSource.CLOSED) this.again = setTimeout(() => this.open(), 1000);
    };
  }

  /** Says on the document which position of the journal is drawn now, of the tables and of their sheets. */
  say() {
    const newest = (states) => String(Math.max(0, ...[...states.values()].map((state) => state.n)));
    Object.assign(document.documentElement.dataset, { n: newest(this.tables), sheetN: newest(this.sheets) });
  }

  heard() {
    this.lastAt = performance.now();
  }

  greet(data) {
    this.hello = data;
    if (!this.order.length) this.all = data.tables;
    this.offset = null;
    this.sync(data.now_ms);
  }

  snapshot(data) {
    this.tables = new Map(Object.entries(data.tables).map(([id, view]) => [id, tidy(view)]));
    this.sheets = new Map(Object.entries(data.sheets ?? {}));
    this.fresh = true;
    this.everFresh = true;
  }

  table(data) {
    const known = this.tables.get(data.id);
    if (!known || data.n >= known.n) this.tables.set(data.id, tidy(data));
    this.sync(data.now_ms);
  }

  beat(data) {
    this.sync(data.now_ms);
    for (const [id, n] of Object.entries(data.n)) {
      if (!(this.tables.get(id)?.n >= n)) return this.open(); // something passed us by: a new snapshot
    }
    return undefined;
  }

  /** Hub time minus page time; the quickest message tells it best. */
  sync(hubMs) {
    const offset = hubMs - performance.now();
    if (this.offset === null || offset > this.offset || this.offset - offset > 2000) this.offset = offset;
    this.lastHubMs = hubMs;
  }

  /** The hub's clock now, ms; while stale it stands at the last data. */
  now() {
    if (this.offset === null) return Date.now();
    return this.stale ? this.lastHubMs : performance.now() + this.offset;
  }

  get stale() {
    return !this.fresh;
  }

  /** How long nothing was heard, ms. */
  get silentMs() {
    return performance.now() - this.lastAt;
  }

  check() {
    if (this.fresh && this.silentMs > STALE_MS) {
      this.fresh = false;
      this.open(); // a dead socket looks open: make a new one
      this.nextTry = performance.now() + STALE_MS;
    } else if (!this.fresh && this.silentMs > STALE_MS && performance.now() > (this.nextTry ?? 0)) {
      this.open();
      this.nextTry = performance.now() + STALE_MS;
    }
  }

  /** Ticks on the hub's own seconds, so that every clock of every page changes on the same step. */
  tick() {
    this.check();
    this.onChange();
    const into = this.offset === null ? performance.now() % 1000 : (performance.now() + this.offset) % 1000;
    setTimeout(() => this.tick(), Math.max(20, 1000 - into + 1));
  }
}

/** A free table has no players and the game its table is made for. */
function tidy(view) {
  if (view.match) return view;
  return { ...view, players: null, game: view.game ?? (view.profile?.startsWith("pyramid") ? "pyramid" : "five-pins"), turn: null, last: null, proposal: null, live: null };
}

/** What is left on a clock of `view`, ms, by the hub's time. */
export function remaining(clock, view, now) {
  if (!clock) return null;
  const gone = clock.running ? Math.max(0, now - view.now_ms) : 0;
  return Math.max(0, clock.remaining_ms - gone);
}
