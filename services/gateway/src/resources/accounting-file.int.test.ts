import { create } from "@bufbuild/protobuf";
import {
  LedgerEntrySchema,
  LedgerStep,
  PayoutSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  type ListPayoutBookingsRequest,
  PayoutBookingSchema,
} from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { at, wireAt } from "../test-calls.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const path = "/api/v1/transfer/accounting.csv";
let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  key = (await gateway.merchant()).key;
});
afterAll(() => gateway.stop());

function bookingOf(step: LedgerStep, amount: string, fees: string) {
  return create(PayoutBookingSchema, {
    accountName: "=Payroll",
    entry: create(LedgerEntrySchema, {
      ...{ id: "po_1/post", accountId: "acc_1", step, currencyCode: "USD", amount, createdAt: at },
      postings: [{ account: "platform:fees", currencyCode: "USD", amount: fees }],
    }),
    payout: create(PayoutSchema, {
      ...{ id: "po_1", beneficiaryId: "ben_1", beneficiaryName: "@Zoë, Ltd", referenceId: "-1" },
      ...{ exchangeRate: "83.1", destinationCurrencyCode: "INR", receivingAmount: "8300.00" },
      ...{ returnedReference: "RF-1", transferMethod: "LOCAL", batchId: "bat_1", createdAt: at },
      metadata: { cost_center: "berlin" },
      createdBy: { kind: Actor_Kind.API_KEY, id: "a1B2c3D4", name: "ERP" },
    }),
  });
}

it("has a row for each booking, exact amounts and no formula", async () => {
  const requests: ListPayoutBookingsRequest[] = [];
  gateway.fakes.statements.listPayoutBookings = async (request) => {
    requests.push(request);
    return request.cursor === ""
      ? { bookings: [bookingOf(LedgerStep.POST, "100.10", "1.10")], nextCursor: "acc_1.2.3" }
      : { bookings: [bookingOf(LedgerStep.RETURN, "99.00", "-1.10")], nextCursor: "" };
  };
  const { status, headers, text } = await gateway.ask({ path: `${path}?from=2026-01-01`, key });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-disposition": 'attachment; filename="accounting.csv"',
  });
  const rows: Record<string, string>[] = parse(text, { columns: true });
  expect(rows.map(({ type, amount, fees }) => [type, amount, fees])).toEqual([
    ["post", "-100.10", "1.10"],
    ["return", "99.00", "-1.10"],
  ]);
  expect(rows[0]).toEqual({
    ...{ booked_at: wireAt, booked_on: wireAt.slice(0, 10), type: "post", account_id: "acc_1" },
    ...{ account_name: "'=Payroll", currency: "USD", amount: "-100.10", fees: "1.10" },
    ...{ exchange_rate: "83.1", receiving_currency: "INR", receiving_amount: "8300.00" },
    ...{ payout_id: "po_1", reference_id: "'-1", transaction_reference: "RF-1" },
    ...{ transfer_method: "LOCAL", beneficiary_id: "ben_1", beneficiary_name: "'@Zoë, Ltd" },
    ...{ created_at: wireAt, created_by_id: "a1B2c3D4", created_by_name: "ERP" },
    ...{ batch_id: "bat_1", scheduled_payout_id: "", reissue_of: "", entry_id: "po_1/post" },
    metadata: '{"cost_center":"berlin"}',
  });
  const [first, second] = requests;
  expect(second?.cursor).toBe("acc_1.2.3");
  // Both pages have the same end, although the request has none.
  expect(first?.to).toBeDefined();
  expect(second?.to).toEqual(first?.to);
});

it("needs the scope of payouts", async () => {
  const { key: other } = await gateway.merchant({ scopes: ["account:read"] });
  expect((await gateway.ask({ path, key: other })).status).toBe(403);
});
