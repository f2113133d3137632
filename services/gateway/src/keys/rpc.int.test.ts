import { randomBytes } from "node:crypto";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { KeySchema } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { Binary } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mutation, startTestGateway, type TestGateway } from "../test-gateway.ts";
import { makeKey } from "./rules/api-key.ts";
import { everyScope } from "./rules/key.ts";

const metrics = createMetrics("gateway");
let gateway: TestGateway;
const path = "/api/v1/transfer/accounts";

beforeAll(async () => {
  gateway = await startTestGateway({ metrics });
  gateway.fakes.payout.listAccounts = () => ({ accounts: [] });
});
afterAll(() => gateway.stop());

const works = async (key: string) => (await gateway.ask({ path, key })).status === 200;
const later = (ms: number) => timestampFromDate(new Date(gateway.time.nowMs + ms));
const refusalOf = async (call: Promise<unknown>) =>
  readRefusal(await call.catch((error: unknown) => error));
const dayMs = 24 * 60 * 60 * 1_000;

it("is stored and shown whole through its life", async () => {
  const stored = (id: string) =>
    gateway.db.collection<{ _id: string }>("api_keys").findOne({ _id: id });
  const now = new Date(gateway.time.nowMs);
  const ms = (more: number) => new Date(now.getTime() + more);
  const merchantId = newId("merchant");
  const [making, rotating, revoking] = [mutation(), mutation(), mutation()];
  const actor = { kind: "operator", id: "olga" };
  const wish = { scopes: ["account:read"], sourceCidrs: ["127.0.0.1"], description: "till" };
  const request = { mutation: making, merchantId, ...wish, expiresAt: later(dayMs) };
  const first = (await gateway.keys.createKey(request)).key!;
  const document = {
    ...{ _id: first.id, schema_version: 1, merchant_id: merchantId, mode: "sandbox" },
    ...{
      digest: expect.any(Binary),
      pepper: "p1",
      scopes: ["account:read"],
      source_cidrs: ["127.0.0.1"],
    },
    ...{ description: "till", expires_at: ms(dayMs), overlap_ends_at: null, revoked_at: null },
    ...{ created_at: now, created_by: actor, root: first.id, follows: null },
    only_try: expect.any(String),
    operation: {
      ...{ id: making.operationId, sealed_secret: expect.any(String), secret_until: ms(dayMs) },
    },
  };
  expect(await stored(first.id)).toEqual(document);
  const shown = {
    ...{ id: first.id, merchantId, ...wish, createdAt: "2026-11-20T12:00:00Z" },
    rootId: first.id,
    expiresAt: "2026-11-21T12:00:00Z",
  };
  expect(now.toISOString()).toBe("2026-11-20T12:00:00.000Z");
  expect(toJson(KeySchema, first)).toEqual(shown);
  gateway.time.nowMs += 1_000;
  const rotation = { mutation: rotating, keyId: first.id, overlapSeconds: 60 };
  const second = (await gateway.keys.rotateKey(rotation)).key!;
  expect(await stored(first.id)).toEqual({ ...document, overlap_ends_at: ms(61_000) });
  expect(await stored(second.id)).toEqual({
    ...{ ...document, _id: second.id, created_at: ms(1_000) },
    follows: { key_id: first.id, overlap_seconds: 60 },
    only_try: undefined,
    operation: {
      ...{ id: rotating.operationId, sealed_secret: expect.any(String) },
      secret_until: ms(1_000 + dayMs),
    },
  });
  expect(toJson(KeySchema, second)).toEqual({
    ...{ ...shown, id: second.id, createdAt: "2026-11-20T12:00:01Z" },
  });
  const revoked = await gateway.keys.revokeKey({ mutation: revoking, keyId: first.id });
  expect(await stored(first.id)).toEqual({
    ...{ ...document, overlap_ends_at: ms(61_000), revoked_at: ms(1_000) },
    revoked_by: { ...actor, operation_id: revoking.operationId },
    stop: {
      ...{ orders: "hold", at: ms(1_000), actor, operation_id: revoking.operationId },
      due_at: ms(31_000),
    },
  });
  expect(toJson(KeySchema, revoked.key!)).toEqual({
    ...{ ...shown, expiresAt: "2026-11-20T12:01:01Z", revokedAt: "2026-11-20T12:00:01Z" },
  });
});

