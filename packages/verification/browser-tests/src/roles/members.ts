import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import { refusedRequest } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

export const admin: BrowserTest = {
  name: "admin",
  about:
    "creates a webhook endpoint, finds a request by its id, adds a depositor, makes and revokes a key, adds to the team, chooses e-mails",
  run: async ({ sandbox, arrive }) => {
    const visitor = await arrive("alma");
    const { page, checkPage, open } = visitor;
    await open("webhooks/new");
    await page.locator("[name=url]").fill("http://127.0.0.1:9/webhooks");
    await checkPage("webhook-new", page.getByRole("button", { name: "Create the endpoint" }));
    // The secrets are shown also if the list that has changed can't be read.
    const list = /\/api\/v1\/webhooks\/endpoints\?/;
    await page.route(list, () => undefined);
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await page
      .getByRole("dialog")
      .getByText("Secrets of the endpoint")
      .waitFor({ timeout: 10_000 });
    await page.unrouteAll();
    await page.getByRole("button", { name: "I have copied them" }).click();
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send a test event" }).click();
    await page.getByRole("link", { name: /webhook_test/ }).waitFor();
    await checkPage("webhook", page.getByRole("link", { name: /webhook_test/ }));
    await page.getByRole("link", { name: /webhook_test/ }).click();
    await checkPage("delivery", page.getByRole("heading", { name: "Attempts" }));
    await open("webhooks");
    await checkPage("webhooks", page.getByRole("link", { name: /127\.0\.0\.1:9/ }));
    await open("deliveries");
    await checkPage("deliveries", page.getByRole("link", { name: /webhook_test/ }));
    await open("developers");
    await checkPage("developers", page.getByText("Recent requests"));
    await recentRequest(visitor, sandbox);
    await open("depositors/new");
    await page.getByLabel("Kind of depositor").selectOption({ label: "Your own business" });
    await page.locator("[name=depositor_wallet_address]").fill(wallet);
    await page.locator("[name=depositor_business_id]").fill("biz-1");
    await checkPage("depositor-new", page.getByRole("button", { name: "Add the depositor" }));
    await page.getByRole("button", { name: "Add the depositor" }).click();
    await checkPage("depositor", page.getByText("Whitelisted"));
    await open("depositors");
    await checkPage("depositors", page.getByRole("link", { name: "biz-1" }));
    await nameAccount(visitor);
    await charts(visitor);
    await keysAndTeam(visitor);
    await notifications(visitor);
  },
};

