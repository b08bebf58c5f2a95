// Commands to a table: one at a time, each with a key of its own, repeated with the same key if the network fails.

const RETRY_MS = 700;
const GIVE_UP_MS = 20_000;

/** A key nobody else will ever make. (`crypto.randomUUID` needs a secure context; a hall has plain addresses.) */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Sends commands to one table and keeps the one that is on its way, the last error, and the last answer. */
export class Commander {
  constructor(table, stream, onChange) {
    this.table = table;
    this.stream = stream;
    this.onChange = onChange;
    this.pending = null;
    this.error = null;
  }

  get ready() {
    return !this.pending && !this.stream.stale;
  }

  /**
   * Sends `body`; returns {status, body}, or null if it was not sent or no answer came. `body.seen`: the position it was based
   * on, the newest known one unless said.
   */
  async send(body) {
    if (!this.ready) return null;
    const command = { seen: this.stream.tables.get(this.table)?.n ?? 0, ...body, key: newKey() };
    this.pending = command;
    this.error = null;
    this.onChange();
    const answer = await this.deliver(command);
    this.pending = null;
    this.take(answer, command);
    this.onChange();
    return answer;
  }

  async deliver(command) {
    const started = performance.now();
    while (performance.now() - started < GIVE_UP_MS) {
      try {
        const response = await fetch(`/api/tables/${encodeURIComponent(this.table)}/commands`, {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command), signal: AbortSignal.timeout(5000),
        });
        if (response.status !== 503 && response.status < 600) return { status: response.status, body: await response.json().catch(() => ({})) };
      } catch {
        // No answer: it may have arrived or not. The same key makes a repetition harmless.
      }
      await pause(RETRY_MS);
    }
    return null;
  }

  take(answer, command) {
    if (answer?.body?.view) this.stream.table(answer.body.view);
    if (answer?.body?.sheet) this.stream.sheets.set(this.table, answer.body.sheet);
    if (answer?.status === 200) return;
    this.error = { status: answer?.status ?? 0, code: answer?.body?.code ?? "net", text: answer?.body?.text, kind: command.kind };
    if (answer?.status === 401) location.href = `/login?next=${encodeURIComponent(location.pathname)}&table=${encodeURIComponent(this.table)}&role=referee`;
  }
}
