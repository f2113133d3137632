import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Depositor,
  DepositorFieldsSchema,
  DepositorStatus,
  ListDepositorsRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { depositor } from "@disburse/forms/depositor.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import {
  createDepositorEndpoint,
  getDepositorEndpoint,
  listDepositorsEndpoint,
  listDepositorsQuery,
} from "../reference/depositors.ts";
import { readMessage } from "./body.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { messageFields, pageMetaData, present, wireTime } from "./wire.ts";
import { depositorStatuses } from "./words.ts";

/** A stored depositor (decisions §4); fields that are empty are left out. */
export function depositorData(stored: Depositor) {
  return {
    ...messageFields(DepositorFieldsSchema, present(stored.fields)),
    id: stored.id,
    status: depositorStatuses[stored.status],
    created_at: wireTime(stored.createdAt),
    updated_at: wireTime(stored.updatedAt),
  };
}

/** The list's request out of its query. */
function listRequest({ merchantId, query }: Call) {
  const asked = readQuery(query, listDepositorsQuery);
  if (isRefused(asked)) return asked;
  const request = create(ListDepositorsRequestSchema, {
    merchantId,
    limit: asked.limit ?? 0,
    cursor: asked.cursor ?? "",
    status: asked.status ?? DepositorStatus.UNSPECIFIED,
    depositorType: asked.depositor_type ?? "",
  });
  if (asked.created_from) request.createdFrom = timestampFromDate(asked.created_from);
  if (asked.created_to) request.createdTo = timestampFromDate(asked.created_to);
  return request;
}

/** Whitelisting depositors, listing and reading them. */
export function depositorOperations(clients: Pick<Clients, "beneficiary">): readonly Operation[] {
  const service = clients.beneficiary;
  return [
    {
      ...createDepositorEndpoint,
      answer: async ({ merchantId, mutation, body }) => {
        const read = readMessage(depositor, DepositorFieldsSchema, body);
        const { message: fields, unreadable } = read;
        const asked = { mutation, merchantId, fields, unreadable };
        return { id: (await service.createDepositor(asked)).depositorId };
      },
    },
    {
      ...listDepositorsEndpoint,
      answer: async (call) => {
        const request = listRequest(call);
        if (isRefused(request)) return request;
        const reply = await service.listDepositors(request);
        const depositors = reply.depositors.map(depositorData);
        return { depositors, meta_data: pageMetaData(reply) };
      },
    },
    {
      ...getDepositorEndpoint,
      answer: async (call) => {
        const depositorId = param(call, "depositorId");
        const reply = await service.getDepositor({ merchantId: call.merchantId, depositorId });
        return depositorData(present(reply.depositor));
      },
    },
  ];
}
