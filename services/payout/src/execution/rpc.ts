import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { readChange } from "@disburse/chassis/mutations/content.ts";
import { readCreator } from "@disburse/chassis/rpc/creator.ts";
import { orThrow, type PublicRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import {
  type ExecutePayoutRequest,
  ExecutePayoutRequestSchema,
  type ExecutePayoutResponseSchema,
  type PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { executePayout as executeForm } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { detailsOf } from "../payouts/rules/payout.ts";
import type { ExecuteDeps, ExecuteRequest } from "./execute.ts";
import { isReserved } from "./rules/payable.ts";

type ExecutionDeps = Pick<ExecuteDeps, "clock"> & {
  readonly mode: Mode;
  /** Executes a quote, or lets its payout wait as the sent fields say. */
  readonly execute: (
    request: ExecuteRequest,
    sent: ExecutePayoutRequest,
  ) => Promise<MessageInitShape<typeof ExecutePayoutResponseSchema> | Refused<PublicRefusal>>;
};

export function executionRpc(deps: ExecutionDeps) {
  return {
    executePayout: async (message) => {
      const change = readChange(ExecutePayoutRequestSchema, message);
      const { merchantId, unreadable } = message;
      const context = { now: deps.clock.now(), unreadable };
      const sent = orThrow(
        checkedMessage(executeForm, ExecutePayoutRequestSchema, message, context),
      );
      if (isReserved(deps.mode, sent.referenceId)) {
        orThrow(refused("INVALID_REQUEST", "reference_id: is reserved for the sandbox"));
      }
      const { quoteId, allowDuplicate } = sent;
      const actor = readCreator(message.mutation);
      const ordered = { merchantId, quoteId, details: detailsOf(sent), allowDuplicate };
      return orThrow(await deps.execute({ ...ordered, ...change, actor }, sent));
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}
