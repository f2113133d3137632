import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import type { Argument, CallCommand } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const orders = PayoutOrderService.method;

const batch: Argument = {
  name: "batch",
  field: "batch_id",
  about: "the batch's id, bat_…",
  source: { list: "batches list", value: "id", name: "reference_id" },
};
const scheduled: Argument = {
  name: "scheduled",
  field: "scheduled_payout_id",
  about: "the scheduled payout's id, spo_…",
  source: { list: "scheduled list", value: "id", name: "scheduled_at" },
};

export const orderCommands: readonly CallCommand[] = [
  {
    name: "batches list",
    summary: "a merchant's batches, newest first",
    examples: ["batches list mer_01k…", "batches list mer_01k… --state running"],
    method: orders.listBatches,
    arguments: [merchant],
    options: [{ name: "state", field: "state", about: "in this state" }],
    show: {
      list: "batches",
      columns: [
        ...["id", "state", "line_count", "waiting_count", "executed_count", "failed_count"],
        ...["total_amount", ["source_currency_code", "currency"] as const],
        ...["reference_id", "created_at"],
      ],
    },
  },
  {
    name: "batches show",
    summary: "one batch with its progress",
    examples: ["batches show mer_01k… bat_01k…"],
    method: orders.getBatch,
    arguments: [merchant, batch],
    show: { record: "batch" },
  },
  {
    name: "batches lines",
    summary: "the lines of a batch with their outcomes",
    examples: ["batches lines mer_01k… bat_01k… --state failed"],
    method: orders.listBatchLines,
    arguments: [merchant, batch],
    options: [{ name: "state", field: "state", about: "in this state" }],
    show: {
      list: "lines",
      columns: [
        ...["number", "state", "beneficiary_id", "source_amount", "receiving_amount"],
        ...["payout_id", "failure_code", "reference_id"],
      ],
    },
  },
  {
    name: "batches reject",
    summary: "on behalf of its merchant, reject a batch that awaits approval",
    details: "The batch and its lines are cancelled. No money was held for it.",
    examples: ['batches reject mer_01k… bat_01k… --reason "line 17 was already paid"'],
    method: orders.rejectBatch,
    arguments: [merchant, batch],
    options: [{ name: "reason", field: "reason", about: "the reason", isRequired: true }],
    show: { record: "batch" },
  },
  {
    name: "batches cancel",
    summary: "on behalf of its merchant, cancel the unstarted lines of a batch",
    examples: ["batches cancel mer_01k… bat_01k…"],
    method: orders.cancelBatch,
    arguments: [merchant, batch],
    show: { record: "batch" },
  },
  {
    name: "scheduled list",
    summary: "a merchant's scheduled payouts, newest first",
    examples: ["scheduled list mer_01k… --waiting"],
    method: orders.listScheduledPayouts,
    arguments: [merchant],
    options: [
      { name: "waiting", field: "waiting", value: "", about: "only those without a payout" },
    ],
    show: {
      list: "scheduled_payouts",
      columns: [
        ...["id", "status", "sub_status", "scheduled_at", "source_amount"],
        ...[["source_currency_code", "from"] as const, "receiving_amount"],
        ...[["destination_currency_code", "to"] as const, "payout_id", "failure_code"],
      ],
    },
  },
  {
    name: "scheduled show",
    summary: "one scheduled payout",
    examples: ["scheduled show mer_01k… spo_01k…"],
    method: orders.getScheduledPayout,
    arguments: [merchant, scheduled],
    show: { record: "scheduled_payout" },
  },
  {
    name: "scheduled reject",
    summary: "on behalf of its merchant, reject a scheduled payout that awaits approval",
    examples: ['scheduled reject mer_01k… spo_01k… --reason "the invoice is disputed"'],
    method: orders.rejectScheduledPayout,
    arguments: [merchant, scheduled],
    options: [{ name: "reason", field: "reason", about: "the reason", isRequired: true }],
    show: { record: "scheduled_payout" },
  },
  {
    name: "scheduled cancel",
    summary: "on behalf of its merchant, cancel a scheduled payout before its payout is submitted",
    examples: ["scheduled cancel mer_01k… spo_01k…"],
    method: orders.cancelScheduledPayout,
    arguments: [merchant, scheduled],
    show: { record: "scheduled_payout" },
  },
];
