import { create } from "@bufbuild/protobuf";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  ScheduledPayoutApprovalSchema,
  ScheduledPayoutSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { expect, it } from "vitest";
import { at, times, useCalls, wireAt, wireTimes } from "../test-calls.ts";

const calls = useCalls();
const path = "/api/v1/transfer/scheduled-payouts";

const scheduledPayout = create(ScheduledPayoutSchema, {
  ...{ id: "spo_1", merchantId: "mer_1", accountId: "acc_1", beneficiaryId: "ben_1" },
  ...{ status: PayoutStatus.INITIATED, subStatus: PayoutSubStatus.SCHEDULED },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", sourceAmount: "100.10" },
  ...{ referenceId: "rent", scheduledAt: at, ...times },
});

const shown = {
  ...{ id: "spo_1", status: "initiated", sub_status: "scheduled", scheduled_at: wireAt },
  ...{ account_id: "acc_1", beneficiary_id: "ben_1", source_amount: 100.1, reference_id: "rent" },
  ...{ source_currency_code: "USD", destination_currency_code: "INR" },
  ...{ payout_id: "", failure_code: "", failure_message: "", ...wireTimes },
  metadata: {},
  reserve: false,
};

it("a scheduled payout is ordered, read and cancelled; amounts that are not known are left out", async () => {
  const { orders } = calls.fakes();
  orders.schedulePayout = calls.replying({ scheduledPayout });
  orders.getScheduledPayout = calls.replying({ scheduledPayout });
  orders.cancelScheduledPayout = calls.replying({ scheduledPayout });
  const body = '{"source_amount":100.10,"scheduled_at":"2026-12-01","max_source_amount":"101"}';
  expect(await calls.data({ path, body })).toEqual(shown);
  expect(await calls.data({ path: `${path}/spo_1` })).toEqual(shown);
  expect(await calls.data({ path: `${path}/spo_1/cancel`, body: "" })).toEqual(shown);
  const scheduledPayoutId = "spo_1";
  expect(calls.requests()).toMatchObject([
    { sourceAmount: "100.10", scheduledAt: "2026-12-01", maxSourceAmount: "101" },
    { scheduledPayoutId },
    { scheduledPayoutId },
  ]);
});

it("scheduled payouts are listed, those that wait by their sub-status", async () => {
  calls.fakes().orders.listScheduledPayouts = calls.replying({
    ...{ scheduledPayouts: [scheduledPayout], totalCount: 1n, nextCursor: "" },
  });
  expect(await calls.data({ path: `${path}?sub_status=scheduled` })).toEqual({
    ...{ scheduled_payouts: [shown], meta_data: { total_count: 1, next_cursor: "" } },
  });
  expect(calls.requests()[0]).toMatchObject({ subStatus: PayoutSubStatus.SCHEDULED });
});

it("a held one shows its digest, and its approval sends that of the approver", async () => {
  const approval = create(ScheduledPayoutApprovalSchema, {
    ...{ state: ApprovalState.WAITING, digest: "d1", expiresAt: at },
  });
  const held = { ...scheduledPayout, approval };
  calls.fakes().orders.approveScheduledPayout = calls.replying({ scheduledPayout: held });
  const found = await calls.data({ path: `${path}/spo_1/approve`, body: '{"digest":"d1"}' });
  expect(found).toMatchObject({ approval: { state: "waiting", digest: "d1" } });
  await calls.data({ path: `${path}/spo_1/approve`, body: "" });
  expect(calls.requests()).toMatchObject([{ digest: "d1" }, { digest: "" }]);
});
