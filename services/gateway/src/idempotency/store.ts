import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection, Db } from "mongodb";
import {
  type Answer,
  endOf,
  type IdempotencyRecord,
  type IdempotencyScope,
  keptMs,
  lockMs,
  scopeId,
  startOf,
} from "./rules/idempotency.ts";

const collectionName = "idempotency_keys";
const schemaVersion = 1;

type IdempotencyDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  fingerprint: string;
  /** New for each run, so that a run that lost its lock writes nothing. */
  fence: string;
  progress:
    | { state: "running"; lock_until: Date; place: string }
    | { state: "open" }
    | { state: "done"; sealed_answer: string };
  created_at: Date;
  expires_at: Date;
};

/** The right to run a request under its key, until the lock ends. */
export type Claim = { readonly id: string; readonly merchantId: string; readonly fence: string };

/**
 * Another run may take the key between our read and our write. After this many losses the request
 * is refused as in progress.
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

/** Idempotency keys of all merchants, with sealed responses. */
export type IdempotencyStore = {
  readonly collection: Collection<IdempotencyDocument>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** The gateway's address. No two live gateways share one. */
  readonly place: string;
  /** Fingerprints by record id, for running requests whose service binds the key. */
  readonly running: Map<string, string>;
};

const sealContext = ({ id, merchantId }: Pick<Claim, "id" | "merchantId">) =>
  `${merchantId}|${id}|answer`;

/** Builds the document of a new run, for an unknown key or one taken over. */
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

/** Takes over from the run that was read, unless another run did so first. */
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

/** Claims the key for one run, replays its answer, or refuses. */
export async function begin(
  deps: IdempotencyStore,
  scope: IdempotencyScope,
  fingerprint: string,
): Promise<{ readonly claim: Claim } | { readonly replay: Answer } | KeyRefusal> {
  const { collection, clock, sealer } = deps;
  const id = scopeId(scope);
  const claim: Claim = { id, merchantId: scope.merchantId, fence: crypto.randomUUID() };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const mine = started(deps, claim, fingerprint);
    if (await insertOnce(collection, mine)) return { claim };
    const found = await collection.findOne({ _id: id });
    if (found === null) continue;
    const start = startOf(recordOf(found), fingerprint, clock.now());
    if (isRefused(start)) return start;
    if (start.start === "replay") {
      return { replay: JSON.parse(sealer.open(start.answer, sealContext(claim))) as Answer };
    }
    if (await takeOver(deps, found, mine, start.start === "again")) return { claim };
  }
  return refused("IDEMPOTENCY_IN_PROGRESS");
}

/** Stores the response, frees the key or leaves it open. Writes nothing if the lock is lost. */
export async function end(
  { collection, sealer }: IdempotencyStore,
  claim: Claim,
  answer: Answer,
): Promise<void> {
  const mine = { _id: claim.id, fence: claim.fence };
  const ending = endOf(answer.status);
  if (ending === "free") {
    await collection.deleteOne(mine);
    return;
  }
  const progress: IdempotencyDocument["progress"] =
    ending === "leave open"
      ? { state: "open" }
      : { state: "done", sealed_answer: sealer.seal(JSON.stringify(answer), sealContext(claim)) };
  // A filter by id alone costs the database half as much as one that also compares the fence.
  const isMine = { $eq: ["$fence", claim.fence] };
  const next = { $cond: [isMine, { $literal: progress }, "$progress"] };
  await collection.updateOne({ _id: claim.id }, [{ $set: { progress: next } }]);
}

type KeyRefusal = Refused<"IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS">;

/** Reserves a key at this gateway until `end` is called; its service binds the key. */
export function runningKey(
  { running }: IdempotencyStore,
  scope: IdempotencyScope,
  fingerprint: string,
): { readonly end: () => void } | KeyRefusal {
  const id = scopeId(scope);
  const other = running.get(id);
  if (other === fingerprint) return refused("IDEMPOTENCY_IN_PROGRESS");
  if (other !== undefined) return refused("IDEMPOTENCY_KEY_REUSED");
  running.set(id, fingerprint);
  return { end: () => void running.delete(id) };
}

/** Stores the answer of a run; returns another answer if one was stored first. */
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
  // It has expired after 30 days, but is not deleted yet.
  await collection.replaceOne({ _id: claim.id }, document);
  return undefined;
}

/** Returns the response stored under a key. Refuses if it belongs to another body. */
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
 * Frees keys of runs at this place that started before a time. The process that listens there now
 * knows that they have ended. A retry continues under the same operation id.
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

/** Deletes expired keys, because the embedded engine's TTL indexes delete nothing. */
export async function sweep({ collection, clock }: IdempotencyStore): Promise<void> {
  await collection.deleteMany({ expires_at: { $lte: clock.now() } });
}

export function openIdempotencyStore(
  db: Db,
  deps: Omit<IdempotencyStore, "collection" | "running">,
): IdempotencyStore {
  const collection = db.collection<IdempotencyDocument>(collectionName);
  return { collection, running: new Map(), ...deps };
}
