import {
  type Depositor,
  DepositorFieldsSchema,
  DepositorStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { depositor } from "@disburse/forms/depositor.ts";
import type { Clients } from "../clients.ts";
import { readMessage } from "./body.ts";
import { type Operation, param } from "./operation.ts";
import { messageFields, present, wireTime } from "./wire.ts";

const statuses: Readonly<Record<DepositorStatus, string>> = {
  [DepositorStatus.UNSPECIFIED]: "",
  [DepositorStatus.PENDING]: "pending",
  [DepositorStatus.WHITELISTED]: "whitelisted",
  [DepositorStatus.REVIEW]: "review",
  [DepositorStatus.REJECTED]: "rejected",
};

/** A stored depositor (decisions §4); fields that are empty are left out. */
export function depositorData(stored: Depositor) {
  return {
    ...messageFields(DepositorFieldsSchema, present(stored.fields)),
    id: stored.id,
    status: statuses[stored.status],
    created_at: wireTime(stored.createdAt),
    updated_at: wireTime(stored.updatedAt),
  };
}

/** Whitelisting depositors, and reading them. */
export function depositorOperations(clients: Pick<Clients, "beneficiary">): readonly Operation[] {
  const service = clients.beneficiary;
  return [
    {
      method: "POST",
      path: "/api/v1/depositor",
      scope: "depositor:write",
      body: "required",
      answer: async ({ merchantId, mutation, body }) => {
        const read = readMessage(depositor, DepositorFieldsSchema, body);
        const { message: fields, unreadable } = read;
        const asked = { mutation, merchantId, fields, unreadable };
        return { id: (await service.createDepositor(asked)).depositorId };
      },
    },
    {
      method: "GET",
      path: "/api/v1/depositor/:depositorId",
      scope: "depositor:read",
      answer: async (call) => {
        const depositorId = param(call, "depositorId");
        const reply = await service.getDepositor({ merchantId: call.merchantId, depositorId });
        return depositorData(present(reply.depositor));
      },
    },
  ];
}
