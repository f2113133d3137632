import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  CancelEnd,
  type CancelNonceRequest,
  ChainNonceSchema,
  ChainWalletSchema,
} from "@disburse/contracts/disburse/payout/v1/chain_wallets_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import { cancelProblem, storeCancel } from "./cancellation.ts";
import type { WalletState } from "./dispatcher.ts";
import { attemptsOf, type TransferDocument, type TransferStore } from "./documents.ts";
import { noncesFrom } from "./store.ts";
import type { RailWallet } from "./wallet/open.ts";
import { findWallet } from "./wallet/store.ts";

/** A chain rail's wallet for operator RPCs. */
export type ChainWallet = RailWallet<TransferStore, WalletState>;

export type WalletRpcDeps = Pick<RailContext, "audit" | "clock" | "approvals"> & {
  readonly wallets: readonly ChainWallet[];
};

type WalletRpc = ReturnType<typeof walletsRpc>;

/** The maximum number of nonces in one response. */
const shownMax = 100;

/**
 * Creates the operator RPCs of chain wallets. Cancelling a nonce requires approval by a second
 * person.
 */
export function guardedWallets(deps: WalletRpcDeps): WalletRpc {
  const rpc = walletsRpc(deps);
  if (deps.approvals === undefined) return rpc;
  const guards: Guards<Pick<WalletRpc, "cancelNonce">> = {
    cancelNonce: {
      approvers: ["treasury_approver"],
      difference: async ({ rail, nonce, end, reason }) => {
        const found = await findNonce(deps, rail, Number(nonce));
        const before = { payoutId: payoutOf(found), state: found?.state ?? "gap" };
        return {
          before: JSON.stringify(before),
          after: JSON.stringify({
            cancelled: { rail, nonce: Number(nonce), end: enumName(CancelEnd, end), reason },
          }),
        };
      },
      reasons: async () => [
        "the request replaces a signed payment by a transaction that pays nothing",
      ],
      check: async (request) => void (await readCancellation(deps, request)),
    },
  };
  return deps.approvals.guard(PayoutOperatorService, rpc, guards);
}

function walletsRpc(deps: WalletRpcDeps) {
  const { wallets, audit, clock } = deps;
  const walletOf = (rail: string) =>
    orThrow(wallets.find((each) => each.rail === rail) ?? refused("RECORD_NOT_FOUND"));
  return {
    getChainWallet: async ({ rail }) => {
      const { wallet, store, state } = walletOf(rail);
      const {
        snapshot,
        blocked = "",
        waiting,
      } = orThrow(state() ?? refused("SERVICE_UNAVAILABLE"));
      const { minedLeast } = snapshot;
      const nextNonce = (await findWallet(store, wallet))?.next_nonce ?? minedLeast;
      const last = Math.min(nextNonce, minedLeast + shownMax);
      const known = await noncesFrom(store, wallet, minedLeast, last);
      const byNonce = new Map(known.map((each) => [each.nonce, each]));
      const unmined = Array.from({ length: Math.max(0, last - minedLeast) }, (_each, at) =>
        nonceMessage(minedLeast + at, byNonce.get(minedLeast + at)),
      );
      return {
        wallet: create(ChainWalletSchema, {
          rail,
          wallet,
          blocked,
          waiting,
          unmined,
          nextNonce: BigInt(nextNonce),
          minedNonces: BigInt(minedLeast),
        }),
      };
    },

    cancelNonce: async (request) => {
      const { rail } = request;
      const cancellation = await readCancellation(deps, request);
      const { by, reason, end: word, nonce, height, decided } = cancellation;
      const { wallet, store } = walletOf(rail);
      if (decided !== "cancellable") return { nonce: nonceMessage(nonce, decided) };
      const at = clock.now();
      const found = await store.transfers.findOne({ wallet, nonce });
      const subject = payoutOf(found) || `${rail} ${nonce}`;
      const detail = `nonce ${nonce} of ${rail}, ${word}: ${reason}`;
      // The audit entry is written first, so that the trail contains every stored decision.
      await audit.append({ action: "nonce.cancelled", subject, detail, at, ...by });
      const cancel = { end: word, at, ...by };
      const stored = await storeCancel(store, { wallet, nonce }, cancel, height);
      const late = refused(
        "INVALID_REQUEST",
        "nonce: has changed since you read it; read it again",
      );
      return { nonce: nonceMessage(nonce, orThrow(stored ?? late)) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

/** Reads a cancellation. Throws a refusal if the nonce can't be cancelled. */
async function readCancellation({ wallets }: WalletRpcDeps, request: CancelNonceRequest) {
  const by = readOperator(request.mutation);
  const reason = orThrow(readReason(request.reason));
  const end = enumName(CancelEnd, request.end) ?? refused("INVALID_REQUEST", "end: is required");
  const found = wallets.find((each) => each.rail === request.rail) ?? refused("RECORD_NOT_FOUND");
  const { wallet, store, state } = orThrow(found);
  const { height, minedLeast } = orThrow(state() ?? refused("SERVICE_UNAVAILABLE")).snapshot;
  const nonce = Number(request.nonce);
  const problem = await cancelProblem(store, { wallet, nonce }, minedLeast, by.operation);
  return { by, reason, end: orThrow(end), nonce, height, decided: orThrow(problem) };
}

async function findNonce({ wallets }: WalletRpcDeps, rail: string, nonce: number) {
  const found = wallets.find((each) => each.rail === rail);
  return found === undefined
    ? null
    : found.store.transfers.findOne({ wallet: found.wallet, nonce });
}

/** Returns the payout of a nonce. Returns "" for a transfer that only fills a nonce. */
function payoutOf(transfer: TransferDocument | null | undefined): string {
  return transfer === null || transfer === undefined || transfer.gap ? "" : transfer._id;
}

function nonceMessage(nonce: number, transfer: TransferDocument | undefined) {
  const cancel = transfer?.cancel;
  const attempts = transfer === undefined ? [] : attemptsOf(transfer);
  return create(ChainNonceSchema, {
    nonce: BigInt(nonce),
    payoutId: payoutOf(transfer),
    reorganised: transfer?.reorganised_at !== undefined,
    transactions: attempts.map(({ id, max_fee, cancels = false, at }) => ({
      hash: id,
      maxFee: max_fee.toString(),
      cancels,
      signedAt: timestampFromDate(at),
    })),
    ...(cancel && {
      cancel: enumValue(CancelEnd, cancel.end),
      cancelledBy: { kind: enumValue(Actor_Kind, "operator"), id: cancel.person },
    }),
  });
}
