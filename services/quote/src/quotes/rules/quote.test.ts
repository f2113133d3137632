import { isRefused } from "@disburse/kernel/refusal.ts";
import { readViolations } from "@disburse/kernel/violations.ts";
import { describe, expect, it } from "vitest";
import { type Corridor, isStale, readCorridor, readRate } from "../../corridors/rules/corridor.ts";
import {
  checkCorridor,
  checkParties,
  claimOutcome,
  isWithinLimits,
  type Parties,
  type Quote,
  quoteAmounts,
} from "./quote.ts";

const request = {
  merchantId: "mer_1",
  accountId: "acc_1",
  beneficiaryId: "ben_1",
  sourceCurrencyCode: "USD",
  destinationCurrencyCode: "INR",
  sourceAmount: "1",
  receivingAmount: "",
  metadata: {},
  reissueOf: "",
};
const quoted = {
  id: "ben_1",
  name: "A",
  accountNumberMasked: "*1",
  destinationKeys: ["account_1"],
  transferMethod: "LOCAL",
  network: "",
};
const account = { merchantId: "mer_1", currency: "USD" };
const beneficiary = {
  currency: "INR",
  screening: "cleared",
  archived: false,
  isPayable: true,
  quoted,
} as const;

describe("the parties of a quote", () => {
  it("are accepted when all is well", () => {
    expect(checkParties(request, { account, beneficiary })).toBe(quoted);
  });

  const foreign = { merchantId: "mer_2", currency: "BTC" };
  const held = { ...beneficiary, screening: "review", currency: "BTC" } as const;
  const pending = { ...held, screening: "pending" } as const;
  it.each<[string, Parties, string]>([
    ["no account, before all else", { account: undefined, beneficiary: held }, "RECORD_NOT_FOUND"],
    ["a foreign account", { account: foreign, beneficiary: undefined }, "ACCESS_FORBIDDEN"],
    [
      "a closed account",
      { account: { ...account, isClosed: true }, beneficiary: undefined },
      "SOURCE_ACCOUNT_CLOSED",
    ],
    ["no beneficiary", { account, beneficiary: undefined }, "RECORD_NOT_FOUND"],
    [
      "an archived beneficiary",
      { account, beneficiary: { ...beneficiary, archived: true } },
      "RECORD_NOT_FOUND",
    ],
    [
      "an archived one that is still screened",
      { account, beneficiary: { ...pending, archived: true } },
      "RECORD_NOT_FOUND",
    ],
    ["one in review", { account, beneficiary: held }, "ACCESS_FORBIDDEN"],
    [
      "one that is blocked",
      { account, beneficiary: { ...held, screening: "blocked" } },
      "ACCESS_FORBIDDEN",
    ],
    [
      "one of unknown screening",
      { account, beneficiary: { ...held, screening: undefined } },
      "ACCESS_FORBIDDEN",
    ],
    ["one that is still screened", { account, beneficiary: pending }, "BENEFICIARY_NOT_READY"],
    [
      "a foreign account before one that is still screened",
      { account: foreign, beneficiary: pending },
      "ACCESS_FORBIDDEN",
    ],
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

  it.each<[string, Parties, string, string]>([
    ["account", { account: undefined, beneficiary }, "account_id", "is not known"],
    ["beneficiary", { account, beneficiary: undefined }, "beneficiary_id", "is not known"],
    [
      "archived beneficiary",
      { account, beneficiary: { ...beneficiary, archived: true } },
      "beneficiary_id",
      "is not known: it is archived",
    ],
  ])("name the field of an unknown %s", (_what, parties, field, problem) => {
    const refusal = checkParties(request, parties);
    expect(refusal).toEqual({ refused: "RECORD_NOT_FOUND", violations: [{ field, problem }] });
  });

  it("refuse an unpayable beneficiary, naming the request's field", () => {
    const unpayable = { ...beneficiary, isPayable: false };
    const refusal = checkParties(request, { account, beneficiary: unpayable });
    expect(refusal).toEqual({
      refused: "INVALID_REQUEST",
      detail:
        "beneficiary_id: cannot be paid by its payment method: see the beneficiary's `unpayable_reason`",
    });
    const { detail = "" } = refusal as { readonly detail?: string };
    expect(readViolations(detail).map(({ field }) => field)).toEqual(["beneficiary_id"]);
    const held = { ...unpayable, screening: "review" } as const;
    expect(checkParties(request, { account, beneficiary: held })).toMatchObject({
      refused: "ACCESS_FORBIDDEN",
    });
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
  returnCharges: "platform",
};

it.each([
  [undefined, true, "RECORD_NOT_FOUND", ["destination_currency_code"]],
  [{ ...corridor, active: false }, false, "CORRIDOR_NOT_ACTIVE", undefined],
  [corridor, false, "RECORD_NOT_FOUND", ["destination_currency_code"]],
])("refuses a corridor that is missing, inactive or closed (%#)", (given, open, code, fields) => {
  const refusal = checkCorridor(given, open);
  if (!isRefused(refusal)) throw new Error("the corridor was accepted");
  expect(refusal.refused).toBe(code);
  expect(refusal.violations?.map(({ field }) => field)).toEqual(fields);
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

describe("the amounts of a quote", () => {
  const terms = {
    ...{ source: "USD", destination: "BTC", rate: { units: 2n, scale: 5 } },
    fee: { share: { units: 0n, scale: 0 }, flatMinor: 10n },
  };
  const amounts = (sourceAmount: string, receivingAmount: string) =>
    quoteAmounts(
      { ...request, destinationCurrencyCode: "BTC", sourceAmount, receivingAmount },
      terms,
    );

  it("follow from the source amount, else from what is received, each in its currency", () => {
    const whole = { source: 10_010n, fees: 10n, converted: 10_000n, receiving: 200_000n };
    expect(amounts("100.10", "")).toEqual(whole);
    expect(amounts("100.10", "7")).toEqual(whole);
    expect(amounts("", "0.002")).toEqual(whole);
  });

  it.each([
    ["100.101", "0.002", "source_amount: must have at most 2 decimals"],
    ["", "0.123456789", "receiving_amount: must have at most 8 decimals"],
    ["", "", "receiving_amount: must be a decimal number"],
  ])("of %j and %j are refused: %s", (source, receiving, detail) => {
    expect(amounts(source, receiving)).toEqual({ refused: "INVALID_REQUEST", detail });
  });
});

describe("a claim", () => {
  const order = Uint8Array.of(1);
  const claim = { payoutId: "po_1", order, operationId: "op", claimedAt: new Date(0) };
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

  it("by the same payout returns the first claim", () => {
    const claimed = quote({ state: "claimed", claim });
    expect(claimOutcome(claimed, "po_1")).toBe(claimed);
  });
});

describe("a corridor's text fields", () => {
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
    returnCharges: "platform",
  } as const;
  it("is read exactly", () => {
    const read = { source: "USD", destination: "INR", active: true };
    const share = { units: 5n, scale: 3 };
    expect(readCorridor(text)).toEqual({
      ...{ ...read, quoteTtlSeconds: 0, rateMaxAgeSeconds: 0, fee: { share, flatMinor: 30n } },
      limits: { ...limits, sourceMin: 100n, sourceMax: 10_000_000n },
      returnCharges: "platform",
    });
    const more = { sourceMin: "", sourceMax: "", receivingMin: "0.01", receivingMax: "2" };
    const times = { quoteTtlSeconds: 90, rateMaxAgeSeconds: 60 };
    const free = { feeShare: "0.9999999999", feeFlat: "0" };
    const own = { ...more, ...times, ...free, active: false, returnCharges: "merchant" } as const;
    expect(readCorridor({ ...text, ...own })).toEqual({
      ...{ ...read, ...times, active: false, returnCharges: "merchant" },
      fee: { share: { units: 9_999_999_999n, scale: 10 }, flatMinor: 0n },
      limits: { ...limits, receivingMin: 1n, receivingMax: 200n },
    });
    expect(readCorridor({ ...text, feeShare: "0" })).toMatchObject({
      fee: { share: { units: 0n } },
    });
  });
  it.each([
    ["source", "XXX", "source_currency_code"],
    ["feeShare", "1", "fee_share"],
    ["feeShare", "-0.1", "fee_share"],
    ["feeShare", "0.00000000001", "fee_share"],
    ["feeFlat", "0.001", "fee_flat"],
    ["feeFlat", "-1", "fee_flat"],
    ["feeShare", "", "fee_share"],
    ["feeFlat", "", "fee_flat"],
    ["destination", "XXX", "destination_currency_code"],
    ["sourceMin", "x", "limits.source_min"],
    ["sourceMax", "0.001", "limits.source_max"],
    ["receivingMin", "x", "limits.receiving_min"],
    ["receivingMax", "x", "limits.receiving_max"],
    ["quoteTtlSeconds", -1, "quoteTtlSeconds"],
    ["rateMaxAgeSeconds", -1, "rateMaxAgeSeconds"],
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
  ["999999999999999.9999999999", true],
  ["1e15", false],
  ["x", false],
])("%s is a rate: %s", (text, yes) => {
  expect(readRate(text) !== undefined).toBe(yes);
});

it.each([
  [{ source: 100n, receiving: 50n }, true],
  [{ source: 99n, receiving: 50n }, false],
  [{ source: 201n, receiving: 50n }, false],
  [{ source: 100n, receiving: 61n }, false],
  [{ source: 200n, receiving: 60n }, true],
])("amounts of %o are within the limits: %s", ({ source, receiving }, isWithin) => {
  const limits = { sourceMin: 100n, sourceMax: 200n, receivingMin: undefined, receivingMax: 60n };
  const amounts = { source, receiving, fees: 1n, converted: source - 1n };
  expect(isWithinLimits(amounts, limits)).toBe(isWithin);
});
