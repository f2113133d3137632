import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paths } from "./bodies.ts";
import { type Controls, setControls } from "./operators-controls.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Attacks that repeat another caller's request with its idempotency key. Each once succeeded. */

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
});
afterAll(() => setRules());

const setRules = (approval: Controls["approval"] = {}) =>
  setControls(platform, platform.sandbox.merchants.acme.merchant_id, { approval });

const keysPath = "/api/v1/keys";
const repeatable = () => ({ "idempotency-key": crypto.randomUUID() });
const childOf = async (scopes: string[], more: object = {}): Promise<Merchant> => {
  const { secret } = await acme.data("POST", keysPath, { scopes, ...more });
  return merchantOf(platform.baseUrl, secret);
};

describe("a replay", () => {
  it("is authorised as the first request: a weaker key gets no stronger key by it", async () => {
    const key = repeatable();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { scopes: ["payout:write", "payout:approve"] };
    expect((await acme.post(keysPath, body, key)).status).toBe(200);
    const weak = await childOf(["key:write"]);
    expect(await weak.post(keysPath, body, key)).toMatchObject({
      ...{ status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "scope_missing" } },
    });
    const later = { ...body, expires_at: new Date(Date.now() + 7_200_000).toISOString() };
    const other = repeatable();
    expect((await acme.post(keysPath, later, other)).status).toBe(200);
    const scopes = [...body.scopes, "key:write"];
    const short = await childOf(scopes, { expires_at });
    expect(await short.post(keysPath, later, other)).toMatchObject({
      ...{ status: 400, json: { violations: [{ field: "expires_at" }] } },
    });
    const member = { email: "max@acme.example", name: "Max", role: "admin" };
    const inviting = repeatable();
    expect((await acme.post("/api/v1/team/members", member, inviting)).status).toBe(200);
    const team = await childOf(["team:write"]);
    expect(await team.post("/api/v1/team/members", member, inviting)).toMatchObject({
      ...{ status: 403, json: { reason: "scope_missing" } },
    });
  });

  it.each<[string, string, object, readonly string[]]>([
    ["a key", keysPath, { scopes: ["payout:read"] }, ["secret"]],
    [
      "an endpoint",
      paths.endpoints,
      { url: "http://127.0.0.1:9/replays" },
      ["secret", "standard_secret"],
    ],
    ["a link", "/api/v1/beneficiary-links", { destination_currency: "USD" }, ["url"]],
  ])("of %s shows no secret, and says that it was shown once", async (_what, path, body, names) => {
    const key = repeatable();
    const first = await acme.post(path, body, key);
    expect(first.status).toBe(200);
    expect(first.json.data.shown_once).toBeUndefined();
    const again = await acme.post(path, body, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const blank = Object.fromEntries(names.map((name) => [name, ""]));
    expect(again.json.data).toEqual({ ...first.json.data, ...blank, shown_once: names });
    for (const name of names) {
      expect(first.json.data[name]).toMatch(/\S{20}/);
      expect(again.text).not.toContain(first.json.data[name]);
    }
    if (path !== paths.endpoints) return;
    const own = `${path}/${first.json.data.id}`;
    const rotating = repeatable();
    const rotated = await acme.post(`${own}/rotate-secret`, {}, rotating);
    const repeated = await acme.post(`${own}/rotate-secret`, {}, rotating);
    expect(repeated.json.data).toEqual({ ...rotated.json.data, ...blank, shown_once: names });
    await acme.call("DELETE", own);
  });

  it("is no decision of the maker's: an approval is its approver's alone", async () => {
    await setRules({ amounts: [{ currencyCode: "USD", minimum: "1.00" }] });
    const approver = merchantOf(platform.baseUrl, platform.approverKey("acme"));
    const path = `${paths.payouts}/${await acme.pay("approved-once")}/approve`;
    const key = repeatable();
    expect((await approver.post(path, {}, key)).status).toBe(200);
    const again = await approver.post(path, {}, key);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    const maker = await acme.post(path, {}, key);
    expect(maker.status).toBeGreaterThanOrEqual(400);
    expect(maker.headers.get("idempotent-replayed")).toBeNull();
  });
});
