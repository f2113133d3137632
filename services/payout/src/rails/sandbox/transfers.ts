import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import type { Collection } from "mongodb";
import type { SandboxMessage } from "./callbacks.ts";
import type { Scenario } from "./scenarios.ts";

/** A callback that is not sent yet. */
export type PendingMessage = { at: Date; message: SandboxMessage };

/** A transfer at the rail. It represents an external system: nothing else reads it. */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  scenario: Scenario;
  reference: string;
  settles_at: Date;
  returns_at: Date;
  /** The number of polls of a transfer that is unknown at first. */
  asked: number;
  /** The number of submissions; it is paid once. */
  submitted: number;
  pending: PendingMessage[];
  /** The due time of the first callback; absent if none is pending. */
  pending_at?: Date;
  /** The time when its batch leaves; absent if it waits for none. */
  batch_at?: Date;
  /** The time of its withdrawal: it is never paid. */
  withdrawn_at?: Date;
  /** The reason of its rejection; absent: the sandbox's default. */
  rejection?: Failure;
  /** The reason of its return; absent: the sandbox's default. */
  return_failure?: Failure;
};

/** A transfer of `sandbox-unknown` is known from this poll on. */
export const knownAfterPolls = 2;

/**
 * Takes back a transfer that waits for its batch, is not known yet, or is silent and so never paid.
 * An unknown key gets a tombstone, so that it is not paid later.
 */
export async function withdrawTransfer(
  transfers: Collection<TransferDocument>,
  key: string,
  now: Date,
): Promise<boolean> {
  const tombstone = { scenario: "fail", reference: "", settles_at: now, returns_at: now } as const;
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    ...tombstone,
    asked: 0,
    submitted: 0,
    pending: [],
    withdrawn_at: now,
  });
  const waiting = [
    { batch_at: { $gt: now } },
    { scenario: "unknown" as const, asked: { $lt: knownAfterPolls } },
    { scenario: "silent" as const },
  ];
  await transfers.updateOne(
    { _id: key, withdrawn_at: { $exists: false }, $or: waiting },
    { $set: { withdrawn_at: now } },
  );
  return (await transfers.countDocuments({ _id: key, withdrawn_at: { $exists: true } })) === 1;
}

/** The prefix of a bank's reference. */
export const bankReference = "SBX";

/** Scenarios whose outcome the rail sends by callback. Their replies ask for no poll. */
const callsBack: ReadonlySet<Scenario> = new Set(["callback", "duplicate", "contradict"]);

/** Converts a transfer to the rail's reply at this time. */
export function replyOf(transfer: TransferDocument, now: Date): RailReply {
  const { scenario, reference, settles_at, returns_at, withdrawn_at } = transfer;
  const remainingMs = settles_at.getTime() - now.getTime();
  if (withdrawn_at !== undefined) {
    // Operators may have found that it was paid in another way, so the rail stays at unknown.
    const isUnknown = scenario === "silent" || scenario === "unknown";
    return { status: { kind: isUnknown ? "unknown" : "rejected" } };
  }
  if (scenario === "silent") return { status: { kind: "unknown" } };
  if (scenario === "unknown" && transfer.asked < knownAfterPolls) {
    const delayMs = returns_at.getTime() - settles_at.getTime();
    return { status: { kind: "unknown" }, pollAfterMs: delayMs };
  }
  if (remainingMs > 0) {
    const accepted = { status: { kind: "accepted" } } as const;
    return callsBack.has(scenario) ? accepted : { ...accepted, pollAfterMs: remainingMs };
  }
  if (scenario === "fail") return { status: { kind: "rejected", failure: rejectionOf(transfer) } };
  const settled = { status: { kind: "settled", reference } } as const;
  if (scenario !== "return" && scenario !== "late-return") return settled;
  const returnsInMs = returns_at.getTime() - now.getTime();
  return returnsInMs > 0
    ? { ...settled, pollAfterMs: returnsInMs }
    : { status: { kind: "returned", reference, failure: returnOf(transfer) } };
}

/**
 * Returns the failure that the real network or bank would give. The reference shows which one it
 * is.
 */
export function rejectionOf({ reference, rejection }: TransferDocument): Failure {
  if (rejection !== undefined) return rejection;
  return reference.startsWith(bankReference)
    ? { code: "BENEFICIARY_BANK_REJECTED", railCode: "MS03" }
    : { code: "TRANSFER_REVERTED" };
}

export function returnOf({ reference, return_failure }: TransferDocument): Failure {
  if (return_failure !== undefined) return return_failure;
  return reference.startsWith(bankReference)
    ? { code: "ACCOUNT_CLOSED", railCode: "AC04" }
    : { code: "BENEFICIARY_REFUSED" };
}
