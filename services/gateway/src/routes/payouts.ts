import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ExecutePayoutRequestSchema,
  ListPayoutsRequestSchema,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { executePayout } from "@disburse/forms/transfer.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import { pageQuery } from "../reference/page.ts";
import {
  executePayoutEndpoint,
  getPayoutEndpoint,
  listPayoutEventsEndpoint,
  listPayoutsEndpoint,
  listPayoutsQuery,
} from "../reference/payouts.ts";
import { readMessage } from "./body.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { payoutData, payoutEventData, payoutListData } from "./payout-wire.ts";
import { pageMetaData, present } from "./wire.ts";

/** The interface's sentence for a payout that was accepted. */
const queuedMessage = "Transaction Queued";

/** The list's request out of its query. */
function listRequest({ merchantId, query }: Call) {
  const asked = readQuery(query, listPayoutsQuery);
  if (isRefused(asked)) return asked;
  const request = create(ListPayoutsRequestSchema, {
    merchantId,
    limit: asked.limit ?? 0,
    cursor: asked.cursor ?? "",
    status: asked.status ?? PayoutStatus.UNSPECIFIED,
    beneficiaryId: asked.beneficiary_id ?? "",
    referenceId: asked.reference_id ?? "",
    quoteId: asked.quote_id ?? "",
    sourceCurrencyCode: asked.source_currency_code ?? "",
    destinationCurrencyCode: asked.destination_currency_code ?? "",
  });
  if (asked.created_from) request.createdFrom = timestampFromDate(asked.created_from);
  if (asked.created_to) request.createdTo = timestampFromDate(asked.created_to);
  return request;
}

/** Executing a quote, and reading what became of it. */
export function payoutOperations({ payout }: Pick<Clients, "payout">): readonly Operation[] {
  return [
    {
      ...executePayoutEndpoint,
      answer: async ({ merchantId, mutation, body }) => {
        const read = readMessage(executePayout, ExecutePayoutRequestSchema, body);
        const { message, unreadable } = read;
        const asked = Object.assign(message, { mutation, merchantId, unreadable });
        return { id: (await payout.executePayout(asked)).payoutId, message: queuedMessage };
      },
    },
    {
      ...listPayoutsEndpoint,
      answer: async (call) => {
        const request = listRequest(call);
        return isRefused(request) ? request : payoutListData(await payout.listPayouts(request));
      },
    },
    {
      ...getPayoutEndpoint,
      answer: async (call) => {
        const payoutId = param(call, "payoutId");
        const reply = await payout.getPayout({ merchantId: call.merchantId, payoutId });
        return payoutData(present(reply.payout));
      },
    },
    {
      ...listPayoutEventsEndpoint,
      answer: async (call) => {
        const asked = readQuery(call.query, pageQuery);
        if (isRefused(asked)) return asked;
        const payoutId = param(call, "payoutId");
        const { merchantId } = call;
        const reply = await payout.listPayoutEvents({ merchantId, payoutId, ...asked });
        return { events: reply.events.map(payoutEventData), meta_data: pageMetaData(reply) };
      },
    },
  ];
}