/** Names an account and sets its threshold, then removes both. */
async function nameAccount({ page, checkPage, open }: Visitor): Promise<void> {
  const dialog = page.getByRole("dialog");
  const set = async (name: string, threshold: string) => {
    await page.getByRole("button", { name: "Name and threshold" }).click();
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel(/^Low balance below/).fill(threshold);
    if (name !== "") await checkPage("account-settings", dialog);
    await dialog.getByRole("button", { name: "Name and threshold" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await open("");
  await page
    .getByRole("link", { name: /^Entries/ })
    .first()
    .click();
  await set("Payroll", "99999999.00");
  await page.getByRole("heading", { level: 1, name: /Payroll/ }).waitFor();
  await open("");
  await page.getByRole("link", { name: "Accounts with a low balance" }).waitFor();
  await page.locator(".card", { hasText: "Payroll" }).getByRole("link").click();
  await set("", "");
  await page.getByRole("heading", { level: 1, name: /Payroll/ }).waitFor({ state: "detached" });
}

/** Chooses a period, and finds the figures of the charts in a table. */
async function charts({ page, checkPage, open }: Visitor): Promise<void> {
  await open("");
  // The charts load when a person sees their place, at the end of the page that is read.
  await page.getByRole("table", { name: "Latest payouts" }).waitFor();
  await page.locator("#content").press("End");
  await page.getByRole("img", { name: /^Webhook success on each of 30 days/ }).waitFor();
  await page.getByRole("button", { name: "92 days" }).first().click();
  const chart = page.getByRole("img", { name: /^Available balance on each of 92 days/ });
  await chart.waitFor();
  await page.getByText("Figures of each day").first().click();
  const today = page.getByRole("table", { name: "Account by day" }).getByRole("row").nth(1);
  await today
    .getByRole("cell", { name: /^[\d,]+\.\d\d USD$/ })
    .first()
    .waitFor();
  await chart.scrollIntoViewIfNeeded();
  await checkPage("home-charts", chart);
}

/** Finds acme's refused request by its id and shows the reason. */
async function recentRequest({ page, checkPage, open }: Visitor, sandbox: SandboxDocument) {
  const requestId = await refusedRequest(sandbox);
  const found = page.getByRole("link", { name: requestId });
  await open(`requests?request_id=${requestId}`);
  while ((await found.count()) === 0) {
    await page.waitForTimeout(500);
    await page.reload();
    await page.getByRole("button", { name: "Export CSV" }).waitFor();
  }
  await page.getByRole("cell", { name: "RECORD_NOT_FOUND" }).waitFor();
  await open("requests?status=failed");
  await checkPage("requests", found);
}

/** Switches a kind of e-mail off, and on again. */
async function notifications({ page, checkPage, open }: Visitor): Promise<void> {
  await open("");
  await page.getByRole("button", { name: /^Your account/ }).click();
  await page.getByRole("menuitem", { name: "Notifications" }).click();
  const batches = page.getByLabel("Finished batches");
  await batches.uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  await checkPage("notifications", batches);
  expectThat(!(await batches.isChecked()), "the kind stays off");
  await batches.check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
}

async function keysAndTeam({ page, checkPage, open }: Visitor): Promise<void> {
  const dialog = page.getByRole("dialog");
  await open("keys");
  await page.getByRole("button", { name: "New key" }).click();
  await dialog.getByLabel("Note").fill("Payroll");
  await dialog.getByLabel("payout:read").check();
  await checkPage("key-new", dialog);
  await dialog.getByRole("button", { name: "New key" }).click();
  await page.getByText(/^dsb_test_/).waitFor();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await checkPage("keys", page.getByRole("cell", { name: "Payroll" }));
  await page
    .getByRole("row", { name: /Payroll/ })
    .getByRole("button", { name: "Revoke" })
    .click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await checkPage("key-revoked", dialog.getByText("Scheduled payouts: 0"));
  await page.keyboard.press("Escape");
  await page
    .getByRole("row", { name: /Payroll/ })
    .getByText("Revoked")
    .waitFor();
  await open("team");
  await page.getByRole("button", { name: "Add a person" }).click();
  await dialog.getByLabel("Name").fill("Max Neu");
  await dialog.getByLabel("E-mail address").fill("max@acme.example");
  await dialog.getByRole("button", { name: "Add a person" }).click();
  await checkPage("team", page.getByRole("cell", { name: "Max Neu" }));
}

/** Gus invites Mia. She accepts and switches between the merchants. */
export const invited: BrowserTest = {
  name: "invited",
  about: "accepts another team's invitation, switches to it and back, in two tabs",
  run: async ({ arrive }) => {
    const gus = await arrive("gus");
    await gus.open("team");
    await gus.page.getByRole("button", { name: "Add a person" }).click();
    const dialog = gus.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Mia Maker");
    await dialog.getByLabel("E-mail address").fill("mia@acme.example");
    await dialog.getByRole("button", { name: "Add a person" }).click();
    await gus.page.getByRole("cell", { name: "Invited" }).waitFor();
    const { page, checkPage, open } = await arrive("mia");
    const merchant = page.locator(".merchant");
    await merchant.filter({ hasText: "acme" }).waitFor();
    await page.getByRole("link", { name: "Invitations" }).click();
    await checkPage("invitations", page.getByRole("heading", { name: "globex" }));
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByText("No invitations.").waitFor();
    await merchant.filter({ hasText: "acme" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Your account" }).click();
    await other.getByRole("menuitem", { name: "Switch to globex" }).click();
    await other.locator(".merchant").filter({ hasText: "globex" }).waitFor();
    // The first tab must not show the second merchant's data under the first merchant's name.
    await page.getByRole("link", { name: "Payouts", exact: true }).click();
    await merchant.filter({ hasText: "globex" }).waitFor();
    await open("team");
    await checkPage("switched", page.getByRole("cell", { name: "Gus Admin" }));
    // Her next session begins with the team of this one.
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Switch to acme" }).click();
    await merchant.filter({ hasText: "acme" }).waitFor();
  },
};

const wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** Vera can read, and sees no forbidden actions. */
export const viewer: BrowserTest = {
  name: "viewer",
  about: "reads payouts, and is offered nothing that changes anything",
  run: async ({ arrive }) => {
    const { page, open } = await arrive("vera");
    await page.getByRole("heading", { name: "Balances" }).waitFor();
    await open("payouts");
    await page.getByRole("button", { name: "Export CSV" }).waitFor();
    expectThat((await page.getByText("New payout").count()) === 0, "no payout is offered");
    await open("beneficiaries");
    await page.getByRole("button", { name: "Export CSV" }).waitFor();
    expectThat((await page.getByText("New beneficiary").count()) === 0, "nothing can be added");
  },
};
