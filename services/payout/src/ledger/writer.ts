import { setTimeout as pause } from "node:timers/promises";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { createGatherer, type Gathered } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { LRUCache } from "lru-cache";
import {
  type AccountDocument,
  houseFields,
  type LedgerCollections,
  type LedgerDocument,
  ledgerDocument,
  type OpenHold,
  type RecentEntry,
  recentEntry,
  toAccount,
  toHouseSums,
  toLedgerEntry,
} from "./documents.ts";
import { findRefusal, type RememberedRefusals, refusalKeyOf, withRefusal } from "./refusals.ts";
import type { LedgerEntry, Movement } from "./rules/account.ts";
import { decidingKeys, type LedgerState, type Planned, planMovement } from "./rules/movement.ts";
import { withHousePostings } from "./rules/postings.ts";

/** The result of applying a movement; `applied` also where it was applied before. */
export type Applied =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry }
  | { readonly outcome: Exclude<Planned["outcome"], "applied" | "repeated"> | "no_account" };

/** The account of a movement, and what is stored with it. */
type MovementTarget = {
  readonly merchantId: string;
  readonly accountId: string;
  /** Of a credit: who made it. */
  readonly actor?: StoredActor;
};

/** Movements of one write; more would make the account's document large for a moment. */
const batchMax = 100;
/** Tries of a batch while other processes change the account. */
const triesMax = 100;
/** The pause between tries is random up to this, so that two processes do not collide again. */
const pauseMaxMs = 10;

/** Accounts that a process remembers, each for so long; a hot one is always read from memory. */
const keptMax = 10_000;
const keptMs = 60_000;
/** With more entries than these an account is read again: most are in the ledger by then. */
const keptEntriesMax = 500;

/** What is called about the writes of accounts. */
export type WatchWrites = {
  /** Accounts carry movements that are not in the ledger yet. */
  readonly onMoved?: () => void;
  /** Another process had changed the account: the write is made again. */
  readonly onRetried?: () => void;
};

type Waiting = {
  readonly target: MovementTarget;
  readonly movement: Movement;
  readonly done: PromiseWithResolvers<Applied>;
};

/**
 * Makes the function that applies movements to accounts, each once by its key; docs/decisions/0008
 * has the argument. It throws where it is not known whether a movement was applied: repeat it.
 * Movements that arrive for an account during one of its writes go into the next write together.
 */
