import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { addBeneficiary, callRpc, payBeneficiary } from "../platform-calls.ts";
import { textOf, type Visitor } from "../visitor.ts";

/** Ada manages platform accounts. Bob approves actions that need two persons. */
export const treasury: BrowserTest = {
  name: "treasury",
  about:
    "reads balances, payouts, a trace, rates and rails; pauses a rail; a resolution is approved",
  run: async ({ sandbox, arrive }) => {
    const ada = await arrive("ada");
    const { page, checkPage, open } = ada;
    await page.getByRole("heading", { name: "To do" }).waitFor();
    await open("treasury/balances");
    await checkPage("treasury-balances", page.getByRole("heading", { name: "Platform accounts" }));
    await open("treasury/payouts");
    await checkPage(
      "treasury-payouts",
      page.getByRole("heading", { name: "Payouts of all merchants" }),
    );
    await filtersPayouts(ada, sandbox);
    const payout = page.getByRole("link", { name: /^po_/ });
    if ((await payout.count()) > 0) {
      await payout.first().click();
      await checkPage("treasury-payout", page.getByRole("heading", { name: "History" }));
    }
    await traceOf(ada, sandbox);
    const unresolvedPayout = await proposeResolution(ada, sandbox);
    await open("treasury/corridors");
    await checkPage("corridors", page.getByRole("heading", { name: "Corridors and rates" }));
    await page.getByRole("link", { name: "USD → EUR" }).click();
    await earlierRates(ada);
    await checkPage("corridor", page.getByRole("img", { name: /rates over time/ }));
    await namesPages(ada);
    await open("treasury/reconciliation");
    await checkPage("reconciliation", page.getByRole("heading", { name: "Reconciliation" }));
    await open("treasury/rails");
    await checkPage("rails", page.getByRole("cell", { name: "sandbox", exact: true }));
    await pauseAndResume(ada);
    await open("health");
    await checkPage("health", page.getByText("All services are available."));

    const bob = await arrive("bob");
    await readTasks(bob);
    await bob.page.getByRole("link", { name: "Approvals waiting for you" }).click();
    await approveResolution(bob, unresolvedPayout);
  },
};

/** Bob's home counts his tasks, as the navigation does, and says when a service doesn't answer. */
async function readTasks(bob: Visitor): Promise<void> {
  const { page, checkPage, open } = bob;
  const exceptions = page.getByRole("listitem").filter({ hasText: "Payouts to resolve" });
  await exceptions.getByText(/^Oldest: \d+ (s|min)/).waitFor();
  await page.getByText("Still counting tasks.").waitFor({ state: "detached" });
  await page.getByRole("table", { name: "Balances of platform accounts" }).waitFor();
  await checkPage("home-treasury", page.getByRole("link", { name: "Approvals waiting for you" }));
  const count = await exceptions.locator(".figure").textContent();
  const link = page.getByRole("navigation").getByRole("link", { name: /^Exceptions/ });
  const counted = await link.textContent();
  expectThat(counted === `Exceptions${count} ${count} waiting`, `the same count: ${counted}`);
  bob.willBeRefused("/ListProposals");
  const ofQuote = "**/at/quote/**/ListProposals";
  await page.route(ofQuote, (route) => route.fulfill({ status: 503 }));
  await open("");
  await page.getByText("Still counting tasks.").waitFor();
  await page.unroute(ofQuote);
  await page.getByText("Still counting tasks.").waitFor({ state: "detached" });
  await readRailTasks(bob);
}

