import type { BrowserTest } from "../browser-test.ts";
import { countClicks } from "../clicks.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary, payBeneficiary } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

const choices = { kind: "Corporate", currency: "EUR" };

const supplier = {
  beneficiary_name: "Sofia Supplies GmbH",
  iban: "DE89370400440532013000",
  beneficiary_address: "1 Hauptstrasse",
  beneficiary_city: "Frankfurt am Main",
  beneficiary_postcode: "60311",
  beneficiary_country_code: "Germany",
};

/** Frequent jobs take few clicks, counted from the home page. Fields are reached by keyboard. */
export const jobs: BrowserTest = {
  name: "jobs",
  about: "a new supplier is paid in seven clicks, a returned payout is paid again in four",
  run: async ({ sandbox, arrive }) => {
    const mia = await arrive("mia");
    await payNewSupplier(mia);
    const beneficiaryId = await addBeneficiary(sandbox, { name: "Rika Returns" });
    const reference = `sandbox-return-${Date.now()}`;
    await payBeneficiary(sandbox, {
      beneficiaryId,
      amount: "63.00",
      fixed: "receiving",
      reference,
    });
    await payAgain(mia);
  },
};

async function payNewSupplier({ page, open }: Visitor): Promise<void> {
  await open("");
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "New payout" }).click();
  await page.getByRole("link", { name: "New beneficiary" }).click();
  for (const [name, value] of Object.entries(choices)) {
    await page.locator(`select[name=${name}]`).selectOption(value);
  }
  for (const [name, value] of Object.entries(supplier)) {
    await page.locator(`[name=${name}]`).fill(value);
  }
  await page.getByRole("button", { name: "Add the beneficiary" }).click();
  await page.getByLabel("Amount in USD").fill("120");
  await page.getByRole("button", { name: "Review and pay" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Pay 120/ })
    .click();
  await page.waitForURL(/\/payouts\/po_/);
  await page.getByText("Paid to the beneficiary").waitFor();
  // Chromium opens a list without a click of the page.
  const count = (await clicks()) + Object.keys(choices).length;
  expectThat(count <= 7, `a new supplier takes seven clicks, not ${count}`);
}

async function payAgain({ page, open }: Visitor): Promise<void> {
  await open("");
  await page
    .getByRole("link", { name: /Returned/ })
    .first()
    .waitFor();
  const clicks = await countClicks(page);
  await page
    .getByRole("link", { name: /Returned/ })
    .first()
    .click();
  await page.getByRole("link", { name: "Rika Returns" }).first().click();
  const before = page.url();
  // The terms are those of the reissue, which keeps the requested amount.
  const asked = page.waitForRequest(/\/transfer\/rfq$/);
  await page.getByRole("button", { name: "Pay again" }).click();
  const { source_amount: source, receiving_amount: receiving } = (await asked).postDataJSON();
  expectThat(source === undefined && Number(receiving) === 63, `63 are received: ${receiving}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 USD =").waitFor();
  await dialog.getByRole("button", { name: "Pay again" }).click();
  await page.waitForURL((url) => /\/payouts\/po_/.test(url.href) && url.href !== before);
  const count = await clicks();
  expectThat(count <= 4, `a payout is paid again in four clicks, not ${count}`);
}
