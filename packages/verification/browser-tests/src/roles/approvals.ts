import type { Locator } from "playwright-core";
import type { BrowserTest, BrowserTestDeps } from "../browser-test.ts";
import { countClicks } from "../clicks.ts";
import { expectThat } from "../expect.ts";
import {
  addBeneficiary,
  callRpc,
  clearControls,
  payBeneficiary,
  uploadBatch,
} from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

const beneficiary = "Tomas Lindgren";
const setControls = "disburse.payout.v1.PayoutOperatorService/SetPayoutControls";

export const approvals: BrowserTest = {
  name: "approvals",
  about: "payouts that wait: one approved after a fresh sign-in, one rejected, one paid twice",
  run: async ({ sandbox, arrive }) => {
    const { merchant_id: merchantId } = sandbox.merchants.acme;
    const ada = await arrive("ada");
    const rules = { amounts: [{ currencyCode: "USD", minimum: "500.00" }] };
    const controls = { merchantId, duplicateWindowSeconds: 3_600, approval: rules };
    expectThat((await callRpc(ada, setControls, controls)) === 200, "acme has approval rules");
    await addBeneficiary(sandbox, { name: beneficiary });
    const mia = await arrive("mia");
    await pay(mia, "640.00", "invoice 7");
    await mia.checkPage(
      "payout-waiting",
      mia.page.getByText(/Another person of your team must approve/),
    );
    const avi = await arrive("avi");
    await approve(avi, sandbox);
    // Mia's page shows Avi's decision without a reload.
    await mia.page.getByText("Paid to the beneficiary").waitFor();
    await pay(mia, "725.00", "invoice 8");
    await reject(avi);
    await mia.page.getByText("The invoice is disputed.").waitFor();
    await mia.checkPage("payout-rejected", mia.page.getByText("The invoice is disputed."));
    await payTwice(mia);
    await approveTwelve(avi, sandbox);
    await clearControls(sandbox);
  },
};

