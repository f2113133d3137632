import { setTimeout as pause } from "node:timers/promises";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import {
  type AccountCollections,
  type AccountDocument,
  type HoldIntent,
  houseFields,
  ledgerDocument,
  type RecentEntry,
  recentEntry,
  toHouseSums,
  toLedgerEntry,
  toLedgerState,
} from "./documents.ts";
import type { LedgerEntry, Movement } from "./rules/account.ts";
import { decidingKeys, type Planned, planMovement, withHousePostings } from "./rules/movement.ts";

/** What applying a movement came to. `applied` also says that an earlier try had done it. */
export type Applied =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry }
  | { readonly outcome: Exclude<Planned["outcome"], "applied" | "repeated"> | "no_account" };

/** What a movement is applied to. */
export type MovementTarget = {
  readonly merchantId: string;
  readonly accountId: string;
  /** Of a hold: what it takes to finish its payout. */
  readonly intent?: HoldIntent;
  /** Of a credit: who made it. */
  readonly actor?: StoredActor;
};

/** What one write takes at most; more would make the account's document large for a moment. */
const batchMax = 100;
/** How often a batch begins again because another process was faster. */
const triesMax = 100;
/** The pause before it does, at random up to this, so that two do not keep in step. */
const pauseMaxMs = 10;

type Waiting = {
  readonly target: MovementTarget;
  readonly movement: Movement;
  readonly done: PromiseWithResolvers<Applied>;
};

/**
 * Applies movements to accounts, each once by its key; docs/decisions/0008 has the argument. Those
 * that come for an account while one of its writes runs go into the next write together.
 */
export function createAccountWriter(collections: AccountCollections) {
  const queues = new Map<string, Waiting[]>();

  const drain = async (accountId: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      try {
        const outcomes = await write(collections, accountId, batch);
        for (const [at, { done }] of batch.entries()) done.resolve(outcomes[at] as Applied);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    queues.delete(accountId);
  };

  return {
    /** Throws where it is not known whether it was applied: the same again finds out. */
    apply: (target: MovementTarget, movement: Movement): Promise<Applied> => {
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
    },
  };
}

/** One write for all that applies of a batch; begun again while others are faster. */
async function write(
  collections: AccountCollections,
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
  throw new Error("an account that others change all the time");
}

type ReadAccount = { readonly document: AccountDocument; readonly now: Date };

/** The account as it is, with its database's clock. */
async function readAccount(
  { accounts }: AccountCollections,
  accountId: string,
): Promise<ReadAccount | undefined> {
  const [found] = await accounts
    .aggregate<AccountDocument & { now: Date }>([
      { $match: { _id: accountId } },
      { $set: { now: "$$NOW" } },
    ])
    .toArray();
  if (found === undefined) return undefined;
  const { now, ...document } = found;
  return { document, now };
}

type Plan = {
  readonly outcomes: Applied[];
  readonly fresh: RecentEntry[];
  readonly intents: { payout_id: string; intent: HoldIntent; since: Date }[];
  readonly house: Record<string, string>;
  readonly state: ReturnType<typeof toLedgerState>;
};

async function planBatch(
  collections: AccountCollections,
  { document, now }: ReadAccount,
  batch: readonly Waiting[],
): Promise<Plan> {
  // After the account was read: what it no longer carries is in the ledger by then.
  const known = await findEntries(
    collections,
    document,
    batch.flatMap(({ movement }) => decidingKeys(document._id, movement)),
  );
  let state = toLedgerState(document);
  const entries: LedgerEntry[] = [];
  const fresh: RecentEntry[] = [];
  const intents: Plan["intents"] = [];
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
export async function findEntries(
  { ledger }: AccountCollections,
  document: AccountDocument,
  keys: readonly string[],
): Promise<Map<string, LedgerEntry>> {
  const wanted = new Set(keys);
  const recorded = await ledger
    .find({ _id: { $in: [...wanted] }, account_id: document._id })
    .toArray();
  const recent = document.recent
    .filter(({ key }) => wanted.has(key))
    .map((each) => ledgerDocument(document, each));
  return new Map([...recorded, ...recent].map((each) => [each._id, toLedgerEntry(each)]));
}

/** `false` when the account has changed since it was read. */
async function save(
  { accounts }: AccountCollections,
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
