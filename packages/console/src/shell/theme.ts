/** The colours that a person chose; `system` follows the machine. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "disburse.theme";

/** The theme that was chosen in this browser. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

/** Shows a theme and keeps it in this browser. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset["theme"] = theme;
}