async function fillPayout({ page, open }: Visitor, amount: string, reference: string) {
  await open("payouts/new");
  await page.getByRole("searchbox").fill(beneficiary);
  await page
    .getByRole("radio", { name: new RegExp(beneficiary) })
    .first()
    .click();
  await page.getByLabel("Amount in USD").fill(amount);
  await page.getByLabel("Your reference").fill(reference);
  await page.getByRole("button", { name: "Review and pay" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Pay ${amount} USD` })
    .click();
}

async function pay(visitor: Visitor, amount: string, reference: string): Promise<void> {
  await fillPayout(visitor, amount, reference);
  await visitor.page.waitForURL(/\/payouts\/po_/);
}

/** The first response says that Avi's sign-in is too old, so Avi signs in again. */
async function approve(avi: Visitor, sandbox: BrowserTestDeps["sandbox"]): Promise<void> {
  const { page, checkPage, signInOver } = avi;
  await page.getByRole("link", { name: "Approvals" }).click();
  await checkPage("payout-approvals", page.getByRole("link", { name: beneficiary }));
  await page.getByRole("link", { name: beneficiary }).first().click();
  const button = page.getByRole("button", { name: "Approve", exact: true });
  await checkPage("payout-approve", button);
  avi.willBeRefused("/approve");
  const tooOld = { code: "ACCESS_FORBIDDEN", message: "", reason: "sign_in_too_old" };
  const once = { times: 1 };
  await page.route(/\/approve$/, (route) => route.fulfill({ status: 403, json: tooOld }), once);
  await button.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await checkPage("payout-sign-in-again", dialog.getByText(/Sign in again to confirm/));
  const { password = "" } = sandbox.people.find(({ name }) => name === "avi") ?? {};
  await signInOver("avi", password, dialog.getByRole("button", { name: "Sign in again" }));
  await dialog.getByText("Repeat the step now").waitFor();
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("Paid to the beneficiary").waitFor();
}

/**
 * Twelve payouts and a batch of a program wait. One confirmation decides all, and shows each result.
 * A second batch needs a maximum, so it is rejected before.
 */
async function approveTwelve(avi: Visitor, sandbox: BrowserTestDeps["sandbox"]): Promise<void> {
  const beneficiaryId = await addBeneficiary(sandbox, { name: "Ines Okafor" });
  for (let at = 1; at <= 12; at += 1) {
    await payBeneficiary(sandbox, { beneficiaryId, amount: `600.${at + 10}`, reference: `${at}` });
  }
  await uploadBatch(sandbox, beneficiaryId, [
    { source_amount: "11.00" },
    { source_amount: "12.5" },
  ]);
  await uploadBatch(sandbox, beneficiaryId, [{ receiving_amount: "40.00" }]);
  const { page, checkPage, open } = avi;
  await open("payouts/waiting");
  await rejectBatch(avi);
  await open("");
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "Approvals" }).click();
  await page.getByRole("link", { name: "Ines Okafor" }).nth(11).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  // Clicks only what is not selected yet.
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await page.getByText("13 selected").waitFor();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await togetherIs(dialog, "7,225.48 USD");
  await checkPage("approvals-together", dialog.getByRole("button", { name: "Approve (13)" }));
  await dialog.getByRole("button", { name: "Approve (13)" }).click();
  await checkPage("approvals-results", dialog.getByText("13 of 13 done"));
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await page.getByText("No pending approvals.").waitFor();
  const count = await clicks();
  expectThat(count === 5, `thirteen approvals take five clicks, not ${count}`);
}

/**
 * The dialog adds payouts and batches by currency. Rejects only the batch without a known total.
 * After a failure, the reason can be changed.
 */
async function rejectBatch({ page, willBeRefused }: Visitor): Promise<void> {
  const dialog = page.getByRole("dialog");
  await page.getByRole("link", { name: "1 line", exact: true }).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await togetherIs(dialog, "7,225.48 USD and 1 item whose cost is known when quoted");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await page.getByRole("checkbox", { name: /^Select 1 line/ }).click();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await dialog.getByLabel("Reason").fill("No total.");
  willBeRefused("/reject");
  const json = { code: "SERVICE_UNAVAILABLE", message: "The service is not available." };
  const once = { times: 1 };
  await page.route(/\/reject$/, (route) => route.fulfill({ status: 503, json }), once);
  await dialog.getByRole("button", { name: "Reject (1)" }).click();
  await dialog.getByText("0 of 1 done").waitFor();
  await dialog.getByLabel("Reason").fill("Its total is not known.");
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByText("1 of 1 done").waitFor();
}

/** Expects the sums of a dialog, by currency. */
async function togetherIs(dialog: Locator, expected: string): Promise<void> {
  const sums = await dialog
    .locator("dt", { hasText: /^Total$/ })
    .locator("+ dd")
    .textContent();
  expectThat(sums === expected, `the sum is ${expected}, not ${sums}`);
}

async function reject({ page, open, checkPage }: Visitor): Promise<void> {
  await open("payouts/waiting");
  await page.getByRole("link", { name: beneficiary }).first().click();
  await page.getByRole("button", { name: "Reject" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("The invoice is disputed.");
  await checkPage("payout-reject", dialog);
  await dialog.getByRole("button", { name: "Reject" }).click();
  await page.getByText("Approval refused").waitFor();
  await page.locator("dd", { hasText: /^Avi/ }).waitFor();
}

/** The duplicate guard warns. Mia confirms, then cancels the payout awaiting approval. */
async function payTwice(mia: Visitor): Promise<void> {
  const { page, checkPage } = mia;
  mia.willBeRefused("/execute");
  await fillPayout(mia, "640.00", "invoice 7");
  const dialog = page.getByRole("dialog");
  const twice = dialog.getByRole("button", { name: "Pay twice" });
  await checkPage("payout-duplicate", twice);
  await twice.click();
  await page.waitForURL(/\/payouts\/po_/);
  await page.getByRole("button", { name: "Cancel payout" }).click();
  await dialog.getByRole("button", { name: "Cancel payout" }).click();
  await page.getByText("Cancelled before a decision").waitFor();
}
