import { existsSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { startIssuer } from "@disburse/sandbox/issuer/server.ts";
import { passwordOf } from "@disburse/sandbox/people.ts";
import { sandboxList } from "@disburse/sandbox/sandbox-list.ts";
import { chromiumPath, openBrowser, openPage } from "@disburse/testkit/browser.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createPerson } from "./console-person.ts";
import { payerOf } from "./payer.ts";

type TeamMember = { readonly id: string; readonly email: string; readonly state: string };

/** Tests the console's server with sign-ins at the sandbox's own provider. */

let platform: TestPlatform;
let issuer: Awaited<ReturnType<typeof startIssuer>>;

beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "100" });
  const { issuerKey } = platform.secrets;
  issuer = await startIssuer({ port: platform.issuerPort, issuerKey, log: silentLog });
});
afterAll(async () => {
  await issuer?.stop();
  await platform?.stop();
});

const password = (name: string) => passwordOf(platform.secrets.issuerKey, name);
const atPublicPort = () => createPerson(platform.baseUrl, issuer.url);
const atOperatorPort = () => createPerson(platform.operatorsUrl, issuer.url);

async function member(name: string) {
  const person = atPublicPort();
  expect((await person.signIn(name, password(name))).status).toBe(303);
  const session = await person.session();
  if (session === undefined) throw new Error(`${name} has no session`);
  return { ...person, session, again: person.session };
}

const rpc = (service: string, method: string) => `/console/rpc/disburse.${service}/${method}`;