/** The sandbox's rail has no account at a bank, so the test answers for one that lacks money. */
async function readRailTasks({ page, open }: Visitor): Promise<void> {
  const bank = { rail: "bank", currencyCode: "EUR" };
  const short = { ...bank, available: "5.00", missing: "25.00", waiting: "30.00" };
  const answers = {
    ListRailAccounts: { accounts: [{ ...short, waitingCount: "2" }] },
    GetRailReport: { report: { ...bank, unexplained: "-0.10" } },
    ListBankFindings: { findings: [{ id: "fnd_1", createdAt: new Date().toISOString() }] },
  };
  for (const [rpc, json] of Object.entries(answers)) {
    await page.route(`**/${rpc}`, (route) => route.fulfill({ json }));
  }
  await open("");
  await page.getByText("Waiting payouts: 2").waitFor();
  await page.getByRole("link", { name: "Open findings in bank files" }).waitFor();
  const navigation = page.getByRole("navigation");
  await navigation.getByRole("link", { name: /^Reconciliation ?1 1 waiting$/ }).waitFor();
  await page.getByRole("link", { name: "Reconciliation differences of yesterday" }).click();
  await page.waitForURL(/reconciliation\?account=bank%2FEUR&day=/);
  for (const rpc of Object.keys(answers)) await page.unroute(`**/${rpc}`);
  await open("");
}

