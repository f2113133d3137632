import { createRuns, oldestMs } from "@disburse/chain-rail/wallet/runs.ts";
import { createSendTimes } from "@disburse/chain-rail/wallet/send-times.ts";
import { findWallet } from "@disburse/chain-rail/wallet/store.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { greatestOf } from "@disburse/kernel/bigint.ts";
import type { BatchDocument, TransferDocument } from "./documents.ts";
import { followBatch } from "./follow.ts";
import { type BatchPolicy, completeWallet, formBatch } from "./forming.ts";
import { firstRate } from "./rules/fees.ts";
import { beginWallet, openBatches, unknownTransactions, waitingTransfers } from "./store.ts";
import { watchBatch } from "./watch.ts";
import type { BatchWork, Run } from "./work.ts";

export type DispatchDeps = Omit<BatchWork, "isSendDue"> & {
  readonly batches: BatchPolicy;
  /** Spends of the wallet's coins that operators have checked. */
  readonly knownTransactions: readonly string[];
  /** Returns true if operators have paused the rail. While it is paused, no batch is formed. */
  readonly isPaused: () => Promise<boolean>;
};

export type Blocked = "transactions" | "fees";

/** The wallet's state in the last run, for the rail's replies and its metrics. In satoshi. */
export type WalletState = {
  readonly at: Date;
  readonly height: number;
  readonly balance: bigint;
  /** The balance less the payouts that wait or are not signed yet. */
  readonly free: bigint;
  readonly coins: number;
  readonly waiting: number;
  readonly unmined: number;
  /** The time since the first signature of the oldest open batch; 0 if there is none. */
  readonly oldestUnminedMs: number;
  /** The reason why no batch is formed now. */
  readonly blocked: Blocked | undefined;
  /** True if the fee of an unmined batch can't rise any more. */
  readonly isAtBound: boolean;
};

/** The interval at which ended batches are checked again. */
const watchMs = 15_000;

/** Advances the batches of one wallet, one run at a time. */
export function createDispatcher(deps: DispatchDeps) {
  const { chain, store, clock } = deps;
  const work: BatchWork = { ...deps, isSendDue: createSendTimes(() => clock.now().getTime()) };
  let watchedAt = 0;
  return createRuns(chain.check, async (works) => {
    const wallet = await openWallet(deps);
    const snapshot = await chain.snapshot(wallet.since_block);
    // The chain must be read first. Every transaction that this rail sent is then stored.
    const unknown = await unknownTransactions(store, snapshot.sends);
    const run: Run = { snapshot, unknown, wallet, isAtBound: false };
    const batches = await openBatches(store, chain.wallet);
    const isWatchDue = clock.now().getTime() - watchedAt >= watchMs;
    if (works) {
      if (isWatchDue) watchedAt = clock.now().getTime();
      for (const batch of batches) {
        if (batch.state === "open") await advance(work, batch, run, followBatch);
        else if (isWatchDue) await advance(work, batch, run, watchBatch);
      }
    }
    return formNext(work, deps, run, batches, works);
  });
}

/** Advances a batch. A failure is logged and does not affect the other batches. */
async function advance(
  work: BatchWork,
  batch: BatchDocument,
  run: Run,
  by: (work: BatchWork, batch: BatchDocument, run: Run) => Promise<void>,
): Promise<void> {
  try {
    await by(work, batch, run);
  } catch (error) {
    work.log.error(
      { err: error, batch: batch._id },
      "processing a Bitcoin batch failed; it will be retried",
    );
  }
}

/** Returns the wallet's document. The first call begins it at a block on which nodes agree. */
async function openWallet({ chain, store }: DispatchDeps) {
  const found = await findWallet(store, chain.wallet);
  if (found !== undefined) return found;
  await beginWallet(store, chain.wallet, await chain.firstBlock());
  const begun = await findWallet(store, chain.wallet);
  if (begun === undefined)
    throw new Error(`wallet ${chain.wallet} has no document in the database`);
  return begun;
}

/** Completes the last batch and forms the next one. Returns the wallet's state. */
async function formNext(
  work: BatchWork,
  deps: DispatchDeps,
  run: Run,
  batches: readonly BatchDocument[],
  works: boolean,
): Promise<WalletState> {
  const { store, chain, clock, fees } = work;
  const { snapshot, unknown } = run;
  const known = new Set(deps.knownTransactions);
  const isUsedOutside = unknown.some((id) => !known.has(id));
  // Spends before this block are not read again, so all of them must be clear.
  const since = isUsedOutside ? run.wallet.since_block : (snapshot.since ?? run.wallet.since_block);
  const isOwner = works && (await completeWallet(work, run, since));
  const rate = firstRate(snapshot.estimates, fees);
  // The wallet was read before the transfers. See `changeWallet`.
  const waiting = await waitingTransfers(store, chain.wallet);
  const gone = new Set([...run.wallet.withdrawn, ...(run.wallet.forming?.keys ?? [])]);
  const left = waiting.filter(({ _id }) => !gone.has(_id));
  const blocked = isUsedOutside ? "transactions" : rate === undefined ? "fees" : undefined;
  if (isOwner && rate !== undefined && !isUsedOutside && !(await deps.isPaused())) {
    const formed = await formBatch(work, run, left, { ...deps.batches, rate });
    if (formed !== undefined) await advance(work, formed, run, followBatch);
  }
  const open = batches.filter((each) => each.state === "open");
  const signedAt = open.map(({ variants }) => variants[0]?.at);
  const unsigned = open.filter(({ variants }) => variants.length === 0);
  const planned = amountOf(left) + unsigned.reduce((sum, each) => sum + amountOf(each.payouts), 0n);
  return {
    at: clock.now(),
    height: snapshot.height,
    balance: snapshot.balance,
    free: greatestOf(0n, snapshot.balance - planned),
    coins: snapshot.coins.length,
    waiting: left.length,
    unmined: open.length,
    oldestUnminedMs: oldestMs(signedAt, clock.now()),
    blocked,
    isAtBound: run.isAtBound,
  };
}

function amountOf(orders: readonly (TransferDocument | BatchDocument["payouts"][number])[]) {
  return orders.reduce((sum, each) => sum + fromDecimal128(each.amount_minor), 0n);
}
