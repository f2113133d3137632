import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  ApprovePayoutRequestSchema,
  type PayoutService,
  RejectPayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  approvePayout as approveForm,
  rejectPayout as rejectForm,
} from "@disburse/forms/bodies/approval.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { payoutMessage } from "../payouts/wire.ts";
import { approvePayout, type DecideDeps, rejectPayout } from "./decide.ts";

export function approvalsRpc(deps: DecideDeps) {
  const contextOf = ({ unreadable }: { readonly unreadable: Unreadable }) => ({
    now: deps.clock.now(),
    unreadable,
  });
  return {
    approvePayout: async (message) => {
      const by = readMutation(message.mutation);
      const schema = ApprovePayoutRequestSchema;
      const request = orThrow(checkedMessage(approveForm, schema, message, contextOf(message)));
      return { payout: payoutMessage(orThrow(await approvePayout(deps, request, by))) };
    },

    rejectPayout: async (message) => {
      const by = readMutation(message.mutation);
      const schema = RejectPayoutRequestSchema;
      const request = orThrow(checkedMessage(rejectForm, schema, message, contextOf(message)));
      return { payout: payoutMessage(orThrow(await rejectPayout(deps, request, by))) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

type Unreadable = Parameters<typeof checkedMessage>[3]["unreadable"];
