import type { Page } from "playwright-core";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import type { Visitor } from "../visitor.ts";

const spaced = "de89 3704 0044 0532 0130 00";

/** Alma enters a beneficiary as people write, and reloads the page meanwhile. */
export const forms: BrowserTest = {
  name: "forms",
  about: "takes an IBAN with blanks, finds a country by its name, keeps a draft until the sign-out",
  run: async ({ arrive }) => {
    const { page, open, checkPage } = await arrive("alma");
    await open("beneficiaries/new");
    await page.getByLabel("Currency").selectOption("EUR");
    for (const group of ["Person", "Bank account", "Address and contact"]) {
      await page.getByRole("group", { name: group }).waitFor();
    }
    const field = (name: string) => page.locator(`[name=${name}]`);
    await field("beneficiary_first_name").fill("Nora");
    await field("beneficiary_last_name").fill("Quist");
    await field("iban").fill(spaced);
    await field("bic").fill("cobadeff");
    await page.getByText("A bank in Germany").waitFor();
    await field("beneficiary_address").fill("1 Hauptstrasse");
    await field("beneficiary_city").fill("Frankfurt am Main");
    await field("beneficiary_postcode").fill("60311");
    await field("beneficiary_country_code").fill("germany");
    await page.reload();
    await field("iban").waitFor();
    expectThat((await field("iban").inputValue()) === spaced, "the draft survives a reload");
    const country = await field("beneficiary_country_code").inputValue();
    expectThat(country === "Germany", `the country is shown by its name: ${country}`);
    await checkPage("beneficiary-draft", page.getByRole("group", { name: "Bank account" }));
    await page.getByRole("button", { name: "Add the beneficiary" }).click();
    await page.getByText("Cleared").waitFor();
    await checkPage("toast", page.getByRole("status").filter({ hasText: "Saved." }));
    const drafts = () => page.evaluate<string>("Object.keys(sessionStorage).join()");
    expectThat(!(await drafts()).includes(":iban"), "a sent form leaves no draft");
    await open("depositors/new");
    await removesAnOwner(page);
    await open("beneficiaries/new");
    await field("beneficiary_first_name").or(page.getByLabel("Currency")).first().waitFor();
    await page.getByLabel("Currency").selectOption("EUR");
    await field("beneficiary_first_name").fill("Secret");
    expectThat((await drafts()).includes("disburse.draft"), "a draft is kept");
    await page.getByRole("button", { name: /Alma/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expectThat(!(await drafts()).includes("disburse.draft"), "signing out removes drafts");
    await asksBeforeLeaving(await arrive("ada"));
  },
};

/** Mistakes of a removed owner don't count, and don't stop the form from being sent. */
async function removesAnOwner(page: Page): Promise<void> {
  await page.getByLabel("Kind of depositor").selectOption({ label: "A company with its owners" });
  await page.getByRole("button", { name: "Add an owner" }).click();
  const mistakes = page.getByText(/need a correction/);
  const add = page.getByRole("button", { name: "Add the depositor" });
  await add.click();
  const ofTwo = Number.parseInt((await mistakes.textContent()) ?? "", 10);
  await page.getByRole("button", { name: "Remove the last owner" }).click();
  await add.click();
  const ofOne = Number.parseInt((await mistakes.textContent()) ?? "", 10);
  expectThat(ofOne < ofTwo, `fewer mistakes: ${ofTwo}, then ${ofOne}`);
  await page.getByLabel("Kind of depositor").selectOption({ label: "A person" });
}

/** Ada leaves a form without a draft by a link, by the back button, and by a reload. */
async function asksBeforeLeaving({ page, open, checkPage }: Visitor): Promise<void> {
  await open("actions");
  await page.getByRole("link", { name: /^Credit received money/ }).click();
  await page.getByLabel("Amount").fill("12.00");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await page.getByRole("link", { name: "Corridors" }).click();
  await checkPage("unsaved", question);
  await question.getByRole("button", { name: "Stay on the page" }).click();
  await page.goBack();
  await question.getByRole("button", { name: "Stay on the page" }).click();
  const amount = await page.getByLabel("Amount").inputValue();
  expectThat(amount === "12.00", "the input is kept");
  const [asked] = await Promise.all([
    page.waitForEvent("dialog"),
    page.evaluate("setTimeout(() => location.reload())"),
  ]);
  expectThat(asked.type() === "beforeunload", "the browser asks before a reload");
  await asked.dismiss();
  await page.getByRole("link", { name: "Corridors" }).click();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL("**/treasury/corridors");
  await page.goBack();
  await page.getByLabel("Amount").waitFor();
  await page.getByRole("link", { name: "Corridors" }).click();
  await page.waitForURL("**/treasury/corridors");
}
