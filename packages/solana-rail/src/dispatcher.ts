import { advanceEach } from "@disburse/chain-rail/advance-each.ts";
import { firstOfEach } from "@disburse/chain-rail/rules/clearance.ts";
import {
  affordable,
  type Cost,
  type Funds,
  fundsAfter,
  shortage,
} from "@disburse/chain-rail/rules/nonces.ts";
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
  readonly signed: number;
  /** The time since the first signature of the oldest transfer that is not final. */
  readonly oldestSignedMs: number;
};

/** The interval at which transactions are sent again. Nodes don't repeat them. */
const resendMs = 2_000;

/**
 * The time for which every run must find a transaction expired. A proof takes several calls, and a
 * URL with several nodes behind it may answer them from different ones. One such answer must not
 * suffice for a second transaction.
 */
const expiredForMs = 60_000;

/** The time since which every run has found a transaction expired, by its signature. */
type ExpiredSince = ReadonlyMap<string, number>;

/** Advances the transfers of one wallet, one run at a time. */
export function createDispatcher(deps: DispatchDeps) {
  const { chain, store, clock } = deps;
  const sentAt = new Map<string, number>();
  let state: WalletState | undefined;
  let isChecked = false;
  let expiredSince: ExpiredSince = new Map();
  return {
    /** `undefined` before the first run. */
    state: (): WalletState | undefined => state,
    pays: chain.pays,
    isOwned: chain.isOwned,
    clearance: chain.clearance,
    /** Returns the shortage that blocks a transfer. Returns `undefined` before the first run. */
    shortageFor: (order: Pick<Order, "currency" | "amount">): "gas" | "balance" | undefined => {
      if (state === undefined) return undefined;
      return shortage(state.free, {
        asset: order.currency,
        ...chain.costOf(order, state.snapshot),
      });
    },
    /**
     * Runs once. If too few nodes respond, it rejects and changes nothing. If `works` is false, it
     * only reads the wallet's state.
     */
    run: async (works: boolean): Promise<void> => {
      // A run that fails has not found anything expired, so that the time starts again.
      const before = expiredSince;
      expiredSince = new Map();
      if (!isChecked) await chain.check();
      isChecked = true;
      const snapshot = await chain.snapshot();
      const signed = await openTransfers(store, chain.wallet, "signed");
      if (works) expiredSince = await followAll(deps, signed, sentAt, before);
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
        await signAll(deps, cleared.slice(0, capacity), snapshot, sentAt);
      }
      state = {
        at: clock.now(),
        snapshot,
        free: fundsAfter(funds, costs),
        waiting: waiting.length,
        signed: signed.length,
        oldestSignedMs: oldestOf(signed, clock.now()),
      };
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

function oldestOf(signed: readonly TransferDocument[], now: Date): number {
  const signedAt = signed.flatMap(({ attempts }) => attempts[0]?.at.getTime() ?? []);
  return signedAt.reduce((oldest, at) => Math.max(oldest, now.getTime() - at), 0);
}

function signatureOf({ attempts }: TransferDocument): Signature {
  const last = attempts.at(-1);
  if (last === undefined) throw new Error("a signed transfer has no transaction");
  return { id: last.id, lastHeight: last.last_height, sinceSlot: last.since_slot };
}

/** Advances signed transfers as far as the nodes prove. Returns the expired ones. */
async function followAll(
  deps: DispatchDeps,
  signed: readonly TransferDocument[],
  sentAt: Map<string, number>,
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
    await follow(deps, transfer, outcome, sentAt);
  });
  return since;
}

async function follow(
  deps: DispatchDeps,
  transfer: TransferDocument,
  outcome: Outcome,
  sentAt: Map<string, number>,
): Promise<void> {
  const { store, clock, log, onEvent } = deps;
  const { id } = signatureOf(transfer);
  const about = { payout_id: transfer._id };
  const at = clock.now();
  if (transfer.unproven_at !== undefined && outcome.kind === "open") {
    await noteUnproven(store, transfer, undefined);
  }
  switch (outcome.kind) {
    case "open":
      return resend(deps, transfer, sentAt);
    case "paid":
    case "failed": {
      sentAt.delete(id);
      const error = outcome.kind === "failed" ? { error: outcome.error } : {};
      if (!(await endTransfer(store, transfer, { id, slot: outcome.slot, at, ...error }))) return;
      if (outcome.kind === "failed") onEvent("failed");
      log.debug({ ...about, state: outcome.kind, slot: outcome.slot }, "Solana transfer is final");
      return;
    }
    case "expired": {
      sentAt.delete(id);
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
async function resend(
  { chain, clock }: DispatchDeps,
  { attempts }: TransferDocument,
  sentAt: Map<string, number>,
): Promise<void> {
  const last = attempts.at(-1);
  if (last === undefined) return;
  const now = clock.now().getTime();
  if (now - (sentAt.get(last.id) ?? 0) < resendMs) return;
  sentAt.set(last.id, now);
  await chain.send(new Uint8Array(last.raw.buffer));
}

/** Returns the transfers that can be paid now, in order. Ends those that never can. */
async function clearAll(
  deps: DispatchDeps,
  transfers: readonly TransferDocument[],
): Promise<TransferDocument[]> {
  const { chain, store, clock, log, onEvent } = deps;
  const cleared = new Set<TransferDocument>();
  await advanceEach(deps, transfers, async (transfer) => {
    const clearance = await chain.clearance(orderOf(transfer));
    if (clearance.kind === "ok") cleared.add(transfer);
    if (clearance.kind === "wait") {
      log.debug({ payout_id: transfer._id, reason: clearance.reason }, "Solana transfer waits");
    }
    if (clearance.kind !== "refuse") return;
    const refused = { state: "refused", refused: clearance.failure } as const;
    if (await endUnsent(store, transfer._id, refused, clock.now())) onEvent("refused");
  });
  return transfers.filter((each) => cleared.has(each));
}

/** Signs each order, stores the transaction, and only then sends it. */
async function signAll(
  deps: DispatchDeps,
  transfers: readonly TransferDocument[],
  snapshot: Snapshot,
  sentAt: Map<string, number>,
): Promise<void> {
  const { chain, store, clock } = deps;
  if (transfers.length === 0) return;
  const lifetime = await chain.lifetime();
  await advanceEach(deps, transfers, async (transfer) => {
    const signed = await chain.sign(orderOf(transfer), lifetime, snapshot.pricePerUnit);
    if (!(await storeAttempt(store, transfer, signed, clock.now()))) return;
    sentAt.set(signed.id, clock.now().getTime());
    await chain.send(signed.raw);
  });
}