const recipient = {
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

describe("merchants' people on the public port", () => {
  it("sign in by the provider, and call the public routes as what their role lets them", async () => {
    const acme = platform.sandbox.merchants.acme.merchant_id;
    const mia = atPublicPort();
    expect(await mia.session()).toBeUndefined();
    const signedIn = await mia.signIn("mia", password("mia"));
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/console/payouts"]);
    const cookie = signedIn.headers
      .getSetCookie()
      .find((each) => each.startsWith("disburse_member="));
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/);
    const session = await mia.session();
    expect(session).toMatchObject({
      person: { id: expect.stringMatching(/^mem_/), name: "Mia Maker", email: "mia@acme.example" },
      ...{
        kind: "member",
        merchant: { id: acme, name: "acme" },
        roles: ["maker"],
        mode: "sandbox",
      },
    });
    expect(session?.scopes).toEqual(expect.arrayContaining(["payout:write", "account:read"]));
    expect(session?.scopes).not.toContain("webhook:write");
    const accounts = await mia.call("GET", "/api/v1/transfer/accounts");
    const [key] = [platform.apiKey("acme")];
    const byKey = await fetch(`${platform.baseUrl}/api/v1/transfer/accounts`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(accounts.json).toEqual(await byKey.json());
    const path = "/api/v1/transfer/fiat/beneficiary";
    const token = session?.csrf_token ?? "";
    for (const wrong of [undefined, "", token.slice(1), `${token.slice(1)}A`]) {
      expect(await mia.call("POST", path, recipient, wrong)).toMatchObject({
        ...{ status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "csrf_token_missing" } },
      });
    }
    const created = await mia.call("POST", path, recipient, token);
    expect(created.status).toBe(200);
    const { db, close } = await platform.openDatabase("beneficiary");
    const beneficiaries = db.collection<{ _id: string }>("beneficiaries");
    const stored = await beneficiaries.findOne({
      _id: (created.json.data as { beneficiary_id: string }).beneficiary_id,
    });
    await close();
    expect(stored).toMatchObject({ actor: { kind: "member", id: session?.person.id } });
  });

  it("cannot do what their role does not let them, nor see another merchant", async () => {
    const [vera, gus] = await Promise.all([member("vera"), member("gus")]);
    const { csrf_token: token } = vera.session;
    const path = "/api/v1/transfer/fiat/beneficiary";
    expect(await vera.call("POST", path, recipient, token)).toMatchObject({
      ...{ status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "scope_missing" } },
    });
    const { merchants } = platform.sandbox;
    expect(gus.session.merchant).toMatchObject({ id: merchants.globex.merchant_id });
    const accounts = await gus.call("GET", "/api/v1/transfer/accounts");
    expect(JSON.stringify(accounts.json)).not.toContain(platform.accountId("acme", "USD"));
    // Another session's token is not valid for this one.
    expect((await gus.call("POST", path, recipient, token)).status).toBe(403);
  });

  it("end their session by signing out, and are asked for the password after that", async () => {
    const avi = await member("avi");
    const before = avi.cookies.get("disburse_member") ?? "";
    expect(await avi.call("POST", "/console/session/logout")).toMatchObject({ status: 403 });
    expect(await avi.again()).toBeDefined();
    const ended = await avi.call(
      "POST",
      "/console/session/logout",
      undefined,
      avi.session.csrf_token,
    );
    expect(ended.status).toBe(200);
    expect(avi.cookies.has("disburse_member")).toBe(false);
    avi.cookies.set("disburse_member", before);
    expect(await avi.call("GET", "/api/v1/transfer/accounts")).toMatchObject({
      ...{ status: 401, json: { code: "UNAUTHENTICATED" } },
    });
    expect((await avi.toProvider("")).html).toContain("Sign in");
  });

  it("step up: a fresh sign-in takes the place of the session", async () => {
    const alma = await member("alma");
    const before = alma.cookies.get("disburse_member") ?? "";
    expect((await alma.toProvider("")).location).toContain("/console/session/callback?code=");
    const again = await alma.signIn(
      "alma",
      password("alma"),
      "?again=true&return_to=//evil.example",
    );
    expect([again.status, again.headers.get("location")]).toEqual([303, "/console/"]);
    expect(alma.cookies.get("disburse_member")).not.toBe(before);
    expect(Date.parse((await alma.again())?.signed_in_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(alma.session.signed_in_at),
    );
    alma.cookies.set("disburse_member", before);
    expect(await alma.again()).toBeUndefined();
  });

  it("follow what happens at their merchant, until their session ends", async () => {
    // Another merchant than the one whose balance is checked below.
    const gus = await member("gus");
    const stream = await gus.load("/console/events");
    expect(stream.status).toBe(200);
    let text = "";
    const read = (async () => {
      for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
    })();
    await vi.waitFor(() => expect(text).toContain(": connected"), 5_000);
    const id = await payerOf(platform, "globex").pay("seen");
    await vi.waitFor(() => expect(text).toContain(`event: payout\ndata: {"id":"${id}"}`), 10_000);
    await gus.call("POST", "/console/session/logout", undefined, gus.session.csrf_token);
    await read;
  });

  it("an admin keeps the team and its keys; who is removed is out at once", async () => {
    const [alma, vera] = await Promise.all([member("alma"), member("vera")]);
    const token = alma.session.csrf_token;
    const team = "/api/v1/team/members";
    expect((await vera.call("POST", team, {}, vera.session.csrf_token)).status).toBe(403);
    const own = `${team}/${vera.session.person.id}`;
    expect((await alma.call("PATCH", own, { role: "approver" }, token)).status).toBe(200);
    expect((await vera.again())?.roles).toEqual(["approver"]);
    const created = await alma.call("POST", "/api/v1/keys", { scopes: ["account:read"] }, token);
    const { secret } = created.json.data as { secret: string };
    const reply = await fetch(`${platform.baseUrl}/api/v1/transfer/accounts`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(reply.status).toBe(200);
    expect((await alma.call("DELETE", own, undefined, token)).status).toBe(200);
    expect((await vera.call("GET", "/api/v1/transfer/accounts")).status).toBe(401);
    expect((await vera.signIn("vera", password("vera"))).status).toBe(403);
  });

  it("who is in no team has no session, nor who brings an answer that no one asked for", async () => {
    const ada = atPublicPort();
    const answer = await ada.signIn("ada", password("ada"));
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining("not a member of any merchant"),
    ]);
    expect(await ada.session()).toBeUndefined();
    const visitor = atPublicPort();
    const forged = await visitor.load("/console/session/callback?code=abc&state=def");
    expect(forged.status).toBe(400);
    expect(forged.headers.get("content-security-policy")).toContain("default-src 'none'");
    await visitor.toProvider("");
    const other = await visitor.load("/console/session/callback?code=abc&state=def");
    expect(other.status).toBe(401);
  });
});

