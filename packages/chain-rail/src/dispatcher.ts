import type { Chain, Order, Snapshot } from "./chain.ts";
import {
  attemptsOf,
  feesOf,
  orderOf,
  type TransferDocument,
  type WalletDocument,
} from "./documents.ts";
import { followTransfer } from "./follow.ts";
import { firstOfEach } from "./rules/clearance.ts";
import { boundedFees, firstFees } from "./rules/fees.ts";
import {
  affordable,
  assignNonces,
  type Cost,
  type Funds,
  fundsAfter,
  shortage,
} from "./rules/nonces.ts";
import {
  beginWallet,
  finalTransfers,
  forgetAssignments,
  noteRefused,
  numberTransfer,
  openTransfers,
  reserveNonces,
  unminedTransfers,
} from "./store.ts";
import { advanceEach } from "./wallet/advance-each.ts";
import { clearEach } from "./wallet/clearing.ts";
import { createRuns, oldestMs } from "./wallet/runs.ts";
import { createSendTimes } from "./wallet/send-times.ts";
import { changeWallet, findTransfer, findWallet, storeWithdrawal } from "./wallet/store.ts";
import { watchTransfer } from "./watch.ts";
import { withdrawTransfer } from "./withdrawal.ts";
import type { TransferWork } from "./work.ts";

export type DispatchDeps = Omit<TransferWork, "isSendDue"> & {
  /** The maximum number of unmined nonces of the wallet. */
  readonly unminedMax: number;
  /**
   * The nonce at which the wallet continues after its key was used elsewhere. Operators configure
   * it.
   */
  readonly nonceFrom: number;
  /**
   * Returns true if operators have paused the rail. While it is paused, no transfer gets a nonce.
   */
  readonly isPaused: () => Promise<boolean>;
};

/** The wallet's state in the last run, for the rail's replies and its metrics. */
export type WalletState = {
  readonly at: Date;
  readonly snapshot: Snapshot;
  /**
   * Funds that are available for new transfers. The amounts of waiting transfers are already
   * deducted.
   */
  readonly free: Funds;
  readonly waiting: number;
  readonly unmined: number;
  /** The time since the first signature of the oldest unmined transfer; 0 if there is none. */
  readonly oldestUnminedMs: number;
  /** The reason why no transfer gets a nonce now. */
  readonly blocked: "nonce" | "fees" | undefined;
};

/** The interval at which ended transfers are checked again. */
const watchMs = 15_000;
const ended = ["settled", "rejected", "cancelled", "unclear"] as const;

/** Advances the transfers of one wallet, one run at a time. */
export function createDispatcher(deps: DispatchDeps) {
  const { chain, store, clock } = deps;
  const work: TransferWork = { ...deps, isSendDue: createSendTimes(() => clock.now().getTime()) };
  let watchedAt = 0;
  const watchAll = async (snapshot: Snapshot) => {
    if (clock.now().getTime() - watchedAt < watchMs) return;
    watchedAt = clock.now().getTime();
    const watched = await openTransfers(store, chain.wallet, ended);
    await advanceEach(work, watched, (each) => watchTransfer(work, each, snapshot));
  };
  const { state, run } = createRuns(chain.check, async (works) => {
    const snapshot = await chain.snapshot();
    const wallet = await openWallet(deps, snapshot);
    if (works) {
      await followAll(work, snapshot);
      await watchAll(snapshot);
    }
    return numberWaiting(work, deps, wallet, snapshot, works);
  });
  return {
    state,
    run,
    pays: chain.pays,
    isOwned: chain.isOwned,
    clearance: chain.clearance,
    /**
     * Returns the shortage that blocks a transfer. Returns `undefined` if the wallet covers the
     * transfer, or before the first run.
     */
    shortageFor: (order: Order): "gas" | "balance" | undefined => {
      const last = state();
      if (last === undefined) return undefined;
      const fees = boundedFees(last.snapshot.baseFee, deps.fees);
      return shortage(last.free, { asset: order.currency, ...chain.costOf(order, fees) });
    },
  };
}

/**
 * Skips transfers whose block is not final yet, because they need no work. On some chains most
 * transfers are in this state.
 */
async function followAll(work: TransferWork, snapshot: Snapshot): Promise<void> {
  const { store, chain } = work;
  const [final, unmined] = await Promise.all([
    finalTransfers(store, chain.wallet, snapshot),
    unminedTransfers(store, chain.wallet, snapshot),
  ]);
  await advanceEach(work, [...final, ...unmined], (each) => followTransfer(work, each, snapshot));
}

/**
 * Returns the wallet's nonces. The first call reads them from the chain. A single node's report is
 * not enough to begin a wallet or to skip nonces, because a wrongly skipped nonce would never be
 * mined.
 */
async function openWallet(
  { chain, store, nonceFrom }: DispatchDeps,
  snapshot: Snapshot,
): Promise<WalletDocument> {
  let wallet = await findWallet(store, chain.wallet);
  if (wallet === undefined) {
    if (snapshot.pendingMost !== snapshot.minedLeast) {
      throw new Error("the nodes do not agree yet that the wallet has no unmined transaction");
    }
    await beginWallet(store, chain.wallet, snapshot.minedLeast);
  } else if (nonceFrom > wallet.next_nonce && nonceFrom <= snapshot.minedLeast) {
    // Operators configure it to pass nonces that were used elsewhere.
    await changeWallet(store, wallet, { next_nonce: nonceFrom });
  } else {
    return wallet;
  }
  wallet = await findWallet(store, chain.wallet);
  if (wallet === undefined)
    throw new Error(`wallet ${chain.wallet} has no document in the database`);
  return wallet;
}

