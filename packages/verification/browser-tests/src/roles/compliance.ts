import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

const reason = "The name, the date of birth and the country are those of the listed person.";

export const compliance: BrowserTest = {
  name: "compliance",
  about: "proposes a true match, which a second person approves; searches; reads lists",
  run: async ({ sandbox, arrive }) => {
    const [party] = sandbox.listed_parties;
    const { name: listed } = party;
    await addBeneficiary(sandbox, party);
    await addBeneficiary(sandbox, party);
    const carol = await arrive("carol");
    const { page, checkPage, open } = carol;
    const task = page.getByRole("link", { name: "Open alerts" });
    await page.getByRole("img", { name: /^Screening hits on each of 30 days/ }).waitFor();
    await checkPage("home-compliance", task);
    await task.click();
    const alerts = page.getByRole("link", { name: listed });
    await checkPage("alerts", alerts);
    await assignTogether(carol);
    await alerts.first().click();
    await page.getByText("Primary name").waitFor();
    await checkPage("alert", page.getByRole("heading", { name: "Explanation of the score" }));
    await page.getByRole("button", { name: "True match" }).click();
    await page.getByLabel("Reason").fill(reason);
    await checkPage("alert-decide", page.getByRole("dialog"));
    carol.willBeRefused("/DecideAlert");
    await page.getByRole("dialog").getByRole("button", { name: "True match (1)" }).click();
    await page.getByText("awaits a second person").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Open the proposal" }).click();
    await page.getByRole("button", { name: "Withdraw" }).waitFor();
    const isOffered = await page.getByRole("button", { name: "Approve" }).count();
    expectThat(isOffered === 0, "who proposes is not offered to approve");

    await open("compliance/search");
    await page.getByLabel("Merchant").selectOption({ index: 1 });
    await page.locator("[name=name]").fill(listed.toUpperCase());
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await checkPage("screening-search", page.getByRole("heading", { name: "Hits" }));
    await page.locator("[name=name]").fill("Another name");
    await staysOnPage(carol);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByText("No matching entries.").waitFor();
    await open("compliance/lists");
    await checkPage("lists", page.getByText(/parties were compared/));
    await page.getByRole("link", { name: /./ }).and(page.locator("td a")).first().click();
    await checkPage("list-changes", page.getByRole("heading", { name: /What changed in/ }));

    await importList(carol);
    await open("actions/screenings-rescreen");
    await page.getByLabel("Merchant").fill(sandbox.merchants.acme.merchant_id);
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Done").first().waitFor();

    const dan = await arrive("dan");
    await dan.open("approvals");
    await dan.page.getByRole("link", { name: "Decide an alert" }).click();
    await dan.page.getByRole("cell", { name: reason }).waitFor();
    await dan.page.getByRole("button", { name: "Approve" }).click();
    await dan.page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await dan.page.getByText("Done").first().waitFor();
    await dan.page.getByRole("link", { name: /^alr_/ }).click();
    await dan.page.getByText("Decided: true match").waitFor();
  },
};

/** Compares a file with the version in force, and imports it. */
async function importList(visitor: Visitor): Promise<void> {
  const { page, checkPage, open } = visitor;
  const lines = [1, 2].map((uid) =>
    JSON.stringify({
      uid: `${uid}`,
      type: "entity",
      names: [{ name: `Quarrowmere Trading ${uid}` }],
    }),
  );
  const file = (text: string) => ({
    name: "own.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from(text),
  });
  await open("compliance/lists");
  await page.getByRole("link", { name: "Import a list" }).click();
  await page.getByLabel("List", { exact: true }).fill("own");
  await page.getByLabel("List version").fill("2026-11-30");
  await page.getByLabel("File").setInputFiles(file("{"));
  await staysOnPage(visitor);
  const compare = page.getByRole("button", { name: "Compare with the version in force" });
  await compare.click();
  await page.getByRole("alert").first().waitFor();
  await page.getByLabel("File").setInputFiles(file(lines.join("\n")));
  await compare.click();
  await page.getByRole("heading", { name: /^2 entries added, 0 changed, 0 removed/ }).waitFor();
  await checkPage("list-import", page.getByText("Quarrowmere Trading 1"));
  await page.getByRole("button", { name: "Import the list" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Import the list" }).click();
  await page.getByText("The list is in force: 2 added").waitFor();
}

/** A link asks before it leaves a form with input. */
async function staysOnPage({ page }: Visitor): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
  await page.getByRole("button", { name: "Stay on the page" }).click();
}

/** Assigns all alerts with one confirmation. */
async function assignTogether({ page }: Visitor): Promise<void> {
  await page.getByRole("row").nth(2).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: "Assign to me" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Assign to me \([2-9]\d*\)$/ }).click();
  await dialog.getByText(/^(\d+) of \1 done$/).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("cell", { name: "Carol Meyer" }).nth(1).waitFor();
}
