import { expect, it } from "vitest";
import type { RecordedEntry, ScheduledPayout } from "./documents.ts";
import { checkReservation, checkThreshold } from "./reservation-check.ts";
import { soundDocuments } from "./test-documents.ts";

const own = { merchant_id: "mer_1", account_id: "acc_1" };
const order: ScheduledPayout = {
  ...{ _id: "spo_1", ...own, state: "waiting", reserve: true, reserved: true },
  max_source_minor: "6000",
};
const entry = (change: object = {}) =>
  ({ ...own, amount: "6000", ...change }) as Partial<RecordedEntry> as RecordedEntry;
const found = (
  change: Partial<ScheduledPayout>,
  reserve: RecordedEntry | undefined,
  unreserve?: RecordedEntry,
) => checkReservation({ ...order, ...change }, { reserve, unreserve }).map(({ detail }) => detail);

it.each<[string, string[], string[]]>([
  ["one that waits", found({}, entry()), []],
  ["one without", found({ reserve: false }, undefined), []],
  ["one that is not reserved yet", found({ state: "reserving" }, undefined), []],
  ["one that is being paid", found({ quote: {} }, entry(), entry()), []],
  ["one whose end is not swept yet", found({ state: "failed" }, entry()), []],
  ["none", found({}, undefined), ["was ordered with a reservation and has none"]],
  ["another amount", found({}, entry({ amount: "1" })), ["has not reserved its maximum"]],
  [
    "another account's",
    found({}, entry({ account_id: "acc_2" })),
    ["its reservation is of another merchant or account"],
  ],
  ["one that ended early", found({}, entry(), entry()), ["waits, and its reservation has ended"]],
  [
    "one that never ends",
    found({ state: "cancelled", reserved: false }, entry()),
    ["has ended, and its reservation has not"],
  ],
])("a reservation: %s", (_what, details, expected) => {
  expect(details).toEqual(expected);
});

it("an account is low if its balance is below its threshold", () => {
  const [account] = soundDocuments().accounts;
  if (account === undefined) throw new Error("there is no account");
  const low = { low_balance_threshold: "80001", is_low: true };
  expect(checkThreshold(account)).toEqual([]);
  expect(checkThreshold({ ...account, ...low })).toEqual([]);
  expect(checkThreshold({ ...account, ...low, is_low: false })).toHaveLength(1);
  expect(checkThreshold({ ...account, low_balance_threshold: "80000", is_low: true })).toHaveLength(
    1,
  );
});