it("makes a key that works, and stores only its digest", async () => {
  const merchantId = newId("merchant");
  const wish = { scopes: ["account:read"], sourceCidrs: ["127.0.0.1"], description: "till" };
  const request = { mutation: mutation(), merchantId, ...wish, expiresAt: later(dayMs) };
  const { key, secret } = await gateway.keys.createKey(request);
  expect(secret).toMatch(/^dsb_test_[0-9A-Za-z]{57}$/);
  expect(key).toMatchObject({ id: secret.slice(9, 17), merchantId, ...wish });
  expect(key?.expiresAt).toEqual(request.expiresAt);
  expect(await works(secret)).toBe(true);
  const stored = await gateway.db.collection("api_keys").find().toArray();
  expect(JSON.stringify(stored)).not.toContain(secret.slice(17, 40));
});

it("answers a repeat with the first key, for a day", async () => {
  const request = { mutation: mutation(), merchantId: newId("merchant") };
  const all = await Promise.all([1, 2, 3].map(() => gateway.keys.createKey(request)));
  expect(new Set(all.map(({ secret }) => secret)).size).toBe(1);
  const [first] = all;
  expect(first?.key?.scopes).toEqual(everyScope);
  gateway.time.nowMs += dayMs - 1;
  await gateway.gateway.sweep();
  expect(await gateway.keys.createKey(request)).toEqual(first);
  gateway.time.nowMs += 1;
  const refusal = await refusalOf(gateway.keys.createKey(request));
  expect(refusal?.message).toContain("can no longer be shown");
  await gateway.gateway.sweep();
  const sealed = { "operation.sealed_secret": { $ne: null } };
  expect(await gateway.db.collection("api_keys").countDocuments(sealed)).toBe(0);
  expect(await works(first?.secret ?? "")).toBe(true);
});

it("returns the first key to a repeat, even if it could not be created any more", async () => {
  const expiresAt = later(1_000);
  const request = { mutation: mutation(), merchantId: newId("merchant"), expiresAt };
  const first = await gateway.keys.createKey(request);
  gateway.time.nowMs += 1_000;
  expect(await gateway.keys.createKey(request)).toEqual(first);
});

it("shows no key to an operation that comes again with other content", async () => {
  const request = { mutation: mutation(), merchantId: newId("merchant") };
  const { secret, key } = await gateway.keys.createKey(request);
  const mine = { mutation: mutation(), keyId: key?.id ?? "", overlapSeconds: 60 };
  await gateway.keys.rotateKey(mine);
  const { keyId } = await gateway.merchant();
  const revoke = { mutation: mutation(), keyId };
  await gateway.keys.revokeKey(revoke);
  const others = [
    gateway.keys.createKey({ ...request, merchantId: newId("merchant") }),
    gateway.keys.createKey({ ...request, description: "another wish" }),
    gateway.keys.rotateKey({ ...mine, overlapSeconds: 0 }),
    gateway.keys.rotateKey({ ...mine, mutation: request.mutation }),
    gateway.keys.revokeKey({ ...revoke, keyId: mine.keyId }),
  ];
  const otherContent = {
    code: "INVALID_REQUEST",
    message: "operation_id: was used with other content",
  };
  expect(await Promise.all(others.map(refusalOf))).toEqual(others.map(() => otherContent));
  expect(await works(secret)).toBe(true);
});

it("rotates a key: both work for the overlap, then only the new one", async () => {
  const wish = { scopes: ["account:read"], sourceCidrs: ["127.0.0.1"], expiresAt: later(dayMs) };
  const old = await gateway.merchant(wish);
  const request = { mutation: mutation(), keyId: old.keyId, overlapSeconds: 60 };
  const rotated = await gateway.keys.rotateKey(request);
  expect(await gateway.keys.rotateKey(request)).toEqual(rotated);
  expect(rotated.key).toMatchObject({ merchantId: old.merchantId, ...wish });
  expect([await works(old.key), await works(rotated.secret)]).toEqual([true, true]);
  gateway.time.nowMs += 60_000;
  expect([await works(old.key), await works(rotated.secret)]).toEqual([false, true]);
  expect(await gateway.keys.rotateKey(request)).toEqual(rotated);
  const again = { ...request, mutation: mutation() };
  expect((await refusalOf(gateway.keys.rotateKey(again)))?.code).toBe("RECORD_NOT_FOUND");
});

it("expires the old key at once without overlap; finishes a broken rotation", async () => {
  const old = await gateway.merchant();
  expect(await works(old.key)).toBe(true);
  const request = { mutation: mutation(), keyId: old.keyId, overlapSeconds: 0 };
  const rotated = await gateway.keys.rotateKey(request);
  expect(await works(old.key)).toBe(false);
  await gateway.db
    .collection<{ _id: string }>("api_keys")
    .updateOne({ _id: old.keyId }, { $set: { overlap_ends_at: null } });
  gateway.time.nowMs += 5_000;
  expect(await works(old.key)).toBe(true);
  expect(await gateway.keys.rotateKey(request)).toEqual(rotated);
  expect(await works(old.key)).toBe(false);
});

