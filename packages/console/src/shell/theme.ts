/** The themes that a person can select. `system` follows the device. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "disburse.theme";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

/** Applies a theme and stores it in this browser. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset["theme"] = theme;
}
