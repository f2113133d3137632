import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ListedPayoutSchema,
  type ListPayoutsRequest,
  PayoutOrderBy,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { at, wireAt } from "../test-calls.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const path = "/api/v1/transfer/payouts.csv";
let gateway: TestGateway;
let key: string;
let requests: ListPayoutsRequest[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  key = (await gateway.merchant()).key;
});
afterAll(() => gateway.stop());

/** Serves a list of this many payouts, in the pages that are requested. */
function serve(count: number, page?: (request: ListPayoutsRequest) => void) {
  requests = [];
  gateway.fakes.payout.listPayouts = async (request) => {
    requests.push(request);
    page?.(request);
    const first = Number(request.cursor || 0);
    const length = Math.min(request.limit || 20, count - first);
    const payouts = Array.from({ length }, (_each, number) => payoutOf(first + number));
    return { payouts, nextCursor: first + length < count ? String(first + length) : "" };
  };
}

function payoutOf(number: number) {
  return create(ListedPayoutSchema, {
    ...{ id: `po_${number}`, accountId: "acc_1", beneficiaryId: "ben_1", createdAt: at },
    ...{ status: PayoutStatus.FAILED, subStatus: PayoutSubStatus.RETURNED, updatedAt: at },
    ...{ failureCode: "ACCOUNT_CLOSED", transferMethod: "ACH", batchId: "bat_1" },
    ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", sourceAmount: "100.10" },
    ...{ receivingAmount: "8300.00", uniqueTransactionReference: "", returnedReference: "R-1" },
    ...{ beneficiaryName: '=cmd|" /C calc"!A0', beneficiaryAccountNumberMasked: "**7890" },
    ...{ referenceId: number === 0 ? "-1+1" : "two\r\nlines, one cell" },
    createdBy: { kind: Actor_Kind.API_KEY, id: "a1B2c3D4", name: "@ERP" },
    decidedBy: { kind: Actor_Kind.API_KEY, id: "b1B2c3D4", name: "Board" },
  });
}

it("holds every payout with the columns of the console, and no formula", async () => {
  serve(250);
  const { status, headers, text } = await gateway.ask({ path, key });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="payouts.csv"',
  });
  const rows: Record<string, string>[] = parse(text, { columns: true });
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, at) => `po_${at}`));
  expect(rows[0]).toEqual({
    ...{ id: "po_0", created_at: wireAt, updated_at: wireAt, status: "failed" },
    ...{ beneficiary_name: `'=cmd|" /C calc"!A0`, source_amount: "100.10" },
    ...{ receiving_amount: "8300.00", reference_id: "'-1+1", transfer_method: "CREDIT_REVERSAL" },
    ...{ source_currency_code: "USD", destination_currency_code: "INR", sub_status: "returned" },
    ...{ beneficiary_id: "ben_1", beneficiary_account_number: "**7890", transaction_hash: "" },
    ...{ bank_reference_number: "", failure_code: "ACCOUNT_CLOSED", returned_reference: "R-1" },
    ...{ account_id: "acc_1", batch_id: "bat_1", scheduled_payout_id: "" },
    ...{ created_by_id: "a1B2c3D4", created_by_name: "'@ERP" },
    ...{ decided_by_id: "b1B2c3D4", decided_by_name: "Board" },
  });
  expect(rows[1]?.reference_id).toBe("two\r\nlines, one cell");
  expect(requests.map(({ cursor }) => cursor)).toEqual(["", "100", "200"]);
});

it("has the filters and the order of the list, and counts nothing", async () => {
  serve(1);
  const query = "?status=failed&account_id=acc_1&sort=-amount&source_currency_code=USD";
  await gateway.ask({ path: path + query, key });
  expect(requests).toMatchObject([
    {
      ...{ status: PayoutStatus.FAILED, accountId: "acc_1", orderBy: PayoutOrderBy.HIGHEST },
      ...{ sourceCurrencyCode: "USD", limit: 100, cursor: "", withoutTotal: true },
    },
  ]);
  for (const wrong of ["account_id=ben_1", "limit=5", "cursor=x", "expand[]=beneficiary"]) {
    expect((await gateway.ask({ path: `${path}?${wrong}`, key })).status).toBe(400);
  }
});

it("is a header without payouts", async () => {
  serve(0);
  const { status, text } = await gateway.ask({ path, key });
  expect([status, parse(text)]).toEqual([200, [expect.arrayContaining(["id", "created_by_name"])]]);
});

it("is refused before it begins, and breaks off later", async () => {
  const fail = () => {
    throw new ConnectError("the service stopped", Code.Unavailable);
  };
  serve(250, fail);
  expect((await gateway.ask({ path, key })).status).toBe(503);
  serve(250, ({ cursor }) => {
    if (cursor === "200") fail();
  });
  await expect(gateway.ask({ path, key })).rejects.toThrow();
});
