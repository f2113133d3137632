import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyScope } from "../keys/rules/key.ts";
import { mutation, startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
type Merchant = Awaited<ReturnType<TestGateway["merchant"]>>;
let acme: Merchant;
let globex: Merchant;
beforeAll(async () => {
  gateway = await startTestGateway();
  [acme, globex] = await Promise.all([gateway.merchant(), gateway.merchant()]);
});
afterAll(() => gateway.stop());

const members = "/api/v1/team/members";
const keys = "/api/v1/keys";

type Values = Readonly<Record<string, unknown>>;
const call = async (key: string, method: string, path: string, body?: Values) => {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, json } = await gateway.ask({ method, path, key, ...text });
  return { status, json, data: (json.data ?? {}) as Record<string, string> };
};
const mia = { email: "Mia@Acme.example", name: "Mia Maker", role: "maker" };
const times = expect.stringMatching(/^\d{4}-.*Z$/);

describe("a team", () => {
  it("is managed by its merchant", async () => {
    const added = await call(acme.key, "POST", members, mia);
    expect(added).toMatchObject({
      status: 200,
      data: { ...mia, email: "mia@acme.example", state: "invited", created_at: times },
    });
    const { id } = added.data;
    const changed = await call(acme.key, "PATCH", `${members}/${id}`, { role: "viewer" });
    expect(changed.data).toMatchObject({ id, role: "viewer" });
    const removed = await call(acme.key, "DELETE", `${members}/${id}`);
    expect(removed.data).toMatchObject({ id, state: "removed", removed_at: times });
    const { revocation, ...gone } = removed.data;
    expect((await call(acme.key, "GET", members)).data).toEqual({
      members: [gone],
      meta_data: { total_count: 1, next_cursor: "" },
    });
    expect(revocation).toMatchObject({ orders: "hold", batches: { count: 0, ids: [] } });
    expect((await call(globex.key, "GET", members)).data).toMatchObject({ members: [] });
    expect((await call(globex.key, "DELETE", `${members}/${id}`)).status).toBe(404);
    const stored = await gateway.db
      .collection<{ _id: string }>("members")
      .findOne({ _id: id ?? "" });
    expect(stored).toMatchObject({
      created_by: { kind: "api_key", id: acme.keyId },
      removed_by: { kind: "api_key", id: acme.keyId },
    });
    const trail = await openAuditStore<string>(gateway).list(undefined, undefined, 100);
    const of = trail.filter(({ subject }) => subject === id).toReversed();
    const by = { person: acme.keyId, call: { caller: "api_key", outcome: "done" } };
    expect(of).toMatchObject(
      ["AddMember", "SetMemberRole", "RemoveMember"].map((action) => ({ action, ...by })),
    );
  });

  it.each([
    [{ ...mia, email: "mia" }, "email: must be a valid email address"],
    [{ ...mia, name: undefined }, "name: is required"],
    [{ ...mia, role: "king" }, "role: must be one of viewer, maker, approver, admin"],
    [{ ...mia, name: 7 }, "name: must be a string"],
  ])("refuses a member such as %j", async (body, message) => {
    const { status, json } = await call(acme.key, "POST", members, body);
    expect([status, json.code, json.message]).toEqual([400, "INVALID_REQUEST", message]);
  });

  it("gives no role with more scopes than its giver has", async () => {
    const few = await gateway.merchant({ scopes: ["team:write", "team:read"] });
    const refusal = { status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "scope_missing" } };
    expect(await call(few.key, "POST", members, mia)).toMatchObject(refusal);
    expect(await call(few.key, "POST", members, { ...mia, role: "viewer" })).toMatchObject(refusal);
    const reader = await gateway.merchant({ scopes: ["payout:read"] });
    expect(await call(reader.key, "GET", members)).toMatchObject(refusal);
  });
});

describe("a key with networks or an end", () => {
  const limits = [{ source_cidrs: ["127.0.0.1"] }, { expires_at: "2099-12-31T00:00:00.000Z" }];
  it.each(limits)("such as %j adds no member, who would not have them", async (limit) => {
    const scopes = [...everyScope];
    const { data } = await call(acme.key, "POST", keys, { scopes, ...limit });
    const { secret = "" } = data;
    const refusal = { status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "key_limited" } };
    const fred = { ...mia, email: `${crypto.randomUUID()}@acme.example`, role: "viewer" };
    expect(await call(secret, "POST", members, fred)).toMatchObject(refusal);
    const path = `${members}/${(await call(acme.key, "POST", members, fred)).data.id}`;
    expect(await call(secret, "PATCH", path, { role: "maker" })).toMatchObject(refusal);
    expect((await call(secret, "DELETE", path)).data).toMatchObject({ state: "removed" });
  });
});

