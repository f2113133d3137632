import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { setControls } from "./operators-controls.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Attacks with one stolen API key. Each of these once succeeded. */

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
});
afterAll(async () => {
  await setRules(undefined);
});

const acmeId = () => platform.sandbox.merchants.acme.merchant_id;
const mutation = () => ({ operationId: crypto.randomUUID() });
const everyPayout = {
  amounts: [{ currencyCode: "USD", minimum: "1.00" }],
  batches: true,
};

const setRules = (approval: typeof everyPayout | undefined) =>
  setControls(platform, acmeId(), approval && { approval });

type NewKey = { scopes: string[]; source_cidrs?: string[]; expires_at?: string };
const keysPath = "/api/v1/keys";

async function childOf(maker: Merchant, wish: NewKey) {
  const { id, secret } = await maker.data("POST", keysPath, wish);
  return { id: id as string, ...merchantOf(platform.baseUrl, secret) };
}

async function rootKey(scopes: string[], wish: { sourceCidrs?: string[] } = {}) {
  const request = { mutation: mutation(), merchantId: acmeId(), scopes, ...wish };
  const { key, secret } = await platform.clients.keys.createKey(request);
  return { id: key?.id ?? "", ...merchantOf(platform.baseUrl, secret) };
}

const withKey = () => ({ "idempotency-key": crypto.randomUUID() });
const sameActor = { status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "same_actor" } };
const approvePayout = (who: Merchant, id: string) =>
  who.post(`${paths.payouts}/${id}/approve`, {}, withKey());

describe("one credential", () => {
  it("does not approve its own payout by a key that it created", async () => {
    await setRules(everyPayout);
    const payoutId = await acme.pay("own-child");
    const child = await childOf(acme, { scopes: ["payout:approve", "key:write", "key:read"] });
    expect(await approvePayout(child, payoutId)).toMatchObject(sameActor);
    const grandchild = await childOf(child, { scopes: ["payout:approve"] });
    expect(await approvePayout(grandchild, payoutId)).toMatchObject(sameActor);
  });

  it("does not approve the payout of a key that it created, nor of that key's sibling", async () => {
    await setRules(everyPayout);
    const scopes = ["payout:read", "payout:write", "payout:approve", "quote:write"];
    const [maker, sibling] = [await childOf(acme, { scopes }), await childOf(acme, { scopes })];
    const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const { id } = (await maker.post(paths.execute, { quote_id }, withKey())).json.data;
    expect(await approvePayout(acme, id)).toMatchObject(sameActor);
    expect(await approvePayout(sibling, id)).toMatchObject(sameActor);
  });

  it("does not approve its own payout by its rotated key", async () => {
    await setRules(everyPayout);
    const scopes = ["payout:read", "payout:write", "payout:approve", "quote:write"];
    const root = await rootKey(scopes);
    const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const { id } = (await root.post(paths.execute, { quote_id }, withKey())).json.data;
    const rotation = { mutation: mutation(), keyId: root.id, overlapSeconds: 3_600 };
    const { secret } = await platform.clients.keys.rotateKey(rotation);
    const successor = merchantOf(platform.baseUrl, secret);
    expect(await approvePayout(successor, id)).toMatchObject(sameActor);
    expect((await approvePayout(await rootKey(["payout:approve"]), id)).status).toBe(200);
  });

  it("needs the sandbox's approver, which is another root and does no more", async () => {
    await setRules(everyPayout);
    const approver = merchantOf(platform.baseUrl, platform.approverKey("acme"));
    const payoutId = await acme.pay("approved-by-api");
    expect((await approver.get(`${paths.payouts}/${payoutId}`)).status).toBe(200);
    expect((await approvePayout(approver, payoutId)).status).toBe(200);
    const foreign = merchantOf(platform.baseUrl, platform.approverKey("globex"));
    expect((await approvePayout(foreign, payoutId)).status).toBe(404);
    for (const path of [paths.accounts, keysPath, paths.endpoints]) {
      expect((await approver.get(path)).status).toBe(403);
    }
  });

  it("does not switch the approval rules off in the sandbox without the scope of its own", async () => {
    await setRules(everyPayout);
    const path = "/api/v1/sandbox/payout-controls";
    const scopes = ["payout:read", "payout:write", "payout:approve", "quote:write"];
    const maker = await childOf(acme, { scopes });
    expect(await maker.post(path, {}, withKey())).toMatchObject({
      ...{ status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "scope_missing" } },
    });
    const { sub_status } = await acme.data(
      "GET",
      `${paths.payouts}/${await acme.pay("rules-stay")}`,
    );
    expect(sub_status).toBe("awaiting_approval");
    const controls = await childOf(acme, { scopes: ["payout:control"] });
    expect((await controls.post(path, {}, withKey())).status).toBe(200);
  });

  it("does not approve its own batch or scheduled payout by a key that it created", async () => {
    await setRules(everyPayout);
    const child = await childOf(acme, { scopes: ["payout:approve"] });
    const line = { ...(await acme.transfer("USD", "USD")), source_amount: "11.00" };
    const batch = await acme.data("POST", paths.batches, { lines: [line] });
    const body = { max_total_amount: "20.00" };
    const answer = await child.post(`${paths.batches}/${batch.id}/approve`, body, withKey());
    expect(answer).toMatchObject(sameActor);
    const scheduled_at = new Date(Date.now() + 2_000).toISOString();
    const order = await acme.data("POST", "/api/v1/transfer/scheduled-payouts", {
      ...line,
      scheduled_at,
    });
    const path = `/api/v1/transfer/scheduled-payouts/${order.id}`;
    const created = await vi.waitFor(async () => {
      const { payout_id } = await acme.data("GET", path);
      expect(payout_id).not.toBe("");
      return payout_id as string;
    }, 15_000);
    expect(await approvePayout(child, created)).toMatchObject(sameActor);
  });
});

