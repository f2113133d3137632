import { createHash } from "node:crypto";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { Binary, type Collection } from "mongodb";
import type { RailDirectory } from "./directory.ts";
import { notOfRail, type RailReportDeps, type Reported, reportOutcome } from "./reports.ts";

/**
 * The result of a callback. It remains `received` if the process died before it stored the final
 * result.
 */
type CallbackResult =
  | "received"
  | "applied"
  | "repeated"
  | "refused"
  | "forged"
  | "unreadable"
  | "too_large"
  | "unknown_rail"
  | "unknown_key"
  /** The payout was sent to a different rail from the one that signed the callback. */
  | "foreign_key";

/** A received callback. Only its result ever changes. */
type RailCallbackDocument = {
  _id: string;
  schema_version: number;
  rail: string;
  /** Absent if the body exceeded `bodyMaxBytes`. */
  body?: Binary;
  body_sha256: string;
  signature: string;
  became: CallbackResult;
  detail?: string;
  payout_id?: string;
  actor: StoredActor;
  operation_id: string;
  received_at: Date;
};

/** A rail's callback. `body` has its exact bytes, because the signature covers them. */
export type ReceivedMessage = {
  readonly rail: string;
  readonly body: Uint8Array;
  readonly signature: string;
};

export type ReceiveDeps = RailReportDeps & {
  readonly callbacks: Collection<RailCallbackDocument>;
  readonly rails: RailDirectory;
};

/** The maximum size of a callback. Every real callback about one transfer is smaller. */
const bodyMaxBytes = 65_536;
/** The maximum stored length of a name or signature; real ones are far shorter. */
const textMax = 1_024;

/** Opens the stored callbacks of rails. They are kept for investigations. */
export function openRailCallbacks({ db }: Database): Collection<RailCallbackDocument> {
  return db.collection<RailCallbackDocument>("rail_callbacks");
}

/**
 * Stores a callback, even a forged one. Applies it once if its signature is valid and its report
 * fits the payout.
 */
export async function receiveCallback(deps: ReceiveDeps, message: ReceivedMessage, by: Change) {
  const read = readSigned(deps.rails, message);
  const kept = keptOf(message, by, deps.clock.now());
  if ("became" in read) {
    await deps.callbacks.insertOne({ ...kept, became: read.became });
    return read.refusal;
  }
  await deps.callbacks.insertOne({ ...kept, became: "received", payout_id: read.key });
  const reported = await reportOutcome(deps, read.key, read, { ...by, rail: message.rail });
  const detail = isRefused(reported) ? reported.detail : undefined;
  await deps.callbacks.updateOne(
    { _id: kept._id },
    { $set: { became: callbackResult(reported), ...(detail === undefined ? {} : { detail }) } },
  );
  return reported;
}

/** Returns the rail report of a callback, or the result if it cannot be applied. */
function readSigned(rails: RailDirectory, { rail: name, body, signature }: ReceivedMessage) {
  if (body.length > bodyMaxBytes) {
    const refusal = refused("INVALID_REQUEST", `body: must have at most ${bodyMaxBytes} bytes`);
    return { became: "too_large", refusal } as const;
  }
  const rail = rails.named(name);
  if (rail === undefined) {
    return { became: "unknown_rail", refusal: refused("RECORD_NOT_FOUND") } as const;
  }
  const report = rail.readCallback(body, signature);
  if (report === "forged") {
    return { became: "forged", refusal: refused("ACCESS_FORBIDDEN") } as const;
  }
  if (report === "unreadable") {
    const refusal = refused("INVALID_REQUEST", "body: must contain an outcome");
    return { became: "unreadable", refusal } as const;
  }
  return report;
}

function callbackResult(reported: Reported | Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST">) {
  if (!isRefused(reported)) return reported.applied ? "applied" : "repeated";
  if (reported === notOfRail) return "foreign_key";
  return reported.refused === "RECORD_NOT_FOUND" ? "unknown_key" : "refused";
}

function keptOf(
  { rail, body, signature }: ReceivedMessage,
  { actor, operationId }: Change,
  now: Date,
): Omit<RailCallbackDocument, "became"> {
  return {
    _id: crypto.randomUUID(),
    schema_version: 1,
    rail: rail.slice(0, textMax),
    ...(body.length > bodyMaxBytes ? {} : { body: new Binary(body) }),
    body_sha256: createHash("sha256").update(body).digest("hex"),
    signature: signature.slice(0, textMax),
    actor,
    operation_id: operationId,
    received_at: now,
  };
}
