import type { Locator } from "playwright-core";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary, payBeneficiary } from "../platform-calls.ts";
import { textOf, type Visitor } from "../visitor.ts";

/** Mia and Ada arrange their lists, and find them so again. */
export const lists: BrowserTest = {
  name: "lists",
  about: "removes filters one by one, chooses columns and row height, saves a view",
  run: async ({ sandbox, arrive }) => {
    const beneficiaryId = await addBeneficiary(sandbox, { name: "Vera View" });
    for (const reference of ["view-1", "view-2"]) {
      await payBeneficiary(sandbox, { beneficiaryId, amount: "11.00", reference });
    }
    const mia = await arrive("mia");
    await removesFilters(mia);
    await choosesColumns(mia);
    await savesView(mia);
    await exportsBookings(mia);
    const ada = await arrive("ada");
    await ada.open("treasury/payouts?status=succeeded");
    await ada.page.getByRole("button", { name: /^Status: / }).waitFor();
    await choose(ada, "Method");
    expectThat((await header(ada, "Method").count()) === 0, "an operator's column is hidden");
    await choose(ada, "Method");
  },
};

const header = ({ page }: Visitor, name: string) => page.getByRole("columnheader", { name });

/** Changes a list's settings. A page that is left sooner may not have saved the change. */
async function save({ page }: Visitor, change: Locator): Promise<void> {
  const answer = page.waitForResponse(
    (response) => response.url().includes("/session/lists/") && response.ok(),
  );
  await Promise.all([answer, change.click()]);
}

/** Shows or hides a column, or changes the height of rows, and closes the menu. */
async function choose(visitor: Visitor, name: string): Promise<void> {
  const { page } = visitor;
  await page.getByRole("button", { name: "Columns" }).click();
  await save(visitor, page.getByRole("menuitemcheckbox", { name }));
  await page.keyboard.press("Escape");
}

async function removesFilters({ page, open, checkPage }: Visitor): Promise<void> {
  await open("payouts?reference_id=view-1&source_currency_code=USD");
  const chip = page.getByRole("button", { name: /: view-1/ });
  await page.getByRole("button", { name: /^Paid in: USD/ }).waitFor();
  await checkPage("payouts-filtered", page.getByRole("cell", { name: "view-1" }));
  await chip.click();
  await page.waitForURL((url) => !url.search.includes("reference_id"));
  await page.getByRole("cell", { name: "view-2" }).first().waitFor();
  await page.getByRole("button", { name: /^Paid in: USD/ }).click();
  await page.waitForURL((url) => url.search === "");
}

async function choosesColumns(mia: Visitor): Promise<void> {
  const { page, checkPage } = mia;
  await choose(mia, "Reference");
  await choose(mia, "Compact rows");
  await page.reload();
  await page.locator('table[data-density="dense"]').waitFor();
  expectThat((await header(mia, "Reference").count()) === 0, "the column stays hidden");
  await page.getByRole("button", { name: "Columns" }).click();
  await checkPage("list-columns", page.getByRole("menuitemcheckbox", { name: "Reference" }));
  await page.keyboard.press("Escape");
  const frame = page.locator(".table-frame");
  const [scrolled, top] = await frame.evaluate((each) => {
    each.style.maxHeight = "5rem";
    each.scrollTop = 40;
    const [head] = each.getElementsByTagName("th");
    const headTop = head?.getBoundingClientRect().top ?? 0;
    return [each.scrollTop, headTop - each.getBoundingClientRect().top];
  });
  expectThat(scrolled > 10 && Math.abs(top) < 3, `the header stays in sight: ${scrolled}, ${top}`);
}

/** The file of last month has only its header. The one of this month has both payouts. */
async function exportsBookings({ page, open, checkPage }: Visitor): Promise<void> {
  await open("payouts");
  await page.getByRole("button", { name: "Accounting CSV" }).click();
  const dialog = page.getByRole("dialog");
  const link = dialog.getByRole("link", { name: "Download the file" });
  await checkPage("accounting", link);
  const load = async () => {
    const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
    return (await textOf(file)).trim().split("\r\n");
  };
  const before = await load();
  expectThat(before.length === 1 && before[0]?.startsWith("booked_at,") === true, "a header");
  const [first = "", last = ""] = [-1, 1].map((days) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10),
  );
  await dialog.getByLabel("To day").fill(last);
  await dialog.getByLabel("From day").fill("2020-01-01");
  await dialog.getByText("must be a period of 1 to 93 days").waitFor();
  await dialog.getByLabel("From day").fill(first);
  const rows = await load();
  for (const reference of ["view-1", "view-2"]) {
    const own = rows.filter((row) => row.includes(`,${reference},`));
    expectThat(own.length === 1 && own[0]?.includes(",post,") === true, `${reference} is booked`);
  }
  await page.keyboard.press("Escape");
}

async function savesView(mia: Visitor): Promise<void> {
  const { page, checkPage, open } = mia;
  await open("payouts?source_currency_code=USD");
  await page.getByRole("button", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the view").fill("Dollars");
  await checkPage("view-save", dialog);
  await save(mia, dialog.getByRole("button", { name: "Save this view" }));
  await choose(mia, "Reference");
  await open("payouts");
  await header(mia, "Reference").waitFor();
  await page.getByRole("button", { name: "Dollars", exact: true }).click();
  await page.waitForURL(/source_currency_code=USD/);
  await header(mia, "Reference").waitFor({ state: "detached" });
  await checkPage("view", page.getByRole("button", { name: "Delete this view" }));
  await page.getByRole("button", { name: "Delete this view" }).click();
  await page.getByRole("button", { name: "Dollars", exact: true }).waitFor({ state: "detached" });
}
