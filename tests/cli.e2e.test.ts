import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "@disburse/chassis/principal.ts";
import { commandLine } from "@disburse/cli/commands/all.ts";
import { processWorld } from "@disburse/cli/process-world.ts";
import { runCommandLine } from "@disburse/cli/program.ts";
import { eachService } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installCli, type Ran } from "./installed-cli.ts";
import { payerOf } from "./payer.ts";
import { id } from "./wire.ts";

/** Tests the command line on a running platform, both installed and in this process. */

const root = join(import.meta.dirname, "..");
let platform: TestPlatform;
let cli: ReturnType<typeof installCli>;
let acme = "";

async function tokenOf(person: string, roles?: readonly Role[]): Promise<string> {
  const bearer = await platform.trust.person(person, roles)("payout");
  return bearer.replace(/^Bearer /, "");
}

beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "100" });
  cli = installCli();
  const { baseUrl, sandbox, url } = platform;
  acme = sandbox.merchants.acme.merchant_id;
  const written = {
    ...{ ...sandbox, base_url: baseUrl, grpc: eachService(url) },
    grpc_token: await tokenOf("sandbox"),
  };
  mkdirSync(join(cli.folder, ".data"));
  writeFileSync(join(cli.folder, ".data", "sandbox.json"), JSON.stringify(written));
});
afterAll(async () => {
  await platform?.stop();
  cli?.remove();
});

