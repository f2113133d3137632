import type { ServiceImpl } from "@connectrpc/connect";
import { readChange } from "@disburse/chassis/mutations/content.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import {
  ExecutePayoutRequestSchema,
  type PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { executePayout as executeForm } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { detailsOf } from "../payouts/rules/payout.ts";
import { type ExecuteDeps, executePayout } from "./execute.ts";
import { isReserved } from "./rules/payable.ts";

export function executionRpc(deps: ExecuteDeps & { readonly mode: Mode }) {
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
      const request = { merchantId, quoteId, details: detailsOf(sent), allowDuplicate, ...change };
      return { payoutId: orThrow(await executePayout(deps, request)).id };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}