it("lets the old key work for a day where no overlap is named", async () => {
  const old = await gateway.merchant();
  const rotated = await gateway.keys.rotateKey({ mutation: mutation(), keyId: old.keyId });
  gateway.time.nowMs += 86_400_000 - 1;
  expect([await works(old.key), await works(rotated.secret)]).toEqual([true, true]);
  gateway.time.nowMs += 1;
  expect([await works(old.key), await works(rotated.secret)]).toEqual([false, true]);
});

it("does not lengthen an overlap by rotating again", async () => {
  const old = await gateway.merchant();
  await gateway.keys.rotateKey({ mutation: mutation(), keyId: old.keyId, overlapSeconds: 10 });
  const more = { mutation: mutation(), keyId: old.keyId, overlapSeconds: 1_000 };
  const second = await gateway.keys.rotateKey(more);
  expect(second.key?.expiresAt).toBeUndefined();
  gateway.time.nowMs += 10_000;
  expect(await works(old.key)).toBe(false);
});

it("expires a key at its own expiry if its overlap would last longer", async () => {
  const { key, keyId, merchantId } = await gateway.merchant({ expiresAt: later(10_000) });
  await gateway.keys.rotateKey({ mutation: mutation(), keyId, overlapSeconds: 60 });
  const { keys } = await gateway.keys.listKeys({ merchantId });
  expect(keys.find(({ id }) => id === keyId)?.expiresAt).toEqual(later(10_000));
  gateway.time.nowMs += 10_000;
  expect(await works(key)).toBe(false);
});

it("revokes a key permanently, once", async () => {
  const { key, keyId } = await gateway.merchant();
  expect(await works(key)).toBe(true);
  const first = await gateway.keys.revokeKey({ mutation: mutation(), keyId });
  expect(await works(key)).toBe(false);
  expect(timestampDate(first.key!.revokedAt!).getTime()).toBe(gateway.time.nowMs);
  gateway.time.nowMs += 1_000;
  const second = await gateway.keys.revokeKey({ mutation: mutation(), keyId });
  expect(second).toEqual(first);
  expect(await works(key)).toBe(false);
  const rotate = { mutation: mutation(), keyId, overlapSeconds: 0 };
  expect((await refusalOf(gateway.keys.rotateKey(rotate)))?.code).toBe("RECORD_NOT_FOUND");
});

it("lists a merchant's keys, oldest first and of one time by id, without their secrets", async () => {
  const merchantId = newId("merchant");
  const created: string[] = [];
  for (const _time of ["earlier", "later"]) {
    const calls = Array.from({ length: 4 }, () =>
      gateway.keys.createKey({ mutation: mutation(), merchantId }),
    );
    const ids = (await Promise.all(calls)).map(({ key }) => key?.id ?? "");
    created.push(...ids.toSorted());
    gateway.time.nowMs += 1;
  }
  const last = await gateway.keys.createKey({ mutation: mutation(), merchantId });
  const { keys } = await gateway.keys.listKeys({ merchantId });
  expect(keys.map(({ id }) => id)).toEqual([...created, last.key?.id]);
  expect(keys.at(-1)).toEqual(last.key);
  expect((await gateway.keys.listKeys({ merchantId: newId("merchant") })).keys).toEqual([]);
});

it("remembers for a minute that a key is not there", async () => {
  const { text } = makeKey("sandbox", randomBytes);
  const read = async (result: string) => {
    const line = new RegExp(
      `^disburse_cache_reads_total{cache="api_keys",result="${result}".*} (.*)$`,
      "m",
    );
    return Number(line.exec(await metrics.text())?.[1] ?? 0);
  };
  const reads = async () => {
    const before = [await read("hit"), await read("miss")] as const;
    expect(await works(text)).toBe(false);
    return [(await read("hit")) - before[0], (await read("miss")) - before[1]];
  };
  expect(await reads()).toEqual([0, 1]);
  gateway.time.nowMs += 60_000;
  expect(await reads()).toEqual([1, 0]);
  gateway.time.nowMs += 1;
  expect(await reads()).toEqual([0, 1]);
});

