import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";

const guides = [
  ["webhooks", "Webhooks"],
  ["webhooks-python", "Webhooks in Python"],
  ["webhooks-go", "Webhooks in Go"],
  ["webhooks-java", "Webhooks in Java"],
  ["errors", "Errors"],
  ["testing", "Testing"],
] as const;

/** Swagger UI, whose own markup has findings such as unordered headings. */
const component = "#reference";

export const docs: BrowserTest = {
  name: "docs",
  about: "reads every guide of /docs, chooses a language, searches, follows what was found",
  run: async ({ anonymous, sandbox }) => {
    const { page, checkPage, open } = await anonymous();
    const { origin } = new URL(sandbox.base_url);
    for (const [slug, title] of guides) {
      await open(`/docs/${slug}`);
      await checkPage(`docs-${slug}`, page.getByRole("heading", { name: title, level: 1 }));
    }
    await open("/docs");
    const sample = page.locator("article .sample").filter({ hasText: "/api/v1/" }).first();
    await sample.getByRole("button", { name: "Python" }).click();
    const shown = (await sample.locator("pre:not([hidden])").textContent()) ?? "";
    expectThat(shown.includes(origin), "a sample has the address that serves the page");
    await page.keyboard.press("/");
    await page.keyboard.type("sandbox-late");
    const found = page.locator("#found a");
    await checkPage("docs-search", found, component);
    await found.first().click();
    await page.getByRole("heading", { name: "What becomes of a payout" }).waitFor();
    await page.goto(`${origin}/docs#/Payouts/executePayout`);
    const operation = page.locator("#operations-Payouts-executePayout .samples");
    await checkPage("docs-operation", operation, component);
  },
};
