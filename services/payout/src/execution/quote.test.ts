import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ClaimQuoteResponseSchema,
  GetClaimableQuoteResponseSchema,
  type QuoteSchema,
  QuoteState,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { describe, expect, it } from "vitest";
import { duplicateKeys } from "../controls/rules/duplicate-keys.ts";
import { order } from "../payouts/test-documents.ts";
import { enclosed, readClaimed, readExecutable } from "./quote.ts";

const now = new Date("2026-03-01T10:00:00Z");
const expiresAt = new Date("2026-03-01T10:05:00Z");

/** Each value is unique, so that none can replace another unnoticed. */
const quote = {
  ...{ id: "quo_1", merchantId: "mer_1", accountId: "acc_1", corridorId: "cor_1" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USDC", exchangeRate: "0.995" },
  returnCharges: ReturnCharges.MERCHANT,
  ...{ sourceAmount: "100.50", convertedAmount: "100.00", receivingAmount: "99.500000" },
  receivingFixed: true,
  beneficiary: {
    ...{ id: "ben_1", name: "Ada Lovelace", accountNumberMasked: "********1234" },
    ...{ transferMethod: "CRYPTO", network: "ETHEREUM" },
    destinationKeys: ["wallet_1"],
  },
  state: QuoteState.OPEN,
  expiredAt: timestampFromDate(expiresAt),
} satisfies MessageInitShape<typeof QuoteSchema>;
const without = (field: keyof typeof quote) => ({ ...quote, [field]: undefined });

describe("a quote to execute", () => {
  const response = { quote, corridorOpen: true, now: timestampFromDate(now) };
  const limits = {
    ...{ sourceMin: "1.00", sourceMax: "500.00" },
    ...{ receivingMin: "2.000000", receivingMax: "600.000000" },
  };
  const none = {
    ...{ sourceMin: undefined, sourceMax: undefined },
    ...{ receivingMin: undefined, receivingMax: undefined },
  };
  const executable = {
    ...{ merchantId: "mer_1", state: "open", corridorOpen: true, expiresAt },
    ...{ sourceMinor: 10_050n, receivingMinor: 99_500_000n },
  };
  const read = (change: object = {}) =>
    readExecutable(create(GetClaimableQuoteResponseSchema, { ...response, ...change }));

  it("has its amounts and its limits in minor units, each of its currency", () => {
    expect(read({ limits })).toStrictEqual({
      executable: {
        ...executable,
        limits: {
          ...{ sourceMin: 100n, sourceMax: 50_000n },
          ...{ receivingMin: 2_000_000n, receivingMax: 600_000_000n },
        },
      },
      ...{ accountId: "acc_1", beneficiaryId: "ben_1", destinationKeys: ["wallet_1"] },
      ...{ exchangeRate: "0.995", feesMinor: 50n, currency: "USD" },
      ...{ destination: "USDC", now, reissueOf: undefined },
      ...{ claim: undefined, quoted: expect.any(Function) },
    });
  });

  it.each([
    ["of a corridor without", {}],
    ["not sent", undefined],
  ])("has no limits where they are %s", (_what, given) => {
    expect(read(given === undefined ? {} : { limits: given }).executable).toStrictEqual({
      ...executable,
      limits: none,
    });
  });

  it("that is closed to its merchant is read as that, and one without a beneficiary too", () => {
    const closed = read({ corridorOpen: false, quote: without("beneficiary") });
    expect(closed.executable.corridorOpen).toBe(false);
    expect(closed.beneficiaryId).toBe("");
  });

  it.each([
    ["quote", { quote: undefined }],
    ["expiry", { quote: without("expiredAt") }],
    ["state", { quote: { ...quote, state: QuoteState.UNSPECIFIED } }],
    ["time", { now: undefined }],
    [
      "destination",
      { quote: { ...quote, beneficiary: { ...quote.beneficiary, destinationKeys: [] } } },
    ],
  ])("is not read without its %s", (_what, change) => {
    expect(() => read(change)).toThrow("the quote service returned an incomplete quote");
  });
});

describe("a claimed quote", () => {
  const details = {
    ...{ referenceId: "order-1", remittanceInformation: "Invoice 7", purposeCode: "SUPP" },
    metadata: { order: "7" },
  };
  const given = { by: order.actor, operationId: "op_0", at: now };
  const need = { reasons: ["amount"], lastsMs: 1, given } as const;
  const ordered = { ...order, details, batchId: "bat_1", approval: need };
  const claim = { payoutId: "po_1", order: enclosed(ordered), operationId: "op_1" };
  const claimed = { ...claim, claimedAt: timestampFromDate(now) };
  const read = (change: object = {}) =>
    readClaimed(create(ClaimQuoteResponseSchema, { quote, claim: claimed, ...change }));

  it("gives the payout's content; its fees are the amount that is not converted", () => {
    expect(read().order).toStrictEqual(ordered);
    expect(read().quote).toStrictEqual({
      ...{ id: "quo_1", merchantId: "mer_1", accountId: "acc_1", corridorId: "cor_1" },
      ...{ source: "USD", destination: "USDC", exchangeRate: "0.995", returnCharges: "merchant" },
      ...{ sourceMinor: 10_050n, feesMinor: 50n, receivingMinor: 99_500_000n },
      isReceivingFixed: true,
      reissueOf: undefined,
      destinationKeys: ["wallet_1"],
      duplicateKeys: duplicateKeys(["wallet_1"], "order-1"),
      beneficiary: {
        ...{ id: "ben_1", name: "Ada Lovelace", accountNumberMasked: "********1234" },
        ...{ transferMethod: "CRYPTO", network: "ETHEREUM" },
      },
      claimedAt: now,
    });
  });

  it.each([
    ["quote", { quote: undefined }],
    ["beneficiary", { quote: without("beneficiary") }],
    ["claim", { claim: undefined }],
    ["time of its claim", { claim }],
  ])("is not read without its %s", (_what, change) => {
    expect(() => read(change)).toThrow("the quote service returned an incomplete claim of a quote");
  });
});
