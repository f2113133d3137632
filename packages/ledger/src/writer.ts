import { setTimeout as pause } from "node:timers/promises";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { setAtRevision } from "@disburse/chassis/mongo/revision.ts";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { LRUCache } from "lru-cache";
import {
  type AccountDocument,
  type LedgerCollections,
  ledgerDocument,
  type OpenHold,
  platformFields,
  type RecentEntry,
  recentEntry,
  toAccount,
  toLedgerEntry,
  toPlatformSums,
} from "./documents.ts";
import { lowFieldsAfter } from "./low-balance.ts";
import { createEntryReads, recordCarried, recordEntries } from "./recorder.ts";
import { findRefusal, type RememberedRefusals, refusalKeyOf, withRefusal } from "./refusals.ts";
import { holdIdOf, type LedgerEntry, type Movement, movementKey } from "./rules/account.ts";
import { decidingKeys, type LedgerState, type Planned, planEntries } from "./rules/movement.ts";
import { withPlatformPostings } from "./rules/postings.ts";

/** The result of a movement. `applied` also stands for a movement that was applied earlier. */
export type Applied =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry }
  | { readonly outcome: Exclude<Planned["outcome"], "applied" | "repeated"> | "no_account" };

type MovementTarget = {
  readonly merchantId: string;
  readonly accountId: string;
  /** The actor of a credit or a reversal. */
  readonly actor?: StoredActor;
  /**
   * Holds only: the value of `performance.now()` before this process stored the quote's first
   * order.
   */
  readonly orderedAt?: number | undefined;
};

/** The maximum number of movements in one write. It keeps the account's document small. */
const batchMax = 100;
/** The maximum number of attempts to write a batch while other processes change the account. */
const triesMax = 100;
/** The maximum random pause between attempts. It keeps two processes from colliding again. */
const pauseMaxMs = 10;

/** After this time without a movement, the sweep tidies an account and the process forgets it. */
export const quietMs = 5_000;
/**
 * The maximum number of remembered entries per account. With more, the process forgets the account
 * and reads it again.
 */
const keptEntriesMax = 500;
/** The maximum number of accounts and entries that a process remembers. */
const keptMax = 50_000;

export type WatchWrites = {
  /** Called after a credit, so that the sweep publishes the credit's event. */
  readonly onCredited?: () => void;
  /** Called after a fall below the merchant's threshold, so that the sweep publishes its event. */
  readonly onLow?: () => void;
  /** Called when another process changed the account and the write must be repeated. */
  readonly onRetried?: () => void;
  /** Called when entries could not be recorded in the ledger. The sweep records them later. */
  readonly onUnrecorded?: (accountId: string, error: unknown) => void;
};

type Waiting = {
  readonly target: MovementTarget;
  readonly movement: Movement;
  readonly done: PromiseWithResolvers<Applied>;
};

/**
 * Creates the writer that applies each movement to its account once, by the movement's key.
 * docs/decisions/0008 explains why this is correct. If `apply` throws, the movement may have been
 * applied, so repeat the call. Movements that arrive during a write of the same account share the
 * next write. Each write is followed by recording its entries in the ledger. The next write then
 * removes these entries from the account.
 */
