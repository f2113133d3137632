import type { Outcome } from "@disburse/rail/report.ts";
import type { Collection, Filter, UpdateFilter } from "mongodb";
import type { SandboxMessage } from "./callbacks.ts";
import { knownAfterPolls, type TransferDocument } from "./transfers.ts";

/**
 * The chosen outcome of a transfer. With `unknown`, the rail doesn't know the outcome until another
 * one is chosen.
 */
export type Steered = Outcome | { readonly kind: "unknown" };

type Transfers = Collection<TransferDocument>;

/**
 * Gives a transfer an outcome now, and stores the callback that reports it. One write does both. It
 * changes nothing if the rail has already reported another outcome. Returns true if the transfer
 * now has the outcome.
 */
export async function steerTransfer(
  transfers: Transfers,
  key: string,
  to: Steered,
  { message, now }: { readonly message: SandboxMessage | undefined; readonly now: Date },
): Promise<boolean> {
  const isFrom = to.kind === "returned" ? [...openAt(now), ...paidAt(now)] : openAt(now);
  const steered = await transfers.updateOne(
    { _id: key, withdrawn_at: { $exists: false }, $or: isFrom },
    steering(to, message, now),
  );
  return steered.matchedCount === 1;
}

/** Matches transfers whose outcome the rail has not reported by `now`. */
function openAt(now: Date): Filter<TransferDocument>[] {
  return [
    { settles_at: { $gt: now } },
    { scenario: "silent" },
    { scenario: "unknown", asked: { $lt: knownAfterPolls } },
  ];
}

/** Matches paid transfers that are not returned by `now`. */
function paidAt(now: Date): Filter<TransferDocument>[] {
  return [
    { scenario: { $nin: ["fail", "return", "late-return"] } },
    { scenario: { $in: ["return", "late-return"] }, returns_at: { $gt: now } },
  ];
}

function steering(
  to: Steered,
  message: SandboxMessage | undefined,
  now: Date,
): UpdateFilter<TransferDocument> {
  const pending = message === undefined ? [] : [{ at: now, message }];
  const none = { batch_at: "" } as const;
  const $unset = message === undefined ? ({ ...none, pending_at: "" } as const) : none;
  const said = { pending, ...(message !== undefined && { pending_at: now }) };
  switch (to.kind) {
    case "unknown":
      return { $set: { ...said, scenario: "silent" }, $unset };
    case "settled":
      return { $set: { ...said, scenario: "settle", settles_at: now }, $unset };
    case "rejected": {
      const rejection = to.failure && { rejection: to.failure };
      return { $set: { ...said, ...rejection, scenario: "fail", settles_at: now }, $unset };
    }
    case "returned": {
      const failure = to.failure && { return_failure: to.failure };
      const returned = { ...said, ...failure, scenario: "return", returns_at: now } as const;
      return { $set: returned, $min: { settles_at: now }, $unset };
    }
  }
}
