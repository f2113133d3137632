import { expect, it } from "vitest";
import type { Payout, StoredEvent, Waiting } from "./documents.ts";
import { now, soundDocuments } from "./test-documents.ts";
import { checkWaiting } from "./waiting-check.ts";

const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const _id = "po_settled";
const balance = { expires_at: ago(-60), pending_versions: [] };
const record: Waiting = {
  ...{ _id, merchant_id: "mer_1", account_id: "acc_1", state: "waiting", attempt: 2 },
  ...{ max_source_minor: "10000", due_at: ago(-60), balance },
};

const sound = soundDocuments().payouts.find((each) => each._id === _id);
if (sound === undefined) throw new Error("there is no settled payout");
/** The payout of 100.00, as one of the attempts of the record. */
const paid: Payout = {
  ...sound,
  order: { ...sound.order, waited: { payout_id: _id, attempt: 2, since: ago(1) } },
};
const event = (sequence: number, status: string, change: Partial<StoredEvent> = {}) =>
  ({
    ...{ transaction_type: "payout_session", transaction_id: _id, sequence, status },
    ...change,
  }) as StoredEvent;
const begun = event(1, "initiated");
const ended = event(2, "failed");

function found(
  change: Partial<Waiting>,
  payout?: Payout,
  events: readonly StoredEvent[] = [begun],
): string[] {
  return checkWaiting({ ...record, ...change }, payout, events, now).map(({ detail }) => detail);
}

const executed = { state: "executed", payout_id: _id };
const failed = { state: "failed" };
const waits = (change: Partial<Waiting["balance"]>) => ({ balance: { ...balance, ...change } });

it.each<[string, string[], string[]]>([
  ["one that waits", found({}), []],
  ["one that is being paid", found({}, paid), []],
  ["one that was paid at its maximum", found(executed, paid), []],
  ["one that is held for approval", found({ state: "awaiting_approval" }), []],
  ["one that failed", found(failed, undefined, [begun, ended]), []],
  ["one that was cancelled", found({ state: "cancelled" }, undefined, [begun, ended]), []],
  ["one whose event is not published yet", found(waits({ pending_versions: [1] }), paid, []), []],
  ["one that nobody sees yet", found(waits({ preparing: true }), undefined, []), []],
  [
    "an opt-in event",
    found({}, undefined, [begun, event(1, "held", { transaction_type: "x" })]),
    [],
  ],
  [
    "a payout above its maximum",
    found({ ...executed, max_source_minor: "9999" }, paid),
    ["was paid above its maximum"],
  ],
  ["no payout", found(executed), ["was executed, but its payout does not exist"]],
  [
    "the payout of another quote",
    found({ ...executed, payout_id: "po_going" }, paid),
    ["was executed as another payout"],
  ],
  [
    "a payout of its id that never waited",
    found(executed, sound),
    ["its payout is not one of its attempts"],
  ],
  [
    "a payout after it failed",
    found(failed, paid, [begun, ended]),
    ["is failed, but its payout exists"],
  ],
  [
    "a payout after it was cancelled",
    found({ state: "cancelled" }, paid, [begun, ended]),
    ["is cancelled, but its payout exists"],
  ],
  [
    "a payout while it is held",
    found({ state: "awaiting_approval" }, paid),
    ["is awaiting_approval, but its payout exists"],
  ],
  [
    "a payout of another merchant",
    found({ ...executed, merchant_id: "mer_2" }, paid),
    ["is of another merchant than its payout"],
  ],
  ["no end", found(waits({ expires_at: ago(60) })), ["is waiting after it has expired"]],
  ["no worker", found({ due_at: ago(60) }), ["is waiting, but no worker continued it"]],
  [
    "no event of its beginning",
    found({}, undefined, []),
    ["its version 1 is stored 0 times as an event"],
  ],
  [
    "no event of its end",
    found(failed, undefined, [begun]),
    ["its version 2 is stored 0 times as an event"],
  ],
  [
    "two events of its beginning",
    found({}, undefined, [begun, begun]),
    ["its version 1 is stored 2 times as an event"],
  ],
  [
    "an event with another status",
    found(failed, undefined, [begun, event(2, "succeeded")]),
    ["its version 2 was published with other content"],
  ],
])("a waiting payout: %s", (_what, details, expected) => {
  expect(details).toEqual(expected);
});
