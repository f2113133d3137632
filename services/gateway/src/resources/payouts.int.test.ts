import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ListedPayout,
  ListedPayoutSchema,
  ListPayoutsRequestSchema,
  PayoutCause,
  PayoutOrderBy,
  PayoutSchema,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { describe, expect, it } from "vitest";
import { at, times, useCalls, wireAt, wireTimes } from "../test-calls.ts";

const calls = useCalls();

const payout = create(PayoutSchema, {
  ...{ id: "po_1", merchantId: "mer_1", accountId: "acc_1", quoteId: "qt_1" },
  ...{ corridorId: "cor_1", beneficiaryId: "ben_1", referenceId: "order-1" },
  ...{ status: PayoutStatus.SUCCEEDED, subStatus: PayoutSubStatus.SETTLED },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USDC_ETH" },
  ...{ sourceAmount: "100.10", receivingAmount: "99.500000", exchangeRate: "0.9995" },
  ...{ totalFees: "0.55", uniqueTransactionReference: "0xhash", beneficiaryName: "Jane Doe" },
  ...{ beneficiaryAccountNumberMasked: "**7890", transferMethod: "CRYPTO", network: "ETHEREUM" },
  createdBy: { kind: Actor_Kind.API_KEY, id: "a1B2c3D4", name: "ERP" },
  ...times,
});
const created_by = { id: "a1B2c3D4", type: "api_key", name: "ERP" };

const noOrder = { batch_id: "", scheduled_payout_id: "" };
const noReissue = { reissue_of: "", reissued_as: "" };
const noFailure = { failure_code: "", failure_message: "", rail_code: "" };

