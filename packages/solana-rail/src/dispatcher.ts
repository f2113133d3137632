import { firstOfEach } from "@disburse/chain-rail/rules/clearance.ts";
import {
  affordable,
  type Cost,
  type Funds,
  fundsAfter,
  shortage,
} from "@disburse/chain-rail/rules/nonces.ts";
import { advanceEach } from "@disburse/chain-rail/wallet/advance-each.ts";
import { clearEach } from "@disburse/chain-rail/wallet/clearing.ts";
import { createRuns, oldestMs } from "@disburse/chain-rail/wallet/runs.ts";
import { createSendTimes } from "@disburse/chain-rail/wallet/send-times.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Snapshot } from "./agreed-snapshot.ts";
import type { Order, SolanaChain } from "./chain.ts";
import { orderOf, type TransferDocument, type TransferStore } from "./documents.ts";
import type { Outcome, Signature } from "./rules/outcome.ts";
import {
  endTransfer,
  endUnsent,
  expireAttempt,
  noteUnproven,
  openTransfers,
  storeAttempt,
} from "./store.ts";

export const transferEvents = ["expired", "failed", "refused", "unproven", "disputed"] as const;
export type TransferEvent = (typeof transferEvents)[number];

export type DispatchDeps = {
  readonly chain: SolanaChain;
  readonly store: TransferStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum number of transfers whose transactions are not final. */
  readonly unsettledMax: number;
  /** Returns true if operators have paused the rail. While it is paused, nothing is signed. */
  readonly isPaused: () => Promise<boolean>;
  readonly onEvent: (event: TransferEvent) => void;
};

/** The wallet's state in the last run, for the rail's replies and its metrics. */
export type WalletState = {
  readonly at: Date;
  readonly snapshot: Snapshot;
  /** Funds for new transfers. The amounts of open transfers are already deducted. */
  readonly free: Funds;
  readonly waiting: number;
  /** The number of transfers whose transactions are not final. */
  readonly unmined: number;
  /** The time since the first signature of the oldest of them; 0 if there is none. */
  readonly oldestUnminedMs: number;
};

/** The interval at which transactions are sent again. Nodes don't repeat them. */
const resendMs = 2_000;

/**
 * The time for which every run must find a transaction expired. A proof takes several calls, and a
 * URL with several nodes behind it may answer them from different ones. One such answer must not
 * suffice for a second transaction.
 */
const expiredForMs = 60_000;

type Work = DispatchDeps & {
  /** Returns true if a transaction is due to be sent. Called before each send. */
  readonly isSendDue: (id: string) => boolean;
};

/** The time since which every run has found a transaction expired, by its signature. */
type ExpiredSince = ReadonlyMap<string, number>;

/** Advances the transfers of one wallet, one run at a time. */
export function createDispatcher(deps: DispatchDeps) {
  const { chain, store, clock } = deps;
  const work: Work = {
    ...deps,
    isSendDue: createSendTimes(() => clock.now().getTime(), resendMs),
  };
  let expiredSince: ExpiredSince = new Map();
  const { state, run } = createRuns(chain.check, async (works) => {
    // A run that fails has not found anything expired, so that the time starts again.
    const before = expiredSince;
    expiredSince = new Map();
    const snapshot = await chain.snapshot();
    const signed = await openTransfers(store, chain.wallet, "signed");
    if (works) expiredSince = await followAll(work, signed, before);
    // A transfer that has just ended or expired still counts, because the wallet's balance may be
    // from before.
    const waiting = await openTransfers(store, chain.wallet, "waiting");
    const costs = costsOf(deps, waiting, snapshot);
    const funds = fundsAfter(snapshot.funds, costsOf(deps, signed, snapshot));
    if (works && waiting.length > 0 && !(await deps.isPaused())) {
      const capacity = Math.max(0, deps.unsettledMax - signed.length);
      const covered = new Set(affordable(funds, costs).map(({ key }) => key));
      const chosen = waiting.filter(({ _id }) => covered.has(_id));
      const cleared = await clearAll(deps, firstOfEach(chosen, capacity));
      await signAll(work, cleared.slice(0, capacity), snapshot);
    }
    const signedAt = signed.map(({ attempts }) => attempts[0]?.at);
    return {
      at: clock.now(),
      snapshot,
      free: fundsAfter(funds, costs),
      waiting: waiting.length,
      unmined: signed.length,
      oldestUnminedMs: oldestMs(signedAt, clock.now()),
    } satisfies WalletState;
  });
  return {
    state,
    run,
    pays: chain.pays,
    isOwned: chain.isOwned,
    clearance: chain.clearance,
    /** Returns the shortage that blocks a transfer. Returns `undefined` before the first run. */
    shortageFor: (order: Pick<Order, "currency" | "amount">): "gas" | "balance" | undefined => {
      const last = state();
      if (last === undefined) return undefined;
      const cost = chain.costOf(order, last.snapshot);
      return shortage(last.free, { asset: order.currency, ...cost });
    },
  };
}

