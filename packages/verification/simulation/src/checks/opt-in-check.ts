import type { Platform } from "../platform.ts";
import type { Document } from "../store/value.ts";
import { payoutsIn } from "./payouts.ts";

/** Events of batches, and of payouts that waited for approval, are stored and delivered once. */
export function wrongOptInEvents({ databases, merchants }: Platform): string[] {
  const stored = databases.notifier.documents("events");
  const own = (name: string) => databases.payout.documents(name);
  const wasWaiting = ({ journal }: Document) =>
    (journal as { stage: string }[])[0]?.stage === "awaiting_approval";
  const expected = [
    ...owed(
      "batch.finished",
      own("batches").filter(({ state }) => state === "finished"),
    ),
    ...owed(
      "batch.approval_required",
      own("batches").filter((each) => each.by_another === true),
    ),
    ...owed("payout.approval_required", payoutsIn(databases.payout).filter(wasWaiting)),
  ];
  const kept = stored.map((each) => `${each.transaction_type} of ${each.transaction_id}`);
  const awaited = new Set(expected);
  const missed = expected.filter((each) => kept.filter((one) => one === each).length !== 1);
  const optIn = stored.filter(({ transaction_type }) => transaction_type !== "payout_session");
  const beyond = optIn.filter(
    (each) => !awaited.has(`${each.transaction_type} of ${each.transaction_id}`),
  );
  const unheard = optIn.filter(({ event_id }) => !merchants.acknowledged.has(String(event_id)));
  return [
    ...missed.map((each) => `${each} is not stored once`),
    ...beyond.map(({ event_id }) => `${event_id} is an event of nothing`),
    ...unheard.map(({ event_id }) => `${event_id} never reached its merchant`),
  ];
}

function owed(type: string, documents: readonly Document[]): string[] {
  return documents.map(({ _id }) => `${type} of ${_id}`);
}
