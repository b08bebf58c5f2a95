// What a screen on the wall does by itself: no cursor, stays awake, takes a new build between shots, speaks if asked.
import { lang, pick, t } from "./i18n.js";

const QUIET = new Set(["idle", "placing", "armed", "break", "game_over", "match_over", "suspended", "lag"]);

/** `?kiosk=1` switches the wall behaviour on, `?sound=1` (or the hall's setting) the voice, `?volume=60` its strength in per cent. */
export class Kiosk {
  constructor() {
    const asked = new URLSearchParams(location.search);
    this.on = asked.get("kiosk") === "1";
    this.sound = asked.get("sound");
    const volume = asked.has("volume") ? Number(asked.get("volume")) : 100; // per cent
    this.volume = volume >= 0 && volume <= 100 ? volume / 100 : 1;
    if (!this.on) return;
    document.documentElement.classList.add("kiosk");
    this.awake();
    document.addEventListener("visibilitychange", () => this.awake());
  }

  awake() {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {});
  }

  /** Reloads when the hub serves another build, but never in the middle of a shot. */
  between(stream, view) {
    if (stream.hello && stream.hello.build !== stream.build && QUIET.has(view.phase) && !stream.stale) location.reload();
    if (this.sound === null && stream.hello) this.hallSound = stream.hello.sound;
  }

  /** Says what everybody must hear: the ten seconds, the time, the end of a break. Silent unless switched on. */
  announce(data, view) {
    if (!(this.sound === "1" || (this.sound === null && this.hallSound)) || data.repeated) return;
    const words = { ten_seconds: t("call.ten.spoken"), time: t("call.time.spoken"), break_over: t("break.over.spoken") }[data.kind];
    if (words) this.speak(words);
    else if (data.kind === "correction") this.tone(520);
    else if (data.kind === "ruling" && view?.last?.ruling?.kind === "foul") this.tone(392);
  }

  speak(text) {
    if (!("speechSynthesis" in window)) return;
    const words = new SpeechSynthesisUtterance(pick({ [lang]: text }));
    words.lang = lang;
    words.volume = this.volume;
    speechSynthesis.speak(words);
  }

  tone(hertz) {
    this.audio ??= new AudioContext();
    const gain = this.audio.createGain();
    const wave = this.audio.createOscillator();
    wave.frequency.value = hertz;
    gain.gain.setValueAtTime(0.15 * this.volume + 0.0001, this.audio.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.001, this.audio.currentTime + 0.35);
    wave.connect(gain).connect(this.audio.destination);
    wave.start();
    wave.stop(this.audio.currentTime + 0.36);
  }
}
