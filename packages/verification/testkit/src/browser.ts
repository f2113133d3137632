import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/**
 * Returns `CHROMIUM_PATH` or the first Chromium on the `PATH`. As root on Debian, `npm test`
 * installs one.
 */
export function chromiumPath(): string | undefined {
  const { CHROMIUM_PATH: named, PATH: path = "" } = process.env;
  if (named) return named;
  const folders = path.split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** Starts a headless browser with an empty profile. The caller must close it. */
export function openBrowser(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox doesn't work for root. Turning it off is safe, because the browser opens
  // only our pages.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

const patienceMs = 90_000;

export type WatchedPage = { readonly page: Page; readonly faults: readonly string[] };

/**
 * Opens an address in a new profile, or in a context with shared cookies. Records faults: console
 * warnings and errors, security policy violations, uncaught errors, failed requests, and requests
 * to other origins.
 */
export async function openPage(
  browser: Browser | BrowserContext,
  url: string,
): Promise<WatchedPage> {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1280, height: 900 });
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  const { origin } = new URL(url);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`uncaught: ${String(error)}`));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || request.url().startsWith("data:");
    if (!isOwn) faults.push(`request to another origin: ${request.url()}`);
  });
  page.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`));
  await page.goto(url);
  return { page, faults };
}
