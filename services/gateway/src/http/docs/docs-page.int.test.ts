import {
  chromiumPath,
  openBrowser,
  openPage,
  type WatchedPage,
} from "@disburse/testkit/browser.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tags } from "../../openapi/route.ts";
import { at, times } from "../../test-calls.ts";
import { startTestGateway, type TestGateway } from "../../test-gateway.ts";

const chromium = chromiumPath();
const reason = chromium === undefined ? " (skipped: there is no Chromium here)" : "";

/** A busy machine is slow, which is not an error. */
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(chromium === undefined)(`/docs in a browser${reason}`, () => {
  let gateway: TestGateway;
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    gateway = await startTestGateway();
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  /** Visible text of an element; empty while it is missing. */
  const textOf = async ({ page }: WatchedPage, selector: string) =>
    String(
      await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`),
    );
  const seen = (watched: WatchedPage, selector: string, text: string | RegExp) =>
    vi.waitFor(async () => expect(await textOf(watched, selector)).toMatch(text), patience);

  it("shows every operation, its fields, an example and its refusals, without a fault", async () => {
    const watched = await openPage(browser, `${gateway.url}/docs`);
    expect(await watched.page.title()).toBe("Disburse API reference");
    await seen(watched, "article", "A first payout");
    for (const { name } of tags) await seen(watched, "#reference", name);
    await seen(watched, "#operations-webhooks-on_payout_session", "payout_session");
    const operation = "#operations-Quotes-requestQuote";
    expect(await textOf(watched, operation)).not.toContain("source_amount");
    await watched.page.click(`${operation} .opblock-summary-control`);
    await seen(watched, operation, "Amount deducted from the source account.");
    await seen(watched, operation, /"expired_at": "\d/);
    for (const code of ["INVALID_REQUEST", "CORRIDOR_NOT_ACTIVE", "RATE_LIMITED"]) {
      await seen(watched, operation, code);
    }
    await watched.page.click('.index a[href="/docs#/webhooks/on_payout_session"]');
    await seen(watched, "#operations-webhooks-on_payout_session", "webhook-signature");
    expect(watched.faults).toEqual([]);
    await watched.page.close();
  });

  it("shows samples with its own address, in the language that was chosen, and copies them", async () => {
    const watched = await openPage(browser, `${gateway.url}/docs#/Payouts/executePayout`);
    const { page } = watched;
    const first = ".sample pre:not([hidden])";
    expect(await textOf(watched, first)).toContain(`curl -s "${gateway.url}/api/v1/transfer/`);
    await page.click('.sample [data-language="python"]');
    await seen(watched, first, "from urllib.request import");
    // The test must not change the machine's clipboard.
    await page.evaluate(
      "navigator.clipboard.writeText = async (text) => { window.copied = text; }",
    );
    await page.click(".sample .copy");
    const copied = async () => expect(await page.evaluate("window.copied")).toBe(shown);
    const shown = await textOf(watched, first);
    await vi.waitFor(copied, patience);
    const samples = "#operations-Payouts-executePayout .samples";
    await seen(watched, `${samples} pre:not([hidden])`, `"${gateway.url}/api/v1/transfer/execute"`);
    await page.click(`${samples} [data-language="typescript"]`);
    await seen(watched, `${samples} pre:not([hidden])`, "disburse.payouts.execute(");
    await page.goto(`${gateway.url}/docs/testing`);
    await seen(watched, first, 'from "@disburse/sdk"');
    expect(watched.faults).toEqual([]);
    await page.close();
  });

  it("finds operations, errors and magic values from any page", async () => {
    const watched = await openPage(browser, `${gateway.url}/docs/errors`);
    const { page } = watched;
    // A page that was just opened may not have keyboard focus yet.
    await vi.waitFor(async () => {
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.id")).toBe("search");
    }, patience);
    await page.keyboard.type("sandbox-late");
    await seen(watched, "#found", "What becomes of a payout");
    await page.keyboard.press("Escape");
    await page.keyboard.type("insufficient");
    await seen(watched, "#found", "Errors: Every code");
    await page.keyboard.press("Escape");
    await page.keyboard.type("cancel pay");
    await seen(watched, "#found", "Cancel payout");
    await page.keyboard.press("Enter");
    await seen(watched, "#operations-Payouts-cancelPayout", "NOT_CANCELLABLE");
    expect(watched.faults).toEqual([]);
    await page.close();
  });

  it("tries an operation with a key, and shows every digit of the answer", async () => {
    const { key } = await gateway.merchant();
    const amount = "9007199254740993.10";
    const quote = {
      ...{ id: "qt_1", sourceAmount: amount, convertedAmount: amount, totalFees: "0.00" },
      ...{ receivingAmount: "1.00", exchangeRate: "1.00", ...times, expiredAt: at },
    };
    gateway.fakes.quote.createQuote = () => ({ quote });
    const watched = await openPage(browser, `${gateway.url}/docs#/Quotes/requestQuote`);
    const sentKeys: string[] = [];
    const sentIds: (string | undefined)[] = [];
    watched.page.on("request", (request) => {
      const sent = request.headers()["idempotency-key"];
      if (sent !== undefined) sentKeys.push(sent);
      sentIds.push(request.headers()["x-request-id"]);
    });
    const operation = "#operations-Quotes-requestQuote";
    await watched.page.waitForSelector(`${operation} .try-out__btn`);
    await watched.page.click(".btn.authorize");
    await watched.page.type(".auth-container input", key);
    await watched.page.click(".auth-container .authorize");
    await watched.page.click(".auth-container .btn-done");
    await watched.page.click(`${operation} .try-out__btn`);
    await watched.page.click(`${operation} .execute`);
    await seen(watched, `${operation} .live-responses-table`, `"source_amount": ${amount}`);
    await seen(watched, `${operation} .curl-command`, "Authorization: Bearer dsb_test_");
    await watched.page.click(`${operation} .execute`);
    await vi.waitFor(() => expect(new Set(sentKeys).size).toBe(2), patience);
    expect(new Set(sentIds)).toEqual(new Set([undefined]));
    expect(watched.faults).toEqual([]);
    await watched.page.close();
  });

  it("tries nothing that moves money where it is real", async () => {
    const live = await startTestGateway({ mode: "live" });
    try {
      const watched = await openPage(browser, `${live.url}/docs#/Payouts/executePayout`);
      await seen(watched, "#operations-Payouts-executePayout", "payout:write");
      await watched.page.click('.index a[href="/docs#/Payouts/listPayouts"]');
      await watched.page.waitForSelector("#operations-Payouts-listPayouts .try-out__btn");
      expect(await textOf(watched, "#operations-Payouts-executePayout .try-out__btn")).toBe("");
    } finally {
      await live.stop();
    }
  });
});
