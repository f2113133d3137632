import type { Page } from "playwright-core";

/** Counts the clicks on a page until it is loaded again. Returns a function that reads the count. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`window.clicks = 0;
    addEventListener("click", ({ isTrusted }) => { if (isTrusted) window.clicks += 1 }, true)`);
  return () => page.evaluate<number>("window.clicks");
}
