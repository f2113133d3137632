import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Download, Locator, Page } from "playwright-core";

/** WCAG 2.2 AA and axe's best practices. */
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Screen = {
  readonly size: { width: number; height: number };
  readonly theme: "light" | "dark";
};

const usual: Screen = { size: { width: 1280, height: 860 }, theme: "light" };
/** Narrower than any current telephone. */
const narrow: Screen = { size: { width: 360, height: 780 }, theme: "dark" };

/** Nothing may be wider than the screen in any of these. */
const otherScreens: Readonly<Record<string, Screen>> = {
  "1440-dark": { size: { width: 1440, height: 900 }, theme: "dark" },
  "768-light": { size: { width: 768, height: 1024 }, theme: "light" },
  "768-dark": { size: { width: 768, height: 1024 }, theme: "dark" },
  "375-light": { size: { width: 375, height: 812 }, theme: "light" },
  "375-dark": { size: { width: 375, height: 812 }, theme: "dark" },
};

/** Pages with a screenshot of every screen. The checks cover all pages. */
const shownInAll = new Set([
  ...["home", "payouts", "payout-confirm", "approvals", "payroll-mistakes"],
  ...["home-treasury", "alert"],
]);

/** Timeout for an expected element of a page. */
const patienceMs = 60_000;

/** Screenshots are saved only if a folder is given. */
export type PageCheckOptions = { readonly screenshots?: string | undefined };

export type Visitor = Awaited<ReturnType<typeof createVisitor>>;

/**
 * Opens a separate browser for a person on one of the console's ports. Its faults are axe's
 * findings, elements wider than a narrow screen, and messages in the browser's console.
 */
export async function createVisitor(browser: Browser, home: string, checkPage: PageCheckOptions) {
  const context = await browser.newContext({ viewport: usual.size, colorScheme: usual.theme });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  const refusals: string[] = [];
  const { origin } = new URL(home);
  const isOurs = () => page.url().startsWith(origin);
  page.on("console", (message) => {
    // Without a sign-in, `GET /console/session` returns 401, which browsers report.
    const { url } = message.location();
    const isKnown = ["/console/session", ...refusals].some((each) => url.includes(each));
    if (["error", "warning"].includes(message.type()) && isOurs() && !isKnown) {
      faults.push(`browser: ${message.text()} (${url})`);
    }
  });
  page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
  return {
    page,
    faults,
    close: () => context.close(),
    /** Ignores the browser's report of a refused request to an address with this text. */
    willBeRefused: (text: string) => void refusals.push(text),
    open: async (path: string) => {
      await page.goto(new URL(path, home).href);
    },
    /** Signs in at the sandbox's provider, from the log-in page. */
    signIn: async (name: string, password: string) => {
      await page.goto(home);
      await page.getByRole("link", { name: "Sign in" }).click();
      await fillSignIn(page, name, password);
      await page.locator("#content").waitFor();
    },
    /** Signs in in the window that a button opens. The page stays open and keeps its input. */
    signInOver: async (name: string, password: string, button: Locator) => {
      const [opened] = await Promise.all([context.waitForEvent("page"), button.click()]);
      await Promise.all([opened.waitForEvent("close"), fillSignIn(opened, name, password)]);
    },
    /**
     * Checks the current page: by axe when wide and light, and when narrow and dark; for what is
     * too wide, on every screen. Axe skips third-party components below `except`.
     */
    checkPage: async (name: string, expected: Locator, except?: string) => {
      await expected.first().waitFor();
      await settle(page);
      faults.push(...(await accessibility(page, name, except)));
      faults.push(...(await overflow(page, name, usual)));
      await picture(page, checkPage, name);
      for (const [screen, each] of Object.entries(otherScreens)) {
        await see(page, each);
        faults.push(...(await overflow(page, `${name}, ${screen}`, each)));
        if (shownInAll.has(name)) await picture(page, checkPage, `${name}-${screen}`);
      }
      await see(page, narrow);
      faults.push(...(await accessibility(page, `${name}, narrow and dark`, except)));
      faults.push(...(await overflow(page, name, narrow)));
      await see(page, usual);
    },
  };
}

async function fillSignIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** In English, or in the pseudo-language. */
const loading = /^L[oô][aà]d[iî][nñ]g[ô ]*…$/;

/** Waits until nothing is loading. Ignores the connection for live updates. */
async function settle(page: Page): Promise<void> {
  await page.getByText(loading).first().waitFor({ state: "detached" });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))");
}

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] };

async function accessibility(page: Page, name: string, except?: string): Promise<string[]> {
  await page.evaluate(axe);
  const exclude = JSON.stringify(except === undefined ? [] : [[except]]);
  const run = `axe.run({ exclude: ${exclude} }, { runOnly: ${JSON.stringify(rules)} })`;
  const { violations } = await page.evaluate<AxeResult>(run);
  return violations.map(({ id, nodes }) => `${name}: axe ${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

async function see(page: Page, { size, theme }: Screen): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: theme });
  await settle(page);
}

async function overflow(page: Page, name: string, { size }: Screen): Promise<string[]> {
  const by = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  return Number(by) > 0 ? [`${name}: ${by} pixels wider than ${size.width}`] : [];
}

async function picture(page: Page, { screenshots }: PageCheckOptions, name: string): Promise<void> {
  if (screenshots === undefined) return;
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

/** Returns the content of a downloaded file. */
export async function textOf(file: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
