import type { Asked, Guards } from "@disburse/chassis/approvals/approvals.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import type { FundRailAccountRequest } from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { type LedgerApprovals, ownWorkReasons } from "../ledger/approvals.ts";
import { type TreasuryDeps, treasuryRpc } from "./rpc.ts";

type TreasuryRpc = ReturnType<typeof treasuryRpc>;
type Booking = Pick<FundRailAccountRequest, "rail" | "currencyCode" | "amount" | "note">;

/** The RPCs of rail accounts, guarded where there are persons. */
export function guardedTreasury(deps: TreasuryDeps, approvals?: LedgerApprovals) {
  const rpc = treasuryRpc(deps);
  if (approvals === undefined) return rpc;
  return approvals.guard(PayoutOperationsService, rpc, treasuryGuards(deps, approvals));
}

/**
 * Funding and sweeps by one person, up to limits that count a day's sum together with what the
 * person credits; a currency without a limit always needs a second person.
 */
function treasuryGuards(
  deps: TreasuryDeps,
  approvals: LedgerApprovals,
): Guards<Pick<TreasuryRpc, "fundRailAccount" | "sweepRailAccount">> {
  const { sums } = approvals;
  const reasonsOf = ownWorkReasons({ ...approvals, clock: deps.clock });
  const guard = (what: "fund" | "sweep") => ({
    approvers: ["treasury_approver"] as const,
    difference: async (request: Booking) => {
      const { rail, currencyCode, amount, note } = request;
      const charge = "charge" in request && request.charge === true;
      return {
        // Balances move all the time: what is approved is the booking.
        before: "",
        after: JSON.stringify({ [what]: { rail, currencyCode, amount, note, charge } }),
      };
    },
    reasons: async (request: Booking, asked: Asked) => reasonsOf(workOf(what, request, asked)),
    refused: async (request: Booking, asked: Asked) => {
      const work = workOf(what, request, asked);
      if (work !== undefined) await sums.remove(work);
    },
  });
  return { fundRailAccount: guard("fund"), sweepRailAccount: guard("sweep") };
}

function workOf(what: string, request: Booking, { person, operationId }: Asked) {
  const { currencyCode: currency } = request;
  if (findCurrency(currency) === undefined) return undefined;
  const amount = parseAmount(request.amount, currency);
  if (isRefused(amount)) return undefined;
  return { person, currency, amount, operation: `${what} ${request.rail} ${operationId}` };
}