describe("an invitation to another merchant's team", () => {
  const team = "/api/v1/team/members";
  const invite = async (name: string, email: string, role = "viewer") => {
    const gus = await member("gus");
    const body = { name, email, role };
    const created = await gus.call("POST", team, body, gus.session.csrf_token);
    expect(created).toMatchObject({ status: 200, json: { data: { state: "invited" } } });
    return { gus, id: (created.json.data as { id: string }).id };
  };
  const merchantIds = () => {
    const { acme, globex } = platform.sandbox.merchants;
    return { acme: acme.merchant_id, globex: globex.merchant_id };
  };
  const accept = (id: string) => `/console/session/invitations/${id}/accept`;

  it("moves nobody: neither a sign-in nor a link opens the other merchant", async () => {
    const { acme, globex } = merchantIds();
    const { id } = await invite("Mia", "mia@acme.example");
    for (const query of ["?return_to=/console/", `?merchant_id=${globex}`, "?again=true"]) {
      const mia = atPublicPort();
      expect((await mia.signIn("mia", password("mia"), query)).status).toBe(303);
      expect((await mia.session())?.merchant?.id).toBe(acme);
    }
    const mia = await member("mia");
    expect(mia.session.invitations).toEqual([
      { id, merchant: { id: globex, name: "globex" }, role: "viewer" },
    ]);
    expect(mia.session.merchants).toMatchObject([{ merchant: { id: acme }, role: "maker" }]);
  });

  it("is accepted by the person's own click, which switches nothing; a switch is another", async () => {
    const { acme, globex } = merchantIds();
    const { id, gus } = await invite("Avi", "AVI@acme.example");
    const avi = await member("avi");
    const token = avi.session.csrf_token;
    const memberId = { member_id: id };
    const switched = (csrf?: string) =>
      avi.call("POST", "/console/session/merchant", memberId, csrf);
    expect((await switched(token)).status).toBe(404);
    expect((await avi.call("POST", accept(id))).status).toBe(403);
    // Only the invited person may accept, not even the one who invited.
    for (const other of [gus, await member("mia")]) {
      const { csrf_token: own } = await (async () => (await other.again()) ?? other.session)();
      expect((await other.call("POST", accept(id), undefined, own)).status).toBe(404);
    }
    const accepted = await avi.call("POST", accept(id), undefined, token);
    expect(accepted).toMatchObject({ status: 200, json: { data: { merchant: { id: acme } } } });
    expect((await avi.call("POST", accept(id), undefined, token)).status).toBe(404);
    expect((await switched()).status).toBe(403);
    const moved = await switched(token);
    expect(moved).toMatchObject({
      ...{ status: 200, json: { data: { merchant: { id: globex }, roles: ["viewer"] } } },
    });
    const next = (moved.json.data as { csrf_token: string }).csrf_token;
    expect(next).not.toBe(token);
    // A form opened for acme can't be submitted for globex.
    const path = "/api/v1/transfer/fiat/beneficiary";
    expect(await avi.call("POST", path, recipient, token)).toMatchObject({
      ...{ status: 403, json: { reason: "csrf_token_missing" } },
    });
    const accounts = await avi.call("GET", "/api/v1/transfer/accounts");
    expect(accounts.headers.get("disburse-merchant")).toBe(globex);
    // A new sign-in returns to the last merchant. A step-up stays on the current one.
    expect((await member("avi")).session.merchant?.id).toBe(globex);
    const back = { member_id: avi.session.person.id };
    const home = await avi.call("POST", "/console/session/merchant", back, next);
    expect(home.json.data).toMatchObject({ merchant: { id: acme }, roles: ["approver"] });
    expect(Date.parse((home.json.data as { expires_at: string }).expires_at)).toBeLessThanOrEqual(
      Date.parse(avi.session.expires_at) + 60_000,
    );
    const gone = await gus.call("DELETE", `${team}/${id}`, undefined, gus.session.csrf_token);
    expect(gone.status).toBe(200);
    expect((await avi.again())?.merchant?.id).toBe(acme);
  });

  it("is declined, and may be the first team of a person", async () => {
    const { globex } = merchantIds();
    const address = "vera@acme.example";
    const alma = await member("alma");
    const { members } = (await alma.call("GET", team)).json.data as { members: TeamMember[] };
    for (const { id, email, state } of members) {
      if (email !== address || state === "removed") continue;
      await alma.call("DELETE", `${team}/${id}`, undefined, alma.session.csrf_token);
    }
    const vera = atPublicPort();
    expect((await vera.signIn("vera", password("vera"))).status).toBe(403);
    const { id } = await invite("Vera", address, "maker");
    expect((await vera.signIn("vera", password("vera"))).status).toBe(303);
    const session = await vera.session();
    expect(session).toMatchObject({ merchant: null, roles: [], scopes: [], invitations: [{ id }] });
    expect((await vera.call("GET", "/api/v1/transfer/accounts")).status).toBe(403);
    const token = session?.csrf_token ?? "";
    const declined = await vera.call(
      "POST",
      `/console/session/invitations/${id}/decline`,
      undefined,
      token,
    );
    expect(declined).toMatchObject({ status: 200, json: { data: { invitations: [] } } });
    const { id: second } = await invite("Vera", address, "maker");
    const accepted = await vera.call("POST", accept(second), undefined, token);
    expect(accepted.json.data).toMatchObject({ merchant: { id: globex }, roles: ["maker"] });
    expect((await vera.call("GET", "/api/v1/transfer/accounts")).status).toBe(200);
  });
});

