import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { textOf, type Visitor } from "../visitor.ts";

const firstViewMax = 180_000;

const recipient = {
  beneficiary_first_name: "Nora",
  beneficiary_last_name: "Quist",
  iban: "DE89370400440532013000",
  beneficiary_address: "1 Hauptstrasse",
  beneficiary_city: "Frankfurt am Main",
  beneficiary_postcode: "60311",
  beneficiary_country_code: "DE",
};

export const maker: BrowserTest = {
  name: "maker",
  about: "adds a beneficiary and pays it, reads the payout, exports the list",
  run: async ({ arrive, anonymous }) => {
    const before = await anonymous();
    await before.open("payouts?status=failed");
    await before.checkPage("sign-in", before.page.getByRole("heading", { name: "Sign in" }));
    expectThat(before.page.url().includes("return_to"), "the log-in page knows the way back");

    const mia = await arrive("mia");
    await measureFirstView(mia);
    await mia.checkPage("home", mia.page.getByRole("heading", { name: "Balances" }));
    await skipByKeyboard(mia);
    await addBeneficiary(mia);
    await pay(mia);
    await readPayouts(mia);
    await schedule(mia);
    await mia.page.getByRole("button", { name: /Mia/ }).click();
    await mia.page.getByRole("menuitem", { name: "Sign out" }).click();
    await mia.page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
};

async function measureFirstView({ page, faults }: Visitor): Promise<void> {
  await page.reload();
  await page.getByRole("heading", { name: "Balances" }).waitFor();
  const bytes = await page.evaluate<number>(
    `performance.getEntriesByType("resource")
       .filter(({ name }) => name.includes("/console/assets/"))
       .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
  );
  if (bytes > firstViewMax) faults.push(`the first view is ${bytes} bytes`);
}

async function skipByKeyboard({ page, faults }: Visitor): Promise<void> {
  await page.reload();
  await page.getByRole("heading", { name: "Balances" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const at = await page.evaluate<string>("location.hash");
  if (at !== "#content") faults.push("the first key does not lead to the content");
}

async function addBeneficiary({ page, checkPage, open }: Visitor): Promise<void> {
  await open("payouts/new");
  await checkPage("payout-who", page.getByRole("searchbox"));
  await page.getByRole("link", { name: "New beneficiary" }).click();
  await page.getByLabel("Currency").selectOption("EUR");
  await page.getByRole("button", { name: "Add the beneficiary" }).click();
  await checkPage("beneficiary-new", page.getByText(/fields need a correction/));
  for (const [name, value] of Object.entries(recipient)) {
    await page.locator(`[name=${name}]`).fill(value);
  }
  await page.getByRole("button", { name: "Add the beneficiary" }).click();
  await page.getByText("Cleared").waitFor();
}

async function pay({ page, checkPage, faults }: Visitor): Promise<void> {
  await page.getByLabel("Amount in USD").fill("1,250.50");
  await page.getByLabel("Your reference").fill("invoice 2026-118");
  const review = page.getByRole("button", { name: "Review and pay" });
  await checkPage("payout-quote", review);
  await review.press("Enter");
  const dialog = page.getByRole("dialog");
  await checkPage("payout-confirm", dialog);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await review.press("Enter");
  await dialog.getByRole("button", { name: /^Pay 1,250\.50 USD/ }).click();
  await page.waitForURL(/\/payouts\/po_/);
  await page.getByText("Paid to the beneficiary").waitFor();
  await checkPage("payout", page.getByText("Paid to the beneficiary"));
  const [receipt] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Receipt (PDF)" }).click(),
  ]);
  if (!(await textOf(receipt)).startsWith("%PDF-")) faults.push("the receipt is no PDF");
}

/** Returns the last day for which a payout can be scheduled. */
const dayAhead = () => new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

async function schedule({ page, checkPage, open }: Visitor): Promise<void> {
  await open("beneficiaries?screening_status=cleared");
  await page.getByRole("link", { name: "Nora Quist" }).first().click();
  await page.getByRole("link", { name: "Pay", exact: true }).click();
  await page.getByLabel("Amount in USD").fill("80");
  await page.getByLabel("Date (optional)").fill(dayAhead());
  const button = page.getByRole("button", { name: "Schedule" });
  await checkPage("payout-schedule", button);
  await button.click();
  await page.getByRole("dialog").getByRole("button", { name: "Schedule" }).click();
  await checkPage("scheduled", page.getByRole("cell", { name: "Scheduled" }));
  await page.getByRole("button", { name: "Cancel" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).first().click();
  await page.getByRole("cell", { name: "Cancelled" }).waitFor();
}

async function readPayouts({ page, checkPage, open, faults }: Visitor): Promise<void> {
  await open("payouts");
  await page.getByLabel("Beneficiary's whole name").fill("nora quist");
  await page.getByLabel("Reference (exact)").fill("invoice 2026-118");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/reference_id=/);
  await checkPage("payouts", page.getByRole("link", { name: "Nora Quist" }));
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  if (!(await textOf(file)).includes("1250.50")) faults.push("the file has not the payout");
  await open("beneficiaries");
  await page.getByRole("link", { name: "Nora Quist" }).first().waitFor();
  await checkPage("beneficiaries", page.getByRole("link", { name: "Nora Quist" }));
  await page.getByRole("link", { name: "Nora Quist" }).first().click();
  await checkPage("beneficiary", page.getByText("Payouts to this beneficiary"));
  await open("");
  await page
    .getByRole("link", { name: /Entries/ })
    .first()
    .click();
  await checkPage("entries", page.getByRole("heading", { name: /Entries of the/ }));
  const [statement] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Statement (CSV)" }).click(),
  ]);
  if ((await textOf(statement)) === "") faults.push("the statement is empty");
}
