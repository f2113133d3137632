import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";

const pages = [
  ["tutorials/first-payout", "First payout"],
  ["webhooks", "Webhooks for merchants"],
  ["guides/webhook-receivers/python", "Webhooks in Python"],
  ["errors", "Errors"],
  ["testing", "Testing"],
  ["operations/execute-payout", "Execute payout"],
  ["events/payout-session", "payout_session"],
  ["errors/insufficient-balance", "INSUFFICIENT_BALANCE"],
] as const;

export const docs: BrowserTest = {
  name: "docs",
  about: "reads pages of /docs, chooses a language, searches, follows what was found",
  run: async ({ anonymous, sandbox }) => {
    const { page, checkPage, open } = await anonymous();
    const { origin } = new URL(sandbox.base_url);
    for (const [path, title] of pages) {
      await open(`/docs/${path}`);
      const name = `docs-${path.replaceAll("/", "-")}`;
      await checkPage(name, page.getByRole("heading", { name: title, level: 1 }));
    }
    await open("/docs/operations/execute-payout");
    await page.locator("summary", { hasText: "Python" }).click();
    const shown = (await page.locator("details[open] pre").textContent()) ?? "";
    expectThat(shown.includes(origin), "a sample has the address that serves the page");
    await page.keyboard.press("/");
    await page.keyboard.type("sandbox-late");
    const found = page.locator("#found a", { hasText: "Payout scenarios" });
    await checkPage("docs-search", found);
    await found.click();
    await page.getByRole("heading", { name: "Payout scenarios" }).waitFor();
  },
};