/** Runs a command in this process, which is faster than a child process. */
async function run(...args: string[]): Promise<Ran> {
  let [out, err] = ["", ""];
  const code = await runCommandLine(commandLine, args, {
    ...processWorld({ HOME: cli.folder, DISBURSE_SANDBOX: ".data" }),
    ...{ folder: cli.folder, isTerminal: false },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

async function jsonOf(...args: string[]) {
  const { code, out, err } = await run(...args, "--json");
  expect({ args, code, err }).toEqual({ args, code: 0, err: "" });
  return JSON.parse(out);
}

/** Returns the shell blocks of a page or of one section. */
function blocksOf(file: string, section?: string): string[] {
  const page = readFileSync(join(root, file), "utf8");
  const part = section === undefined ? page : (page.split(`\n## ${section}\n`)[1] ?? "");
  const [text = ""] = section === undefined ? [part] : part.split("\n## ");
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
}

it("lists the beneficiaries that cannot be paid: none, of those that are made now", async () => {
  await payerOf(platform, "acme").quote("USD", "USD", { source_amount: "1.00" });
  expect(await jsonOf("beneficiaries", "unpayable")).toEqual({ beneficiaries: [] });
  const { code, out } = await run("beneficiaries", "unpayable", "--csv");
  expect([code, out]).toEqual([
    0,
    "beneficiary_id,merchant_id,transfer_method,destination_currency,reason,created_at\r\n",
  ]);
});

it("docs/tutorials/first-merchant.md takes a merchant from its registration to its first credit", async () => {
  const blocks = blocksOf("docs/tutorials/first-merchant.md");
  expect(blocks.length).toBeGreaterThan(6);
  // On a busy machine a process can report for a moment that its database is slow.
  await vi.waitFor(async () => expect((await run("status")).code).toBe(0), 30_000);
  const { code, out, err } = await cli.shell(blocks.join("\n"));
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining("error") });
  const { data } = JSON.parse(out.trim().split("\n").at(-1) ?? "");
  const account = { id: id("acc"), currency_code: "USD", available: 5000, held: 0 };
  expect(data.accounts).toMatchObject([account]);
  expect(out).toContain("+ open USD→USD to mer_");
  expect(out).toContain("nothing to do");
  const { merchants } = await jsonOf("merchants", "list", "--limit", "1");
  const [{ id: merchantId }] = merchants;
  expect(merchants).toMatchObject([{ name: "Initech Ltd" }]);
  const { corridors } = await jsonOf("corridors", "list", "--merchant", merchantId);
  expect(corridors).toHaveLength(2);
});

it("the commands of docs/contributing/running-locally.md run", async () => {
  const [text = ""] = blocksOf("docs/contributing/running-locally.md", "The command line");
  const { code, out } = await cli.shell(text);
  expect(code).toBe(0);
  expect(out).toMatch(/^SERVICE +STATE +VERSION/);
  expect(out).toContain("acme");
});

it("status says what serves in which version, and 1 where something does not", async () => {
  const { processes, serving, parts } = await jsonOf("status");
  expect(serving).toBe(true);
  const shown = parts.map(({ service, part }: Record<string, string>) => `${service} ${part}`);
  expect(shown).toEqual(
    expect.arrayContaining(["gateway database", "payout payouts pending", "notifier webhooks due"]),
  );
  expect(new Set(processes.map(({ version }: { version: string }) => version)).size).toBe(1);
  expect(processes[0].version).toMatch(/^\d+\.\d+\.\d+/);
  const away = { DISBURSE_QUOTE_URL: "http://127.0.0.1:1" };
  const down = await cli.run(["status"], { ...away, DISBURSE_SANDBOX: ".data" });
  expect(down).toMatchObject({ code: 1, err: expect.stringContaining("not serving: quote") });
  const list = await cli.run(["rates", "list"], { ...away, DISBURSE_SANDBOX: ".data" });
  expect(list).toMatchObject({ code: 5, out: "" });
});

it("a change is made once under its operation id, and refused with other content", async () => {
  const account = platform.accountId("acme", "USD", false);
  const credit = ["credits", "create", acme, account, "1.50", "USD", "--operation-id", "cli-once"];
  const first = await jsonOf(...credit);
  expect(await jsonOf(...credit)).toEqual(first);
  const other = await run(...credit.with(4, "2.50"));
  expect(other).toMatchObject({ code: 1, out: "" });
  expect(other.err).toContain("was used with other content (INVALID_REQUEST)");
  expect(await run("accounts", "get", acme, account, "--field", "account.available")).toMatchObject(
    {
      out: "1.50\n",
    },
  );
  const entry = String(first.entry.id);
  const reversed = await jsonOf("credits", "reverse", acme, account, entry, "--note", "in error");
  expect(reversed.entry).toMatchObject({ step: "reversal", available: "0.00", reverses: entry });
});

it("a list is imported from a file, and what it names is found", async () => {
  const entry = {
    ...{ uid: "cli-1", type: "individual", dob: ["1970-01-01"], countries: ["DE"], programs: [] },
    names: [{ name: "Quorvella Drimbaugh", kind: "primary" }],
  };
  writeFileSync(join(cli.folder, "internal.jsonl"), `${JSON.stringify(entry)}\n`);
  const imported = ["lists", "import", "cli_internal", "internal.jsonl", "--list-version", "1"];
  const dry = await jsonOf(...imported, "--dry-run");
  expect(dry.request.header).toMatchObject({ list: "cli_internal", version: "1" });
  const { version, change } = await jsonOf(...imported);
  expect({ version, change }).toMatchObject({
    ...{ version: { list: "cli_internal", entries: 1 }, change: { added: 1 } },
  });
  const who = ["Quorvella Drimbaugh", "--type", "individual", "--merchant", acme];
  const { screening } = await jsonOf("screenings", "party", ...who);
  expect(screening).toMatchObject({ verdict: expect.stringMatching(/review|block/) });
  expect(screening.hits[0]).toMatchObject({ list: "cli_internal", entry_uid: "cli-1" });
  const { out } = await run("lists", "imports", "--list", "cli_internal");
  expect(out).toMatch(/cli_internal +1 +in_force +1/);
});

it("a payout is shown with every step", async () => {
  const payoutId = await payerOf(platform, "acme").pay("cli-shown");
  const payout = await jsonOf("payouts", "get", acme, payoutId);
  expect(payout.payout).toMatchObject({ id: payoutId, reference_id: "cli-shown" });
  await expect.poll(async () => (await run("payouts", "timeline", payoutId)).out).toMatch(/submit/);
  const found = await jsonOf("payouts", "list", acme, "--reference", "cli-shown");
  expect(found.payouts).toHaveLength(1);
});

it("what needs another person is 3 with the proposal, which that person reads and approves", async () => {
  const account = platform.accountId("acme", "USD");
  const command = [
    "credits",
    "create",
    acme,
    account,
    "150000.00",
    "USD",
    "--operation-id",
    "cli-much",
  ];
  const as = async (person: string, ...args: string[]) =>
    cli.run(args, { DISBURSE_TOKEN: await tokenOf(person) });
  const { code, out, err } = await as("ada", ...command, "--json");
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("approvals get") });
  const { proposal_id: proposal, content_digest: digest } = JSON.parse(out);
  const { proposals } = await jsonOf("approvals", "list", "--state", "open");
  expect(proposals).toMatchObject([
    { id: proposal, service: "payout", proposed_by: { id: "ada" } },
  ]);
  const own = await as("ada", "approvals", "approve", proposal, "--yes");
  expect(own).toMatchObject({ code: 4, err: expect.stringContaining("ACCESS_FORBIDDEN") });
  const other = ["approvals", "approve", proposal, "--digest"];
  expect(await as("bob", ...other, "another")).toMatchObject({ code: 1 });
  expect(await as("bob", ...other, digest, "--field", "proposal.state")).toEqual({
    ...{ code: 0, out: "executed\n", err: "" },
  });
  // The proposer repeats the call to get the answer.
  const credited = await as("ada", ...command, "--field", "entry.amount");
  expect(credited).toEqual({ code: 0, out: "150000.00\n", err: "" });
});

