import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  CorridorRailSchema,
  CorridorSchema,
  QuoteService,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { Decimal128 } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { openCurrentCorridors } from "./current.ts";
import { rateHistoryRpc } from "./rate-history.ts";
import { corridorsRpc } from "./rpc.ts";
import { openCorridors } from "./store.ts";

let database: Database;
let rpc: ReturnType<typeof createClient<typeof QuoteService>>;
const now = new Date("2026-01-01T00:00:00Z");
const requested: (readonly string[])[] = [];
const unpayable = new Set<string>();

beforeAll(async () => {
  database = await migratedDatabase("corridor", migrations);
  const corridors = openCorridors(database);
  const ofCorridors = corridorsRpc({
    corridors,
    current: openCurrentCorridors(corridors),
    isPayable: async (currency) => !unpayable.has(currency),
    railsTo: async (currencies) => {
      requested.push(currencies);
      return new Map([["INR", [create(CorridorRailSchema, { rail: "bank" })]]]);
    },
    clock: { now: () => now },
  });
  const handlers = { ...ofCorridors, ...rateHistoryRpc(corridors) };
  rpc = createClient(
    QuoteService,
    createRouterTransport(({ service }) => void service(QuoteService, handlers), namedCallers),
  );
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

let operations = 0;
const mutation = () => ({ operationId: `op-${++operations}` });

/** No fees, no limits, and the service's default lifetimes. */
const plain = {
  ...{ active: false, feeShare: "0", feeFlat: "0", limits: {}, quoteTtlSeconds: 0 },
  ...{ rateMaxAgeSeconds: 0, returnCharges: ReturnCharges.PLATFORM },
};

it("requires every term: a missing term means neither zero nor no bound", async () => {
  const pair = { sourceCurrencyCode: "EUR", destinationCurrencyCode: "USD" };
  for (const [name, field] of [
    ["active", "active"],
    ["feeShare", "fee_share"],
    ["feeFlat", "fee_flat"],
    ["limits", "limits"],
    ["quoteTtlSeconds", "quote_ttl_seconds"],
    ["rateMaxAgeSeconds", "rate_max_age_seconds"],
    ["returnCharges", "return_charges"],
  ] as const) {
    const { [name]: _left, ...corridor } = plain;
    const call = rpc.setCorridor({ mutation: mutation(), corridor: { ...pair, ...corridor } });
    await expect(call).rejects.toThrow(`${field}: is required`);
  }
  expect(
    await rpc.setCorridor({ mutation: mutation(), corridor: { ...plain, ...pair } }),
  ).toBeDefined();
});

function set(source: string, feeShare: string) {
  const corridor = { sourceCurrencyCode: source, destinationCurrencyCode: "USD", active: true };
  return rpc.setCorridor({ mutation: mutation(), corridor: { ...plain, ...corridor, feeShare } });
}

it("opens no corridor to a currency that no rail pays, and closes one", async () => {
  const corridor = { sourceCurrencyCode: "BTC", destinationCurrencyCode: "BTC" };
  const change = (active: boolean) =>
    rpc.setCorridor({ mutation: mutation(), corridor: { ...plain, ...corridor, active } });
  const open = (corridorId: string, isOpen: boolean) =>
    rpc.setMerchantCorridor({
      ...{ mutation: mutation(), merchantId: "mer_1", corridorId, open: isOpen },
    });
  const refusal = "destination_currency_code: no configured rail supports BTC";
  unpayable.add("BTC");
  await expect(change(true)).rejects.toThrow(refusal);
  const { corridor: closed } = await change(false);
  await expect(open(closed?.id ?? "", true)).rejects.toThrow(refusal);
  await open(closed?.id ?? "", false);
  unpayable.delete("BTC");
  await change(true);
  await open(closed?.id ?? "", true);
});

it("lists every rate of a corridor once, the latest first, in pages and within a span", async () => {
  const make = async (source: string) => {
    const corridor = { ...plain, sourceCurrencyCode: source, destinationCurrencyCode: "EUR" };
    return (await rpc.setCorridor({ mutation: mutation(), corridor })).corridor?.id ?? "";
  };
  const corridorId = await make("SOL");
  const hour = (at: number) => timestampFromDate(new Date(now.getTime() - at * 3_600_000));
  // Two rates have the same time, and one arrives late.
  for (const [rate, at] of [
    ["1.1", 3],
    ["1.2", 2],
    ["1.3", 2],
    ["1.05", 4],
  ] as const) {
    await rpc.setRate({
      ...{ mutation: mutation(), corridorId, rate: { rate, asOf: hour(at), source: "desk" } },
    });
  }
  const foreign = { rate: "9", asOf: hour(1), source: "desk" };
  await rpc.setRate({ mutation: mutation(), corridorId: await make("ETH"), rate: foreign });
  const listed: string[] = [];
  let cursor = "";
  do {
    const page = await rpc.listRates({ corridorId, limit: 1, cursor });
    listed.push(...page.rates.map(({ rate }) => rate?.rate ?? ""));
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(listed.toSorted()).toEqual(["1.05", "1.1", "1.2", "1.3"]);
  expect(listed.slice(2)).toEqual(["1.1", "1.05"]);
  const within = await rpc.listRates({ corridorId, from: hour(3), to: hour(2) });
  expect(within.corridor).toMatchObject({ id: corridorId, sourceCurrencyCode: "SOL" });
  expect(within.rates).toMatchObject([
    {
      rate: { rate: "1.1", source: "desk" },
      setBy: { kind: Actor_Kind.SERVICE, id: "test" },
      approvedBy: "",
    },
  ]);
  const codeOf = (request: object) =>
    rpc.listRates(request).catch((error: unknown) => readRefusal(error)?.code);
  expect(await codeOf({ corridorId: "cor_none" })).toBe("RECORD_NOT_FOUND");
  expect(await codeOf({ corridorId, limit: 101 })).toBe("INVALID_REQUEST");
  expect(await codeOf({ corridorId, cursor: "x" })).toBe("INVALID_REQUEST");
});

it("loses no change when several operations change a corridor at once", async () => {
  const sources = ["USD", "BTC", "ETH", "SOL", "INR"];
  for (const source of sources) {
    await Promise.all(["0.01", "0.02", "0.03", "0.04"].map((share) => set(source, share)));
  }
  const pairs = { source: { $in: sources }, destination: "USD" };
  const stored = await database.db.collection("corridors").find(pairs).toArray();
  expect(stored.map(({ operations: made }) => made.length)).toEqual([4, 4, 4, 4, 4]);
});

it("lists corridors without their openings, by the index of pairs", async () => {
  const corridorId = (await set("USDT_TRON", "0")).corridor?.id ?? "";
  const before = await rpc.listCorridors({ limit: 100 });
  for (const merchantId of ["mer_2", "mer_3"]) {
    await rpc.setMerchantCorridor({ mutation: mutation(), merchantId, corridorId, open: true });
  }
  const after = await rpc.listCorridors({ limit: 100 });
  expect(after).toEqual(before);
  const { corridors } = await rpc.listCorridors({ merchantId: "mer_2" });
  expect(corridors.map(({ id }) => id)).toEqual([corridorId]);
  // An opening's id has the form of a corridor id but names no corridor.
  const opening = { corridorId: `mer_2:${corridorId}`, merchantId: "mer_2", open: true };
  expect(await refusalOf(rpc.setMerchantCorridor({ mutation: mutation(), ...opening }))).toBe(
    "RECORD_NOT_FOUND",
  );
  const pairs = database.db.collection("corridors").find({ source: { $exists: true } });
  const plan = JSON.stringify(await pairs.sort({ source: 1, destination: 1 }).explain());
  expect(plan).toContain('"pair"');
  expect(plan).not.toContain("COLLSCAN");
});

it("loses no change of a corridor's openings", async () => {
  const corridorId = (await set("USDC", "0")).corridor?.id ?? "";
  const change = (open: boolean) =>
    rpc.setMerchantCorridor({ mutation: mutation(), merchantId: "mer_1", corridorId, open });
  await Promise.all([true, false, true, false].map(change));
  const stored = await database.db.collection("corridors").findOne({ corridor_id: corridorId });
  expect(stored?.operations).toHaveLength(4);
});

it("stores and returns every field, with openings and rate", async () => {
  const [first, second, opening, rating] = [mutation(), mutation(), mutation(), mutation()];
  const actor = { kind: "service", id: "test" };
  const corridor = {
    ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", active: true },
    ...{ feeShare: "0.005", feeFlat: "0.30", quoteTtlSeconds: 90, rateMaxAgeSeconds: 60 },
    limits: { sourceMin: "1.00", sourceMax: "9.00", receivingMin: "2.00", receivingMax: "8.00" },
    returnCharges: ReturnCharges.PLATFORM,
  };
  await rpc.setCorridor({ mutation: first, corridor: { ...corridor, active: false } });
  const made = await rpc.setCorridor({ mutation: second, corridor });
  const corridorId = made.corridor?.id ?? "";
  const minor = (units: string) => Decimal128.fromString(units);
  const stored = (name: string) =>
    database.db.collection(name).findOne({ corridor_id: corridorId });
  const changed = { schema_version: 1, actor, created_at: now, updated_at: now };
  const corridors = database.db.collection<{ _id: string }>("corridors");
  expect(await corridors.findOne({ _id: corridorId })).toEqual({
    ...{ _id: corridorId, source: "USD", destination: "INR", active: true, ...changed },
    fee: { share: "0.005", flat_minor: minor("30") },
    limits: {
      ...{ source_min: minor("100"), source_max: minor("900") },
      ...{ receiving_min: minor("200"), receiving_max: minor("800") },
    },
    ...{ quote_ttl_seconds: 90, rate_max_age_seconds: 60 },
    return_charges: "platform",
    operations: [first.operationId, second.operationId],
  });
  await rpc.setMerchantCorridor({ mutation: opening, merchantId: "mer_1", corridorId, open: true });
  expect(await stored("corridors")).toEqual({
    ...{ _id: `mer_1:${corridorId}`, merchant_id: "mer_1", corridor_id: corridorId, open: true },
    ...{ ...changed, operations: [opening.operationId] },
  });
  await rpc.setRate({ mutation: rating, corridorId, rate: { rate: "83.12", source: "test" } });
  expect(await stored("rates")).toEqual({
    ...{ _id: `${corridorId}:${rating.operationId}`, schema_version: 1, corridor_id: corridorId },
    ...{ rate: "83.12", as_of: now, source: "test", received_at: now, actor },
    operation_id: rating.operationId,
  });
  requested.length = 0;
  const listed = await rpc.listCorridors({ merchantId: "mer_1" });
  const shown = listed.corridors.find(({ id }) => id === corridorId);
  expect(shown && toJson(CorridorSchema, shown)).toEqual({
    ...{ ...corridor, id: corridorId, returnCharges: "RETURN_CHARGES_PLATFORM" },
    rate: { rate: "83.12", asOf: "2026-01-01T00:00:00Z", source: "test" },
    rails: [{ rail: "bank" }],
  });
  const paidFor = listed.corridors.map(({ destinationCurrencyCode: code }) => code);
  expect(requested).toEqual([paidFor]);
  const repeated = await rpc.setCorridor({ mutation: first, corridor });
  expect(repeated.corridor).toEqual({ ...shown, rails: [] });
});

it("refuses a rate dated in the future", async () => {
  const corridorId = (await set("MATIC_POLYGON", "0")).corridor?.id ?? "";
  const rate = (aheadMs: number) =>
    rpc
      .setRate({
        mutation: mutation(),
        corridorId,
        rate: {
          rate: "1.5",
          source: "test",
          asOf: timestampFromDate(new Date(now.getTime() + aheadMs)),
        },
      })
      .then(
        () => "OK",
        (error: unknown) => readRefusal(error)?.code,
      );
  expect(await rate(60_000)).toBe("OK");
  expect(await rate(60_001)).toBe("INVALID_REQUEST");
});

it("returns a rate as it was set; a repeat returns the first one", async () => {
  const corridorId = (await set("USDT_TRON", "0")).corridor?.id ?? "";
  const once = mutation();
  const asOf = timestampFromDate(new Date(now.getTime() - 1_000));
  for (const rate of ["1.5", "2"]) {
    const set = { rate, source: "test", asOf };
    const answer = await rpc.setRate({ mutation: once, corridorId, rate: set });
    expect(answer.rate).toMatchObject({ rate: "1.5", source: "test", asOf });
  }
});

it("changes nothing for a repeat, even after many later changes", async () => {
  const corridorId = (await set("USDT_ETH", "0")).corridor?.id ?? "";
  const opening = { mutation: mutation(), merchantId: "mer_1", corridorId, open: true };
  await rpc.setMerchantCorridor(opening);
  for (let closed = 0; closed < 21; closed += 1) {
    await rpc.setMerchantCorridor({ ...opening, mutation: mutation(), open: false });
  }
  await rpc.setMerchantCorridor(opening);
  const stored = await database.db.collection("corridors").findOne({ corridor_id: corridorId });
  expect(stored).toMatchObject({ open: false });
});

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code,
  );

it("refuses an opening and a rate of an unknown corridor", async () => {
  const to = { corridorId: "cor_none", merchantId: "mer_1", open: true };
  expect(await refusalOf(rpc.setMerchantCorridor({ mutation: mutation(), ...to }))).toBe(
    "RECORD_NOT_FOUND",
  );
  const rate = { rate: "1.5", source: "test" };
  expect(await refusalOf(rpc.setRate({ mutation: mutation(), ...to, rate }))).toBe(
    "RECORD_NOT_FOUND",
  );
  const left = { corridor_id: "cor_none" };
  expect(await database.db.collection("corridors").countDocuments(left)).toBe(0);
  expect(await database.db.collection("rates").countDocuments(left)).toBe(0);
});

it.each([
  [64, "OK"],
  [65, "INVALID_REQUEST"],
])("takes a rate whose source has %i characters: %s", async (length, code) => {
  const corridorId = (await set("USDC_SOL", "0")).corridor?.id ?? "";
  const rate = { rate: "1.5", source: "x".repeat(length) };
  expect(await refusalOf(rpc.setRate({ mutation: mutation(), corridorId, rate }))).toBe(code);
});

describe("a list of corridors", () => {
  const merchantId = "mer_lister";
  const pairsOf = async (request: { merchantId: string }) => {
    const pairs: string[] = [];
    let cursor = "";
    do {
      const page = await rpc.listCorridors({ ...request, limit: 4, cursor });
      pairs.push(
        ...page.corridors.map((each) => each.sourceCurrencyCode + each.destinationCurrencyCode),
      );
      expect(page).toMatchObject({ totalCountCapped: false });
      expect(page.corridors.length).toBeLessThanOrEqual(4);
      cursor = page.nextCursor;
      if (cursor === "") expect(page.totalCount).toBe(BigInt(pairs.length));
    } while (cursor !== "");
    return pairs;
  };
  const codes = ["SOL", "INR", "BTC"];
  const made = codes.flatMap((from) => codes.map((to) => [from, to] as const));

  beforeAll(async () => {
    for (const [source, destination] of made) {
      const pair = { sourceCurrencyCode: source, destinationCurrencyCode: destination };
      const active = source !== "SOL";
      const { corridor } = await rpc.setCorridor({
        mutation: mutation(),
        corridor: { ...plain, ...pair, active },
      });
      const open = source !== destination;
      const request = { merchantId, corridorId: corridor?.id ?? "", open };
      await rpc.setMerchantCorridor({ mutation: mutation(), ...request });
    }
  });

  it("goes through all pages once, by source and then destination", async () => {
    const sorted = ["BTCINR", "BTCSOL", "INRBTC", "INRSOL", "SOLBTC", "SOLINR"];
    expect(await pairsOf({ merchantId })).toEqual(sorted);
    const all = await pairsOf({ merchantId: "" });
    expect(all).toEqual(expect.arrayContaining(made.map((pair) => pair.join(""))));
    expect(new Set(all).size).toBe(all.length);
  });

  it("shows a merchant its own, active or not", async () => {
    const { corridors } = await rpc.listCorridors({ merchantId });
    const active = corridors.map((each) => each.active);
    expect(active).toEqual([true, true, true, true, false, false]);
    expect(await pairsOf({ merchantId: "mer_nobody" })).toEqual([]);
  });

  it.each([{ limit: 101 }, { limit: -1 }, { cursor: "junk" }])("refuses %j", async (change) => {
    const error = await rpc.listCorridors({ merchantId, ...change }).catch((reason) => reason);
    expect(readRefusal(error)?.code).toBe("INVALID_REQUEST");
  });
});
