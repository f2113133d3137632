import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { MemberRole, TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import type { StopOrdersRequest } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KeyDocument } from "../keys/store.ts";
import { mutation, startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let acme: { merchantId: string; key: string; keyId: string };
let stops: Pick<StopOrdersRequest, "actorId" | "orders" | "createdIds">[] = [];
let paused: string[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  acme = await gateway.merchant();
  [stops, paused] = [[], []];
  answering();
  gateway.fakes.notifier.pauseEndpoint = ({ endpointId }) => {
    paused.push(endpointId);
    return {};
  };
  gateway.fakes.notifier.listEndpoints = () => ({ endpoints: [] });
});

function answering(): void {
  gateway.fakes.orders.stopOrders = ({ actorId, orders, createdIds }) => {
    stops.push({ actorId, orders, createdIds: [...createdIds] });
    return { scheduledPayouts: { count: 2n, ids: ["spo_1", "spo_2"] }, batches: { count: 0n } };
  };
}

const away = () => {
  gateway.fakes.orders.stopOrders = () => {
    throw new ConnectError("away", Code.Unavailable);
  };
};

const revoke = (keyId: string, orders?: RevokedOrders, by = mutation()) =>
  gateway.keys.revokeKey({ mutation: by, keyId, ...(orders !== undefined && { orders }) });
const childOf = async (key: string): Promise<string> => {
  const scopes = ["key:write", "payout:write"];
  const body = JSON.stringify({ scopes });
  const { json } = await gateway.ask({ method: "POST", path: "/api/v1/keys", key, body });
  const { id, secret } = json.data as { id: string; secret: string };
  secrets.set(id, secret);
  return id;
};
const secrets = new Map<string, string>();
const secretOf = (id: string) => secrets.get(id) ?? "";
const keys = () => gateway.db.collection<KeyDocument>("api_keys");
const stored = (id: string) => keys().findOne({ _id: id });
const isRevoked = async (id: string) => (await stored(id))?.revoked_at !== null;
/** Stops of acme's key. The sweep also carries out those of other tests. */
const own = () => stops.filter(({ actorId }) => actorId === acme.keyId);
const { HOLD, KEEP, CANCEL } = RevokedOrders;

