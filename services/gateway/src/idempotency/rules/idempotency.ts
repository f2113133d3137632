import { createHash } from "node:crypto";
import { formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { type ExactJson, ExactNumber } from "@disburse/kernel/exact-json.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/**
 * Duration of a key's lock if its run never ends (decisions §2). A run takes at most 10 s, so after
 * three times that its process is dead or stalled. A gateway that restarts frees its own keys at
 * once.
 */
export const lockMs = 30_000;
/** A run ends within its request's deadline. After this time only the end of the lock helps. */
const runMs = 10_000;
/** Keys and their responses are kept this long (decisions §2). */
export const keptMs = 30 * 24 * 60 * 60 * 1_000;

/** The response to a request. `body` is JSON text, so that a replay has exactly the same bytes. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The scope of an idempotency key. Within it, the key is unique. */
export type IdempotencyScope = {
  readonly merchantId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /**
   * Set only for decisions on approvals and approval rules. It is the root of the decider, so no
   * other actor gets the replay.
   */
  readonly actor?: string;
};

const keyText = /^[\x20-\x7e]{1,255}$/;

/**
 * Reads the idempotency key. Returns `undefined` without one. Refuses a malformed or repeated one.
 */
export function idempotencyKey(
  values: readonly string[],
): string | undefined | Refused<"INVALID_REQUEST"> {
  const [key] = values;
  if (key === undefined) return undefined;
  if (values.length === 1 && keyText.test(key)) return key;
  return refused("INVALID_REQUEST", "Idempotency-Key: must be 1 to 255 printable characters");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Hashes the scope, so the merchant's key itself is not stored. */
export function scopeId({ merchantId, method, path, key, actor }: IdempotencyScope): string {
  const own = actor === undefined ? [] : [actor];
  return sha256(JSON.stringify([merchantId, method, path, key, ...own]));
}

/**
 * Derives the operation id from the key's scope. The owning service binds the id to one body, so
 * each key has one effect.
 */
export function operationIdOf(scope: IdempotencyScope): string {
  return `op_${scopeId(scope)}`;
}

function canonical(json: ExactJson): unknown {
  if (json instanceof ExactNumber) {
    const decimal = parseDecimal(json.text);
    return { number: decimal === undefined ? json.text : formatDecimal(decimal) };
  }
  if (Array.isArray(json)) return json.map(canonical);
  if (typeof json !== "object" || json === null) return json;
  const names = Object.keys(json).sort();
  return { object: names.map((name) => [name, canonical(json[name] ?? null)]) };
}

/**
 * Returns the SHA-256 of the canonical body. Spaces, key order and trailing zeros (`1.10`, `1.1`)
 * don't change the result.
 */
export function fingerprintOf(body: ExactJson): string {
  return sha256(JSON.stringify(canonical(body)));
}

/**
 * The state of a key. Its request is running until the lock ends, open for a retry, or done with a
 * response.
 */
export type IdempotencyRecord<Answer> = {
  readonly fingerprint: string;
  readonly expiresAt: Date;
  readonly progress:
    | { readonly state: "running"; readonly lockUntil: Date }
    | { readonly state: "open" }
    | { readonly state: "done"; readonly answer: Answer };
};

/** Another run has the key. A repeat that comes after `retryAfterSeconds` may find it ended. */
export type InProgress = Refused<"IDEMPOTENCY_IN_PROGRESS"> & {
  readonly retryAfterSeconds: number;
};

export function inProgress(retryAfterSeconds: number): InProgress {
  return { ...refused("IDEMPOTENCY_IN_PROGRESS"), retryAfterSeconds };
}

export type Start<Answer> =
  | { readonly start: "new" }
  | { readonly start: "again" }
  | { readonly start: "replay"; readonly answer: Answer };

/**
 * Decides on a request with a key. The request runs for the first time, runs again under the same
 * operation id (after a 5xx or a crash), gets the stored response, or is refused.
 */
export function startOf<Answer>(
  record: IdempotencyRecord<Answer> | undefined,
  fingerprint: string,
  now: Date,
): Start<Answer> | Refused<"IDEMPOTENCY_KEY_REUSED"> | InProgress {
  if (record === undefined || now >= record.expiresAt) return { start: "new" };
  if (record.fingerprint !== fingerprint) return refused("IDEMPOTENCY_KEY_REUSED");
  const { progress } = record;
  if (progress.state === "done") return { start: "replay", answer: progress.answer };
  if (progress.state === "running" && isLocked(progress.lockUntil, now)) {
    return inProgress(retryAfterSeconds(progress.lockUntil, now));
  }
  return { start: "again" };
}

/**
 * Returns true while the lock holds. A lock that ends too late comes from a wrong clock and is
 * ignored.
 */
function isLocked(lockUntil: Date, now: Date): boolean {
  const remainingMs = lockUntil.getTime() - now.getTime();
  return remainingMs > 0 && remainingMs <= 2 * lockMs;
}

/**
 * Returns the seconds until a repeat may succeed. Most runs end in milliseconds, so a repeat need
 * not wait for the lock's end while the run can still be alive.
 */
function retryAfterSeconds(lockUntil: Date, now: Date): number {
  const remainingMs = lockUntil.getTime() - now.getTime();
  return remainingMs > lockMs - runMs ? 1 : Math.ceil(remainingMs / 1_000);
}

/** Decides on the key after a response. A 4xx frees the key. A 5xx leaves it open for a retry. */
export function endOf(status: number): "keep answer" | "free" | "leave open" {
  if (status < 400) return "keep answer";
  return status < 500 ? "free" : "leave open";
}
