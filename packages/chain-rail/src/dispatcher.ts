import type { Chain, Look, Order } from "./chain.ts";
import {
  attemptsOf,
  feesOf,
  orderOf,
  type TransferDocument,
  type WalletDocument,
} from "./documents.ts";
import { followTransfer } from "./follow.ts";
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
  findTransfer,
  findWallet,
  forgetAssignments,
  numberTransfer,
  openTransfers,
  reserveNonces,
  skipNonces,
  unminedTransfers,
} from "./store.ts";
import { watchTransfer } from "./watch.ts";
import { storeWithdrawal } from "./withdrawal.ts";
import type { TransferWork } from "./work.ts";

/** What dispatching the transfers of one wallet works with. */
export type DispatchDeps = Omit<TransferWork, "isSendDue"> & {
  /** Nonces of the wallet that may be unmined at a time. */
  readonly unminedMax: number;
  /** Where operators let the wallet go on after its nonces were used outside. */
  readonly nonceFrom: number;
  /** Whether operators have paused the rail: no transfer gets a nonce then. */
  readonly isPaused: () => Promise<boolean>;
};

/** What the last run saw; for the rail's answers and its metrics. */
export type WalletState = {
  readonly at: Date;
  readonly look: Look;
  /** What is free for new transfers, those that wait counted as paid. */
  readonly free: Funds;
  readonly waiting: number;
  readonly unmined: number;
  /** For how long the oldest of them has been signed; 0 without any. */
  readonly oldestUnminedMs: number;
  /** Why no transfer gets a nonce now. */
  readonly blocked: "nonce" | "fees" | undefined;
};

/** Bytes that no node has in a block are sent again after so long. */
const resendMs = 5_000;
/** Transfers at their end are looked at again after so long. */
const watchMs = 15_000;
const ended = ["settled", "rejected", "cancelled", "unclear"] as const;
/** Hashes whose last sending is remembered. */
const sentMax = 10_000;

/** Takes the transfers of one wallet through the chain, a run at a time. */
export function createDispatcher(deps: DispatchDeps) {
  const { chain, store, clock } = deps;
  const work: TransferWork = { ...deps, isSendDue: createSendTimes(() => clock.now().getTime()) };
  let state: WalletState | undefined;
  let isChecked = false;
  let watchedAt = 0;
  const watchAll = async (look: Look) => {
    if (clock.now().getTime() - watchedAt < watchMs) return;
    watchedAt = clock.now().getTime();
    const watched = await openTransfers(store, chain.wallet, ended);
    await takeEach(work, watched, (each) => watchTransfer(work, each, look));
  };
  return {
    /** What the last run saw; `undefined` before the first. */
    state: (): WalletState | undefined => state,
    /** Whether the chain can pay an order at all. */
    pays: chain.pays,
    isOwned: chain.isOwned,
    /** Whether the wallet covers a transfer now; `undefined` also where it is not known. */
    shortageFor: (order: Order): "gas" | "balance" | undefined => {
      if (state === undefined) return undefined;
      const fees = boundedFees(state.look.baseFee, deps.fees);
      return shortage(state.free, { asset: order.currency, ...chain.costOf(order, fees) });
    },
    /**
     * One run; rejects where too few nodes answer, and has left everything as it is then. A process
     * that does not `work` only looks.
     */
    run: async (works: boolean): Promise<void> => {
      if (!isChecked) await chain.check();
      isChecked = true;
      const look = await chain.look();
      const wallet = await openWallet(deps, look);
      if (works) {
        await followAll(work, look);
        await watchAll(look);
      }
      state = await numberWaiting(work, deps, wallet, look, works);
    },
  };
}

/** What is in a block that is not final yet needs nothing: on some chains that is most of it. */
async function followAll(work: TransferWork, look: Look): Promise<void> {
  const { store, chain } = work;
  const [final, unmined] = await Promise.all([
    finalTransfers(store, chain.wallet, look),
    unminedTransfers(store, chain.wallet, look),
  ]);
  await takeEach(work, [...final, ...unmined], (each) => followTransfer(work, each, look));
}

/** Takes each transfer on; one that fails is logged, and keeps none of the others. */
async function takeEach(
  { log }: Pick<TransferWork, "log">,
  transfers: readonly TransferDocument[],
  take: (transfer: TransferDocument) => Promise<void>,
): Promise<void> {
  const taking = transfers.map((each) =>
    take(each).catch((error: unknown) => {
      log.error({ err: error, payout_id: each._id }, "transfer not taken on");
    }),
  );
  await Promise.all(taking);
}

/** Answers whether bytes are due to be sent, and remembers that they were. */
function createSendTimes(now: () => number): (id: string) => boolean {
  const sentAt = new Map<string, number>();
  return (id) => {
    const last = sentAt.get(id);
    if (last !== undefined && now() - last < resendMs) return false;
    sentAt.delete(id);
    sentAt.set(id, now());
    const [oldest] = sentAt.keys();
    if (sentAt.size > sentMax && oldest !== undefined) sentAt.delete(oldest);
    return true;
  };
}

/**
 * The wallet's nonces; begun where the chain has it, the first time. What one node alone says does
 * not begin it or move it on: nonces that are skipped would never be mined.
 */
