import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/**
 * The Chromium of this machine: `CHROMIUM_PATH`, or the first of its names on the `PATH`; undefined
 * where there is none. `npm test` as root on Debian installs one.
 */
export function chromiumPath(): string | undefined {
  const { CHROMIUM_PATH: named, PATH: path = "" } = process.env;
  if (named) return named;
  const folders = path.split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** Starts a browser without a window and with an empty profile; the caller closes it. */
export function openBrowser(executablePath: string): Promise<Browser> {
  // Chromium refuses to put root into its sandbox; it sees our own pages only.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** A machine that is busy otherwise is slow, not wrong. */
const patienceMs = 90_000;

/** A page, and what a reader of its developer tools would find fault with, as it comes. */
export type WatchedPage = { readonly page: Page; readonly faults: readonly string[] };

/**
 * Opens an address, in a profile of its own or in a context that shares its cookies. Its faults are
 * warnings and errors on the console, refusals by its security policy among them, uncaught errors,
 * failed requests, and requests to other origins.
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