it("a person without the role is refused with 4", async () => {
  const DISBURSE_TOKEN = await tokenOf("erin", ["support"]);
  const args = ["accounts", "open", acme, "USD"];
  const { code, err } = await cli.run(args, { DISBURSE_TOKEN });
  expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining("permission_denied") });
  const forged = await cli.run(["rails", "list"], { DISBURSE_TOKEN: `${DISBURSE_TOKEN}x` });
  expect(forged.code).toBe(4);
});

describe("bad input is refused, and changes nothing:", () => {
  const account = () => platform.accountId("acme", "USD");
  const credit = (...more: string[]) => ["credits", "create", acme, account(), ...more];
  it.each([
    ["an amount in words", () => credit("many", "USD"), "amount"],
    ["zero", () => credit("0", "USD"), "amount"],
    ["too many decimals", () => credit("1.001", "USD"), "amount"],
    ["16 digits before the point", () => credit("1234567890123456", "USD"), "amount"],
    [
      "another currency",
      () => credit("1.00", "BTC"),
      "currency_code: must be the account's currency, USD",
    ],
    ["a note of control characters", () => credit("1.00", "USD", "--note", "a\u0007"), "note"],
    ["another merchant's account", () => ["accounts", "get", "mer_x", account()], "NOT_FOUND"],
    ["an unknown merchant", () => ["accounts", "open", "mer_typo", "USD"], "is not known"],
    ["an unknown currency", () => ["accounts", "open", acme, "XYZ"], "currency_code"],
    ["a merchant without a name", () => ["merchants", "create", " "], "name: must be"],
    ["an id with a space", () => ["merchants", "create", "A", "--id", "a b"], "merchant_id"],
    ["an unknown scope", () => ["keys", "create", acme, "--scope", "money:make"], "scope"],
    ["an unknown rail", () => ["rails", "pause", "none", "--reason", "why not"], "NOT_FOUND"],
    ["a cursor that no list gave", () => ["merchants", "list", "--cursor", "?"], "cursor"],
  ])("%s", async (_what, args, message) => {
    const before = (await run("accounts", "list", acme)).out;
    const { code, out, err } = await run(...args());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
    expect((await run("accounts", "list", acme)).out).toBe(before);
  });
});
