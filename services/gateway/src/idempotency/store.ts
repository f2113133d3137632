import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Collection, type Db, MongoServerSelectionError } from "mongodb";
import {
  type Answer,
  endOf,
  type IdempotencyRecord,
  type IdempotencyScope,
  type InProgress,
  inProgress,
  keptMs,
  lockMs,
  scopeId,
  startOf,
} from "./rules/idempotency.ts";
import { createUnsettledKeys, type KeyEnd, type UnsettledKeys } from "./unsettled.ts";

const collectionName = "idempotency_keys";
const schemaVersion = 1;

type IdempotencyDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  fingerprint: string;
  /** Differs in each run. A run that has lost its lock can't write anything. */
  fence: string;
  progress: { state: "running"; lock_until: Date; place: string } | NonNullable<KeyEnd["progress"]>;
  created_at: Date;
  expires_at: Date;
};

/** Permits one run of a request with its key, until the lock ends. */
export type Claim = { readonly id: string; readonly merchantId: string; readonly fence: string };

/**
 * Maximum attempts to claim a key. Each fails if another run claims the key between this store's
 * read and write. After the last, the request is refused as in progress.
 */
const triesMax = 3;

function recordOf(document: IdempotencyDocument): IdempotencyRecord<string> {
  const { progress } = document;
  return {
    fingerprint: document.fingerprint,
    expiresAt: document.expires_at,
    progress:
      progress.state === "running"
        ? { state: "running", lockUntil: progress.lock_until }
        : progress.state === "done"
          ? { state: "done", answer: progress.sealed_answer }
          : { state: "open" },
  };
}

/** Stores the idempotency keys of all merchants, with sealed responses. */
export type IdempotencyStore = {
  readonly collection: Collection<IdempotencyDocument>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** The gateway's address, unique among running gateways. */
  readonly place: string;
  /** Fingerprints of running requests whose service binds the key, keyed by record id. */
  readonly running: Map<string, string>;
  readonly unsettled: UnsettledKeys;
};

const sealContext = ({ id, merchantId }: Pick<Claim, "id" | "merchantId">) =>
  `${merchantId}|${id}|answer`;

/** Builds the document of a new run. Its key is unknown or taken over from another run. */
function started(
  { clock, place }: IdempotencyStore,
  claim: Claim,
  fingerprint: string,
): IdempotencyDocument {
  const now = clock.now();
  return {
    _id: claim.id,
    schema_version: schemaVersion,
    merchant_id: claim.merchantId,
    fingerprint,
    fence: claim.fence,
    progress: { state: "running", lock_until: new Date(now.getTime() + lockMs), place },
    created_at: now,
    expires_at: new Date(now.getTime() + keptMs),
  };
}

/** Takes over a key from the run that was read. Fails if another run has taken the key since. */
async function takeOver(
  { collection }: IdempotencyStore,
  found: IdempotencyDocument,
  mine: IdempotencyDocument,
  again: boolean,
): Promise<boolean> {
  const { _id, ...fields } = mine;
  const kept = again ? { created_at: found.created_at, expires_at: found.expires_at } : {};
  const result = await collection.updateOne(
    { _id, fence: found.fence, "progress.state": found.progress.state },
    { $set: { ...fields, ...kept } },
  );
  return result.matchedCount === 1;
}

/**
 * Writes the lock of a run. If the outcome is unknown, checks once whether the lock is stored. The
 * check is a write, because a read would miss a lock that a majority does not have yet. Without a
 * reachable server the check would only double the wait.
 */
async function lock(
  { collection }: IdempotencyStore,
  { _id, fence, progress }: IdempotencyDocument,
  write: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    const isReachable = !(error instanceof MongoServerSelectionError);
    if (!isDatabaseUnavailable(error) || !isReachable) throw error;
    const { matchedCount } = await collection.updateOne({ _id, fence }, { $set: { progress } });
    if (matchedCount === 1) return true;
    throw error;
  }
}

type Begun = { readonly claim: Claim } | { readonly replay: Answer } | KeyRefusal;

/** Claims the key for one run, returns the stored response for a replay, or refuses. */
export async function begin(
  deps: IdempotencyStore,
  scope: IdempotencyScope,
  fingerprint: string,
): Promise<Begun> {
  const id = scopeId(scope);
  const claim: Claim = { id, merchantId: scope.merchantId, fence: crypto.randomUUID() };
  try {
    return await beginAs(deps, claim, fingerprint);
  } catch (error) {
    // The lock may be stored despite the error. The request has not run, so its key is opened.
    if (isDatabaseUnavailable(error)) deps.unsettled.add(endOfClaim(deps, claim, undefined));
    throw error;
  }
}

async function beginAs(deps: IdempotencyStore, claim: Claim, fingerprint: string): Promise<Begun> {
  const { collection, clock, sealer } = deps;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const mine = started(deps, claim, fingerprint);
    if (await lock(deps, mine, () => insertOnce(collection, mine))) return { claim };
    const found = await collection.findOne({ _id: claim.id });
    if (found === null) continue;
    const start = startOf(recordOf(found), fingerprint, clock.now());
    if (isRefused(start)) return start;
    if (start.start === "replay") {
      return { replay: JSON.parse(sealer.open(start.answer, sealContext(claim))) as Answer };
    }
    const isAgain = start.start === "again";
    if (await lock(deps, mine, () => takeOver(deps, found, mine, isAgain))) return { claim };
  }
  return inProgress(1);
}

