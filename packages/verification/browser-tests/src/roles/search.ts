import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary, payBeneficiary } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

/** Mia and Ada find records and pages with the keyboard. */
export const search: BrowserTest = {
  name: "search",
  about: "finds people by beginnings of their names, payouts by id and reference, pages, actions",
  run: async ({ sandbox, arrive }) => {
    const beneficiaryId = await addBeneficiary(sandbox, { name: "Wilhelmina Findlay" });
    const reference = `find-${Date.now()}`;
    const payoutId = await payBeneficiary(sandbox, { beneficiaryId, amount: "21.00", reference });
    const mia = await arrive("mia");
    await ask(mia, "findl");
    const person = mia.page.getByRole("link", { name: /^Wilhelmina Findlay/ });
    await mia.checkPage("search", person);
    await mia.page.keyboard.press("ArrowDown");
    await mia.page.keyboard.press("Enter");
    await mia.page.waitForURL(`**/beneficiaries/${beneficiaryId}`);
    for (const text of [payoutId, reference]) {
      await ask(mia, text);
      await mia.page.getByRole("dialog").locator(`a[href$="${payoutId}"]`).click();
      await mia.page.waitForURL(`**/payouts/${payoutId}`);
      await mia.open("");
    }
    await ask(mia, "findlay wilhelm");
    await person.waitFor();
    await mia.page.getByRole("searchbox", { name: "Search" }).fill("indlay");
    await mia.page.getByText("No results").waitFor();
    expectThat((await person.count()) === 0, "no search inside words");

    const hash = await findsByHash(mia, payoutId);
    await ordersPayouts(mia, payoutId);

    const ada = await arrive("ada");
    await ask(ada, "set rate");
    await ada.page.getByRole("link", { name: "Set the rate of a corridor" }).click();
    await ada.page.getByRole("heading", { name: "Set the rate of a corridor" }).waitFor();
    await ask(ada, payoutId);
    await ada.page.getByRole("link", { name: payoutId }).click();
    await ada.page.waitForURL(`**/treasury/payouts/${payoutId}`);
    await ask(ada, "alert");
    await ada.page.getByText("No results").waitFor();
    await ask(ada, "alr_01m8pe4d3c4fhrfg7fff");
    await ada.page.getByText("No results").waitFor();
    await findsAcross(ada, payoutId, [hash, reference]);
    await opensFound(await arrive("carol"), payoutId, reference);
  },
};

/** Returns the payout's hash. */
async function findsByHash(mia: Visitor, payoutId: string): Promise<string> {
  const { page, open } = mia;
  await open(`payouts/${payoutId}`);
  await page.getByText("Paid", { exact: true }).first().waitFor();
  const hash =
    (await page
      .getByText(/^0x[0-9a-f]{64}$/)
      .first()
      .textContent()) ?? "";
  await open("");
  await ask(mia, hash);
  await page.getByRole("dialog").locator(`a[href$="${payoutId}"]`).click();
  await page.waitForURL(`**/payouts/${payoutId}`);
  await open("");
  return hash;
}

/** An operator asks for records of all merchants; typing alone doesn't. */
async function findsAcross(ada: Visitor, payoutId: string, texts: readonly string[]) {
  const { page, checkPage, open } = ada;
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/FindRecords")) asked += 1;
  });
  for (const [at, text] of texts.entries()) {
    await open("");
    await ask(ada, text);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("No results").waitFor();
    expectThat(asked === at, "typing is not in the audit trail");
    await page.keyboard.press("Enter");
    const found = dialog.locator(`a[href$="/treasury/payouts/${payoutId}"]`);
    await checkPage("search-all-merchants", found);
    await found.click();
    await page.waitForURL(`**/treasury/payouts/${payoutId}`);
  }
}

/** Carol may read payouts, but not their history. */
async function opensFound(carol: Visitor, payoutId: string, reference: string): Promise<void> {
  const { page, checkPage, open } = carol;
  const link = page.getByRole("dialog").locator(`a[href$="/treasury/payouts/${payoutId}"]`);
  const heading = page.getByRole("heading", { name: "Payout to Wilhelmina Findlay" });
  await ask(carol, payoutId);
  await link.click();
  await checkPage("payout-compliance", heading);
  await page.locator("dd", { hasText: reference }).waitFor();
  await open("");
  await ask(carol, reference);
  await page.getByRole("dialog").getByText("No results").waitFor();
  await page.keyboard.press("Enter");
  await link.click();
  await heading.waitFor();
}

/** A period takes one click. Amounts are ordered within one currency. */
async function ordersPayouts({ page, open, checkPage }: Visitor, payoutId: string): Promise<void> {
  await open("payouts");
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page.waitForURL(/created_from=.*created_to=/);
  await page.locator(`a[href$="${payoutId}"]`).first().waitFor();
  await page.getByRole("button", { name: "Last month" }).click();
  await page.getByText("No results").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  expectThat(
    (await page.getByLabel("Order").getByRole("option").count()) === 2,
    "no order by amount",
  );
  await page.getByLabel("Paid in", { exact: true }).selectOption("USD");
  await page.getByLabel("Order").selectOption("Lowest amount first");
  await page.waitForURL(/sort=amount/);
  await checkPage("payouts-ordered", page.locator("tbody tr").first());
  await page.getByLabel("Paid in", { exact: true }).selectOption("");
  await page.waitForURL((url) => !url.search.includes("sort"));
}

async function ask({ page }: Visitor, text: string): Promise<void> {
  await page.locator("#content").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search" }).fill(text);
}
