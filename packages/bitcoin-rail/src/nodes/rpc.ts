import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RailWallet } from "@disburse/chain-rail/wallet/open.ts";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import {
  type CancelTransactionBatchRequest,
  TransactionBatchSchema,
} from "@disburse/contracts/disburse/payout/v1/transaction_batches_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import type { WalletState } from "../dispatcher.ts";
import type { BatchDocument, BitcoinStore } from "../documents.ts";
import { findBatch, openBatches, storeCancel } from "../store.ts";

type BatchDeps = Pick<RailContext, "audit" | "clock" | "approvals"> & {
  readonly wallets: readonly RailWallet<BitcoinStore, WalletState>[];
};

type BatchRpc = ReturnType<typeof batchesRpc>;

/** Creates the operator RPCs of batches. Cancelling a batch requires approval by a second person. */
export function guardedBatches(deps: BatchDeps): BatchRpc {
  const rpc = batchesRpc(deps);
  if (deps.approvals === undefined) return rpc;
  const guards: Guards<Pick<BatchRpc, "cancelTransactionBatch">> = {
    cancelTransactionBatch: {
      approvers: ["treasury_approver"],
      difference: async ({ rail, batchId, reason }) => {
        const found = await findOf(deps, rail, batchId);
        const payoutIds = found?.payouts.map(({ key }) => key) ?? [];
        return {
          before: JSON.stringify({ payoutIds, state: found?.state ?? "" }),
          after: JSON.stringify({ cancelled: { rail, batchId, reason } }),
        };
      },
      reasons: async () => ["the request replaces signed payments by one that pays nothing"],
      check: async (request) => {
        const { batch } = await readCancellation(deps, request);
        orThrow(cancelProblem(batch) ?? "cancellable");
      },
    },
  };
  return deps.approvals.guard(PayoutOperatorService, rpc, guards);
}

function batchesRpc(deps: BatchDeps) {
  const { wallets, audit, clock } = deps;
  const walletOf = (rail: string) =>
    orThrow(wallets.find((each) => each.rail === rail) ?? refused("RECORD_NOT_FOUND"));
  return {
    listTransactionBatches: async ({ rail }) => {
      const { wallet, store, state } = walletOf(rail);
      const now = orThrow(state() ?? refused("SERVICE_UNAVAILABLE"));
      const batches = await openBatches(store, wallet);
      return {
        rail,
        wallet,
        blocked: now.blocked ?? "",
        atFeeBound: now.isAtBound,
        waiting: now.waiting,
        coins: now.coins,
        batches: batches.map(batchMessage),
      };
    },

    cancelTransactionBatch: async (request) => {
      const by = readOperator(request.mutation);
      const { rail, batchId } = request;
      const { reason, batch: found } = await readCancellation(deps, request);
      const { store } = walletOf(rail);
      if (found.cancel?.operation === by.operation) return { batch: batchMessage(found) };
      orThrow(cancelProblem(found) ?? "cancellable");
      const at = clock.now();
      const detail = `batch ${batchId} of ${rail}: ${reason}`;
      // The audit entry is written first, so that the trail contains every stored decision.
      await audit.append({ action: "batch.cancelled", subject: batchId, detail, at, ...by });
      const stored = await storeCancel(store, batchId, { at, ...by });
      return {
        batch: batchMessage(orThrow(stored ?? notCancellable("has changed; read it again"))),
      };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

type Cancellation = Pick<CancelTransactionBatchRequest, "rail" | "batchId" | "reason">;

async function readCancellation(deps: BatchDeps, { rail, batchId, reason }: Cancellation) {
  const batch = (await findOf(deps, rail, batchId)) ?? refused("RECORD_NOT_FOUND");
  return { reason: orThrow(readReason(reason)), batch: orThrow(batch) };
}

function cancelProblem({ state, cancel }: BatchDocument): Refused<"INVALID_REQUEST"> | undefined {
  if (cancel !== undefined) return notCancellable("was already cancelled");
  return state === "open" ? undefined : notCancellable("already has a final transaction");
}

function notCancellable(why: string): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", `batch_id: ${why}`);
}

async function findOf({ wallets }: BatchDeps, rail: string, id: string) {
  const found = wallets.find((each) => each.rail === rail);
  const batch = found && (await findBatch(found.store, id));
  return batch?.wallet === found?.wallet ? batch : undefined;
}

function batchMessage(batch: BatchDocument) {
  const { _id: id, state, payouts, variants, children, cancel, end } = batch;
  const shown = [...variants, ...children];
  return create(TransactionBatchSchema, {
    id,
    state,
    payoutIds: payouts.map(({ key }) => key),
    reorganised: batch.reorganised_at !== undefined,
    finalHash: end?.id ?? "",
    createdAt: timestampFromDate(batch.created_at),
    transactions: shown.map((each) => ({
      hash: each.id,
      fee: each.fee.toString(),
      size: each.vsize,
      cancels: "cancels" in each && each.cancels === true,
      parent: "parent" in each ? each.parent : "",
      signedAt: timestampFromDate(each.at),
    })),
    ...(cancel && {
      cancelledBy: { kind: enumValue(Actor_Kind, "operator"), id: cancel.person },
    }),
  });
}
