import type { Locator } from "playwright-core";
import type { BrowserTest, BrowserTestDeps } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary, callRpc, clearControls, payBeneficiary } from "../platform-calls.ts";
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
    await mia.checkPage("payout-waiting", mia.page.getByText(/waits until another person/));
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
  await checkPage("payout-sign-in-again", dialog.getByText(/needs a fresh sign-in/));
  const { password = "" } = sandbox.people.find(({ name }) => name === "avi") ?? {};
  await signInOver("avi", password, dialog.getByRole("button", { name: "Sign in again" }));
  await dialog.getByText("Now repeat the step").waitFor();
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("Paid to the beneficiary").waitFor();
}

/** Twelve payouts of a program wait. One confirmation decides all, and shows each result. */
async function approveTwelve(avi: Visitor, sandbox: BrowserTestDeps["sandbox"]): Promise<void> {
  const beneficiaryId = await addBeneficiary(sandbox, { name: "Ines Okafor" });
  for (let at = 1; at <= 12; at += 1) {
    await payBeneficiary(sandbox, { beneficiaryId, amount: `600.${at + 10}`, reference: `${at}` });
  }
  const { page, checkPage } = avi;
  let clicks = 0;
  const click = async (button: Locator) => {
    clicks += 1;
    await button.click();
  };
  await click(page.getByRole("link", { name: "Approvals" }));
  await page.getByRole("link", { name: "Ines Okafor" }).nth(11).waitFor();
  await click(page.getByRole("button", { name: "Select all" }));
  await page.getByText("12 selected").waitFor();
  await click(page.getByRole("button", { name: "Approve", exact: true }));
  const dialog = page.getByRole("dialog");
  await dialog.getByText("7,201.98 USD").waitFor();
  await checkPage("approvals-together", dialog.getByRole("button", { name: "Approve (12)" }));
  await click(dialog.getByRole("button", { name: "Approve (12)" }));
  await checkPage("approvals-results", dialog.getByText("12 of 12 done"));
  await click(dialog.getByRole("button", { name: "Close" }).first());
  await page.getByText("Nothing waits for approval.").waitFor();
  expectThat(clicks <= 5, `twelve approvals take five clicks, not ${clicks}`);
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
  await page.getByRole("button", { name: "Cancel the payout" }).click();
  await dialog.getByRole("button", { name: "Cancel the payout" }).click();
  await page.getByText("Cancelled before anyone decided").waitFor();
}
