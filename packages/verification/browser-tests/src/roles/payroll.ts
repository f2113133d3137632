import type { Page } from "playwright-core";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary } from "../platform-calls.ts";
import { textOf, type Visitor } from "../visitor.ts";

/** The second "Otto Payroll" has another id. Amounts have decimal commas, and columns odd names. */
const file = [
  "Wer;Netto;Ref;Maximum cost",
  "Petra Payroll;1.001,50;pay-1;",
  "Otto Payroll;11,25;pay-2;",
  "Rosa Parol;12,00;pay-3;",
  "Rosa Payroll;13.00;pay-4;",
  "Petra Payroll;14,00;pay-5;0,01",
].join("\r\n");

/** Mia corrects a payroll with three mistakes. Avi approves it. One line fails, and is paid again. */
export const payroll: BrowserTest = {
  name: "payroll",
  about: "a payroll with mistakes in one pass, its failed line fixed and sent again, 1,000 lines",
  run: async ({ sandbox, arrive }) => {
    for (const name of ["Petra", "Otto", "Otto", "Rosa"]) {
      await addBeneficiary(sandbox, { name: `${name} Payroll` });
    }
    const mia = await arrive("mia");
    const avi = await arrive("avi");
    await readTemplate(mia);
    await mapColumns(mia);
    await fixMistakes(mia);
    const batch = await submit(mia);
    await approve(avi, batch, "1100");
    await readBatch(mia);
    await fixFailed(mia);
    await approve(avi, mia.page.url(), "100");
    await mia.page.locator(".badge", { hasText: "Finished" }).waitFor();
    await mia.page.getByRole("link", { name: /^bat_/ }).click();
    await mia.page.getByRole("link", { name: "Another batch pays it again." }).waitFor();
    await checkLarge(mia);
  },
};

async function choose(page: Page, csv: string | Buffer): Promise<void> {
  const buffer = Buffer.from(csv);
  await page
    .getByLabel("CSV file")
    .setInputFiles({ name: "payroll.csv", mimeType: "text/csv", buffer });
}

async function readTemplate({ page, open, checkPage, faults }: Visitor): Promise<void> {
  await open("batches/new");
  await checkPage("batch-new", page.getByLabel("CSV file"));
  const [template] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download a template" }).click(),
  ]);
  const text = await textOf(template);
  if (!text.includes("Beneficiary,Amount received,")) faults.push(`the template is ${text}`);
  await choose(page, Buffer.from(file, "utf16le"));
  await page.getByText(/not a CSV file in UTF-8/).waitFor();
  // The template's own columns are known. Its beneficiary is an example.
  await choose(page, text);
  await page.getByText("No active beneficiary has this name, reference or id.").waitFor();
  await startAgain(page);
}

async function startAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start again" }).click();
  await page.getByLabel("CSV file").waitFor();
}

async function mapColumns({ page }: Visitor): Promise<void> {
  await choose(page, file);
  await page.getByLabel("Beneficiary", { exact: true }).selectOption("Wer");
  await page.getByLabel("Amount received", { exact: true }).selectOption("Netto");
  await page.getByText(/^4 lines have mistakes/).waitFor();
  await page.getByLabel("Amounts are written as").selectOption("1.234,56");
  await page.getByText(/^3 lines have mistakes/).waitFor();
}

/** Mia types in the grid only: a name by its suggestion, an amount, and which of two persons. */
async function fixMistakes({ page, checkPage }: Visitor): Promise<void> {
  const cell = (name: string) => page.getByLabel(name, { exact: true });
  await cell("Beneficiary, row 4").waitFor();
  await page.getByRole("button", { name: /^Lines with problems/ }).click();
  await checkPage("payroll-mistakes", page.getByText(/2 beneficiaries have this name/));
  await page.getByLabel("Choose: Beneficiary, row 3").selectOption({ index: 1 });
  await cell("Beneficiary, row 4").fill("rosa  payroll");
  await page.keyboard.press("Enter");
  expectThat(
    (await page.evaluate("document.activeElement.name")) === "beneficiary_id",
    "Enter goes to the cell below",
  );
  await page.getByLabel("Amount received, row 5", { exact: true }).fill("13,00");
  await page.keyboard.press("Enter");
  await page.getByText(/have mistakes|has a mistake/).waitFor({ state: "detached" });
  await page.reload();
  const kept = page.getByLabel("Amount received, row 5", { exact: true });
  expectThat((await kept.inputValue()) === "13,00", "the grid survives a reload");
}

/** A line may fail later, and doesn't stop the batch. */
async function submit({ page, checkPage }: Visitor): Promise<string> {
  await page.getByText(/^1 line would fail/).waitFor();
  await page.getByText("Cost, with fees").waitFor();
  await checkPage("payroll", page.getByRole("button", { name: "Submit for approval" }));
  await page.getByRole("button", { name: "Submit for approval" }).click();
  await page.waitForURL(/\/batches\/bat_/);
  return page.url();
}

async function approve(avi: Visitor, batch: string, max: string): Promise<void> {
  const { page, checkPage } = avi;
  await page.goto(batch);
  await page.getByRole("button", { name: "Approve and pay" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Maximum total cost/).fill(max);
  await checkPage("batch-approve", dialog);
  await dialog.getByRole("button", { name: "Approve and pay" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function readBatch({ page, checkPage, open }: Visitor): Promise<void> {
  await page.locator(".badge", { hasText: "Finished" }).waitFor();
  await checkPage("batch", page.getByRole("heading", { name: "Lines of the batch" }));
  const batch = page.url();
  await open("batches");
  await checkPage("batches", page.getByRole("cell", { name: "Finished" }));
  await page.goto(batch);
}

/** Only the failed line is offered, with its reason. */
async function fixFailed({ page, checkPage }: Visitor): Promise<void> {
  await page.getByRole("link", { name: "Fix the failed lines" }).click();
  const max = page.getByLabel(/^Maximum cost, row/);
  await max.waitFor();
  expectThat((await max.count()) === 1, "only the failed line can be paid again");
  await checkPage("batch-fix", page.getByRole("cell", { name: /maximum/i }));
  await max.fill("20");
  await page.keyboard.press("Enter");
  await page.getByText(/would fail/).waitFor({ state: "detached" });
  await submitFixed(page);
}

async function submitFixed(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Submit for approval" }).click();
  await page.waitForURL(/\/batches\/bat_/);
  await page.getByText("Pays failed lines of").waitFor();
}

/** The columns of the first file are remembered. One cell of 1,000 lines is corrected. */
async function checkLarge({ page, open }: Visitor): Promise<void> {
  await open("batches/new");
  const lines = Array.from({ length: 1_000 }, (_, at) => {
    return `Petra Payroll;${at === 776 ? "one" : `1,${(at % 90) + 10}`};large-${at}`;
  });
  await choose(page, ["Wer;Netto;Ref", ...lines].join("\n"));
  await page.getByLabel("Amounts are written as").selectOption("1.234,56");
  await page.getByText(/^1 line has a mistake/).waitFor();
  await page.getByText("Page 1 of 20").waitFor();
  await page.getByRole("button", { name: "Lines with problems (1)" }).click();
  await page.getByLabel("Amount received, row 778").fill("1,00");
  await page.keyboard.press("Enter");
  await page.getByText("1000", { exact: true }).nth(1).waitFor();
  await page
    .getByRole("button", { name: "Submit for approval" })
    .and(page.locator(":enabled"))
    .waitFor();
  await startAgain(page);
}
