import type { ServiceImpl } from "@connectrpc/connect";
import { readChange } from "@disburse/chassis/mutations/content.ts";
import { readCreator } from "@disburse/chassis/rpc/creator.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import {
  type PayoutService,
  ReissuePayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { reissuePayout as reissueForm } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { ExecuteDeps } from "../execution/execute.ts";
import { isReserved } from "../execution/rules/payable.ts";
import { payoutMessage } from "../payouts/wire.ts";
import { reissuePayout } from "./reissue.ts";

export function reissuesRpc(deps: ExecuteDeps & { readonly mode: Mode }) {
  return {
    reissuePayout: async (message) => {
      const change = readChange(ReissuePayoutRequestSchema, message);
      const { merchantId, payoutId, unreadable } = message;
      const context = { now: deps.clock.now(), unreadable };
      const sent = orThrow(
        checkedMessage(reissueForm, ReissuePayoutRequestSchema, message, context),
      );
      if (isReserved(deps.mode, sent.referenceId)) {
        orThrow(refused("INVALID_REQUEST", "reference_id: is reserved for the sandbox"));
      }
      const { beneficiaryId, maxSourceAmount, referenceId, allowDuplicate, metadata } = sent;
      const differs = { beneficiaryId, maxSourceAmount, referenceId, allowDuplicate, metadata };
      const actor = readCreator(message.mutation);
      const request = { merchantId, payoutId, ...differs, ...change, actor };
      return { payout: payoutMessage(orThrow(await reissuePayout(deps, request))) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}