describe("a merchant's keys", () => {
  it("are created with their scopes, listed, and revoked at once", async () => {
    const wish = {
      description: "Payroll server",
      scopes: ["payout:read"],
      source_cidrs: ["127.0.0.1", "10.0.0.0/8"],
      expires_at: "2099-12-31T00:00:00.000Z",
    };
    const created = await call(acme.key, "POST", keys, wish);
    expect(created).toMatchObject({ status: 200, data: { ...wish, revoked_at: "" } });
    const { secret = "", ...shown } = created.data;
    expect(secret).toMatch(/^dsb_test_/);
    const listed = await call(acme.key, "GET", keys);
    expect(listed.data.keys).toContainEqual(shown);
    expect(JSON.stringify(listed.json)).not.toContain(secret);
    gateway.fakes.payout.listPayouts = () => ({ payouts: [] });
    expect((await call(secret, "GET", "/api/v1/transfer/payouts")).status).toBe(200);
    expect((await call(secret, "GET", keys)).status).toBe(403);
    expect((await call(globex.key, "DELETE", `${keys}/${shown.id}`)).status).toBe(404);
    const revoked = await call(acme.key, "DELETE", `${keys}/${shown.id}`);
    expect(revoked.data).toMatchObject({ id: shown.id, revoked_at: times });
    expect((await call(secret, "GET", "/api/v1/transfer/payouts")).status).toBe(401);
  });

  it("have no scope that their maker does not have", async () => {
    const few = await gateway.merchant({ scopes: ["key:write", "payout:read"] });
    const created = await call(few.key, "POST", keys, { scopes: ["payout:read"] });
    expect(created.status).toBe(200);
    for (const scopes of [["payout:write"], ["payout:read", "team:write"]]) {
      expect(await call(few.key, "POST", keys, { scopes })).toMatchObject({
        ...{ status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "scope_missing" } },
      });
    }
  });

  it.each([
    [{}, "scopes: is required"],
    [{ scopes: [] }, "scopes: must be an array of 1 to 50 different scopes"],
    [{ scopes: ["payout:all"] }, "scopes: must be of beneficiary:read, "],
    [{ scopes: ["payout:read"], expires_at: "2020-01-01" }, "expires_at: must be in the future"],
    [{ scopes: ["payout:read"], source_cidrs: ["10.0.0.0/64"] }, "source_cidrs: must be "],
  ])("are refused as %j", async (body, message) => {
    const { status, json } = await call(acme.key, "POST", keys, body);
    expect([status, json.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(json.message).toContain(message);
  });

  it("of an operator are still created only by the operators' RPC", async () => {
    const refused = await gateway.keys
      .createKey({ mutation: mutation(), merchantId: "acme" })
      .catch(readRefusal);
    expect(refused).toMatchObject({ code: "INVALID_REQUEST" });
  });
});

it.each([
  ["members", members, (at: number) => ({ ...mia, email: `mia-${at}@acme.example` })],
  ["keys", keys, () => ({ scopes: ["payout:read"] })],
])("%s are listed in pages", async (name, path, bodyOf) => {
  const { key } = await gateway.merchant();
  for (const at of [1, 2, 3]) await call(key, "POST", path, bodyOf(at));
  const page = async (query: string) => {
    const { data } = await call(key, "GET", `${path}?${query}`);
    const { [name]: records, meta_data } = data as unknown as Record<string, { id: string }[]> & {
      meta_data: { total_count: number; next_cursor: string };
    };
    return { ids: (records ?? []).map(({ id }) => id), ...meta_data };
  };
  const whole = await page("");
  expect(whole).toMatchObject({ total_count: whole.ids.length, next_cursor: "" });
  const first = await page("limit=2");
  const second = await page(`limit=2&cursor=${first.next_cursor}`);
  expect([...first.ids, ...second.ids]).toEqual(whole.ids);
  expect([first.total_count, first.ids.length]).toEqual([whole.ids.length, 2]);
});
