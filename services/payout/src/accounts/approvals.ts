import type { DailySums, OwnWork } from "@disburse/chassis/approvals/daily-sums.ts";
import type { Guards, Requester } from "@disburse/chassis/approvals/guard.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { entryAmount, type Ledger, readAccount } from "@disburse/ledger/accounts.ts";
import { type AccountsDeps, accountsRpc, readCredit, readReversalNote } from "./rpc.ts";

/** The daily limits for one operator's own credits and reversals, by currency, in minor units. */
export type OwnWorkLimits = ReadonlyMap<string, bigint>;

type AccountsRpc = ReturnType<typeof accountsRpc>;
type Credit = Parameters<AccountsRpc["creditAccount"]>[0];
type Amount = { readonly currency: string; readonly amount: bigint };

export type MoneyApprovals = Pick<ServiceApprovals, "guard"> & {
  readonly sums: DailySums;
  readonly limits: OwnWorkLimits;
};

/** Adds the approval guard to the account RPCs, if approvals are configured. */
export function guardedAccounts(deps: AccountsDeps, approvals?: MoneyApprovals) {
  const rpc = accountsRpc(deps);
  if (approvals === undefined) return rpc;
  return approvals.guard(PayoutService, rpc, accountsGuards({ ...deps, ...approvals }));
}

/**
 * Returns the reasons why a movement needs a second operator. The daily sum includes both credits
 * and rail movements.
 */
export function ownWorkReasons({
  sums,
  limits,
  clock,
}: Pick<MoneyApprovals, "sums" | "limits"> & { readonly clock: Clock }) {
  return async (work: OwnWork | undefined): Promise<string[]> => {
    // A malformed request needs no approval, because the RPC refuses it.
    if (work === undefined) return [];
    const { person, currency } = work;
    const limit = limits.get(currency) ?? 0n;
    if (await sums.add(work, limit, clock.now())) return [];
    const most = `${formatAmount(limit, currency)} ${currency}`;
    return [`above ${most} of credits, reversals, funding and sweeps by ${person} within a day`];
  };
}

/** Requires a second operator for credits and reversals above one operator's daily limit. */
function accountsGuards(deps: {
  readonly ledger: Ledger;
  readonly sums: DailySums;
  readonly limits: OwnWorkLimits;
  readonly clock: Clock;
}): Guards<Pick<AccountsRpc, "creditAccount" | "reverseCredit">> {
  const { ledger, sums, limits, clock } = deps;
  const approvers = ["treasury_approver"] as const;
  const reasonsOf = ownWorkReasons({ sums, limits, clock });
  const workOf = (rpc: string, merchantId: string, { person, operationId }: Requester) => {
    return (moved: Amount): OwnWork => ({
      ...moved,
      person,
      operation: `${rpc} ${merchantId} ${operationId}`,
    });
  };
  return {
    creditAccount: {
      approvers,
      difference: async ({ accountId, amount, currencyCode, note }) => ({
        before: "",
        after: JSON.stringify({ credit: { accountId, amount, currencyCode, note } }),
      }),
      reasons: async (request, requester) => {
        const amount = await creditedBy(ledger, request);
        const work = workOf("credit", request.merchantId, requester);
        return reasonsOf(amount && work(amount));
      },
      check: async (request) => void (await readCredit(ledger, request)),
      refused: async (request, requester) => {
        const amount = await creditedBy(ledger, request);
        if (amount === undefined) return;
        await sums.remove(workOf("credit", request.merchantId, requester)(amount));
      },
    },
    reverseCredit: {
      approvers,
      difference: async ({ accountId, entryId, note }) => ({
        before: "",
        after: JSON.stringify({ reversal: { accountId, entryId, note } }),
      }),
      reasons: async (request, requester) => {
        const amount = await entryAmount(ledger, request, request.entryId);
        const work = workOf("reversal", request.merchantId, requester);
        return reasonsOf(amount && work(amount));
      },
      check: async (request) => void readReversalNote(request),
      refused: async (request, requester) => {
        const amount = await entryAmount(ledger, request, request.entryId);
        if (amount === undefined) return;
        await sums.remove(workOf("reversal", request.merchantId, requester)(amount));
      },
    },
  };
}

async function creditedBy(ledger: Ledger, request: Credit): Promise<Amount | undefined> {
  const account = await readAccount(ledger, request.merchantId, request.accountId);
  if (account === undefined) return undefined;
  const amount = parseAmount(request.amount, account.currency);
  return isRefused(amount) ? undefined : { currency: account.currency, amount };
}