export function createAccountWriter(collections: LedgerCollections, watch: WatchWrites = {}) {
  const queues = new Map<string, Waiting[]>();
  const kept = new LRUCache<string, ReadAccount>({ max: keptMax, ttl: keptMs });
  const writing = { ...collections, readEntries: createEntryReads(collections), kept, watch };

  const drain = async (accountId: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch: Waiting[] = [];
      try {
        const outcomes = await write(writing, accountId, batch, queue);
        watch.onMoved?.();
        for (const [at, { done }] of batch.entries()) done.resolve(outcomes[at] as Applied);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    queues.delete(accountId);
  };

  return (target: MovementTarget, movement: Movement): Promise<Applied> => {
    const { accountId } = target;
    const done = Promise.withResolvers<Applied>();
    const queue = queues.get(accountId);
    const waiting = { target, movement, done };
    if (queue === undefined) {
      const fresh = [waiting];
      queues.set(accountId, fresh);
      drain(accountId, fresh).catch(reportRejection);
    } else {
      queue.push(waiting);
    }
    return done.promise;
  };
}

type Writing = Pick<LedgerCollections, "accounts"> & {
  readonly readEntries: ReturnType<typeof createEntryReads>;
  readonly kept: LRUCache<string, ReadAccount>;
  readonly watch: WatchWrites;
};

/**
 * One write for a batch; repeated while other processes change the account. An account that this
 * process has written is remembered: its sequence, which the write compares, tells whether another
 * process has written it since.
 */
async function write(
  writing: Writing,
  accountId: string,
  batch: Waiting[],
  queue: Waiting[],
): Promise<Applied[]> {
  const { kept, watch } = writing;
  let known = kept.get(accountId);
  kept.delete(accountId);
  for (let tries = 0; tries < triesMax; tries += 1) {
    batch.push(...queue.splice(0, batchMax - batch.length));
    const read = known ?? (await readAccount(writing, accountId));
    if (read === undefined) return batch.map(() => ({ outcome: "no_account" }));
    const plan = await planBatch(writing, read, batch);
    const isWrite = plan.fresh.length > 0 || plan.refusals !== undefined;
    const isSaved = isWrite && (await save(writing, read.document, plan));
    if (isSaved) keep(kept, read, plan);
    // A refusal rests on the account as it is, which only a write or a read tells.
    if (isSaved || (!isWrite && known === undefined)) return plan.outcomes;
    if (isWrite) watch.onRetried?.();
    await pause(Math.random() * pauseMaxMs);
    known = undefined;
  }
  throw new Error("the account changed during every try");
}

/** An account as it is, with its database's clock at a time of `performance.now()`. */
type ReadAccount = {
  readonly document: AccountDocument;
  readonly at: Date;
  readonly elapsed: number;
};

/** The account as it is, with its database's clock. */
async function readAccount({ accounts }: Writing, accountId: string) {
  const found = await findWithTime(accounts, accountId);
  if (found === null) return undefined;
  const { now: at, ...document } = found;
  return { document, at, elapsed: performance.now() };
}

/** Remembers an account as a write has left it. */
function keep(kept: LRUCache<string, ReadAccount>, read: ReadAccount, plan: Plan): void {
  const recent = [...read.document.recent, ...plan.fresh];
  if (recent.length > keptEntriesMax) return;
  const document = { ...read.document, ...balances(plan), ...plan.refusals, recent };
  kept.set(document._id, { ...read, document });
}

type Plan = Awaited<ReturnType<typeof planBatch>>;

async function planBatch(
  writing: Writing,
  { document, at, elapsed }: ReadAccount,
  batch: readonly Waiting[],
) {
  const now = new Date(at.getTime() + Math.trunc(performance.now() - elapsed));
  // After the account was read: what it no longer carries is in the ledger by then.
  const known = await findEntries(
    writing,
    document,
    batch.flatMap(({ movement }) => decidingKeys(document._id, movement)),
  );
  let state: LedgerState = toAccount(document);
  const entries: LedgerEntry[] = [];
  const fresh: RecentEntry[] = [];
  const holds: OpenHold[] = [];
  let remembered: RememberedRefusals = document;
  const outcomes = batch.map(({ target, movement }): Applied => {
    if (target.merchantId !== document.merchant_id) return { outcome: "no_account" };
    const planned = planMovement(state, known, movement, now, target.actor);
    if (planned.outcome === "repeated") return { outcome: "applied", entry: planned.entry };
    const refusalKey = refusalKeyOf(document._id, movement);
    const before = findRefusal(remembered, refusalKey);
    if (before !== undefined) return { outcome: before.outcome };
    if (planned.outcome !== "applied") {
      if (refusalKey !== undefined) {
        remembered = withRefusal(remembered, { key: refusalKey, outcome: planned.outcome });
      }
      return planned;
    }
    const { entry } = planned;
    state = planned.state;
    known.set(entry.key, entry);
    entries.push(entry);
    fresh.push(recentEntry(entry, target.actor));
    if (entry.step === "hold") holds.push({ payout_id: entry.payoutId, since: entry.createdAt });
    return { outcome: "applied", entry };
  });
  const house = houseFields(withHousePostings(toHouseSums(document), entries));
  const refusals = remembered === document ? undefined : remembered;
  return { outcomes, fresh, holds, house, state, refusals };
}

/** The entries of an account under these keys, wherever they are. */
async function findEntries(
  { readEntries }: Writing,
  document: AccountDocument,
  keys: readonly string[],
): Promise<Map<string, LedgerEntry>> {
  const wanted = new Set(keys);
  const recorded = await readEntries(document._id, wanted);
  const recent = document.recent
    .filter(({ key }) => wanted.has(key))
    .map((each) => ledgerDocument(document, each));
  return new Map([...recorded, ...recent].map((each) => [each._id, toLedgerEntry(each)]));
}

/** `false` when the account has changed since it was read. */
async function save(
  { accounts }: Writing,
  { _id, sequence, refusal_count }: AccountDocument,
  plan: Plan,
): Promise<boolean> {
  const { fresh, holds } = plan;
  const moved = fresh.length > 0 && { ...balances(plan), dirty: true as const };
  const saved = await accounts.updateOne(
    { _id, sequence, refusal_count: refusal_count ?? { $exists: false } },
    {
      $set: { ...moved, ...plan.refusals },
      $push: { recent: { $each: fresh }, open_holds: { $each: holds } },
    },
  );
  return saved.matchedCount === 1;
}

/** What each movement changes of an account, beside its entries. */
function balances({ state, house }: Plan) {
  return {
    available: toDecimal128(state.available),
    held: toDecimal128(state.held),
    counts: state.counts,
    sequence: state.sequence,
    head_hash: state.headHash,
    updated_at: state.updatedAt,
    house,
  };
}

/** Accounts of one read: each asks for a few keys of each of its movements. */
const readBatchMax = 64;
/** An account asks again when it was answered, so that few wait. */
const readLimits = {
  batchMax: readBatchMax,
  inFlightMax: 2,
  waitingMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type Asked = { readonly accountId: string; readonly keys: ReadonlySet<string> };
type Asking = Gathered &
  Asked &
  Pick<PromiseWithResolvers<readonly LedgerDocument[]>, "resolve" | "reject">;

/**
 * Reads recorded entries of an account by their keys. Accounts that ask in the same turn of the
 * event loop share a command, which names them all: in a cluster it goes to their shards alone.
 */
export function createEntryReads({ entries }: Pick<LedgerCollections, "entries">) {
  const send = async (batch: readonly Asking[]) => {
    try {
      const found = await findAsked(entries, batch);
      const byAccount = Map.groupBy(found, (each) => each.account_id);
      for (const { accountId, keys, resolve } of batch) {
        const own = byAccount.get(accountId) ?? [];
        resolve(own.filter(({ _id }) => keys.has(_id)));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const gatherer = createGatherer(send, readLimits);
  return (accountId: string, keys: ReadonlySet<string>): Promise<readonly LedgerDocument[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly LedgerDocument[]>();
    gatherer.add({ key: undefined, bytes: 0, accountId, keys, resolve, reject });
    return promise;
  };
}

function findAsked(entries: LedgerCollections["entries"], batch: readonly Asked[]) {
  const keys = new Set(batch.flatMap((each) => [...each.keys]));
  const accounts = new Set(batch.map(({ accountId }) => accountId));
  const filter = { _id: { $in: [...keys] }, account_id: { $in: [...accounts] } };
  return entries.find(filter, { hint: "_id_" }).toArray();
}
