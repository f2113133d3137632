import type { BrowserTest, BrowserTestDeps } from "../browser-test.ts";
import { countClicks } from "../clicks.ts";
import { expectThat } from "../expect.ts";
import {
  addBeneficiary,
  callRpc,
  clearControls,
  listBeneficiary,
  payBeneficiary,
} from "../platform-calls.ts";
import { textOf, type Visitor } from "../visitor.ts";

const reason = "Another date of birth, another country and another passport.";
const setControls = "disburse.payout.v1.PayoutOperatorService/SetPayoutControls";
/** The party of two records, and one that a second person confirms. */
const [party, match] = ["Milo Casewright", "Petra Clickwell"];
const evidence = "document,country\nX1234567,DE\n";
const file = { name: "Pässe.csv", mimeType: "text/csv", buffer: Buffer.from(evidence) };

export const cases: BrowserTest = {
  name: "cases",
  about:
    "an officer works a case with comment and file, decides related alerts; two persons confirm",
  run: async ({ sandbox, arrive }) => {
    await holdMoney(sandbox, await arrive("ada"));
    const carol = await arrive("carol");
    await workCase(carol);
    await confirmByTwo(carol, arrive);
  },
};

/** Two records of one party, one of them with a payout that can't be sent, and another party. */
async function holdMoney(sandbox: BrowserTestDeps["sandbox"], ada: Visitor): Promise<void> {
  const { merchant_id: merchantId } = sandbox.merchants.acme;
  const approval = { amounts: [{ currencyCode: "USD", minimum: "500.00" }] };
  const status = await callRpc(ada, setControls, { merchantId, approval });
  expectThat(status === 200, "acme has approval rules");
  const paid = await addBeneficiary(sandbox, { name: party });
  await payBeneficiary(sandbox, { beneficiaryId: paid, amount: "640.00", reference: "held" });
  await clearControls(sandbox);
  await listBeneficiary(sandbox, paid);
  await listBeneficiary(sandbox, await addBeneficiary(sandbox, { name: party }));
  await listBeneficiary(sandbox, await addBeneficiary(sandbox, { name: match }));
}

async function workCase({ page, open, checkPage }: Visitor): Promise<void> {
  await open("compliance/alerts");
  const rows = page.getByRole("row", { name: new RegExp(party) });
  await rows.filter({ hasText: "640.00" }).first().waitFor();
  for (const at of [0, 1]) await rows.nth(at).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Assign to me" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Assign to me (2)" }).click();
  await dialog.getByText("2 of 2 done").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByLabel("Assigned to").selectOption({ label: "Me" });
  await page.getByRole("row", { name: new RegExp(match) }).waitFor({ state: "detached" });
  // The sandbox's own listing has no score.
  await page.getByLabel("Score at least").selectOption("0.7");
  await rows.first().waitFor({ state: "detached" });
  await page.getByLabel("Score at least").selectOption({ label: "Any" });
  await checkPage("alerts-mine", rows.filter({ hasText: "640.00" }));
  await rows.filter({ hasText: "640.00" }).getByRole("link").click();
  await page.waitForURL(/\/alr_/);
  const { pathname: first } = new URL(page.url());
  await page.getByRole("link", { name: "Next alert" }).click();
  await page.waitForURL(({ pathname }) => pathname !== first);
  const comment = page.getByLabel("Comment", { exact: true });
  await comment.fill("Meant for this alert alone.");
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
  // Both forms have content, and the page asks once.
  await page.getByRole("link", { name: "Previous alert" }).click();
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL(({ pathname }) => pathname === first);
  expectThat((await comment.inputValue()) === "", "a comment stays with its alert");
  await addEvidence(page);
  await checkPage("alert-case", page.getByText(/SHA-256 [0-9a-f]{64}/));
  await page.getByRole("checkbox", { name: `Select ${party}` }).check();
  await page.getByRole("button", { name: "False positive" }).click();
  await page.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "False positive" }).click();
  await checkPage("alert-together", dialog);
  await dialog.getByRole("button", { name: "False positive (2)" }).click();
  await dialog.getByText("2 of 2 done").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("Decided: false positive").waitFor();
}

async function addEvidence(page: Visitor["page"]): Promise<void> {
  await page.getByLabel("Comment", { exact: true }).fill("Asked the bank for the passport.");
  await page.getByRole("button", { name: "Add comment" }).click();
  await page.getByText("Asked the bank for the passport.").and(page.locator("p")).waitFor();
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
  await page.getByRole("button", { name: "Add file" }).click();
  const link = page.getByRole("link", { name: "Pässe.csv" });
  const [saved] = await Promise.all([page.waitForEvent("download"), link.click()]);
  expectThat(saved.suggestedFilename() === "Pässe.csv", "the file keeps its name");
  expectThat((await textOf(saved)) === evidence, "the file is returned as it was added");
  const exporting = page.getByRole("link", { name: "Case as JSON" });
  const [document] = await Promise.all([page.waitForEvent("download"), exporting.click()]);
  const { files, entries, held_sums: held } = JSON.parse(await textOf(document));
  expectThat(files[0].name === "Pässe.csv", "the export names the file");
  const actions = entries.map((each: { action: string }) => each.action).join(" ");
  const expected = "alert.assigned alert.commented alert.file_added";
  expectThat(actions === expected, `the export has ${expected}, not ${actions}`);
  expectThat(held[0].amount === "640.00", "the export has the money held");
}

/** An officer proposes a true match and a second person approves it, in eight clicks. */
async function confirmByTwo(carol: Visitor, arrive: BrowserTestDeps["arrive"]): Promise<void> {
  const { page, open } = carol;
  await open("");
  const task = page.getByRole("link", { name: "Open alerts" });
  await task.waitFor();
  const proposing = await countClicks(page);
  await task.click();
  await page.getByRole("link", { name: match }).click();
  await page.getByRole("button", { name: "True match" }).click();
  await page.getByLabel("Reason").fill(reason);
  carol.willBeRefused("/DecideAlert");
  await page.getByRole("dialog").getByRole("button", { name: "True match (1)" }).click();
  await page.getByText("awaits a second person").waitFor();
  const dan = await arrive("dan");
  const waiting = dan.page
    .getByRole("main")
    .getByRole("link", { name: /approv/i })
    .first();
  await waiting.waitFor();
  const approving = await countClicks(dan.page);
  await waiting.click();
  await dan.page.getByRole("link", { name: "Decide an alert" }).click();
  await dan.page.getByRole("cell", { name: reason }).waitFor();
  await dan.page.getByRole("button", { name: "Approve" }).click();
  await dan.page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await dan.page.getByText("Done").first().waitFor();
  const count = (await proposing()) + (await approving());
  expectThat(count <= 8, `an alert with a second person takes eight clicks, not ${count}`);
}