describe("payouts", () => {
  it("are queued", async () => {
    calls.fakes().payout.executePayout = calls.replying({ payoutId: "po_1" });
    const body = '{"quote_id":"qt_1","reference_id":7}';
    const answer = await calls.data({ path: "/api/v1/transfer/execute", body });
    expect(answer).toEqual({ id: "po_1", message: "Transaction Queued" });
    expect(calls.requests()[0]).toMatchObject({
      ...{ merchantId: calls.merchantId(), quoteId: "qt_1", referenceId: "" },
      unreadable: [{ field: "reference_id", problem: "must be a string" }],
    });
  });

  it("are read with the interface's fields", async () => {
    calls.fakes().payout.getPayout = calls.replying({ payout });
    expect(await calls.data({ path: "/api/v1/transfer/payouts/po_1" })).toEqual({
      ...{ id: "po_1", reference_id: "order-1", status: "succeeded", sub_status: "settled" },
      ...{ parent_id: "mer_1", quote_id: "qt_1", corridor_id: "cor_1", beneficiary_id: "ben_1" },
      ...{ source_currency_code: "USD", destination_currency_code: "USDC_ETH" },
      ...{ source_amount: 100.1, receiving_amount: 99.5, exchange_rate: 0.9995, total_fees: 0.55 },
      ...{ fixed_cost_currency: "USD", unique_transaction_reference: "0xhash", ...wireTimes },
      ...{ ...noFailure, returned_reference: "", expected_settlement_at: "" },
      ...{ account_id: "acc_1", metadata: {}, receiving_fixed: false, ...noOrder },
      ...{ ...noReissue, created_by },
    });
    const expectedSettlementAt = at;
    calls.fakes().payout.getPayout = calls.replying({
      payout: { ...payout, expectedSettlementAt },
    });
    expect(await calls.data({ path: "/api/v1/transfer/payouts/po_1" })).toMatchObject({
      expected_settlement_at: wireAt,
    });
  });

  it("are read with their beneficiary and quote, where these are asked for", async () => {
    const { payout: payouts, beneficiary, quote } = calls.fakes();
    payouts.getPayout = calls.replying({ payout });
    beneficiary.getBeneficiary = calls.replying({
      beneficiary: { id: "ben_1", name: "Jane Doe", ...times },
    });
    quote.getQuote = calls.replying({
      quote: {
        ...{ id: "qt_1", sourceAmount: "1.00", exchangeRate: "1", receivingAmount: "1.00" },
        ...{ totalFees: "0.00", convertedAmount: "1.00", expiredAt: at, ...times },
      },
    });
    const path = "/api/v1/transfer/payouts/po_1";
    expect(await calls.data({ path })).not.toHaveProperty("quote");
    expect(calls.requests()).toHaveLength(1);
    const both = await calls.data({ path: `${path}?expand[]=beneficiary&expand[]=quote` });
    expect(both).toMatchObject({
      ...{ id: "po_1", beneficiary: { beneficiary_id: "ben_1" }, quote: { id: "qt_1" } },
    });
    const merchantId = calls.merchantId();
    expect(calls.requests()).toContainEqual(
      expect.objectContaining({ merchantId, beneficiaryId: "ben_1" }),
    );
    expect(calls.requests()).toContainEqual(
      expect.objectContaining({ merchantId, quoteId: "qt_1" }),
    );
    const one = await calls.data({ path: `${path}?expand[]=quote` });
    expect([Object.hasOwn(one as object, "beneficiary"), one]).toMatchObject([
      ...[false, { quote: { id: "qt_1" } }],
    ]);
  });

  it("are read only with records that the key may read", async () => {
    calls.fakes().payout.getPayout = calls.replying({ payout });
    const key = await calls.keyWith(["payout:read", "beneficiary:read"]);
    const path = "/api/v1/transfer/payouts/po_1";
    expect((await calls.ask({ path, key })).status).toBe(200);
    const refused = await calls.ask({ path: `${path}?expand[]=quote`, key });
    expect(refused).toMatchObject({ status: 403, json: { reason: "scope_missing" } });
    const unknown = await calls.ask({ path: `${path}?expand[]=account` });
    expect(unknown).toMatchObject({
      ...{ status: 400, json: { violations: [{ field: "expand[]" }] } },
    });
  });

  it("are cancelled without a body, or with an empty one", async () => {
    calls.fakes().payout.cancelPayout = calls.replying({ payout });
    const path = "/api/v1/transfer/payouts/po_1/cancel";
    for (const body of [undefined, "{}"]) {
      const method = "POST";
      expect(await calls.data({ path, method, ...(body && { body }) })).toMatchObject({
        id: "po_1",
      });
    }
    expect(calls.requests()).toMatchObject([
      { merchantId: calls.merchantId(), payoutId: "po_1" },
      { merchantId: calls.merchantId(), payoutId: "po_1" },
    ]);
  });

  it("have a timeline", async () => {
    const event = {
      ...{ status: PayoutStatus.INITIATED, subStatus: PayoutSubStatus.UNKNOWN },
      ...{ cause: PayoutCause.OUTCOME_UNKNOWN, version: 3, createdAt: at },
    };
    const reply = { events: [event], totalCount: 5n, nextCursor: "c4" };
    calls.fakes().payout.listPayoutEvents = calls.replying(reply);
    const path = "/api/v1/transfer/payouts/po_1/events?limit=1&cursor=c3";
    expect(await calls.data({ path })).toEqual({
      events: [
        {
          ...{ status: "initiated", sub_status: "unknown", cause: "outcome_unknown" },
          ...{ version: 3, created_at: wireAt, ...noFailure, ...noReissue },
        },
      ],
      meta_data: { total_count: 5, next_cursor: "c4" },
    });
    expect(calls.requests()).toMatchObject([
      { merchantId: calls.merchantId(), payoutId: "po_1", limit: 1, cursor: "c3" },
    ]);
    expect((await calls.ask({ path: path.replace("limit=1", "limit=0") })).status).toBe(400);
  });

  const list = (changed: Partial<ListedPayout>, reply = {}) => {
    const { $typeName: _, ...its } = payout;
    const payouts = [Object.assign(create(ListedPayoutSchema), its, changed)];
    calls.fakes().payout.listPayouts = calls.replying({ payouts, totalCount: 1n, ...reply });
    return calls.data({ path: "/api/v1/transfer/payouts" });
  };

  it("are listed with the interface's fields", async () => {
    expect(await list({})).toEqual({
      transactions: [
        {
          ...{ id: "po_1", title: "Jane Doe", sub_title: "USDC_ETH CRYPTO", status: "succeeded" },
          ...{ sub_status: "settled", transaction_type: "payout_session" },
          ...{ transfer_method: "CRYPTO", transfer_type: "debit", transaction_hash: "0xhash" },
          ...{ bank_reference_number: "", beneficiary_name: "Jane Doe", beneficiary_id: "ben_1" },
          ...{ beneficiary_account_number: "**7890", reference_note: "order-1", total_cost: 100.1 },
          amount: {
            source_amount: "100.10",
            receiving_amount: "99.500000",
            source_amount_currency: { name: "US Dollar", symbol: "$" },
            receiving_amount_currency: { name: "USD Coin (Ethereum)", symbol: "USDC_ETH" },
          },
          ...{ ...wireTimes, ...noFailure, returned_reference: "" },
          ...{ account_id: "acc_1", metadata: {}, ...noOrder, created_by },
        },
      ],
      meta_data: { total_count: 1, next_cursor: "" },
    });
  });

  it.each([
    [{ transferMethod: "SWIFT" }, { transaction_hash: "", bank_reference_number: "0xhash" }],
    [{ status: PayoutStatus.FAILED }, { status: "failed", transfer_method: "CREDIT_REVERSAL" }],
    [{ subStatus: PayoutSubStatus.UNKNOWN }, { sub_status: "unknown" }],
    [
      { failureCode: "ACCOUNT_CLOSED", failureMessage: "Closed.", railCode: "AC04" },
      { failure_code: "ACCOUNT_CLOSED", failure_message: "Closed.", rail_code: "AC04" },
    ],
    [{ returnedReference: "0xhash" }, { returned_reference: "0xhash" }],
    [{ status: PayoutStatus.INITIATED }, { status: "initiated", transfer_method: "CRYPTO" }],
  ])("with %j are listed with %j", async (changed, item) => {
    expect(await list(changed)).toMatchObject({ transactions: [item] });
  });

  it("have a cursor on a capped list", async () => {
    const reply = { totalCount: 10_000n, totalCountCapped: true, nextCursor: "c2" };
    expect(await list({}, reply)).toMatchObject({
      meta_data: { total_count: 10_000, next_cursor: "c2", total_count_capped: true },
    });
  });

  it("are an empty list, not a 404", async () => {
    calls.fakes().payout.listPayouts = calls.replying({});
    const answer = await calls.data({ path: "/api/v1/transfer/payouts" });
    expect(answer).toEqual({ transactions: [], meta_data: { total_count: 0, next_cursor: "" } });
  });

  it("are filtered", async () => {
    calls.fakes().payout.listPayouts = calls.replying({});
    const query =
      "limit=5&cursor=c1&status=failed&beneficiary_id=ben_1&reference_id=r%201&quote_id=qt_1" +
      "&source_currency_code=USD&destination_currency_code=INR&created_from=2026-11-20" +
      "&created_to=2026-11-20T11:26:00.123Z&account_id=acc_1&failure_code=ACCOUNT_CLOSED" +
      "&updated_from=2026-11-20T11:26:00.123Z&sort=-amount";
    await calls.data({ path: `/api/v1/transfer/payouts?${query}` });
    const expected = create(ListPayoutsRequestSchema, {
      ...{ merchantId: calls.merchantId(), limit: 5, cursor: "c1", status: PayoutStatus.FAILED },
      ...{ beneficiaryId: "ben_1", referenceId: "r 1", quoteId: "qt_1" },
      ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR" },
      createdFrom: timestampFromDate(new Date("2026-11-20T00:00:00Z")),
      ...{ createdTo: at, updatedFrom: at, orderBy: PayoutOrderBy.HIGHEST },
      ...{ accountId: "acc_1", failureCode: "ACCOUNT_CLOSED" },
    });
    expect(calls.requests()).toEqual([expected]);
  });

  it("are listed with their beneficiaries, where these are asked for", async () => {
    const { payout: payouts, beneficiary } = calls.fakes();
    const listed = ["ben_1", "ben_2", "ben_1"].map((beneficiaryId, at) => {
      const { $typeName: _, ...its } = payout;
      return Object.assign(create(ListedPayoutSchema), its, { id: `po_${at}`, beneficiaryId });
    });
    payouts.listPayouts = calls.replying({ payouts: listed, totalCount: 3n });
    beneficiary.getBeneficiaries = calls.replying({
      beneficiaries: [{ id: "ben_1", name: "Jane Doe", ...times }],
    });
    const path = "/api/v1/transfer/payouts?expand[]=beneficiary";
    expect(await calls.data({ path })).toMatchObject({
      transactions: [
        { id: "po_0", beneficiary: { beneficiary_id: "ben_1", beneficiary_name: "Jane Doe" } },
        { id: "po_1" },
        { id: "po_2", beneficiary: { beneficiary_id: "ben_1" } },
      ],
    });
    const merchantId = calls.merchantId();
    expect(calls.requests()).toMatchObject([
      { merchantId },
      { merchantId, beneficiaryIds: ["ben_1", "ben_2"] },
    ]);
    expect((await calls.ask({ path: path.replace("beneficiary", "quote") })).status).toBe(400);
    const key = await calls.keyWith(["payout:read"]);
    expect(await calls.ask({ path, key })).toMatchObject({ status: 403 });
  });

  it.each([
    ["account_id=ben_1", "account_id: is the id of a beneficiary, not of an account"],
    ["batch_id=po_1", "batch_id: is the id of a payout, not of a batch"],
    ["failure_code=LOST", "failure_code: must be one of ACCOUNT_BLOCKED, "],
    ["sort=status", "sort: must be one of -created_at, created_at, amount, -amount"],
  ])("are not listed by %s", async (query, message) => {
    const { status, json } = await calls.ask({ path: `/api/v1/transfer/payouts?${query}` });
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
    expect(calls.requests()).toEqual([]);
  });

  it("are not listed by a malformed query", async () => {
    const path = "/api/v1/transfer/payouts?limit=0&status=lost&cursor=a&cursor=b";
    const { status, json } = await calls.ask({ path });
    expect([status, json.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(json.message).toBe(
      "limit: must be a whole number from 1 to 100; cursor: must not be repeated; " +
        "status: must be one of initiated, succeeded, failed",
    );
    expect(calls.requests()).toEqual([]);
  });
});
