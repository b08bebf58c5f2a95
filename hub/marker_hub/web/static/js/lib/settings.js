// Choices of this device: language and theme.

const root = document.documentElement;

/** Keeps a choice: the language where the hub reads it, the theme on the device. */
export function remember(name, value) {
  if (name === "lang") document.cookie = `marker_lang=${value}; path=/; max-age=31536000; samesite=strict`;
  else {
    try {
      localStorage.setItem(`marker-${name}`, value);
    } catch {
      // A device that keeps nothing shows its own preference next time.
    }
  }
}

/** Applies the theme: the one chosen, else the page's own, else the device's. */
export function setTheme() {
  let chosen = null;
  try {
    chosen = localStorage.getItem("marker-theme");
  } catch {
    chosen = null;
  }
  root.dataset.own ??= root.dataset.theme;
  const own = root.dataset.own === "auto" ? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") : root.dataset.own;
  root.dataset.theme = chosen === "dark" || chosen === "light" ? chosen : own;
}
