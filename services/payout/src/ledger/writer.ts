import { setTimeout as pause } from "node:timers/promises";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import {
  type AccountDocument,
  type HoldIntent,
  houseFields,
  type LedgerCollections,
  ledgerDocument,
  type RecentEntry,
  recentEntry,
  toAccount,
  toHouseSums,
  toLedgerEntry,
} from "./documents.ts";
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
  /** Of a hold: what it takes to create its payout. */
  readonly intent?: HoldIntent;
  /** Of a credit: who made it. */
  readonly actor?: StoredActor;
};

/** Movements of one write; more would make the account's document large for a moment. */
const batchMax = 100;
/** Tries of a batch while other processes change the account. */
const triesMax = 100;
/** The pause between tries is random up to this, so that two processes do not collide again. */
const pauseMaxMs = 10;

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
export function createAccountWriter(
  collections: LedgerCollections,
  onMoved: () => void = () => undefined,
) {
  const queues = new Map<string, Waiting[]>();

  const drain = async (accountId: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      try {
        const outcomes = await write(collections, accountId, batch);
        onMoved();
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
      void drain(accountId, fresh);
    } else {
      queue.push(waiting);
    }
    return done.promise;
  };
}

/** One write for a batch; repeated while other processes change the account. */
async function write(
  collections: LedgerCollections,
  accountId: string,
  batch: readonly Waiting[],
): Promise<Applied[]> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (tries > 0) await pause(Math.random() * pauseMaxMs);
    const read = await readAccount(collections, accountId);
    if (read === undefined) return batch.map(() => ({ outcome: "no_account" }));
    const plan = await planBatch(collections, read, batch);
    if (plan.fresh.length === 0 || (await save(collections, read.document, plan))) {
      return plan.outcomes;
    }
  }
  throw new Error("the account changed during every try");
}

type ReadAccount = { readonly document: AccountDocument; readonly now: Date };

/** The account as it is, with its database's clock. */
async function readAccount({ accounts }: LedgerCollections, accountId: string) {
  const found = await findWithTime(accounts, accountId);
  if (found === null) return undefined;
  const { now, ...document } = found;
  return { document, now };
}

type Plan = Awaited<ReturnType<typeof planBatch>>;

async function planBatch(
  collections: LedgerCollections,
  { document, now }: ReadAccount,
  batch: readonly Waiting[],
) {
  // After the account was read: what it no longer carries is in the ledger by then.
  const known = await findEntries(
    collections,
    document,
    batch.flatMap(({ movement }) => decidingKeys(document._id, movement)),
  );
  let state: LedgerState = toAccount(document);
  const entries: LedgerEntry[] = [];
  const fresh: RecentEntry[] = [];
  const intents: AccountDocument["open_holds"] = [];
  const outcomes = batch.map(({ target, movement }): Applied => {
    if (target.merchantId !== document.merchant_id) return { outcome: "no_account" };
    const planned = planMovement(state, known, movement, now);
    if (planned.outcome === "repeated") return { outcome: "applied", entry: planned.entry };
    if (planned.outcome !== "applied") return planned;
    const { entry } = planned;
    state = planned.state;
    known.set(entry.key, entry);
    entries.push(entry);
    fresh.push(recentEntry(entry, target.actor));
    const { intent } = target;
    if (intent !== undefined) {
      intents.push({ payout_id: entry.payoutId, since: entry.createdAt, intent });
    }
    return { outcome: "applied", entry };
  });
  const house = houseFields(withHousePostings(toHouseSums(document), entries));
  return { outcomes, fresh, intents, house, state };
}

/** The entries of an account under these keys, wherever they are. */
async function findEntries(
  { entries }: LedgerCollections,
  document: AccountDocument,
  keys: readonly string[],
): Promise<Map<string, LedgerEntry>> {
  const wanted = new Set(keys);
  const recorded = await entries
    .find({ _id: { $in: [...wanted] }, account_id: document._id })
    .toArray();
  const recent = document.recent
    .filter(({ key }) => wanted.has(key))
    .map((each) => ledgerDocument(document, each));
  return new Map([...recorded, ...recent].map((each) => [each._id, toLedgerEntry(each)]));
}

/** `false` when the account has changed since it was read. */
async function save(
  { accounts }: LedgerCollections,
  { _id, sequence }: AccountDocument,
  { fresh, intents, house, state }: Plan,
): Promise<boolean> {
  const saved = await accounts.updateOne(
    { _id, sequence },
    {
      $set: {
        available: toDecimal128(state.available),
        held: toDecimal128(state.held),
        sequence: state.sequence,
        head_hash: state.headHash,
        updated_at: state.updatedAt,
        house,
        dirty: true,
      },
      $push: { recent: { $each: fresh }, open_holds: { $each: intents } },
    },
  );
  return saved.matchedCount === 1;
}
