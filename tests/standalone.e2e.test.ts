import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { commandLine } from "@disburse/cli/commands/all.ts";
import { processWorld } from "@disburse/cli/process-world.ts";
import { runCommandLine } from "@disburse/cli/program.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { allRoles } from "@disburse/sandbox/access-table.ts";
import { createBrowser } from "@disburse/sandbox/issuer/test-browser.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { freePort } from "@disburse/testkit/ports.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPerson } from "./console-person.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
let folder = "";
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disburse-standalone-"));
});
afterEach(async () => {
  await Promise.all(children.map((child) => end(child, "SIGKILL")));
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

type Started = { child: ChildProcess; output: () => string };

/** Runs a program of the standalone package on embedded parts, as on a newcomer's machine. */
function run(
  program: "main" | "demo" | "trace" | "token",
  settings: Record<string, string>,
  args: readonly string[] = [],
): Started {
  const entry = join(root, "packages/standalone/src", `${program}.ts`);
  const { MONGODB_URI: _uri, AMQP_URL: _url, ...inherited } = process.env;
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...inherited, DATA_DIR: folder, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { child, output: () => Buffer.concat(chunks).toString() };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
  return child.exitCode;
}

async function ready(settings: Record<string, string>): Promise<Started> {
  const started = run("main", settings);
  await vi.waitFor(
    () => {
      expect(started.child.exitCode, started.output()).toBe(null);
      expect(started.output()).toMatch(/^ready http/m);
    },
    { timeout: 150_000, interval: 50 },
  );
  return started;
}

const inProcess = { DISBURSE_BROKER: "none", SANDBOX_SETTLE_MS: "100" };
const sandbox = () => JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8"));

function acme() {
  const { base_url, merchants } = sandbox();
  return merchantOf(base_url, merchants.acme.api_key);
}

/** Returns command lines of processes that use the data folder. Not every system has `ps`. */
function leftBehind(): string[] {
  const all = existsSync("/proc/self/cmdline")
    ? readdirSync("/proc").flatMap(processLine)
    : execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(folder));
}

function processLine(pid: string): string[] {
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
  } catch {
    // The process has ended.
    return [];
  }
}

/** Checks that the sandbox's people get tokens by command and at its OpenID provider. */
async function checkPeople() {
  const { grpc, issuer, people } = sandbox();
  const found = await fetch(`${issuer}/.well-known/openid-configuration`);
  expect(await found.json()).toMatchObject({ issuer });
  type Listed = { name: string; roles: string[]; merchant_id?: string; password: string };
  const team = people.filter((each: Listed) => each.merchant_id === undefined);
  const roles = team.flatMap((each: Listed) => each.roles);
  const members = people.filter((each: Listed) => each.merchant_id !== undefined);
  expect(members.map((each: Listed) => [each.name, ...each.roles])).toEqual([
    ["mia", "maker"],
    ["avi", "approver"],
    ["vera", "viewer"],
    ["alma", "admin"],
    ["gus", "admin"],
  ]);
  expect(roles.toSorted()).toEqual(allRoles.toSorted());
  for (const { password } of people) expect(password).toMatch(/^[\w-]{20}$/);

  const [printed, unknown] = [run("token", {}, ["treasury_approver"]), run("token", {}, ["king"])];
  const ended = await Promise.all([printed, unknown].map(({ child }) => once(child, "close")));
  expect(ended).toEqual([
    [0, null],
    [1, null],
  ]);
  expect(unknown.output()).toContain(
    'no person of the sandbox has the role "king"; the roles are ',
  );
  const authorization = `Bearer ${printed.output().trim()}`;
  const headers = { "content-type": "application/json", authorization };
  const call = async (rpc: string) => {
    const url = `${grpc.payout}/disburse.payout.v1.PayoutOperatorService/${rpc}`;
    const answer = await fetch(url, { method: "POST", headers, body: "{}" });
    return (await answer.json()) as { code?: string; rails?: unknown };
  };
  expect(await call("ListRails")).toHaveProperty("rails");
  expect(await call("ResolvePayout")).toMatchObject({ code: "permission_denied" });
}