it("refuses invalid requests", async () => {
  const { keyId } = await gateway.merchant();
  const created = { mutation: mutation(), merchantId: newId("merchant") };
  await gateway.keys.createKey(created);
  const wrong = { mutation: mutation(), merchantId: "acme", scopes: ["all"] };
  expect((await refusalOf(gateway.keys.createKey(wrong)))?.message).toMatch(
    /^merchant_id: must be a merchant's id; scopes: must be of beneficiary:read, /,
  );
  const unknown = { mutation: mutation(), keyId: "00000000" };
  const refusals = await Promise.all([
    refusalOf(gateway.keys.revokeKey(unknown)),
    refusalOf(gateway.keys.rotateKey({ ...unknown, overlapSeconds: 0 })),
    refusalOf(gateway.keys.rotateKey({ mutation: mutation(), keyId, overlapSeconds: -1 })),
    refusalOf(gateway.keys.rotateKey({ mutation: created.mutation, keyId, overlapSeconds: 0 })),
  ]);
  expect(refusals.map((refusal) => refusal?.code)).toEqual([
    "RECORD_NOT_FOUND",
    "RECORD_NOT_FOUND",
    "INVALID_REQUEST",
    "INVALID_REQUEST",
  ]);
  const anonymous = gateway.keys.createKey({ merchantId: newId("merchant") });
  await expect(anonymous).rejects.toMatchObject({ code: Code.InvalidArgument });
});

it("creates a read-only live key for a year; its rotation lasts a year more", async () => {
  const live = await startTestGateway({ mode: "live" });
  try {
    const year = 365 * dayMs;
    // A person needs a second person for a live key that can pay.
    const alone = () => ({ operationId: crypto.randomUUID() });
    const alive = { merchantId: newId("merchant"), scopes: ["payout:write"] };
    const byPerson = live.keys.createKey({ mutation: mutation(), ...alive });
    expect(await byPerson.then(() => undefined, readRefusal)).toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    const end = (ms: number) => timestampFromDate(new Date(live.time.nowMs + ms));
    const created = async (wish: object = {}) => {
      const request = { mutation: alone(), merchantId: newId("merchant"), ...wish };
      return (await live.keys.createKey(request)).key!;
    };
    const rotated = async (keyId: string) =>
      (await live.keys.rotateKey({ mutation: alone(), keyId, overlapSeconds: 60 })).key!;
    const plain = await created();
    expect(plain).toMatchObject({ scopes: readingScopes, expiresAt: end(year) });
    const wish = { scopes: ["payout:write"], expiresAt: end(30 * dayMs) };
    const chosen = await created(wish);
    expect(chosen).toMatchObject(wish);
    live.time.nowMs += dayMs;
    const next = await rotated(plain.id);
    expect(next).toMatchObject({ scopes: readingScopes, expiresAt: end(year) });
    expect(await rotated(next.id)).toMatchObject({ expiresAt: end(year) });
    expect(await rotated(chosen.id)).toMatchObject(wish);
  } finally {
    await live.stop();
  }
});

const readingScopes = everyScope.filter((each) => /^(?!team|key|merchant).*:read$/.test(each));

it("are at most 100 of a merchant that work, however many are created at once", async () => {
  const merchantId = newId("merchant");
  const create = () => gateway.keys.createKey({ mutation: mutation(), merchantId });
  const created = await Promise.all(Array.from({ length: 98 }, create));
  const ended = await Promise.allSettled(Array.from({ length: 10 }, create));
  expect(ended.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(2);
  for (let at = 0; at < 2; at += 1) await create().catch(() => undefined);
  const { keys, totalCount } = await gateway.keys.listKeys({ merchantId, limit: 100 });
  expect([keys.length, totalCount]).toEqual([100, 100n]);
  const full = { code: "INVALID_REQUEST", message: "There can be at most 100 API keys." };
  expect(await refusalOf(create())).toMatchObject(full);
  // A rotation is never refused, and an expired or revoked key does not count.
  const keyId = created[0]?.key?.id ?? "";
  const rotation = { mutation: mutation(), keyId, overlapSeconds: 0 };
  expect((await gateway.keys.rotateKey(rotation)).secret).not.toBe("");
  expect(await refusalOf(create())).toMatchObject(full);
  await gateway.keys.revokeKey({ mutation: mutation(), keyId: created[1]?.key?.id ?? "" });
  expect((await create()).secret).not.toBe("");
});

it("of a merchant's own is shown once: its text is not stored for a repeat", async () => {
  const { merchantId, keyId } = await gateway.merchant();
  const by = {
    operationId: crypto.randomUUID(),
    actor: { kind: Actor_Kind.API_KEY, id: keyId, root: keyId },
  };
  const wish = { mutation: by, merchantId, scopes: ["payout:read"] };
  const first = await gateway.keys.createKey(wish);
  expect(await works(first.secret)).toBe(false);
  expect(first.key?.rootId).toBe(keyId);
  const again = await gateway.keys.createKey(wish);
  expect(again).toMatchObject({ key: { id: first.key?.id }, secret: "" });
  const stored = await gateway.db
    .collection<{ _id: string; operation: object }>("api_keys")
    .findOne({ _id: first.key?.id ?? "" });
  expect(stored?.operation).toMatchObject({ sealed_secret: null });
});
