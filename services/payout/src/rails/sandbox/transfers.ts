import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import type { Collection } from "mongodb";
import type { SandboxMessage } from "./callbacks.ts";
import type { Scenario } from "./scenarios.ts";

/** A callback that is not sent yet. */
export type PendingMessage = { at: Date; message: SandboxMessage };

/**
 * A transfer at the simulated rail. It belongs to an external system, so only the rail reads it.
 */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  scenario: Scenario;
  reference: string;
  settles_at: Date;
  returns_at: Date;
  /** The number of polls so far, for a transfer whose outcome is unknown at first. */
  asked: number;
  /** The number of submissions. The transfer is paid only once. */
  submitted: number;
  pending: PendingMessage[];
  /** The due time of the first pending callback. Absent if none is pending. */
  pending_at?: Date;
  /** The time at which the transfer's batch leaves. Absent if the transfer waits for no batch. */
  batch_at?: Date;
  /** The time of the withdrawal. A withdrawn transfer is never paid. */
  withdrawn_at?: Date;
  /** The reason for the rejection. If absent, the sandbox's default applies. */
  rejection?: Failure;
  /** The reason for the return. If absent, the sandbox's default applies. */
  return_failure?: Failure;
};

/** The outcome of a transfer in the scenario `sandbox-unknown` is known from this poll on. */
export const knownAfterPolls = 2;

/**
 * Withdraws a transfer. This is possible while it waits for its batch, while its outcome is
 * unknown, or if the rail is silent about it and so never pays it. An unknown key gets a tombstone,
 * so that a later submission is not paid. Returns true if the transfer is withdrawn.
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

/**
 * The scenarios whose outcome the rail sends by callback. Replies in these scenarios request no
 * poll.
 */
const callsBack: ReadonlySet<Scenario> = new Set(["callback", "duplicate", "contradict"]);

/** Returns the rail's reply about a transfer at the time `now`. */
export function replyOf(transfer: TransferDocument, now: Date): RailReply {
  const { scenario, reference, settles_at, returns_at, withdrawn_at } = transfer;
  const remainingMs = settles_at.getTime() - now.getTime();
  if (withdrawn_at !== undefined) {
    // The rail still doesn't know the outcome, because operators may have found that the payout was
    // paid in another way.
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
 * Returns the failure that the real network or bank would report. The reference shows whether it is
 * a bank.
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