/** The command line's last message on standard error. */
let shown = "";

async function disburse(...args: string[]) {
  const ran = { code: 0, out: "", err: "" };
  ran.code = await runCommandLine(commandLine, args, {
    ...processWorld({ HOME: folder, DISBURSE_SANDBOX: folder }),
    ...{ folder, isTerminal: false },
    out: (text) => {
      ran.out += text;
    },
    err: (text) => {
      ran.err += text;
      shown = ran.err;
    },
  });
  return ran;
}

/** Signs an auditor in by the device flow, then checks the auditor's permissions. */
async function signInByDevice() {
  const { issuer, people } = sandbox();
  const { password } = people.find(({ name }: { name: string }) => name === "erin");
  const login = disburse("login");
  await vi.waitFor(() => expect(shown).toMatch(/^open \S+\nand enter \S+ there/), 60_000);
  const [, url = "", user_code = ""] = /open (\S+)\nand enter (\S+) there/.exec(shown) ?? [];
  const page = new URL(url);
  const browser = createBrowser(issuer);
  await browser.open(`${page.origin}${page.pathname}`);
  expect((await browser.submit({ user_code })).html).toContain(user_code);
  await browser.submit({ confirm: "yes" });
  const done = await browser.submit({ name: "erin", password });
  expect(done.html).toContain("You can go back to the command line.");
  expect(await login).toMatchObject({
    ...{ code: 0, err: expect.stringContaining("logged in as erin (support, auditor)") },
  });
  const who = JSON.parse((await disburse("whoami", "--json")).out);
  expect(who).toMatchObject({ subject: "erin", from: "login", issuer });
  const exported = await disburse("audit", "export", "--out", "audit.jsonl");
  expect(exported).toMatchObject({ code: 0, err: expect.stringMatching(/^payout: \d+ entries/m) });
  const lines = readFileSync(join(folder, "audit.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).action)).toContain("CreateKey");
  expect((await disburse("rails", "pause", "sandbox", "--reason", "by an auditor")).code).toBe(4);
  expect(await disburse("logout")).toMatchObject({ code: 0 });
}

it("says ready, writes the sandbox down, stops without a trace and goes on", async () => {
  const none = run("token", {}, ["treasury"]);
  expect(await once(none.child, "close")).toEqual([1, null]);
  expect(none.output()).toContain(`no sandbox is running with the data folder ${folder}`);
  const port = String(await freePort());
  const first = await ready({ ...inProcess, PORT: port });
  expect(first.output().trimEnd().split("\n").at(-1)).toBe(`ready http://127.0.0.1:${port}`);
  const written = sandbox();
  expect(Object.keys(written.merchants)).toEqual(["acme", "globex", "frozen", "bare"]);
  expect(written.base_url).toBe(`http://127.0.0.1:${port}`);
  expect(written.accounts).toHaveLength(6);
  // The command waits five seconds before it polls for the sign-in.
  const signedIn = signInByDevice();
  await checkPeople();
  await signedIn;
  expect(Object.keys(written.risky_wallets)).toEqual(["ETHEREUM", "BTC", "TRX"]);
  expect(Object.keys(written.grpc)).toEqual(
    expect.arrayContaining(["beneficiary", "compliance", "quote", "payout", "notifier"]),
  );
  const before = await acme().data("GET", "/api/v1/transfer/accounts");
  await acme().get("/api/v1/transfer/accounts", { "x-request-id": "followed-1" });
  expect(await end(first.child, "SIGTERM")).toBe(0);
  expect(leftBehind()).toEqual([]);
  const traced = run("trace", {}, ["followed-1"]);
  await once(traced.child, "close");
  expect(traced.output().trimEnd().split("\n")).toEqual([
    expect.stringMatching(/gateway: request \[followed-1\] trace_id=\w{32} span_id=\w{16} /),
  ]);

  const second = await ready({ ...inProcess, PORT: port, HOST: "0.0.0.0" });
  const { merchants, accounts, base_url, grpc, admin, issuer } = sandbox();
  expect(issuer).toBe(written.issuer);
  expect(new URL(base_url).hostname).toBe("0.0.0.0");
  const inside = [...Object.values<string>(grpc), ...Object.values<string>(admin), issuer];
  for (const url of inside) expect(new URL(url).hostname).toBe("127.0.0.1");
  for (const url of [...inside, `http://localhost:${port}/healthz`]) {
    const answer = await acme().post("/api/v1/webhooks/endpoints", { url });
    expect(answer).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
  }
  expect({ merchants, accounts }).toEqual({
    merchants: written.merchants,
    accounts: written.accounts,
  });
  expect(await acme().data("GET", "/api/v1/transfer/accounts")).toEqual(before);
  expect(await end(second.child, "SIGINT")).toBe(0);
  expect(leftBehind()).toEqual([]);
});

const beneficiary = {
  beneficiary_name: "Hopper Supplies",
  beneficiary_account_type: "Corporate",
  destination_currency: "USD",
  transfer_type: "ACH",
  destination_country: "US",
  routing_code_type_1: "ACH CODE",
  routing_code_value_1: "021000021",
  beneficiary_state: "NY",
  beneficiary_address: "1 Main Street",
  beneficiary_city: "New York",
  beneficiary_postcode: "10001",
  beneficiary_account_number: "123456789012",
};

const quoteOf = (
  { beneficiary_id }: { readonly beneficiary_id: string },
  { account_id }: { readonly account_id: string },
) => ({
  source_amount: "5.00",
  beneficiary_id,
  source_currency_code: "USD",
  destination_currency_code: "USD",
  account_id,
});

it("writes e-mails to a folder that it prints", async () => {
  const { child, output } = await ready({ ...inProcess, PORT: String(await freePort()) });
  const { accounts, base_url, issuer, people } = sandbox();
  const mails = join(folder, "mails");
  expect(output()).toMatch(new RegExp(`e-mails +${mails}\n`));
  const { password } = people.find(({ name }: { name: string }) => name === "vera");
  expect((await createPerson(base_url, issuer).signIn("vera", password)).status).toBe(303);
  const call = acme().data;
  const created = await call("POST", "/api/v1/transfer/fiat/beneficiary", beneficiary);
  const quote = await call("POST", "/api/v1/transfer/rfq", quoteOf(created, accounts[0]));
  const failing = { quote_id: quote.id, reference_id: "sandbox-fail-1" };
  await call("POST", "/api/v1/transfer/execute", failing);
  await vi.waitFor(() => expect(readdirSync(mails)).toHaveLength(1), {
    timeout: 60_000,
    interval: 200,
  });
  const [name = ""] = readdirSync(mails);
  const mail = readFileSync(join(mails, name), "utf8");
  expect(mail).toContain("Subject: [Sandbox] 1 payout failed or was returned");
  expect(mail).toContain(`${base_url}/console/payouts`);
  expect(await end(child, "SIGTERM")).toBe(0);
});

it("loses nothing accepted when it is killed, events in process or over RabbitMQ", async () => {
  const PORT = String(await freePort());
  const accepted: string[] = [];
  for (const settings of [inProcess, { SANDBOX_SETTLE_MS: "100" }]) {
    const { child } = await ready({ ...settings, PORT });
    const { accounts } = sandbox();
    const call = acme().data;
    const created = await call("POST", "/api/v1/transfer/fiat/beneficiary", beneficiary);
    for (let at = 0; at < 5; at += 1) {
      const quote = await call("POST", "/api/v1/transfer/rfq", quoteOf(created, accounts[0]));
      const executed = await call("POST", "/api/v1/transfer/execute", { quote_id: quote.id });
      accepted.push(executed.id);
    }
    await end(child, "SIGKILL");
    await vi.waitFor(() => expect(leftBehind()).toEqual([]), { timeout: 30_000, interval: 200 });
  }
  const { child } = await ready({ ...inProcess, PORT });
  await vi.waitFor(
    async () => {
      for (const id of accepted) {
        const payout = await acme().data("GET", `/api/v1/transfer/payouts/${id}`);
        expect(payout.status).toBe("succeeded");
      }
    },
    // A killed worker's leases expire after 20 s. Another worker then takes over.
    { timeout: 60_000, interval: 200 },
  );
  const { accounts } = sandbox();
  const account = `/api/v1/transfer/accounts/${accounts[0].account_id}`;
  expect(await acme().data("GET", account)).toMatchObject({ available: 999_950, held: 0 });
  expect(await end(child, "SIGTERM")).toBe(0);
});

it("says what to do when its port is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const { child, output } = run("main", { ...inProcess, PORT: String(port) });
  await once(child, "exit");
  expect(child.exitCode).toBe(1);
  expect(output()).toContain(`port ${port} is in use`);
  expect(leftBehind()).toEqual([]);
  taken.close();
});

it("refuses a data folder of another version, and says how to begin anew", async () => {
  const first = await ready({ ...inProcess, PORT: "0" });
  await end(first.child, "SIGTERM");
  const setBaseline = async (from: string | undefined, name: string) => {
    const { MONGODB_URI: _uri, ...env } = process.env;
    const engine = await startEngine({ dataDir: folder, onExit: () => undefined, env });
    const { db, close } = await connectDatabase(engine.uri("disburse_quote"), "disburse_quote");
    const steps = db.collection<{ _id: number; name: string }>("schema_migrations");
    const before = await steps.findOneAndUpdate({ _id: 1 }, { $set: { name } });
    await close();
    await engine.stop();
    if (from !== undefined) expect(before?.name).toBe(from);
    return before?.name ?? "";
  };
  const own = await setBaseline(undefined, "indexes of release 0.1");
  const files = ["secrets.json", "sandbox.json"].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  );
  const refused = run("main", { ...inProcess, PORT: "0" });
  await once(refused.child, "close");
  expect(refused.child.exitCode).toBe(1);
  const shown = refused.output().trimEnd().split("\n");
  expect(shown.at(-1)).toBe(
    `Disburse cannot continue: The data in ${folder} was created by another version of Disburse. To start again, delete that folder or set DATA_DIR to another one.`,
  );
  expect(refused.output()).not.toMatch(/^\s+at /m);
  expect(leftBehind()).toEqual([]);
  expect(
    ["secrets.json", "sandbox.json"].map((name) => readFileSync(join(folder, name), "utf8")),
  ).toEqual(files);
  await setBaseline("indexes of release 0.1", own);
  const again = await ready({ ...inProcess, PORT: "0" });
  expect(await end(again.child, "SIGTERM")).toBe(0);
});

