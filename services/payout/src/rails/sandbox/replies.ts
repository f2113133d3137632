import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailReply } from "../rail.ts";
import type { Scenario } from "./scenarios.ts";
import { knownWhenAsked, type TransferDocument } from "./transfers.ts";

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
