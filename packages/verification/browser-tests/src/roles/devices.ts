import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary, payBeneficiary } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

/** Alma reads a returned payout on a telephone and by keyboard. */
export const devices: BrowserTest = {
  name: "devices",
  about: "a returned payout, signed entries, titles, focus after dialogs, tables on a telephone",
  run: async ({ sandbox, arrive }) => {
    const name = "Rosa Returned";
    const beneficiaryId = await addBeneficiary(sandbox, { name });
    const reference = `sandbox-return-${Date.now()}`;
    const payoutId = await payBeneficiary(sandbox, { beneficiaryId, amount: "61.00", reference });
    const alma = await arrive("alma");
    await showsReturn(alma, payoutId, name);
    await keepsFocus(alma);
    await prints(alma, payoutId);
    await fitsTelephone(alma, name);
  },
};

async function showsReturn(alma: Visitor, payoutId: string, name: string): Promise<void> {
  const { page, open, checkPage } = alma;
  await page.route(new RegExp(`/payouts/${payoutId}\\?`), async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await open(`payouts/${payoutId}`);
  // The page has its heading and title before its record is read.
  await page.getByRole("heading", { level: 1, name: "Payout", exact: true }).waitFor();
  expectThat((await page.title()).startsWith("Payout"), "a title from the start");
  await page.getByRole("heading", { level: 1, name: `Payout to ${name}` }).waitFor();
  expectThat((await page.title()).startsWith(`Payout to ${name}`), "the record's name");
  await page.unrouteAll();
  await page.locator(".badge", { hasText: "Returned" }).waitFor();
  expectThat((await page.getByText("Received", { exact: true }).count()) === 0, "none received");
  await open("payouts?status=failed");
  const row = page.getByRole("row", { name: new RegExp(name) }).first();
  await row.getByRole("cell", { name: "CRYPTO" }).waitFor();
  await row.getByRole("cell", { name: "–", exact: true }).waitFor();
  await open("");
  await page
    .getByRole("link", { name: /Entries/ })
    .first()
    .click();
  await page.getByRole("cell", { name: "+61.00 USD" }).first().waitFor();
  await checkPage("entries-signed", page.getByRole("cell", { name: "-61.00 USD" }));
}

/** A printed page has its record in dark letters, without navigation and buttons. */
async function prints({ page, open }: Visitor, payoutId: string): Promise<void> {
  await open(`payouts/${payoutId}`);
  await page.locator(".badge", { hasText: "Returned" }).waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const heading = page.getByRole("heading", { level: 1 });
  await heading.waitFor();
  expectThat(!(await page.locator("nav").isVisible()), "no navigation on paper");
  expectThat(!(await page.locator(".button").first().isVisible()), "no buttons on paper");
  const colour = await page.evaluate<string>(
    'getComputedStyle(document.querySelector("h1")).color',
  );
  expectThat(/rgb\((\d|[1-6]\d), /.test(colour), `dark letters on paper: ${colour}`);
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
}

async function keepsFocus({ page, open }: Visitor): Promise<void> {
  await open("team");
  const button = page.getByRole("button", { name: "Add a person" });
  await button.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.mouse.wheel(0, 400);
  const overflow = await page.evaluate<string>(
    "getComputedStyle(document.documentElement).overflow",
  );
  expectThat(overflow === "hidden", `the page behind a dialog stays: ${overflow}`);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // The focus returns, shortly after the dialog is gone.
  await page.waitForFunction("document.activeElement?.textContent === 'Add a person'");
}

async function fitsTelephone({ page, open, checkPage }: Visitor, name: string): Promise<void> {
  await page.setViewportSize({ width: 375, height: 780 });
  await open("payouts");
  await page.getByRole("link", { name }).first().waitFor();
  const first = await page.getByRole("columnheader").first().textContent();
  expectThat(first === "Sent", `amounts come first: ${first}`);
  await page.getByRole("button", { name: "Filters" }).click();
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await sheet.getByLabel("Beneficiary's whole name").fill(name);
  await sheet.getByRole("button", { name: "Apply" }).click();
  await sheet.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  await checkPage("payouts-telephone", page.getByRole("link", { name }));
}
