import type { ServiceImpl } from "@connectrpc/connect";
import { throwChanged } from "@disburse/chassis/approvals/checked.ts";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { invalidRequest, isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { type Ledger, readAccount } from "@disburse/ledger/accounts.ts";
import { setTopUpInstructions } from "@disburse/ledger/settings.ts";
import { accountMessage, assertMerchants } from "./rpc.ts";

type TopUpDeps = {
  readonly ledger: Ledger;
  readonly proposals: Pick<ServiceApprovals, "guard">;
};

/**
 * Lets operators tell a merchant how to send money to an account. A wrong text diverts the
 * merchant's money, so another operator approves each text.
 */
export function guardedTopUp({ ledger, proposals }: TopUpDeps) {
  const rpc = topUpRpc(ledger);
  return proposals.guard(PayoutService, rpc, topUpGuards(ledger));
}

function topUpRpc(ledger: Ledger) {
  return {
    setTopUpInstructions: async ({ mutation, merchantId, accountId, topUpInstructions }) => {
      const by = readMutation(mutation);
      const text = orThrow(readInstructions(topUpInstructions));
      assertMerchants(merchantId);
      const { checkedBefore } = callContext() ?? {};
      const change = { text, before: checkedBefore && textIn(checkedBefore) };
      const set = await setTopUpInstructions(ledger, { merchantId, accountId }, change, by);
      if (set === "superseded") return throwChanged();
      return { account: accountMessage(orThrow(set ?? refused("RECORD_NOT_FOUND"))) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

function topUpGuards(ledger: Ledger): Guards<ReturnType<typeof topUpRpc>> {
  return {
    setTopUpInstructions: {
      approvers: ["treasury_approver"],
      // An account remembers its last operations only, so an old text could come back.
      repeated: async ({ merchantId, accountId }) => {
        const account = await readAccount(ledger, merchantId, accountId);
        return { account: accountMessage(orThrow(account ?? refused("RECORD_NOT_FOUND"))) };
      },
      difference: async ({ merchantId, accountId, topUpInstructions: sent }) => {
        const account = await readAccount(ledger, merchantId, accountId);
        const wanted = readInstructions(sent);
        const text = (topUpInstructions: string): string => {
          const described: Described = { currencyCode: account?.currency, topUpInstructions };
          return JSON.stringify(described);
        };
        return {
          before: text(account?.topUpInstructions ?? ""),
          after: text(isRefused(wanted) ? sent : wanted),
        };
      },
      reasons: async ({ topUpInstructions: sent }, _requester, { before }) => {
        const wanted = readInstructions(sent);
        // A malformed request needs no approval, because the RPC refuses it.
        if (isRefused(wanted)) return [];
        const isHarmless = wanted === "" || wanted === textIn(before);
        return isHarmless ? [] : ["a wrong text diverts the merchant's money"];
      },
      check: async ({ merchantId, accountId }) => {
        orThrow((await readAccount(ledger, merchantId, accountId)) ?? refused("RECORD_NOT_FOUND"));
      },
    },
  };
}

/** The instructions as an approver reads them. */
type Described = {
  readonly currencyCode: string | undefined;
  readonly topUpInstructions: string;
};

const textIn = (described: string) => (JSON.parse(described) as Described).topUpInstructions;

/** The maximum length of the text. Longer ones are documents, which belong elsewhere. */
const instructionsMax = 2_000;

/** Cleans a plain text whose only control characters are line breaks. */
function readInstructions(text: string): string | Refused<"INVALID_REQUEST"> {
  const cleaned = cleanText(text.replaceAll("\r\n", "\n"));
  const problem =
    cleaned.length > instructionsMax
      ? `must be at most ${instructionsMax} characters`
      : textProblem(cleaned.replaceAll("\n", " "));
  return problem === undefined
    ? cleaned
    : invalidRequest([{ field: "top_up_instructions", problem }]);
}
