import { describe, expect, it } from "vitest";
import { type Corridor, isStale, readCorridor, readRate } from "../../corridors/rules/corridor.ts";
import { checkCorridor, checkParties, claimOutcome, type Parties, type Quote } from "./quote.ts";

const request = {
  merchantId: "mer_1",
  accountId: "acc_1",
  beneficiaryId: "ben_1",
  sourceCurrencyCode: "USD",
  destinationCurrencyCode: "INR",
  sourceAmount: "1",
  receivingAmount: "",
};
const quoted = {
  id: "ben_1",
  name: "A",
  accountNumberMasked: "*1",
  transferMethod: "LOCAL",
  network: "",
};
const account = { merchantId: "mer_1", currency: "USD" };
const beneficiary = { currency: "INR", cleared: true, archived: false, quoted };

describe("the parties of a quote", () => {
  it("are accepted when all is well", () => {
    expect(checkParties(request, { account, beneficiary })).toBe(quoted);
  });

  const foreign = { merchantId: "mer_2", currency: "BTC" };
  const held = { ...beneficiary, cleared: false, currency: "BTC" };
  it.each<[string, Parties, string]>([
    ["no account, before all else", { account: undefined, beneficiary: held }, "RECORD_NOT_FOUND"],
    ["a foreign account", { account: foreign, beneficiary: undefined }, "ACCESS_FORBIDDEN"],
    ["no beneficiary", { account, beneficiary: undefined }, "RECORD_NOT_FOUND"],
    [
      "an archived beneficiary",
      { account, beneficiary: { ...beneficiary, archived: true } },
      "RECORD_NOT_FOUND",
    ],
    ["an uncleared beneficiary", { account, beneficiary: held }, "ACCESS_FORBIDDEN"],
    [
      "another account currency",
      { account: { ...account, currency: "EUR" }, beneficiary },
      "INVALID_REQUEST",
    ],
    [
      "another beneficiary currency",
      { account, beneficiary: { ...beneficiary, currency: "USD" } },
      "INVALID_REQUEST",
    ],
  ])("refuse %s", (_what, parties, code) => {
    expect(checkParties(request, parties)).toMatchObject({ refused: code });
  });
});

const limits = {
  sourceMin: undefined,
  sourceMax: undefined,
  receivingMin: undefined,
  receivingMax: undefined,
};
const corridor: Corridor = {
  id: "cor_1",
  source: "USD",
  destination: "INR",
  active: true,
  fee: { share: { units: 0n, scale: 0 }, flatMinor: 0n },
  limits,
  quoteTtlSeconds: 0,
  rateMaxAgeSeconds: 60,
};

it.each([
  [undefined, true, "RECORD_NOT_FOUND"],
  [{ ...corridor, active: false }, false, "CORRIDOR_NOT_ACTIVE"],
  [corridor, false, "RECORD_NOT_FOUND"],
])("refuses a corridor that is missing, inactive or closed (%#)", (given, open, code) => {
  expect(checkCorridor(given, open)).toEqual({ refused: code });
});

it.each([
  [60_000, false],
  [60_001, true],
])("a rate of %i ms with a maximum age of 60 s is stale: %s", (ageMs, stale) => {
  const asOf = new Date(1_000_000);
  const rate = { rate: { units: 1n, scale: 0 }, asOf, source: "t" };
  const now = new Date(asOf.getTime() + ageMs);
  expect(isStale(corridor, rate, now)).toBe(stale);
  expect(isStale({ ...corridor, rateMaxAgeSeconds: 0 }, rate, now)).toBe(false);
});

describe("a claim", () => {
  const claim = { payoutId: "po_1", referenceId: "", operationId: "op", claimedAt: new Date(0) };
  const quote = (state: object) => state as Quote;
  it.each([
    ["an unknown quote", undefined, "RECORD_NOT_FOUND"],
    ["an expired one", quote({ state: "expired" }), "QUOTE_EXPIRED"],
    [
      "one of another payout",
      quote({ state: "claimed", claim: { ...claim, payoutId: "po_2" } }),
      "ALREADY_PROCESSED",
    ],
  ])("of %s is refused", (_what, given, code) => {
    expect(claimOutcome(given, "po_1")).toEqual({ refused: code });
  });

  it("by the same payout is answered with the first words", () => {
    const claimed = quote({ state: "claimed", claim });
    expect(claimOutcome(claimed, "po_1")).toBe(claimed);
  });
});

describe("a corridor's text", () => {
  const text = {
    source: "USD",
    destination: "INR",
    active: true,
    feeShare: "0.005",
    feeFlat: "0.30",
    sourceMin: "1.00",
    sourceMax: "100000.00",
    receivingMin: "",
    receivingMax: "",
    quoteTtlSeconds: 0,
    rateMaxAgeSeconds: 0,
  };
  it("is read exactly", () => {
    expect(readCorridor(text)).toMatchObject({
      fee: { share: { units: 5n, scale: 3 }, flatMinor: 30n },
      limits: { sourceMin: 100n, sourceMax: 10_000_000n, receivingMin: undefined },
    });
  });
  it.each([
    ["source", "XXX", "source_currency_code"],
    ["feeShare", "1", "fee_share"],
    ["feeShare", "-0.1", "fee_share"],
    ["feeShare", "0.00000000001", "fee_share"],
    ["feeFlat", "0.001", "fee_flat"],
    ["feeFlat", "-1", "fee_flat"],
    ["sourceMin", "x", "limits.source_min"],
    ["quoteTtlSeconds", -1, "quoteTtlSeconds"],
  ])("with %s = %j is refused", (field, value, named) => {
    expect(readCorridor({ ...text, [field]: value })).toMatchObject([{ field: named }]);
  });
});

it.each([
  ["83.1234567891", true],
  ["0.0000000001", true],
  ["0.00000000001", false],
  ["0", false],
  ["-1", false],
  ["1e15", false],
  ["x", false],
])("%s is a rate: %s", (text, yes) => {
  expect(readRate(text) !== undefined).toBe(yes);
});