/**
 * Ends a run. Stores its response, frees the key, or leaves the key open for a retry. Writes
 * nothing if the run has lost its lock. If the database is unavailable, throws, and the end is
 * written later.
 */
export async function end(store: IdempotencyStore, claim: Claim, answer: Answer): Promise<void> {
  const ending = endOfClaim(store, claim, answer);
  try {
    await settle(store.collection, ending);
  } catch (error) {
    if (isDatabaseUnavailable(error)) store.unsettled.add(ending);
    throw error;
  }
}

/** `answer` is absent if the request has not run. */
function endOfClaim(
  { sealer }: Pick<IdempotencyStore, "sealer">,
  claim: Claim,
  answer: Answer | undefined,
): KeyEnd {
  const { id, fence } = claim;
  const ending = answer === undefined ? "leave open" : endOf(answer.status);
  if (ending === "free") return { id, fence, progress: undefined };
  if (ending === "leave open") return { id, fence, progress: { state: "open" } };
  const sealed_answer = sealer.seal(JSON.stringify(answer), sealContext(claim));
  return { id, fence, progress: { state: "done", sealed_answer } };
}

/** Writes the end of a run, even late. Another run's fence differs: its lock and response stay. */
async function settle(
  collection: Collection<IdempotencyDocument>,
  { id, fence, progress }: KeyEnd,
): Promise<void> {
  if (progress === undefined) {
    await collection.deleteOne({ _id: id, fence });
    return;
  }
  // A filter by id alone costs the database half as much as a filter that also compares the fence.
  // So the update itself compares the fence.
  const isMine = { $eq: ["$fence", fence] };
  const next = { $cond: [isMine, { $literal: progress }, "$progress"] };
  await collection.updateOne({ _id: id }, [{ $set: { progress: next } }]);
}

export type KeyRefusal = Refused<"IDEMPOTENCY_KEY_REUSED"> | InProgress;

/**
 * Reserves a key in this process until `end` is called. Used if the owning service binds the key.
 */
export function runningKey(
  { running }: IdempotencyStore,
  scope: IdempotencyScope,
  fingerprint: string,
): { readonly end: () => void } | KeyRefusal {
  const id = scopeId(scope);
  const other = running.get(id);
  if (other === fingerprint) return inProgress(1);
  if (other !== undefined) return refused("IDEMPOTENCY_KEY_REUSED");
  running.set(id, fingerprint);
  return { end: () => void running.delete(id) };
}

/** Stores the response of a run. If another response was stored first, returns that one. */
export async function keepAnswer(
  store: IdempotencyStore,
  scope: IdempotencyScope,
  fingerprint: string,
  answer: Answer,
): Promise<Answer | undefined> {
  const { collection, sealer } = store;
  const claim: Claim = {
    id: scopeId(scope),
    merchantId: scope.merchantId,
    fence: crypto.randomUUID(),
  };
  const sealed_answer = sealer.seal(JSON.stringify(answer), sealContext(claim));
  const progress = { state: "done", sealed_answer } as const;
  const document = { ...started(store, claim, fingerprint), progress };
  if (await insertOnce(collection, document)) return undefined;
  const first = await findAnswer(store, scope, fingerprint);
  if (first !== undefined) return isRefused(first) ? undefined : first;
  // The stored response has expired after 30 days but is not deleted yet.
  await collection.replaceOne({ _id: claim.id }, document);
  return undefined;
}

/**
 * Returns the response that is stored under a key. Refuses if it was stored for a different body.
 */
export async function findAnswer(
  { collection, sealer, clock }: IdempotencyStore,
  scope: IdempotencyScope,
  fingerprint: string,
): Promise<Answer | undefined | Refused<"IDEMPOTENCY_KEY_REUSED">> {
  const id = scopeId(scope);
  const found = await collection.findOne({ _id: id });
  if (found?.progress.state !== "done" || clock.now() >= found.expires_at) return undefined;
  if (found.fingerprint !== fingerprint) return refused("IDEMPOTENCY_KEY_REUSED");
  const { merchantId } = scope;
  const text = sealer.open(found.progress.sealed_answer, sealContext({ id, merchantId }));
  return JSON.parse(text) as Answer;
}

/**
 * Frees the keys of runs that started at this place before the given time. The calling process now
 * has the place's port, so those runs have ended. A retry continues under the same operation id.
 */
export async function freeEnded(
  { collection, place }: IdempotencyStore,
  before: Date,
): Promise<void> {
  const ended = { $lt: new Date(before.getTime() + lockMs) };
  await collection.updateMany(
    { "progress.place": place, "progress.lock_until": ended },
    { $set: { progress: { state: "open" } } },
  );
}

/** Deletes expired keys. The TTL indexes of the embedded database engine delete nothing. */
export async function sweep({ collection, clock }: IdempotencyStore): Promise<void> {
  await collection.deleteMany({ expires_at: { $lte: clock.now() } });
}

export function openIdempotencyStore(
  db: Db,
  { log, ...deps }: Pick<IdempotencyStore, "sealer" | "clock" | "place"> & { readonly log: Log },
): IdempotencyStore {
  const collection = db.collection<IdempotencyDocument>(collectionName);
  const unsettled = createUnsettledKeys({ settle: (end) => settle(collection, end), log });
  return { collection, running: new Map(), unsettled, ...deps };
}
