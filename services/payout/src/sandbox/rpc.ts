import type { ServiceImpl } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  CreditOwnAccountRequestSchema,
  type PayoutSandboxService,
  SandboxOutcome,
  type SetPayoutOutcomeRequest,
  SetPayoutOutcomeRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { creditAccount, setPayoutOutcome } from "@disburse/forms/bodies/sandbox.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { failureCodes } from "@disburse/kernel/failure.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { type Ledger, readAccount } from "@disburse/ledger/accounts.ts";
import { accountMessage, credit, reopen } from "../accounts/rpc.ts";
import { payoutMessage } from "../payouts/wire.ts";
import type { SandboxScenarios } from "../rails/sandbox/scenario-store.ts";
import type { Steered } from "../rails/sandbox/steering.ts";
import { type OutcomeDeps, setOutcome } from "./outcome.ts";
import { scenarioRpc } from "./scenario-rpc.ts";

export type SandboxDeps = OutcomeDeps & {
  readonly ledger: Ledger;
  readonly scenarios: SandboxScenarios;
};

/** Creates the RPCs with which a sandbox merchant sets the state of its payouts and accounts. */
export function sandboxPayoutsRpc(deps: SandboxDeps) {
  return {
    setPayoutOutcome: async (message) => {
      const by = readMutation(message.mutation);
      const context = { now: deps.clock.now(), unreadable: message.unreadable };
      const schema = SetPayoutOutcomeRequestSchema;
      const request = orThrow(checkedMessage(setPayoutOutcome, schema, message, context));
      const payout = orThrow(await setOutcome(deps, request, steeredBy(request), by));
      return { payout: payoutMessage(payout) };
    },

    ...scenarioRpc(deps),

    reopenOwnAccount: (request) => reopen(deps.ledger, request),

    creditOwnAccount: async (message) => {
      const context = { now: deps.clock.now(), unreadable: message.unreadable };
      const schema = CreditOwnAccountRequestSchema;
      const request = orThrow(checkedMessage(creditAccount, schema, message, context));
      await credit(deps.ledger, request);
      const account = await readAccount(deps.ledger, request.merchantId, request.accountId);
      return { account: accountMessage(orThrow(account ?? refused("RECORD_NOT_FOUND"))) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutSandboxService>>;
}

function steeredBy(request: SetPayoutOutcomeRequest): Steered {
  const required = refused("INVALID_REQUEST", "outcome: is required");
  const kind = orThrow(enumName(SandboxOutcome, request.outcome) ?? required);
  if (kind === "unknown") return { kind };
  // The transfer keeps the reference that the rail gave when it accepted the payout.
  if (kind === "settled") return { kind, reference: "" };
  const { failureCode, railCode } = request;
  const code = failureCodes.find((each) => each === failureCode);
  if (code === undefined) return { kind };
  return { kind, failure: { code, ...(railCode !== "" && { railCode }) } };
}
