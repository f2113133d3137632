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
    await payWithoutAnswer(mia, beneficiaryId);
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

/**
 * A payment gets no answer, and then its account seems empty. The dialog stays, and the same attempt
 * is repeated from the same account.
 */
async function payWithoutAnswer(mia: Visitor, beneficiaryId: string): Promise<void> {
  const { page, open, willBeRefused } = mia;
  const execute = "/api/v1/transfer/execute";
  const accounts = /\/api\/v1\/transfer\/accounts\?/;
  const attempts: (string | undefined)[] = [];
  await page.route(`**${execute}`, (route) => {
    const headers = route.request().headers();
    // The page first asks what a payment would do.
    if (headers["disburse-dry-run"] !== undefined) return route.continue();
    attempts.push(headers["idempotency-key"]);
    return attempts.length === 1 ? route.abort() : route.continue();
  });
  willBeRefused(execute);
  await open(`payouts/new?beneficiary=${beneficiaryId}`);
  const account = page.getByLabel("From account");
  const before = await account.inputValue();
  expectThat((await account.locator("option").count()) > 1, "there is another account to pay from");
  await page.getByLabel("Amount in USD").fill("77");
  await page.getByRole("button", { name: "Review and pay" }).click();
  const pay = page.getByRole("dialog").getByRole("button", { name: /^Pay 77/ });
  await pay.click();
  const notice = page.getByText("this attempt pays at most once");
  await notice.waitFor();
  await page.route(accounts, async (route) => {
    const answer = await route.fetch();
    const text = (await answer.text()).replaceAll(/"available":"[^"]*"/g, '"available":"0.00"');
    await route.fulfill({ response: answer, body: text });
  });
  const read = page.waitForResponse((response) => accounts.test(response.url()));
  // A page that is seen again reads what is older than some seconds.
  const see = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";
  let isRead = false;
  void read.then(() => {
    isRead = true;
  });
  while (!isRead) {
    await page.evaluate(see);
    await page.waitForTimeout(200);
  }
  await notice.waitFor();
  await page.unroute(accounts);
  await pay.click();
  await page.waitForURL(/\/payouts\/po_/);
  await page.unroute(`**${execute}`);
  expectThat(new Set(attempts).size === 1, `a repeat is the same attempt: ${attempts}`);
  await page.getByRole("definition").filter({ hasText: before }).waitFor();
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
