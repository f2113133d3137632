import type { BrowserTest } from "../browser-test.ts";
import { addBeneficiary, payWithoutBalance, scheduleReserved } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

const beneficiary = "Wanda Waits";

/** Mia reads a payout that waits for balance and cancels it, and reads a reservation. */
export const waits: BrowserTest = {
  name: "waits",
  about: "a payout that waits for balance, and a scheduled payout with reserved money",
  run: async ({ sandbox, arrive }) => {
    const beneficiaryId = await addBeneficiary(sandbox, { name: beneficiary });
    const terms = { beneficiaryId, amount: "61.00", reference: "payroll 12" };
    await payWithoutBalance(sandbox, terms, "65.50");
    await scheduleReserved(sandbox, { ...terms, reference: "payroll 13" });
    const mia = await arrive("mia");
    await cancelWait(mia);
    await cancelReservation(mia);
  },
};

async function cancelWait({ page, open, checkPage }: Visitor): Promise<void> {
  await open("payouts");
  await page.getByLabel("Detailed status").selectOption("Awaiting balance");
  await page.waitForURL(/sub_status=awaiting_balance/);
  const row = page.getByRole("row", { name: new RegExp(beneficiary) });
  await row.locator(".badge", { hasText: "Awaiting balance" }).waitFor();
  await row.getByRole("link", { name: beneficiary }).click();
  await page.locator(".badge", { hasText: "Awaiting balance" }).waitFor();
  await page.getByText("65.50 USD", { exact: true }).waitFor();
  await page.getByText("Waits until", { exact: true }).waitFor();
  await checkPage("payout-balance", page.getByText(/balance is too low/));
  await page.getByRole("button", { name: "Cancel payout" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/No money is held for it/).waitFor();
  await dialog.getByRole("button", { name: "Cancel payout" }).click();
  await page.locator(".badge", { hasText: "Cancelled" }).waitFor();
}

async function cancelReservation({ page, open, checkPage }: Visitor): Promise<void> {
  await open("scheduled");
  const row = page.getByRole("row", { name: /payroll 13/ });
  await checkPage("scheduled-reserved", row.getByText("61.00 USD is reserved"));
  await row.getByRole("button", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/reserved money becomes available/).waitFor();
  await dialog.getByRole("button", { name: "Cancel payout" }).click();
  await row.getByText("61.00 USD is reserved").waitFor({ state: "detached" });
}
