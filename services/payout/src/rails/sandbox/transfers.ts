import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import type { Collection } from "mongodb";
import type { SandboxMessage } from "./callbacks.ts";
import type { Scenario } from "./scenarios.ts";

/** A callback that is not sent yet. */
export type PendingMessage = { at: Date; message: SandboxMessage };

/** A transfer at the rail, which stands for an external system: nothing else reads it. */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  scenario: Scenario;
  reference: string;
  settles_at: Date;
  returns_at: Date;
  /** The number of polls of one that is not known at first. */
  asked: number;
  /** The number of submissions; it is paid once. */
  submitted: number;
  owed: PendingMessage[];
  /** When the first of them is due; absent when none is pending. */
  owed_at?: Date;
  /** When its batch leaves; absent where it does not wait for one. */
  batch_at?: Date;
  /** When it was taken back: it is never paid. */
  withdrawn_at?: Date;
  /** Why it is rejected, where that is not what the sandbox says by default. */
  rejection?: Failure;
  /** Why it came back, where that is not what the sandbox says by default. */
  return_failure?: Failure;
};

/** A transfer of `sandbox-unknown` is known from this poll on. */
export const knownWhenAsked = 2;

/**
 * Takes a transfer back: one that waits for its batch, that is not known yet, or the silent one,
 * which is never paid. One that never came leaves a stone in its place, so that it is not paid
 * later.
 */
export async function withdrawTransfer(
  transfers: Collection<TransferDocument>,
  key: string,
  now: Date,
): Promise<boolean> {
  const stone = { scenario: "fail", reference: "", settles_at: now, returns_at: now } as const;
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    ...stone,
    asked: 0,
    submitted: 0,
    owed: [],
    withdrawn_at: now,
  });
  const waiting = [
    { batch_at: { $gt: now } },
    { scenario: "unknown" as const, asked: { $lt: knownWhenAsked } },
    { scenario: "silent" as const },
  ];
  await transfers.updateOne(
    { _id: key, withdrawn_at: { $exists: false }, $or: waiting },
    { $set: { withdrawn_at: now } },
  );
  return (await transfers.countDocuments({ _id: key, withdrawn_at: { $exists: true } })) === 1;
}

/** What a bank's reference begins with. */
export const bankReference = "SBX";

/** Scenarios whose outcome the rail sends by callback: its replies ask for no poll. */
const callsBack: ReadonlySet<Scenario> = new Set(["callback", "duplicate", "contradict"]);

/** What the rail says of a transfer now. */
export function replyOf(transfer: TransferDocument, now: Date): RailReply {
  const { scenario, reference, settles_at, returns_at, withdrawn_at } = transfer;
  const remainingMs = settles_at.getTime() - now.getTime();
  if (withdrawn_at !== undefined) {
    // Operators may have found that it was paid another way: the rail does not know better.
    const isUnknown = scenario === "silent" || scenario === "unknown";
    return { status: { kind: isUnknown ? "unknown" : "rejected" } };
  }
  if (scenario === "silent") return { status: { kind: "unknown" } };
  if (scenario === "unknown" && transfer.asked < knownWhenAsked) {
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

/** What the network or bank of a real transfer would say; the sandbox's references tell which. */
export function rejectionOf({ reference, rejection }: TransferDocument): Failure {
  if (rejection !== undefined) return rejection;
  return reference.startsWith(bankReference)
    ? { code: "BENEFICIARY_BANK_REJECTED", railCode: "MS03" }
    : { code: "TRANSFER_REVERTED" };
}

/** Why a returned transfer came back. */
export function returnOf({ reference, return_failure }: TransferDocument): Failure {
  if (return_failure !== undefined) return return_failure;
  return reference.startsWith(bankReference)
    ? { code: "ACCOUNT_CLOSED", railCode: "AC04" }
    : { code: "BENEFICIARY_REFUSED" };
}
