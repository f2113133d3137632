import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  ReturnCharges,
  SetCorridorRequestSchema,
  SetMerchantCorridorRequestSchema,
  SetRateRequestSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { corridorGuards } from "./approvals.ts";
import type { CorridorStore } from "./store.ts";

const proposer = { person: "ada", roles: new Set<never>(), operationId: "op" } as const;
const unchanged = { before: "", after: "" };
let isOpen = false;
const store = {
  corridors: {
    findOne: async ({ _id: id }: { _id?: string }) =>
      id === "cor_btc" ? { _id: id, source: "USD", destination: "BTC", fee: { share: "0" } } : null,
  },
  openings: { findOne: async () => (isOpen ? { open: true } : null) },
} as unknown as CorridorStore;
const guards = (alone: boolean) => {
  const limits = { rateMove: { units: 1n, scale: 1 }, corridors: alone };
  const isPayable = async (currency: string) => currency !== "BTC";
  return corridorGuards({ corridors: store, isPayable, limits, clock: { now: () => new Date(0) } });
};

it.each([
  [false, ["the request changes a corridor"]],
  [true, []],
])("a change of a corridor, by one person alone: %s", async (alone, reasons) => {
  const { setCorridor } = guards(alone);
  const corridor = { sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", feeFlat: "0.30" };
  const request = create(SetCorridorRequestSchema, { corridor });
  expect(await setCorridor?.reasons(request, proposer, unchanged)).toEqual(reasons);
  const difference = await setCorridor?.difference(request);
  expect(difference?.before).toBe("");
  expect(JSON.parse(difference?.after ?? "")).toMatchObject(corridor);
});

it.each([
  [false, true, ["the request opens a corridor to a merchant"]],
  [false, false, []],
  [true, true, []],
])("of a corridor, by one person alone: %s, opened to a merchant: %s", async (...row) => {
  const [alone, open, reasons] = row;
  const { setMerchantCorridor } = guards(alone);
  const pair = { merchantId: "mer_1", corridorId: "cor_1" };
  const request = create(SetMerchantCorridorRequestSchema, { ...pair, open });
  expect(await setMerchantCorridor?.reasons(request, proposer, unchanged)).toEqual(reasons);
  isOpen = !open;
  expect(await setMerchantCorridor?.difference(request)).toEqual({
    before: JSON.stringify({ open: !open }),
    after: JSON.stringify({ ...pair, open }),
  });
});

const terms = {
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", active: true, limits: {} },
  ...{ feeShare: "0", feeFlat: "0", quoteTtlSeconds: 0, rateMaxAgeSeconds: 0 },
  returnCharges: ReturnCharges.PLATFORM,
};

it.each([
  [{}, "OK"],
  [{ destinationCurrencyCode: "BTC", active: false }, "OK"],
  [{ destinationCurrencyCode: "BTC" }, "no configured rail supports BTC"],
  [{ feeShare: "much" }, "fee_share"],
  [{ limits: undefined }, "limits: is required"],
])("terms %j are refused before a proposal, as by the RPC: %s", async (change, outcome) => {
  const corridor = { ...terms, ...change } as typeof terms;
  const request = create(SetCorridorRequestSchema, { corridor });
  const checked = guards(false)
    .setCorridor?.check?.(request)
    .then(() => "OK", String);
  expect(await checked).toContain(outcome);
});

it.each([
  ["cor_btc", true, "no configured rail supports BTC"],
  ["cor_btc", false, "OK"],
  ["cor_btc", undefined, "open: is required"],
  ["cor_none", true, "Unable to find the record requested."],
])("an opening of %s (%s) is refused before a proposal, as by the RPC", async (...row) => {
  const [corridorId, open, outcome] = row;
  const wanted = { merchantId: "mer_1", corridorId, ...(open !== undefined && { open }) };
  const request = create(SetMerchantCorridorRequestSchema, wanted);
  const checked = guards(false)
    .setMerchantCorridor?.check?.(request)
    .then(() => "OK", String);
  expect(await checked).toContain(outcome);
});

it("corridor changes need approval in live mode, and where the settings require it", () => {
  const environment = {
    ...{ PORT: "9000", MONGODB_URI: "mongodb://h", ...testTrust.settings("quote") },
    ...{ BENEFICIARY_URL: "https://b", PAYOUT_URL: "https://p" },
  };
  const read = (more: object) => readConfig({ ...environment, ...more }).APPROVAL_CORRIDORS;
  expect(read({ DISBURSE_MODE: "live" })).toBe(true);
  expect(read({ DISBURSE_MODE: "sandbox" })).toBe(false);
  expect(read({ DISBURSE_MODE: "sandbox", APPROVAL_CORRIDORS: "true" })).toBe(true);
});

it.each([
  ["cor_btc", { rate: "2", source: "desk", asOfMs: 0 }, "OK"],
  ["cor_btc", { rate: "2", source: " ", asOfMs: 0 }, "a source"],
  ["cor_btc", { rate: "0", source: "desk", asOfMs: 0 }, "a rate above zero"],
  ["cor_btc", { rate: "2", source: "desk", asOfMs: 61_000 }, "in the future"],
  ["cor_none", { rate: "2", source: "desk", asOfMs: 0 }, "Unable to find the record requested."],
])("a rate of %s %j is refused before a proposal, as by the RPC: %s", async (...row) => {
  const [corridorId, { asOfMs, ...rate }, outcome] = row;
  const asOf = timestampFromMs(asOfMs);
  const request = create(SetRateRequestSchema, { corridorId, rate: { ...rate, asOf } });
  const checked = guards(false)
    .setRate?.check?.(request)
    .then(() => "OK", String);
  expect(await checked).toContain(outcome);
});