/** Payouts of one merchant have an order by time, and those in one currency an order by amount. */
async function filtersPayouts({ page, open }: Visitor, sandbox: SandboxDocument): Promise<void> {
  await page.getByRole("button", { name: "Last month" }).click();
  await page.getByText("No results").waitFor();
  const merchant = `merchant_id=${sandbox.merchants.acme.merchant_id}`;
  await open(`treasury/payouts?${merchant}&source_currency_code=usd`);
  await page.getByLabel("Order").selectOption("Highest amount first");
  await page.waitForURL(/sort=-amount/);
  await page.getByRole("button", { name: "Export CSV" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.waitForURL((url) => url.search === "");
  expectThat((await page.getByLabel("Order").count()) === 0, "all payouts have one order");
}

/** While they read, pages already have a heading and the window's title. */
async function namesPages({ page, open }: Visitor): Promise<void> {
  const pages = [
    ["treasury/reconciliation", "ListRailAccounts", "Reconciliation"],
    ["approvals/payout/prp_none", "GetProposal", "Approval"],
    ["compliance/alerts/alr_none", "GetAlert", "Alert"],
  ] as const;
  for (const [path, rpc, title] of pages) {
    await page.route(`**/${rpc}`, () => undefined);
    await open(path);
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    expectThat((await page.title()) === `${title} · Disburse`, `the title of ${path}`);
    // Leaves the page before its request can get an answer.
    await open("trace");
    await page.unroute(`**/${rpc}`);
  }
  await open("actions/rails-pause");
  await page.getByRole("heading", { level: 1, name: /^Pause a rail/ }).waitFor();
  expectThat((await page.title()).startsWith("Pause a rail"), "the title of an action");
}

/** Opens the trace of a payout's request from the payout's page. */
async function traceOf(
  { page, checkPage, open }: Visitor,
  sandbox: SandboxDocument,
): Promise<void> {
  const beneficiaryId = await addBeneficiary(sandbox, { name: "Ines Traced" });
  const payout = { beneficiaryId, amount: "25.00", reference: `traced-${Date.now()}` };
  await open(`treasury/payouts/${await payBeneficiary(sandbox, payout)}`);
  await page.locator("#content").getByRole("link", { name: "Trace" }).click();
  const execute = page.getByText("PayoutService/ExecutePayout", { exact: true });
  await execute.first().click();
  await page.getByText("rpc.status_code: ok").first().waitFor();
  await checkPage("trace", execute);
}

/** A rate for an earlier hour that is entered late doesn't replace the rate in force. */
async function earlierRates(ada: Visitor): Promise<void> {
  await ada.page.waitForURL(/\/corridors\/cor_/);
  const corridorId = new URL(ada.page.url()).pathname.split("/").at(-1);
  const rates = ["0.8601", "0.8612", "0.8597", "0.8633", "0.8629", "0.8618"];
  for (const [place, rate] of rates.entries()) {
    const asOf = new Date(Date.now() - (rates.length + 1 - place) * 3_600_000).toISOString();
    const set = { corridorId, rate: { rate, asOf, source: "desk" } };
    await callRpc(ada, "disburse.quote.v1.QuoteService/SetRate", set);
  }
  await ada.page.reload();
}

/** For a payout with an unknown outcome, Ada asks the bank and proposes the resolution. */
async function proposeResolution(ada: Visitor, sandbox: SandboxDocument) {
  const { page, checkPage, open } = ada;
  const beneficiaryId = await addBeneficiary(sandbox, { name: "Lena Ortiz" });
  const reference = `sandbox-silent-${Date.now()}`;
  const payoutId = await payBeneficiary(sandbox, { beneficiaryId, amount: "75.00", reference });
  await open("treasury/exceptions");
  const link = page.getByRole("link", { name: payoutId });
  while ((await link.count()) === 0) {
    await page.waitForTimeout(500);
    await page.reload();
    await page.getByRole("button", { name: "Export CSV" }).waitFor();
  }
  const row = page.getByRole("row").filter({ has: link });
  await row.getByRole("cell", { name: "acme Copy id", exact: true }).waitFor();
  await checkPage("exceptions", link);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const text = await textOf(file);
  const merchant = `acme,${sandbox.merchants.acme.merchant_id},Lena Ortiz`;
  expectThat(text.includes(merchant), `the file has names and ids of merchants: ${text}`);
  await page.getByRole("cell", { name: "Lena Ortiz" }).first().waitFor();
  await link.click();
  await page.getByText("Reference at the rail").waitFor();
  await page.locator("dd", { hasText: "Unknown" }).waitFor();
  // Repeated polls are one line.
  await page.getByText(/unknown \(\d+ times, last/).waitFor();
  await page.getByRole("link", { name: "Propose a resolution" }).click();
  await page.getByLabel("Outcome").selectOption("settled");
  await page.getByLabel("Reference").fill("FT26329000118");
  await page.getByLabel("Reason").fill("The bank's answer of today names the payment as booked.");
  await page.getByRole("button", { name: "Review" }).click();
  const dialog = page.getByRole("dialog");
  await checkPage("resolution", dialog.getByRole("cell", { name: "FT26329000118" }));
  ada.willBeRefused("/ResolvePayout");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("link", { name: "Open the proposal" }).click();
  await page.getByRole("button", { name: "Withdraw" }).waitFor();
  const isOffered = await page.getByRole("button", { name: "Approve" }).count();
  expectThat(isOffered === 0, "who proposes is not offered to approve");
  return payoutId;
}

/** Bob sees the proposal and its proposer before he approves it. */
async function approveResolution(
  { page, checkPage, open }: Visitor,
  payoutId: string,
): Promise<void> {
  await open("approvals");
  await page.getByRole("link", { name: "Propose the outcome of a payout" }).click();
  await page.getByText("FT26329000118").first().waitFor();
  await page.getByText("Ada Okoye").waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await checkPage("resolution-confirm", page.getByRole("dialog"));
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("Done").first().waitFor();
  await page.getByRole("link", { name: payoutId }).click();
  await page.locator(".badge", { hasText: "Paid" }).waitFor();
  await open("treasury/exceptions");
  await page.getByRole("button", { name: "Export CSV" }).waitFor();
  const isThere = await page.getByRole("link", { name: payoutId }).count();
  expectThat(isThere === 0, "a payout that is resolved is no exception");
}

async function pauseAndResume({ page, open }: Visitor): Promise<void> {
  const confirm = async () => {
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Done.").waitFor();
    await open("treasury/rails");
  };
  const row = page.getByRole("row").filter({ hasText: "sandbox" });
  await row.getByRole("link", { name: "Pause" }).click();
  await page.getByLabel("Reason").fill("The bank has announced maintenance.");
  await confirm();
  await row.getByText("Paused").waitFor();
  await row.getByRole("link", { name: "Resume" }).click();
  await confirm();
  await row.getByText("Available").waitFor();
}