describe("the operator API proxy", () => {
  it("passes a person's calls on with the person's own token", async () => {
    const ada = atOperatorPort();
    expect((await ada.signIn("ada", password("ada"))).status).toBe(303);
    const session = await ada.session();
    expect(session).toMatchObject({ kind: "operator", merchant: null, roles: ["treasury"] });
    expect(session?.operators).toMatchObject({ ada: "Ada Okoye" });
    const path = rpc("payout.v1.PayoutOperatorService", "ListRails");
    expect(await ada.call("POST", path, {}, "wrong")).toMatchObject({
      ...{ status: 403, json: { code: "permission_denied" } },
    });
    const rails = await ada.call("POST", path, {}, session?.csrf_token);
    expect(rails).toMatchObject({ status: 200, json: { rails: expect.any(Array) } });
    // The service decides: treasury may not clear alerts.
    const alerts = rpc("compliance.v1.ComplianceReviewService", "ListAlerts");
    expect(await ada.call("POST", alerts, {}, session?.csrf_token)).toMatchObject({
      ...{ status: 403, json: { code: "permission_denied" } },
    });
    const carol = atOperatorPort();
    await carol.signIn("carol", password("carol"));
    const uid = "sandbox-party-1";
    const wanted = { list: sandboxList.list, entryUid: uid };
    const entry = await carol.call(
      "POST",
      rpc("compliance.v1.ComplianceService", "GetListedEntry"),
      wanted,
      (await carol.session())?.csrf_token,
    );
    expect(entry).toMatchObject({ status: 200, json: { entry: { uid }, inForce: true } });
    const shared = "/console/rpc/at/quote/disburse.approval.v1.ApprovalService/ListProposals";
    expect((await ada.call("POST", shared, {}, session?.csrf_token)).status).toBe(200);
    expect((await ada.call("GET", "/api/v1/transfer/accounts")).status).toBe(404);
  });

  it("says of every service whether it serves, and in which version", async () => {
    const ada = atOperatorPort();
    await ada.signIn("ada", password("ada"));
    const token = (await ada.session())?.csrf_token ?? "";
    for (const place of ["gateway", "beneficiary", "compliance", "quote", "payout", "notifier"]) {
      const answer = await ada.load(`/console/rpc/at/${place}/grpc.health.v1.Health/Check`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-csrf-token": token },
        body: "{}",
      });
      expect([place, answer.status, await answer.json()]).toEqual([
        ...[place, 200, { status: "SERVING" }],
      ]);
      expect(answer.headers.get("disburse-version")).toMatch(/^\d+\.\d+\.\d+/);
    }
  });

  it("opens to a person's token alone: to no key, no service, no member, nor without any", async () => {
    const path = rpc("payout.v1.PayoutOperatorService", "ListRails");
    const reply = async (authorization: string | undefined) => {
      const response = await fetch(`${platform.operatorsUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(authorization && { authorization }) },
        body: "{}",
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const shut = [401, "unauthenticated"];
    expect(await reply(undefined)).toEqual(shut);
    expect(await reply(`Bearer ${platform.apiKey("acme")}`)).toEqual(shut);
    for (const audience of ["gateway", "payout"]) {
      expect(await reply(await platform.trust.service("payout")(audience))).toEqual(shut);
    }
    expect(await reply(await platform.trust.person("olga", ["support"])("any"))).toEqual([
      200,
      undefined,
    ]);
    const mia = atOperatorPort();
    const answer = await mia.signIn("mia", password("mia"));
    expect([answer.status, await mia.session()]).toEqual([403, undefined]);
    // Only the RPC port's services are available.
    const unknown = await fetch(`${platform.operatorsUrl}${rpc("payout.v1.Nothing", "Get")}`, {
      method: "POST",
      headers: { authorization: await platform.trust.person("olga")("any") },
    });
    expect(unknown.status).toBe(501);
  });
});

/** `npm test` builds it, and installs Chromium where possible. */
const isBuilt = existsSync(join(import.meta.dirname, "../packages/console/dist/index.html"));
const chromium = chromiumPath();

describe.skipIf(chromium === undefined || !isBuilt)("the console in a browser", () => {
  it("leads an unauthenticated client to the log-in, and back to balances; nothing is refused or fails", async () => {
    const browser = await openBrowser(chromium ?? "");
    try {
      // Without a sign-in the session is a 401, which the browser logs as an error.
      const visit = await browser.newContext();
      const { page } = await openPage(visit, `${platform.baseUrl}/console/`);
      await page.locator("a[href*='session/login']").click();
      await page.locator("#name").fill("mia");
      await page.locator("#password").fill(password("mia"));
      await page.locator("button[type=submit]").click();
      await page.getByText("1,000,000.00 USD").first().waitFor();
      await page.close();
      const signedIn = await openPage(visit, `${platform.baseUrl}/console/payouts/new`);
      await signedIn.page.waitForSelector("input[type=search]");
      expect(signedIn.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