async function openWallet(
  { chain, store, nonceFrom }: DispatchDeps,
  look: Look,
): Promise<WalletDocument> {
  let wallet = await findWallet(store, chain.wallet);
  if (wallet === undefined) {
    if (look.pendingMost !== look.minedLeast) {
      throw new Error("nodes do not agree yet that the wallet has nothing unmined");
    }
    await beginWallet(store, chain.wallet, look.minedLeast);
  } else if (nonceFrom > wallet.next_nonce && nonceFrom <= look.minedLeast) {
    await skipNonces(store, wallet, nonceFrom);
  } else {
    return wallet;
  }
  wallet = await findWallet(store, chain.wallet);
  if (wallet === undefined) throw new Error("the wallet that was stored is gone");
  return wallet;
}

/** Gives nonces to transfers that wait, signs them, stores that, and sends them. */
async function numberWaiting(
  work: TransferWork,
  deps: DispatchDeps,
  before: WalletDocument,
  look: Look,
  works: boolean,
): Promise<WalletState> {
  const { chain, store, fees: policy, unminedMax, clock } = deps;
  // The wallet was read before: see `reserveNonces`.
  const unmined = await unminedTransfers(store, chain.wallet, look);
  const waiting = await openTransfers(store, chain.wallet, ["waiting"]);
  if (works) {
    await numberAssigned(work, before, waiting, look);
    for (const key of before.withdrawn) await storeWithdrawal(store, key, clock.now());
  }
  let wallet = works ? await forgetAssignments(store, before) : undefined;
  const fees = firstFees(look.baseFee, policy);
  const blocked = blockedBy(before, look, fees !== undefined);
  const given = new Set(before.open.map(({ key }) => key));
  const gone = new Set(before.withdrawn);
  const left = waiting.filter(({ _id }) => !given.has(_id) && !gone.has(_id));
  const payable = left.filter(chain.pays);
  const worst = fees ?? boundedFees(look.baseFee, policy);
  const costs = payable.map((each) => costOf(chain, each, worst));
  const underWay = [...unmined, ...waiting.filter(({ _id }) => given.has(_id))].map((each) =>
    costOf(chain, each, worst),
  );
  const funds = fundsAfter(look.funds, underWay);
  if (wallet !== undefined && blocked === undefined && !(await deps.isPaused())) {
    const keys = affordable(funds, costs).map(({ key }) => key);
    const assigned = assignNonces(
      { next: wallet.next_nonce, open: wallet.open },
      ...([keys, look.minedLeast, unminedMax] as const),
    );
    wallet = assigned.length > 0 ? await reserveNonces(store, wallet, assigned) : undefined;
    if (wallet !== undefined) await numberAssigned(work, wallet, payable, look);
  }
  const next = Math.max(before.next_nonce, wallet?.next_nonce ?? 0);
  return {
    at: clock.now(),
    look,
    blocked,
    waiting: left.length,
    free: fundsAfter(funds, costs),
    unmined: Math.max(0, next - look.minedLeast),
    oldestUnminedMs: oldestOf(unmined, clock.now()),
  };
}

function oldestOf(unmined: readonly TransferDocument[], now: Date): number {
  const signedAt = unmined.flatMap((each) => attemptsOf(each)[0]?.at.getTime() ?? []);
  return signedAt.reduce((oldest, at) => Math.max(oldest, now.getTime() - at), 0);
}

/**
 * Used outside, the wallet's nonces are ahead of what was given away here: people look first. The
 * wallet was read after the chain, so what this deployment sent is never ahead.
 */
function blockedBy(wallet: WalletDocument, look: Look, isCovered: boolean): WalletState["blocked"] {
  if (Math.max(look.minedMost, look.pendingMost) > wallet.next_nonce) return "nonce";
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
  // Of a currency that the settings do not name any more, nothing else is paid.
  if (order === undefined || !chain.pays(order)) {
    return { key, asset, amount: 0n, fee: chain.cancelFee(fees) };
  }
  return { key, asset, ...chain.costOf(order, fees) };
}

/** Signs the transfers of assigned nonces, stores what was signed, and only then sends it. */
async function numberAssigned(
  { chain, store, fees: policy, clock, isSendDue }: TransferWork,
  { open }: WalletDocument,
  transfers: readonly TransferDocument[],
  { baseFee, height }: Look,
): Promise<void> {
  const fees = boundedFees(baseFee, policy);
  const byKey = new Map(transfers.map((each) => [each._id, each]));
  const numbering = open.map(async (assignment) => {
    const transfer = byKey.get(assignment.key) ?? (await findTransfer(store, assignment.key));
    if (transfer === null) throw new Error("a transfer with a nonce is gone");
    const order = orderOf(transfer);
    if (transfer.state !== "waiting" || order === undefined) return;
    const signed = await chain.sign(assignment.nonce, order, fees);
    const first = { signed, fees };
    if (!(await numberTransfer(store, assignment, first, height, clock.now()))) return;
    isSendDue(signed.id);
    await chain.send(signed.raw);
  });
  // All of them first: the run ends without forgetting assignments where one could not be signed.
  const failed = (await Promise.allSettled(numbering)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