describe("a key that another key creates", () => {
  const invalid = (field: string) => ({
    status: 400,
    json: { code: "INVALID_REQUEST", violations: [{ field }] },
  });
  const create = (maker: Merchant, wish: NewKey) => maker.post(keysPath, wish, withKey());

  it("is limited to its maker's networks, and has them where none are named", async () => {
    const scopes = ["key:write", "key:read", "account:read"];
    const maker = await rootKey(scopes, { sourceCidrs: ["127.0.0.0/8", "2001:db8::/32"] });
    for (const network of ["10.0.0.1", "126.0.0.0/7", "0.0.0.0/0", "2001::/16", "::/0"]) {
      const wish = { scopes: ["account:read"], source_cidrs: ["127.0.0.1", network] };
      expect([network, await create(maker, wish)]).toMatchObject([
        network,
        invalid("source_cidrs"),
      ]);
    }
    const inherited = await create(maker, { scopes: ["account:read"] });
    expect(inherited.json.data.source_cidrs).toEqual(["127.0.0.0/8", "2001:db8::/32"]);
    const narrow = { scopes: ["account:read"], source_cidrs: ["127.0.0.1", "2001:db8:7::/48"] };
    expect((await create(maker, narrow)).json.data.source_cidrs).toEqual(narrow.source_cidrs);
  });

  it("ends with its maker at the latest, also as a grandchild", async () => {
    const end = new Date(Date.now() + 3_600_000);
    const iso = (ms: number) => new Date(end.getTime() + ms).toISOString();
    const scopes = ["key:write", "key:read", "account:read"];
    const maker = await childOf(acme, { scopes, expires_at: iso(0) });
    const later = { scopes, expires_at: iso(1) };
    expect(await create(maker, later)).toMatchObject(invalid("expires_at"));
    const child = await childOf(maker, { scopes });
    const listed = async (id: string) => {
      const { keys } = await acme.data("GET", `${keysPath}?limit=100`);
      return keys.find((each: { id: string }) => each.id === id);
    };
    expect(await listed(child.id)).toMatchObject({ expires_at: iso(0), root_id: rootOf(acme) });
    expect(await create(child, later)).toMatchObject(invalid("expires_at"));
    const sooner = await create(child, { scopes, expires_at: iso(-1_000) });
    expect(sooner.json.data.expires_at).toBe(iso(-1_000));
  });

  it("has no scope that its maker lacks", async () => {
    const maker = await childOf(acme, { scopes: ["key:write", "payout:read"] });
    expect(await create(maker, { scopes: ["payout:read", "payout:approve"] })).toMatchObject({
      ...{ status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "scope_missing" } },
    });
  });
});

/** Returns the public id of acme's seeded key, which is a root. */
function rootOf(_merchant: Payer): string {
  return platform.apiKey("acme").slice("dsb_test_".length, "dsb_test_".length + 8);
}
