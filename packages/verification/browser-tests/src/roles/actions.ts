import type { Locator } from "playwright-core";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import type { Visitor } from "../visitor.ts";

/** In the sandbox, credits of these amounts require a second person. */
const largeCredits = ["250000.00", "260000.00"];

/** Ada and the administrator act by forms that are made from the table of actions. */
export const actions: BrowserTest = {
  name: "actions",
  about: "credits an account, sets a rate, limits and permissions; a second person approves",
  run: async ({ sandbox, arrive }) => {
    const acme = sandbox.merchants.acme.merchant_id;
    const account = sandbox.accounts.find(({ merchant }) => merchant === "acme")?.account_id ?? "";
    const ada = await arrive("ada");
    const { page, checkPage, open } = ada;
    await open("actions");
    await checkPage("actions", page.getByRole("heading", { name: "Credits" }));
    await page.getByLabel("Find an action").fill("credit received");
    await page.getByRole("link", { name: "Credit received money to an account" }).click();
    await refusals(ada);

    await page.getByLabel("Merchant").fill(acme);
    await page.getByLabel("Account", { exact: true }).fill(account);
    await page
      .locator(`datalist option[value="${account}"]`)
      .first()
      .waitFor({ state: "attached" });
    await page.getByLabel("Amount").fill("12.50");
    await page.getByLabel("Currency").fill("USD");
    await page.getByLabel("Note").fill("A wire of the merchant.");
    const dialog = await review(ada);
    await checkPage("action-review", dialog);
    await losesAnswer(ada);
    await checkPage("action-done", page.getByText("Done."));
    await page.locator("dd", { hasText: "12.50" }).first().waitFor();

    await changeRate(ada);
    await page.getByRole("link", { name: "Actions" }).first().click();
    await setLimits(ada, acme);
    await withAdministrator(await arrive("frank"), acme);

    ada.willBeRefused("/CreditAccount");
    for (const amount of largeCredits) {
      await open(`actions/credits-create?merchant=${acme}&account=${account}&currency=USD`);
      await page.getByLabel("Amount").fill(amount);
      await confirm(await review(ada));
      await page.getByRole("link", { name: "Open the proposal" }).waitFor();
    }
    await page.getByRole("link", { name: "Open the proposal" }).click();
    await page.getByRole("button", { name: "Withdraw" }).waitFor();
    const isOffered = await page.getByRole("button", { name: "Approve" }).count();
    expectThat(isOffered === 0, "who proposes is not offered to approve");

    const bob = await arrive("bob");
    const credit = bob.page.getByRole("link", { name: "Credit received money to an account" });
    await bob.open("approvals");
    await bob.checkPage("approvals", credit);
    await credit.first().click();
    await bob.page.getByRole("cell", { name: /^2[56]0000.00$/ }).waitFor();
    await bob.checkPage("approval", bob.page.getByRole("button", { name: "Approve" }));
    await bob.page.goBack();
    await approveTogether(bob);
  },
};

/** Bob sees what each proposal changes, and approves all with one confirmation. */
async function approveTogether({ page, checkPage }: Visitor): Promise<void> {
  for (const box of await page.getByLabel(/^Select Credit received money/).all()) await box.check();
  await page.getByRole("button", { name: "Approve" }).click();
  const dialog = page.getByRole("dialog");
  for (const amount of largeCredits) await dialog.getByText(`amount: ${amount}`).waitFor();
  await checkPage("proposals-together", dialog);
  await dialog.getByRole("button", { name: `Approve (${largeCredits.length})` }).click();
  await dialog.getByText(`${largeCredits.length} of ${largeCredits.length} done`).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
}

/** A missing or wrong value is named at its field, and nothing is sent. */
async function refusals({ page }: Visitor): Promise<void> {
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByText("is required").waitFor();
  await page.getByLabel("Merchant").fill("mer_unknown");
  for (const label of ["Account", "Amount", "Currency"]) {
    await page.getByLabel(label, { exact: true }).fill("x");
  }
  const isOpen = await page.getByRole("dialog").count();
  expectThat(isOpen === 0, "an incomplete form is not reviewed");
}

