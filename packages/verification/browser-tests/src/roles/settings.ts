import { crc32, deflateSync } from "node:zlib";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { BrowserTest } from "../browser-test.ts";
import { clearControls, createLink } from "../platform-calls.ts";
import type { Visitor } from "../visitor.ts";

/**
 * Alma tightens the approval rules alone. An operator approves looser ones while she is the only
 * admin, and Avi once he is one too. She fills in the profile and brands the pages of links. Two
 * operators tell how to send money to an account.
 */
export const settings: BrowserTest = {
  name: "settings",
  about: "approval rules with a second person, company profile, logo, top-up instructions",
  run: async ({ sandbox, arrive, anonymous }) => {
    const alma = await arrive("alma");
    await alma.page.getByRole("link", { name: "Settings" }).click();
    const none = alma.page.getByText("No payout needs approval.");
    await none.waitFor();
    await setRule(alma, "5000.00");
    await alma.page.getByText("Payouts of 5,000.00 USD or more need approval.").waitFor();

    const bob = await arrive("bob");
    await setRule(alma, "8000.00");
    await alma.page.getByText("an operator of Disburse may decide").waitFor();
    await operatorApproves(bob);
    await alma.page.reload();
    await alma.page.getByText("Payouts of 8,000.00 USD or more need approval.").waitFor();

    const avi = await arrive("avi");
    await giveRole(alma, "Avi", "admin");
    await alma.open("settings");
    await setRule(alma, "9000.00", true);
    await alma.page.getByText("wait until another admin approves").first().waitFor();
    await alma.checkPage("settings", alma.page.getByRole("button", { name: "Withdraw" }));
    await avi.open("");
    await secondAdminApproves(avi);
    await giveRole(alma, "Avi", "approver");
    await profile(alma);
    await branding(alma, await anonymous(), sandbox);
    await topUp(await arrive("ada"), bob, alma, sandbox);
    await clearControls(sandbox);
  },
};

async function setRule({ page, checkPage }: Visitor, amount: string, isShown = false) {
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Change the rules" }).click();
  await dialog.getByLabel("Approval from (USD)").fill(amount);
  await dialog
    .getByText(/^Payouts of .* or more need approval\.$/)
    .first()
    .waitFor();
  if (isShown) await checkPage("settings-rules", dialog);
  await dialog.getByRole("button", { name: "Change the rules" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function operatorApproves({ page, open, checkPage }: Visitor): Promise<void> {
  await open("approvals");
  await page.getByRole("link", { name: /approval rules/i }).click();
  await page.getByRole("cell", { name: "8000.00" }).waitFor();
  await checkPage("settings-operator", page.getByRole("button", { name: "Approve" }));
  await page.getByRole("button", { name: "Approve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function giveRole({ page, open }: Visitor, person: string, role: string): Promise<void> {
  await open("team");
  const row = page.getByRole("row", { name: new RegExp(person) });
  await row.getByRole("button", { name: "Change role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Role").selectOption(role);
  await dialog.getByRole("button", { name: "Change role" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** The proposal is counted in the navigation and on the home page, and is in the queue. */
async function secondAdminApproves({ page, checkPage }: Visitor): Promise<void> {
  await page.getByRole("link", { name: /^Approvals\D*\d/ }).waitFor();
  await page.getByRole("link", { name: /^Awaiting approval/ }).click();
  const approve = page.getByRole("button", { name: "Approve", exact: true });
  await checkPage("settings-proposal", approve);
  await approve.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Payouts of 9,000.00 USD or more need approval.").waitFor();
  await checkPage("settings-approve", dialog);
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await approve.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Payouts of 9,000.00 USD or more need approval.").waitFor();
}

async function profile({ page, open, checkPage }: Visitor): Promise<void> {
  await open("settings");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Change the profile" }).click();
  await dialog.getByLabel("Legal name").fill("Acme Trading Limited");
  await dialog.getByLabel("City").fill("Dublin");
  await dialog.getByLabel("Country").selectOption("IE");
  await dialog.getByLabel("Website").fill("https://acme.example");
  await checkPage("settings-profile", dialog);
  await dialog.getByRole("button", { name: "Change the profile" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Acme Trading Limited").waitFor();
  await page.getByText("Ireland").waitFor();
}

async function branding(alma: Visitor, payee: Visitor, sandbox: SandboxDocument): Promise<void> {
  const { page, checkPage } = alma;
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Set the logo" }).click();
  const logo = { name: "logo.png", mimeType: "image/png", buffer: stripedPng() };
  await dialog.getByLabel(/^Logo/).setInputFiles(logo);
  await checkPage("settings-logo", dialog.getByRole("img"));
  await dialog.getByRole("button", { name: "Set the logo" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Set the colour" }).click();
  await dialog.getByLabel("Colour").fill("#0a5c36");
  await dialog.getByRole("button", { name: "Set the colour" }).click();
  await dialog.waitFor({ state: "detached" });
  await checkPage("settings-branding", page.getByRole("img", { name: "Your logo" }));
  await payee.page.goto(await createLink(sandbox));
  await payee.checkPage("link", payee.page.getByRole("img", { name: "acme" }));
}

/** Stripes, so that a person sees the logo in a picture. */
function stripedPng(): Buffer {
  const [width, height] = [160, 48];
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const colour = Math.floor((row + column) / 12) % 2 === 0 ? [10, 92, 54] : [230, 180, 40];
      rows.set(colour, row * (1 + 3 * width) + 1 + 3 * column);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND")];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

const instructions =
  "Beneficiary: Disburse Ltd\nIBAN: DE89 3704 0044 0532 0130 00\nReference: ACME-1";

async function topUp(ada: Visitor, bob: Visitor, alma: Visitor, sandbox: SandboxDocument) {
  const acme = sandbox.merchants.acme.merchant_id;
  const account = sandbox.accounts.find(({ merchant }) => merchant === "acme")?.account_id ?? "";
  ada.willBeRefused("/SetTopUpInstructions");
  await ada.open(`actions/accounts-top-up?merchant=${acme}&account=${account}`);
  await ada.page.getByLabel("Text").fill(instructions);
  await ada.checkPage("top-up-form", ada.page.getByRole("button", { name: "Review" }));
  await ada.page.getByRole("button", { name: "Review" }).click();
  await ada.page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
  await ada.page.getByRole("link", { name: "Open the proposal" }).waitFor();
  await bob.open("approvals");
  await bob.page.getByRole("link", { name: /send money to an account/ }).click();
  await bob.checkPage("top-up-approval", bob.page.getByRole("button", { name: "Approve" }));
  await bob.page.getByRole("button", { name: "Approve" }).click();
  const dialog = bob.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await dialog.waitFor({ state: "detached" });
  await alma.open(`accounts/${account}`);
  await alma.page.getByText("IBAN: DE89 3704 0044 0532 0130 00").waitFor();
  await alma.checkPage("top-up", alma.page.getByRole("button", { name: "Copy all" }));
}