describe("a revoked key", () => {
  it("holds its orders, and returns what it ordered and created", async () => {
    const child = await childOf(acme.key);
    const createdBy = { kind: Actor_Kind.API_KEY, id: child };
    const endpoints = [{ id: "whe_1", createdBy }, { id: "whe_2" }];
    gateway.fakes.notifier.listEndpoints = () => ({ endpoints });
    const { key, revocation } = await revoke(acme.keyId);
    expect(key?.revokedAt).toBeDefined();
    expect(stops).toEqual([{ actorId: acme.keyId, orders: HOLD, createdIds: [child] }]);
    expect(revocation).toMatchObject({
      orders: HOLD,
      scheduledPayouts: { count: 2n, ids: ["spo_1", "spo_2"] },
      ...{ batches: { count: 0n, ids: [] }, keys: { count: 1n, ids: [child] } },
      ...{ endpoints: { count: 1n, ids: ["whe_1"] }, members: { count: 0n } },
    });
    expect([await isRevoked(child), paused]).toEqual([false, []]);
  });

  it("has the keys that it created revoked, and the endpoints paused, with cancel", async () => {
    const child = await childOf(acme.key);
    const grandchild = await childOf(secretOf(child));
    // An order of a key that has since expired may also be the attacker's.
    await keys().updateOne({ _id: grandchild }, { $set: { expires_at: new Date(0) } });
    const createdBy = { kind: Actor_Kind.API_KEY, id: grandchild };
    gateway.fakes.notifier.listEndpoints = () => ({ endpoints: [{ id: "whe_1", createdBy }] });
    const { revocation } = await revoke(acme.keyId, CANCEL);
    const createdIds = revocation?.keys?.ids;
    expect(createdIds?.toSorted()).toEqual([child, grandchild].toSorted());
    expect(stops[0]).toEqual({ actorId: acme.keyId, orders: CANCEL, createdIds });
    expect([await isRevoked(child), await isRevoked(grandchild), paused]).toEqual([
      ...[true, true, ["whe_1"]],
    ]);
    const answer = await gateway.ask({ path: "/api/v1/keys", key: secretOf(child) });
    expect(answer.status).toBe(401);
  });

  it("is refused at once where the payout service is away; the sweep carries on", async () => {
    away();
    await expect(revoke(acme.keyId)).rejects.toThrow("away");
    expect((await gateway.ask({ path: "/api/v1/keys", key: acme.key })).status).toBe(401);
    await gateway.gateway.sweepRevocations();
    answering();
    await gateway.gateway.sweepRevocations();
    expect(own()).toEqual([]);
    gateway.time.nowMs += 5_000;
    await gateway.gateway.sweepRevocations();
    expect(own()).toHaveLength(1);
  });

  it("is carried out once more when no request of it can run, and then no more", async () => {
    await revoke(acme.keyId);
    await gateway.gateway.sweepRevocations();
    expect(own()).toHaveLength(1);
    gateway.time.nowMs += 30_000;
    await gateway.gateway.sweepRevocations();
    await gateway.gateway.sweepRevocations();
    expect(own()).toHaveLength(2);
    expect((await stored(acme.keyId))?.stop).not.toHaveProperty("due_at");
  });

  it("can be revoked again more strictly, never more laxly", async () => {
    for (const [requested, carriedOut] of [
      ...([[KEEP, KEEP] as const, [HOLD, HOLD] as const, [KEEP, HOLD] as const] as const),
      ...([[CANCEL, CANCEL] as const, [HOLD, CANCEL] as const] as const),
    ]) {
      const { revocation } = await revoke(acme.keyId, requested);
      expect([revocation?.orders, stops.at(-1)?.orders]).toEqual([carriedOut, carriedOut]);
    }
  });

  it("can be revoked when it has expired; expiry alone stops nothing", async () => {
    await keys().updateOne({ _id: acme.keyId }, { $set: { expires_at: new Date(0) } });
    await gateway.gateway.sweepRevocations();
    expect(own()).toEqual([]);
    await revoke(acme.keyId);
    expect(own()).toHaveLength(1);
  });

  it("creates no key by a request that was admitted before", async () => {
    await revoke(acme.keyId);
    const actor = { kind: Actor_Kind.API_KEY, id: acme.keyId };
    const by = { operationId: crypto.randomUUID(), actor };
    const created = gateway.keys.createKey({ mutation: by, merchantId: acme.merchantId });
    const refusal = await created.catch(readRefusal);
    expect(refusal).toMatchObject({ code: "ACCESS_FORBIDDEN" });
  });

  it("is revoked by the merchant, who chooses what happens to its orders", async () => {
    const child = await childOf(acme.key);
    const path = `/api/v1/keys/${child}`;
    const bad = await gateway.ask({ method: "DELETE", path: `${path}?orders=drop`, key: acme.key });
    expect([bad.status, bad.json.message]).toEqual([
      400,
      "orders: must be one of hold, keep, cancel",
    ]);
    expect(await isRevoked(child)).toBe(false);
    const kept = await gateway.ask({
      method: "DELETE",
      path: `${path}?orders=keep`,
      key: acme.key,
    });
    expect(kept.json.data).toMatchObject({
      id: child,
      revocation: { orders: "keep", scheduled_payouts: { count: 2, ids: ["spo_1", "spo_2"] } },
    });
    expect(stops).toEqual([{ actorId: child, orders: KEEP, createdIds: [] }]);
  });
});

describe("a removed member", () => {
  const team = () =>
    createClient(
      TeamService,
      createRouterTransport(
        (router) => router.service(TeamService, gateway.gateway.teamService),
        namedCallers,
      ),
    );

  it("holds the member's orders; cancel also revokes the member's keys", async () => {
    const merchantId = newId("merchant");
    const add = async (name: string) => {
      const person = { name, email: `${name}@acme.example`, role: MemberRole.MAKER };
      const created = await team().addMember({ mutation: mutation(), merchantId, ...person });
      return created.member?.id ?? "";
    };
    const memberId = await add("mia");
    const { key } = await gateway.keys.createKey({ mutation: mutation(), merchantId });
    const keyId = key?.id ?? "";
    await keys().updateOne(
      { _id: keyId },
      { $set: { created_by: { kind: "member", id: memberId } } },
    );
    const remove = (orders?: RevokedOrders) =>
      team().removeMember({
        ...{ mutation: mutation(), merchantId, memberId },
        ...(orders !== undefined && { orders }),
      });
    const { revocation } = await remove();
    expect(revocation).toMatchObject({ orders: HOLD, keys: { count: 1n, ids: [keyId] } });
    expect(stops).toEqual([{ actorId: memberId, orders: HOLD, createdIds: [keyId] }]);
    expect(await isRevoked(keyId)).toBe(false);
    await remove(CANCEL);
    expect(stops.at(-1)).toEqual({ actorId: memberId, orders: CANCEL, createdIds: [keyId] });
    expect(await isRevoked(keyId)).toBe(true);
  });
});