async function review({ page }: Visitor): Promise<Locator> {
  await page.getByRole("button", { name: "Review" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("These changes will be made:").first().waitFor();
  return dialog;
}

const confirm = (dialog: Locator) => dialog.getByRole("button", { name: "Confirm" }).click();

/** The answer of the first request is lost. A second review of the same content repeats it. */
async function losesAnswer(ada: Visitor): Promise<void> {
  const { page } = ada;
  const operations: string[] = [];
  const note = async (request: { postDataJSON: () => { mutation: { operationId: string } } }) =>
    void operations.push(request.postDataJSON().mutation.operationId);
  ada.willBeRefused("/CreditAccount");
  await page.route("**/CreditAccount", async (route) => {
    await note(route.request());
    await route.fetch();
    await route.abort();
  });
  const dialog = page.getByRole("dialog");
  await confirm(dialog);
  await dialog.getByText(/server did not respond/).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.unroute("**/CreditAccount");
  const again = page.waitForRequest("**/CreditAccount");
  await confirm(await review(ada));
  await note(await again);
  const [first, second] = operations;
  expectThat(first !== "" && first === second, `one operation id: ${operations.join(", ")}`);
}

/** Four clicks from the list of corridors to a new rate. */
async function changeRate(ada: Visitor): Promise<void> {
  const { page, open } = ada;
  await open("treasury/corridors");
  await page.getByRole("link", { name: "USD → EUR" }).click();
  await page.getByRole("link", { name: "Set the rate" }).click();
  await page.getByLabel("Rate", { exact: true }).fill("0.8621");
  await page.getByLabel("Source").fill("desk");
  await confirm(await review(ada));
  await page.getByText("Done.").waitFor();
  await open("treasury/corridors");
  await page.getByRole("link", { name: "USD → EUR" }).click();
  await page.getByRole("cell", { name: "0.8621" }).first().waitFor();
}

/** The form begins with the limits in force, and the dialog names the difference. */
async function setLimits(ada: Visitor, merchant: string): Promise<void> {
  const { page, checkPage } = ada;
  await page.getByRole("link", { name: /^Replace a merchant's limits/ }).click();
  await page.getByLabel("Merchant", { exact: true }).fill(merchant);
  await page.getByLabel("Payouts of the merchant in 24 hours").fill("5000");
  await page.getByRole("button", { name: "Add a row" }).first().click();
  await page.getByLabel("Currency of an amount of the merchant").fill("USD");
  await page.getByLabel("Amount of the merchant in 24 hours").fill("9000000.00");
  const dialog = await review(ada);
  await checkPage("action-limits", dialog.getByRole("cell", { name: "9000000.00" }));
  await confirm(dialog);
  await page.getByText("Done.").waitFor();
  await page.getByLabel("Payouts of the merchant in 24 hours").fill("4000");
  const again = await review(ada);
  await again.getByRole("row", { name: /in 24 hours 5000 4000/ }).waitFor();
  await confirm(again);
  await page.getByText("Done.").waitFor();
}

/** From the list of merchants to the permissions of one, and back to what they were. */
async function withAdministrator(frank: Visitor, merchant: string): Promise<void> {
  const { page, checkPage, open } = frank;
  await open("actions/merchants-list");
  const row = page.getByRole("row").filter({ hasText: merchant });
  await row.getByText("Actions").click();
  await checkPage(
    "merchants",
    row.getByRole("link", { name: "Set a merchant's creation permissions" }),
  );
  await row.getByRole("link", { name: "Set a merchant's creation permissions" }).click();
  await page.getByLabel("Depositors").selectOption("no");
  const dialog = await review(frank);
  await dialog.getByRole("row", { name: "Depositors yes no" }).waitFor();
  await confirm(dialog);
  await page.getByText("Done.").waitFor();
  await page.getByLabel("Depositors").selectOption("yes");
  await confirm(await review(frank));
  await page.getByText("Done.").waitFor();
}
