import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { closeHolds, type Ledger, openHolds } from "../ledger/accounts.ts";
import type { OpenHold } from "../ledger/documents.ts";
import { orderedOf } from "../payouts/ordered-fields.ts";
import { toNeed } from "./approval-need.ts";
import { claimAndCreate, type ExecuteDeps } from "./execute.ts";
import { boundMetadata } from "./executions.ts";

/** A closer of holds. */
export type HoldCloser = ReturnType<typeof createHoldCloser>;

/** Collects holds whose payouts were just created, so that one write of an account closes many. */
export function createHoldCloser(ledger: Ledger) {
  let collected = new Map<string, string[]>();
  return {
    /** Returns at once; the sweep closes what a crash forgets. */
    close: (accountId: string, payoutId: string): void => {
      const ids = collected.get(accountId);
      if (ids === undefined) collected.set(accountId, [payoutId]);
      else ids.push(payoutId);
    },
    /** Closes what was collected; `true`: there may be more. */
    flush: async (): Promise<boolean> => {
      const toClose = collected;
      collected = new Map();
      for (const [accountId, ids] of toClose) await closeHolds(ledger, accountId, ids);
      return collected.size > 0;
    },
  };
}

/** No execute runs for so long; after it a hold without a payout is orphaned. */
export const orphanedAfterMs = 5_000;

type SweepDeps = ExecuteDeps & {
  readonly log: Log;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** Claims and creates the payout of each orphaned hold, or releases it; safe beside executes. */
export async function sweepHolds(deps: SweepDeps): Promise<void> {
  const { ledger, payouts, clock } = deps;
  const before = new Date(clock.now().getTime() - orphanedAfterMs);
  for await (const { accountId, merchantId, holds } of openHolds(ledger, before)) {
    const ids = holds.map(({ payout_id }) => payout_id);
    const found = payouts.find({ _id: { $in: ids } }, { projection: { _id: 1 } });
    const existing = (await found.toArray()).map(({ _id }) => _id);
    await closeHolds(ledger, accountId, existing);
    for (const orphan of holds.filter(({ payout_id }) => !existing.includes(payout_id))) {
      const finishing = { name: "finish orphaned hold", since: orphan.since };
      await resume(deps.tracing, orphan.intent, finishing, () =>
        finish(deps, accountId, merchantId, orphan),
      );
    }
  }
}

async function finish(
  deps: SweepDeps,
  accountId: string,
  merchantId: string,
  { intent, payout_id }: OpenHold,
): Promise<void> {
  try {
    const operation = { merchantId, operationId: intent.operation_id };
    const result = await claimAndCreate(deps, accountId, {
      ...operation,
      quoteId: intent.quote_id,
      referenceId: intent.reference_id,
      remittanceInformation: intent.remittance_information ?? "",
      purposeCode: intent.purpose_code ?? "",
      metadata: intent.has_metadata ? await boundMetadata(deps.executions, operation) : {},
      actor: intent.actor,
      ordered: orderedOf(intent),
      approval: intent.approval && toNeed(intent.approval),
    });
    const event = isRefused(result) ? "orphaned hold released" : "orphaned hold completed";
    deps.log.warn({ payout_id }, event);
  } catch (error) {
    if (isUnavailable(error)) {
      deps.log.warn({ payout_id }, "orphaned hold waits for the quote service");
    } else {
      deps.log.error({ err: error, payout_id }, "orphaned hold not finished");
    }
  }
}