/** Returns the costs of transfers. Skips currencies that the settings no longer name. */
function costsOf(
  { chain }: DispatchDeps,
  transfers: readonly TransferDocument[],
  snapshot: Snapshot,
): Cost[] {
  return transfers
    .map(orderOf)
    .flatMap((order) =>
      chain.pays(order)
        ? [{ key: order.key, asset: order.currency, ...chain.costOf(order, snapshot) }]
        : [],
    );
}

function signatureOf({ attempts }: TransferDocument): Signature {
  const last = attempts.at(-1);
  if (last === undefined) throw new Error("a signed transfer has no transaction");
  return { id: last.id, lastHeight: last.last_height, sinceSlot: last.since_slot };
}

/** Advances signed transfers as far as the nodes prove. Returns the expired ones. */
async function followAll(
  deps: Work,
  signed: readonly TransferDocument[],
  before: ExpiredSince,
): Promise<ExpiredSince> {
  const outcomes = await deps.chain.outcomes(signed.map(signatureOf));
  const now = deps.clock.now().getTime();
  const since = new Map<string, number>();
  await advanceEach(deps, signed, async (transfer, at) => {
    const outcome = outcomes[at];
    if (outcome === undefined) throw new Error("the nodes' reports have no result for a transfer");
    if (outcome.kind === "expired") {
      const { id } = signatureOf(transfer);
      const first = before.get(id) ?? now;
      since.set(id, first);
      if (now - first < expiredForMs) return;
    }
    await follow(deps, transfer, outcome);
  });
  return since;
}

async function follow(deps: Work, transfer: TransferDocument, outcome: Outcome): Promise<void> {
  const { store, clock, log, onEvent } = deps;
  const { id } = signatureOf(transfer);
  const about = { payout_id: transfer._id };
  const at = clock.now();
  if (transfer.unproven_at !== undefined && outcome.kind === "open") {
    await noteUnproven(store, transfer, undefined);
  }
  switch (outcome.kind) {
    case "open":
      return resend(deps, transfer);
    case "paid":
    case "failed": {
      const error = outcome.kind === "failed" ? { error: outcome.error } : {};
      if (!(await endTransfer(store, transfer, { id, slot: outcome.slot, at, ...error }))) return;
      if (outcome.kind === "failed") onEvent("failed");
      log.debug({ ...about, state: outcome.kind, slot: outcome.slot }, "Solana transfer is final");
      return;
    }
    case "expired": {
      if (!(await expireAttempt(store, transfer, at))) return;
      onEvent("expired");
      log.warn(about, "no block contains the transaction; the transfer is signed again");
      return;
    }
    case "unproven":
    case "disputed": {
      if (transfer.unproven_at !== undefined) return;
      if (!(await noteUnproven(store, transfer, at))) return;
      onEvent(outcome.kind);
      log.error(
        { ...about, reason: outcome.kind },
        "the nodes can't prove if the transaction was included; the payout's outcome is unknown",
      );
      return;
    }
  }
}

/** Sends the stored bytes again. A repeat has no effect if a block already contains them. */
async function resend({ chain, isSendDue }: Work, { attempts }: TransferDocument): Promise<void> {
  const last = attempts.at(-1);
  if (last !== undefined && isSendDue(last.id)) await chain.send(new Uint8Array(last.raw.buffer));
}

/** Returns the transfers that can be paid now, in order. Ends those that never can. */
function clearAll(
  deps: DispatchDeps,
  transfers: readonly TransferDocument[],
): Promise<TransferDocument[]> {
  const { chain, store, clock, onEvent } = deps;
  const clearanceOf = (transfer: TransferDocument) => chain.clearance(orderOf(transfer));
  return clearEach(deps, transfers, clearanceOf, async ({ _id: key }, failure) => {
    const refused = { state: "refused", refused: failure } as const;
    if (await endUnsent(store, key, refused, clock.now())) onEvent("refused");
  });
}

/** Signs each order, stores the transaction, and only then sends it. */
async function signAll(
  deps: Work,
  transfers: readonly TransferDocument[],
  snapshot: Snapshot,
): Promise<void> {
  const { chain, store, clock, isSendDue } = deps;
  if (transfers.length === 0) return;
  const lifetime = await chain.lifetime();
  await advanceEach(deps, transfers, async (transfer) => {
    const signed = await chain.sign(orderOf(transfer), lifetime, snapshot.pricePerUnit);
    if (!(await storeAttempt(store, transfer, signed, clock.now()))) return;
    isSendDue(signed.id);
    await chain.send(signed.raw);
  });
}