/** Assigns nonces to waiting transfers, signs and stores the transactions, then sends them. */
async function numberWaiting(
  work: TransferWork,
  deps: DispatchDeps,
  stored: WalletDocument,
  snapshot: Snapshot,
  works: boolean,
): Promise<WalletState> {
  const { chain, store, fees: policy, unminedMax, clock } = deps;
  // The wallet must be read before the transfers. See `reserveNonces`.
  const unmined = await unminedTransfers(store, chain.wallet, snapshot);
  const waiting = await openTransfers(store, chain.wallet, ["waiting"]);
  if (works) {
    await numberAssigned(work, stored, waiting, snapshot);
    for (const key of stored.withdrawn) await storeWithdrawal(store, key, clock.now());
  }
  let wallet = works ? await forgetAssignments(store, stored) : undefined;
  const fees = firstFees(snapshot.baseFee, policy);
  const blocked = blockedBy(stored, snapshot, fees !== undefined);
  const given = new Set(stored.open.map(({ key }) => key));
  const gone = new Set(stored.withdrawn);
  const left = waiting.filter(({ _id }) => !given.has(_id) && !gone.has(_id));
  const payable = left.filter(chain.pays);
  const worst = fees ?? boundedFees(snapshot.baseFee, policy);
  const costs = payable.map((each) => costOf(chain, each, worst));
  const underWay = [...unmined, ...waiting.filter(({ _id }) => given.has(_id))].map((each) =>
    costOf(chain, each, worst),
  );
  const funds = fundsAfter(snapshot.funds, underWay);
  if (wallet !== undefined && blocked === undefined && !(await deps.isPaused())) {
    const covered = new Set(affordable(funds, costs).map(({ key }) => key));
    const cleared = await clearAll(
      work,
      firstOfEach(
        payable.filter(({ _id }) => covered.has(_id)),
        unminedMax,
      ),
    );
    const keys = cleared.map(({ _id }) => _id);
    const assigned = assignNonces(
      { next: wallet.next_nonce, open: wallet.open },
      ...([keys, snapshot.minedLeast, unminedMax] as const),
    );
    wallet = assigned.length > 0 ? await reserveNonces(store, wallet, assigned) : undefined;
    if (wallet !== undefined) await numberAssigned(work, wallet, payable, snapshot);
  }
  const signedAt = unmined.map((each) => attemptsOf(each)[0]?.at);
  const next = Math.max(stored.next_nonce, wallet?.next_nonce ?? 0);
  return {
    at: clock.now(),
    snapshot,
    blocked,
    waiting: left.length,
    free: fundsAfter(funds, costs),
    unmined: Math.max(0, next - snapshot.minedLeast),
    oldestUnminedMs: oldestMs(signedAt, clock.now()),
  };
}

/**
 * Returns the transfers that their token's issuer lets the wallet pay now, in order. A transfer to a
 * blocked recipient is withdrawn.
 */
function clearAll(
  work: TransferWork,
  transfers: readonly TransferDocument[],
): Promise<TransferDocument[]> {
  const { chain, store, clock, onEvent } = work;
  const clearanceOf = (transfer: TransferDocument) => {
    const order = orderOf(transfer);
    return order && chain.clearance(order);
  };
  return clearEach(work, transfers, clearanceOf, async ({ _id: key }, { code }) => {
    await noteRefused(store, key, code, clock.now());
    if (await withdrawTransfer(store, chain.wallet, key, clock.now())) onEvent("refused");
  });
}

/**
 * Blocks the wallet if its nonces on the chain are ahead of the assigned ones. The wallet's key was
 * then used elsewhere, and operators must act. The wallet was read after the chain, so this
 * deployment's own transfers never cause this.
 */
function blockedBy(
  wallet: WalletDocument,
  snapshot: Snapshot,
  isCovered: boolean,
): WalletState["blocked"] {
  if (Math.max(snapshot.minedMost, snapshot.pendingMost) > wallet.next_nonce) return "nonce";
  return isCovered ? undefined : "fees";
}

function costOf(
  chain: Chain,
  transfer: TransferDocument,
  worst: Parameters<Chain["costOf"]>[1],
): Cost {
  const last = attemptsOf(transfer).at(-1);
  const fees = last === undefined ? worst : feesOf(last);
  const [key, asset] = [transfer._id, transfer.currency];
  const order = orderOf(transfer);
  // The settings no longer include the transfer's currency, and nothing else may be paid with this
  // nonce.
  if (order === undefined || !chain.pays(order)) {
    return { key, asset, amount: 0n, fee: chain.cancelFee(fees) };
  }
  return { key, asset, ...chain.costOf(order, fees) };
}

/** For each assigned nonce, signs the transfer, stores the transaction, and only then sends it. */
async function numberAssigned(
  { chain, store, fees: policy, clock, isSendDue }: TransferWork,
  { open }: WalletDocument,
  transfers: readonly TransferDocument[],
  { baseFee, height }: Snapshot,
): Promise<void> {
  const fees = boundedFees(baseFee, policy);
  const byKey = new Map(transfers.map((each) => [each._id, each]));
  const numbering = open.map(async (assignment) => {
    const transfer = byKey.get(assignment.key) ?? (await findTransfer(store, assignment.key));
    if (transfer === null)
      throw new Error(`transfer ${assignment.key} has a nonce but no document in the database`);
    const order = orderOf(transfer);
    if (transfer.state !== "waiting" || order === undefined) return;
    const signed = await chain.sign(assignment.nonce, order, fees);
    const first = { signed, fees };
    if (!(await numberTransfer(store, assignment, first, height, clock.now()))) return;
    isSendDue(signed.id);
    await chain.send(signed.raw);
  });
  // Wait for all transfers. If one could not be signed, end the run here, so that no assignment is
  // forgotten.
  const failed = (await Promise.allSettled(numbering)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