it.each([
  ["PORT", "eighty"],
  ["SANDBOX_SETTLE_MS", "-1"],
  ["RATE_LIMIT_BURST", "none"],
])("names the setting %s when it is %j", async (name, value) => {
  const { child, output } = run("main", { ...inProcess, PORT: "0", [name]: value });
  await once(child, "exit");
  expect(child.exitCode).toBe(1);
  expect(output()).toContain(name);
});

it("shows the main job on a platform of its own, of which it leaves nothing", async () => {
  const { child, output } = run("demo", { ...inProcess, DATA_DIR: join(folder, "empty") });
  await once(child, "exit");
  expect(child.exitCode, output()).toBe(0);
  expect(output()).toContain("verified both signatures: succeeded");
  expect(existsSync(join(folder, "empty"))).toBe(false);
});

it("shows the main job where one runs, and starts no other one in its data folder", async () => {
  const { child } = await ready({ ...inProcess, PORT: "0" });
  expect(sandbox().console_url).toBe(`${sandbox().base_url}/console/`);
  const demo = run("demo", {});
  await once(demo.child, "exit");
  expect(demo.child.exitCode, demo.output()).toBe(0);
  expect(demo.output()).toContain(`Using the platform at ${sandbox().base_url}`);
  const second = run("main", { ...inProcess, PORT: "0" });
  await once(second.child, "exit");
  expect(second.child.exitCode).toBe(1);
  expect(second.output()).toContain("in use by another process");
  expect((await fetch(`${sandbox().base_url}/healthz`)).status).toBe(200);
  expect(await end(child, "SIGTERM")).toBe(0);
});
