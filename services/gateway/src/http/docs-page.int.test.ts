import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  chromiumPath,
  openBrowser,
  openPage,
  type WatchedPage,
} from "@disburse/testkit/browser.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { at, times } from "../test-calls.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const file = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const docsFolder = file("packages/docs-site/dist");
const chromium = chromiumPath();
const isBuilt = existsSync(`${docsFolder}/index.html`);
const missing = chromium === undefined ? "there is no Chromium here" : "run `npm run docs` first";
const skipped = chromium === undefined || !isBuilt;

/** The heaviest page, a usual one, the one with the largest table, and the first one. */
const paths = [
  "/docs/operations/create-fiat-beneficiary",
  "/docs/operations/execute-payout",
  "/docs/errors",
  "/docs",
];

/** A busy machine is slow, which is not an error. */
const patience = { timeout: 90_000, interval: 50 };

type ProcessInfo = { readonly type: string; readonly cpuTime: number };

describe.skipIf(skipped)(`/docs in a browser${skipped ? ` (skipped: ${missing})` : ""}`, () => {
  let gateway: TestGateway;
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    gateway = await startTestGateway({ docsFolder });
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  const open = (path: string) => openPage(browser, `${gateway.url}${path}`);
  /** Visible text of an element; empty while it is missing. */
  const textOf = async ({ page }: WatchedPage, selector: string) =>
    String(
      await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`),
    );
  const seen = (watched: WatchedPage, selector: string, text: string | RegExp) =>
    vi.waitFor(async () => expect(await textOf(watched, selector)).toMatch(text), patience);

  /** Returns the CPU time of all pages since the browser started. */
  async function cpuSeconds(): Promise<number> {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = (await session.send("SystemInfo.getProcessInfo")) as {
      processInfo: readonly ProcessInfo[];
    };
    await session.detach();
    return processInfo
      .filter(({ type }) => type === "renderer")
      .reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  }

  it.each(paths)("opens %s with 150 kB and 300 ms of CPU, also on a telephone", async (path) => {
    const sizes: Promise<{ readonly responseBodySize: number }>[] = [];
    const page = await browser.newPage();
    await page.setViewportSize({ width: 375, height: 800 });
    // The start of the browser's process for this origin is not the page's.
    await page.goto(`${gateway.url}/healthz`);
    page.on("requestfinished", (request) => sizes.push(request.sizes()));
    const before = await cpuSeconds();
    await page.goto(`${gateway.url}${path}`, { waitUntil: "networkidle" });
    const cpu = (await cpuSeconds()) - before;
    const bytes = (await Promise.all(sizes)).reduce((sum, each) => sum + each.responseBodySize, 0);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(150_000);
    expect(cpu).toBeLessThan(0.3);
    const widths = "[document.documentElement.scrollWidth, innerWidth]";
    expect(await page.evaluate(widths)).toEqual([375, 375]);
    await page.close();
  });

  it("has a page for each operation, event and error code, and loads nothing from elsewhere", async () => {
    const document = JSON.parse(readFileSync(file("docs/openapi.json"), "utf8"));
    const { json } = await gateway.ask({ path: "/docs/search.json" });
    const titles = (json as unknown as { title: string }[]).map(({ title }) => title);
    const operations = Object.values<object>(document.paths).flatMap((each) => Object.values(each));
    const wanted = [
      ...operations.map(({ summary }) => summary),
      ...Object.keys(document.webhooks),
      ...["INSUFFICIENT_BALANCE", "RATE_LIMITED", "INTERNAL_ERROR"],
    ];
    expect(titles).toEqual(expect.arrayContaining(wanted));
    const watched = await open("/docs/events/payout-session");
    await seen(watched, "main", "webhook-signature");
    await watched.page.goto(`${gateway.url}/docs/errors/insufficient-balance`);
    await watched.page.click('main a[href="/docs/operations/execute-payout"]');
    await seen(watched, "h1", "Execute payout");
    expect(watched.faults.join()).toBe("");
    await watched.page.close();
  });

  it("shows samples with its own address, one language at a time, and copies them", async () => {
    const watched = await open("/docs/operations/execute-payout");
    const { page } = watched;
    const shown = "details[name=samples][open] pre";
    await seen(watched, shown, `curl -s -X POST "${gateway.url}/api/v1/transfer/execute"`);
    await page.click("summary:text('Python')");
    await seen(watched, shown, "from urllib.request import");
    // The test must not change the machine's clipboard.
    await page.evaluate(
      "navigator.clipboard.writeText = async (text) => { window.copied = text; }",
    );
    await page.click("details[open] button");
    const copied = async () => String(await page.evaluate("window.copied"));
    await vi.waitFor(async () => expect(await copied()).toContain("uuid.uuid4()"), patience);
    expect(watched.faults.join()).toBe("");
    await page.close();
  });

  it("finds fields, values, events, error codes and what is nearly right", async () => {
    const watched = await open("/docs/errors");
    const { page } = watched;
    // A page that was just opened may not have keyboard focus yet.
    await vi.waitFor(async () => {
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.id")).toBe("search");
    }, patience);
    for (const [words, found] of [
      ["routing_code_value_1", "Create fiat beneficiary"],
      ["sepa", "Create fiat beneficiary"],
      ["batch.finished", "batch.finished"],
      ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"],
      ["sandbox-late", "Testing: Payout scenarios"],
      ["benefciary", "Create fiat beneficiary"],
      ["cancel pay", "Cancel payout"],
    ] as const) {
      await page.keyboard.press("Escape");
      await page.keyboard.type(words);
      await seen(watched, "#found", found);
    }
    await page.click("#found a:has-text('Cancel payout')");
    await seen(watched, "main", "NOT_CANCELLABLE");
    expect(watched.faults.join()).toBe("");
    await page.close();
  });

  it("tries an operation with a key of the sandbox, and shows every digit of the answer", async () => {
    const { key } = await gateway.merchant();
    const amount = "9007199254740993.10";
    const quote = {
      ...{ id: "qt_1", sourceAmount: amount, convertedAmount: amount, totalFees: "0.00" },
      ...{ receivingAmount: "1.00", exchangeRate: "1.00", ...times, expiredAt: at },
    };
    gateway.fakes.quote.createQuote = () => ({ quote });
    const watched = await open("/docs/operations/request-quote");
    const { page } = watched;
    const sentKeys = new Set<string | undefined>();
    page.on("request", (request) => {
      if (request.method() === "POST") sentKeys.add(request.headers()["idempotency-key"]);
    });
    await page.click("button.try");
    await page.fill(".trial input[type=password]", "dsb_live_1");
    await page.click(".trial button");
    expect(sentKeys.size).toBe(0);
    await page.fill(".trial input[type=password]", key);
    await page.click(".trial button");
    await seen(watched, ".trial pre", /^200 .*"source_amount": 9007199254740993\.10/s);
    await page.click(".trial button");
    await vi.waitFor(() => expect(sentKeys.size).toBe(2), patience);
    expect(watched.faults.join()).toBe("");
    await page.close();
  });
});