export function createAccountWriter(collections: LedgerCollections, watch: WatchWrites = {}) {
  const queues = new Map<string, Waiting[]>();
  const sizeCalculation = ({ own }: KnownAccount) => 1 + own.size;
  const known = new LRUCache<string, KnownAccount>({
    maxSize: keptMax,
    sizeCalculation,
    ttl: quietMs,
  });
  const closed = new LRUCache<string, Set<string>>({ max: keptMax, ttl: quietMs });
  const readEntries = createEntryReads(collections);
  const writing: Writing = { ...collections, readEntries, known, closed, watch };

  const drain = async (accountId: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch: Waiting[] = [];
      try {
        const outcomes = await write(writing, accountId, batch, queue);
        for (const [at, { done }] of batch.entries()) done.resolve(outcomes[at] as Applied);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    queues.delete(accountId);
  };

  return {
    apply: (target: MovementTarget, movement: Movement): Promise<Applied> => {
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
    },
    /**
     * Marks a created payout's hold, or a confirmed order's reservation, as closed. The account's
     * next write, or the sweep, removes it from the open holds.
     */
    closeHold: (accountId: string, holdId: string): void => {
      const ids = closed.get(accountId);
      if (ids === undefined) closed.set(accountId, new Set([holdId]));
      else ids.add(holdId);
    },
  };
}

type Writing = LedgerCollections & {
  readonly readEntries: ReturnType<typeof createEntryReads>;
  readonly known: LRUCache<string, KnownAccount>;
  /** The holds of created payouts that the next write of their account removes, by account. */
  readonly closed: LRUCache<string, Set<string>>;
  readonly watch: WatchWrites;
};

/**
 * Applies a batch in one write. Repeats the write while other processes change the account. This
 * process remembers the accounts that it has written. The write compares the revision, so it fails
 * if another process has written the account since.
 */
async function write(
  writing: Writing,
  accountId: string,
  batch: Waiting[],
  queue: Waiting[],
): Promise<Applied[]> {
  const { known, watch } = writing;
  let remembered = known.get(accountId);
  known.delete(accountId);
  for (let tries = 0; tries < triesMax; tries += 1) {
    batch.push(...queue.splice(0, batchMax - batch.length));
    const account = remembered ?? (await readAccount(writing, accountId));
    if (account === undefined) return batch.map(() => ({ outcome: "no_account" }));
    const plan = await planBatch(writing, account, batch);
    const isWrite = plan.fresh.length > 0 || plan.refusals !== undefined;
    if (isWrite && (await save(writing, account, plan))) return plan.outcomes;
    // A refusal is only valid for the current account. Without a write, only a fresh read proves
    // that the account is current.
    if (!isWrite && remembered === undefined) return plan.outcomes;
    if (isWrite) watch.onRetried?.();
    await pause(Math.random() * pauseMaxMs);
    remembered = undefined;
  }
  throw new Error("every attempt to write to the account conflicted with another write");
}

/** An account as this process last read or wrote it. */
type KnownAccount = {
  readonly document: AccountDocument;
  /**
   * The database's time at the read. `elapsed` is the value of `performance.now()` at the same
   * moment.
   */
  readonly at: Date;
  readonly elapsed: number;
  /** The entries that this process has applied since the read, by key. */
  readonly own: Map<string, RecentEntry>;
  readonly recording: Recording;
};

type Recording = {
  /** The ledger has all entries up to this sequence. */
  recorded: number;
  /**
   * The account as it was read, until its entries are recorded. Another process may be recording
   * them too.
   */
  carried: AccountDocument | undefined;
  waiting: RecentEntry[];
  isRunning: boolean;
};

async function readAccount({ accounts }: Writing, accountId: string) {
  const found = await findWithTime(accounts, accountId);
  if (found === null) return undefined;
  const { now: at, ...document } = found;
  const recording: Recording = {
    recorded: document.recorded_sequence,
    carried: document,
    waiting: [],
    isRunning: false,
  };
  return { document, at, elapsed: performance.now(), own: new Map(), recording };
}

type Plan = Awaited<ReturnType<typeof planBatch>>;

async function planBatch(writing: Writing, account: KnownAccount, batch: readonly Waiting[]) {
  const { document, at, elapsed } = account;
  const now = new Date(at.getTime() + Math.trunc(performance.now() - elapsed));
  // The ledger is searched after the account is read. An entry that was removed from the account is
  // in the ledger by then.
  const entriesByKey = await findEntries(writing, account, batch);
  let state: LedgerState = toAccount(document);
  const entries: LedgerEntry[] = [];
  /** The last entry of each movement. */
  const results: LedgerEntry[] = [];
  const fresh: RecentEntry[] = [];
  let remembered: RememberedRefusals = document;
  const outcomes = batch.map(({ target, movement }): Applied => {
    if (target.merchantId !== document.merchant_id) return { outcome: "no_account" };
    const planned = planEntries(state, entriesByKey, movement, now, target.actor);
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
    state = planned.state;
    for (const entry of planned.entries) {
      entriesByKey.set(entry.key, entry);
      entries.push(entry);
      fresh.push(recentEntry(entry, target.actor));
    }
    const entry = planned.entries.at(-1) as LedgerEntry;
    results.push(entry);
    return { outcome: "applied", entry };
  });
  const platform = platformFields(withPlatformPostings(toPlatformSums(document), entries));
  const refusals = remembered === document ? undefined : remembered;
  const low = lowFieldsAfter(document, results);
  return { outcomes, fresh, platform, state, refusals, low };
}

/**
 * Returns the entries that the batch's results depend on, from memory, the account and the ledger.
 * The ledger is searched only for entries that may be older than this process's knowledge of the
 * account.
 */
async function findEntries(
  { readEntries }: Writing,
  { document, elapsed, own }: KnownAccount,
  batch: readonly Waiting[],
): Promise<Map<string, LedgerEntry>> {
  const { _id, recent } = document;
  const isRemembered = ({ target: { orderedAt = 0 }, movement }: Waiting) =>
    "payoutId" in movement &&
    !("reservedFor" in movement) &&
    (own.has(movementKey(holdIdOf(movement), "hold")) ||
      (movement.step === "hold" && orderedAt > elapsed));
  const keysOf = ({ movement }: Waiting) => decidingKeys(_id, movement);
  const wanted = new Set(batch.flatMap(keysOf));
  const searched = new Set(batch.filter((each) => !isRemembered(each)).flatMap(keysOf));
  const recorded = searched.size === 0 ? [] : await readEntries(_id, searched);
  const carried = [...recent, ...own.values()]
    .filter(({ key }) => wanted.has(key))
    .map((each) => ledgerDocument(document, each));
  return new Map([...recorded, ...carried].map((each) => [each._id, toLedgerEntry(each)]));
}

/** Writes the planned changes. Returns `false` if the account has changed since it was read. */
async function save(writing: Writing, account: KnownAccount, plan: Plan): Promise<boolean> {
  const { document, recording } = account;
  const fields = { ...(plan.fresh.length > 0 && moved(writing, account, plan)), ...plan.refusals };
  if (!(await setAtRevision(writing.accounts, document, fields))) return false;
  const after = { ...document, ...fields, revision: document.revision + 1 };
  for (const entry of plan.fresh) account.own.set(entry.key, entry);
  if (Math.max(account.own.size, after.recent.length) <= keptEntriesMax) {
    writing.known.set(document._id, { ...account, document: after });
  }
  forget(writing.closed, after);
  if (plan.fresh.some(({ step }) => step === "credit")) writing.watch.onCredited?.();
  if (plan.low?.low_events !== undefined) writing.watch.onLow?.();
  recording.waiting.push(...plan.fresh);
  record(writing, after, recording).catch((error: unknown) =>
    writing.watch.onUnrecorded?.(document._id, error),
  );
  return true;
}

/** Forgets closed holds that are no longer in the account. */
function forget(closed: Writing["closed"], { _id, open_holds }: AccountDocument): void {
  const open = new Set(open_holds.map(({ payout_id }) => payout_id));
  const left = [...(closed.get(_id) ?? [])].filter((id) => open.has(id));
  if (left.length === 0) closed.delete(_id);
  else closed.set(_id, new Set(left));
}

/** Returns the fields that a write sets. Recorded entries and closed holds are left out. */
function moved({ closed }: Writing, { document, recording }: KnownAccount, plan: Plan) {
  const { fresh, state, platform, low } = plan;
  const { _id, recent, open_holds } = document;
  const ended = fresh.filter(({ step }) => ending.has(step));
  const closing = new Set([...(closed.get(_id) ?? []), ...ended.map(holdOf)]);
  const held = fresh.filter(({ step }) => step === "hold" || step === "reserve");
  const holds = held.map((each): OpenHold => ({ payout_id: holdOf(each), since: each.created_at }));
  const credits = fresh.filter(({ step }) => step === "credit").map(({ sequence }) => sequence);
  const [first] = credits;
  return {
    available: toDecimal128(state.available),
    held: toDecimal128(state.held),
    counts: state.counts,
    sequence: state.sequence,
    head_hash: state.headHash,
    updated_at: state.updatedAt,
    platform,
    recorded_sequence: recording.recorded,
    recent: [...recent.filter(({ sequence }) => sequence > recording.recorded), ...fresh],
    open_holds: [...open_holds, ...holds].filter(({ payout_id }) => !closing.has(payout_id)),
    ...(first !== undefined && {
      credited: { from: document.credited?.from ?? first, to: credits.at(-1) ?? first },
    }),
    ...low,
    ...reservedAfter(document, fresh),
    dirty: true as const,
    head_due: true as const,
  };
}

/** Returns the id of the hold or reservation that an entry makes or ends. */
function holdOf({ key, step }: RecentEntry): string {
  return key.slice(0, -`:${step}`.length);
}

const ending: ReadonlySet<string> = new Set(["post", "release", "unreserve"]);

/** Returns the new sum of open reservations, if these entries change it. */
function reservedAfter({ reserved }: AccountDocument, fresh: readonly RecentEntry[]) {
  const changes = fresh.flatMap(({ step, amount }) => {
    if (step !== "reserve" && step !== "unreserve") return [];
    return step === "reserve" ? fromDecimal128(amount) : -fromDecimal128(amount);
  });
  if (changes.length === 0) return {};
  const before = reserved === undefined ? 0n : fromDecimal128(reserved);
  return { reserved: toDecimal128(changes.reduce((sum, each) => sum + each, before)) };
}

/**
 * Records waiting entries in batches, one batch at a time. After a failure, the entries stay in the
 * account until the account is read again or tidied.
 */
async function record(
  { entries }: LedgerCollections,
  account: AccountDocument,
  recording: Recording,
): Promise<void> {
  if (recording.isRunning) return;
  recording.isRunning = true;
  const { carried } = recording;
  if (carried !== undefined) {
    await recordCarried(entries, [carried]);
    recording.recorded = carried.sequence;
    recording.carried = undefined;
  }
  while (recording.waiting.length > 0) {
    const batch = recording.waiting;
    recording.waiting = [];
    await recordEntries(
      entries,
      batch.map((each) => ledgerDocument(account, each)),
    );
    recording.recorded = batch.at(-1)?.sequence ?? recording.recorded;
  }
  recording.isRunning = false;
}
