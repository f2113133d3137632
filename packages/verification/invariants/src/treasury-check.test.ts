import { expect, it } from "vitest";
import { checkOwner, createAccountCheck } from "./account-check.ts";
import type { Account, Entry, Payout, Posting, RecordedEntry } from "./documents.ts";
import { hashOf } from "./entry-check.ts";
import { expectationsOf } from "./finding.ts";
import { checkRailMoney, checkShort } from "./treasury-check.ts";

/** A rail account and a payout of 25.00 USD for 2,000.00 INR (decision 50). */
const at = new Date("2026-03-01T11:59:50.000Z");
const now = new Date("2026-03-01T12:00:00.000Z");
const accountId = "rail:bank:INR";

const side = (account: string, amount: string): Posting => ({ account, currency: "INR", amount });
type Line = readonly [
  step: string,
  key: string,
  amount: string,
  after: [string, string],
  Posting[],
];
const lines: readonly Line[] = [
  [
    "fund",
    `${accountId}:fund:op`,
    "500000",
    ["500000", "0"],
    [side("available", "5000"), side("platform:nostro", "-5000")],
  ],
  [
    "rail_hold",
    "po_1:rail_hold",
    "200000",
    ["300000", "200000"],
    [side("held", "2000"), side("available", "-2000")],
  ],
  [
    "rail_post",
    "po_1:rail_post",
    "200000",
    ["300000", "0"],
    [side("platform:nostro", "2000"), side("held", "-2000")],
  ],
  [
    "rail_charge",
    `${accountId}:charge:po_1`,
    "350",
    ["299650", "0"],
    [
      ...[side("platform:nostro", "3.5"), side("available", "-3.5")],
      ...[side("platform:settlement", "3.5"), side("platform:charges", "-3.5")],
    ],
  ],
  [
    "rail_return",
    "po_1:rail_return",
    "198500",
    ["498150", "0"],
    [side("available", "1985"), side("platform:nostro", "-1985")],
  ],
];

function chain(): RecordedEntry[] {
  let previous = "";
  return lines.map(([step, key, amount, [available, held], postings], index) => {
    const entry: Omit<Entry, "hash"> = {
      ...{
        account_id: accountId,
        merchant_id: "platform",
        currency: "INR",
        step,
        amount,
        note: "",
      },
      payout_id: step === "fund" ? "" : "po_1",
      ...{ sequence: index + 1, available, held, postings, previous_hash: previous },
      reverses: step === "rail_return" ? "po_1:rail_post" : "",
      created_at: at,
    };
    const hash = hashOf({ ...entry, hash: "" }, key);
    previous = hash;
    return { ...entry, _id: key, hash };
  });
}

const account = (entries: readonly RecordedEntry[]): Account => ({
  ...{ _id: accountId, merchant_id: "platform", currency: "INR", available: "498150", held: "0" },
  ...{ sequence: entries.length, head_hash: entries.at(-1)?.hash ?? "" },
  ...{ recorded_sequence: entries.length, recent: [], open_holds: [] },
  counts: { initiated: 0, succeeded: 0, failed: 0 },
  platform: {
    ...{ "platform:nostro/INR": "-4981.5", "platform:settlement/INR": "3.5" },
    "platform:charges/INR": "-3.5",
  },
});

const payout = (own: Partial<Payout> = {}) =>
  ({
    ...{ _id: "po_1", merchant_id: "mer_1", account_id: "acc_1", source: "USD" },
    ...{ destination: "INR", source_minor: "2500", receiving_minor: "200000" },
    ...{ exchange_rate: "80", rail: "bank", funded: true },
    progress: { stage: "returned", short: "15.00" },
    ...own,
  }) as unknown as Payout;

const byStep = (entries: readonly RecordedEntry[]) =>
  Object.fromEntries(entries.map((entry) => [entry.step, entry]));

function check(spoil: (entries: RecordedEntry[], own: Account) => unknown, of = payout()): string {
  const entries = chain();
  const own = account(entries);
  spoil(entries, own);
  const accountCheck = createAccountCheck(own);
  for (const entry of entries) accountCheck.add(entry);
  const { findings, expect: expectation } = expectationsOf(of._id);
  checkRailMoney(of, byStep(entries), expectation);
  const owners = entries
    .filter(({ payout_id }) => payout_id !== "")
    .flatMap((entry) => checkOwner(entry, of));
  return [...accountCheck.end(now), ...findings, ...owners].map(({ detail }) => detail).join("; ");
}

it("finds nothing in a sound rail account", () => {
  expect(check(() => undefined)).toBe("");
});

it.each<[string, (entries: RecordedEntry[], own: Account) => unknown, string]>([
  ["a lost payment", (entries) => entries.splice(2, 1), "sequence"],
  [
    "another amount",
    (entries) => Object.assign(entries[2] ?? {}, { amount: "1" }),
    "another amount",
  ],
  ["a mirror that is none", (_entries, own) => Object.assign(own, { available: "0" }), "mirror"],
  [
    "a payment without its hold",
    (entries) => entries.splice(1, 1),
    "is returned, but its rail account has post return",
  ],
  [
    "a key of something else",
    (entries) => Object.assign(entries[3] ?? {}, { _id: "po_1:rail_charge" }),
    "is no key that a rail_charge can have",
  ],
])("finds %s", (_what, spoil, found) => {
  expect(check(spoil)).toContain(found);
});

it.each<[string, Partial<Payout>, string]>([
  ["a payout that has no rail account", { funded: false } as never, "its rail account has hold"],
  ["a payout of another rail", { rail: "other" } as never, "another merchant or account"],
  ["a payout that is rejected", { progress: { stage: "rejected" } }, "is rejected"],
  ["another shortfall", { progress: { stage: "returned", short: "1.00" } }, "another amount"],
])("finds movements of %s", (_what, own, found) => {
  expect(check(() => undefined, payout(own))).toContain(found);
});

/** The merchant's return entry with the returned amount and the platform's charges. */
const back = (amount: string, charges: string) =>
  ({
    ...{ amount, currency: "USD" },
    postings: [side("platform:settlement", "-1985"), side("platform:charges", charges)],
  }) as unknown as Entry;

it.each<[string, string | undefined, Entry, string]>([
  ["all back, at the platform's cost", undefined, back("2500", "-15"), ""],
  [
    "less than all, where the platform bears it",
    undefined,
    back("2481", "-15"),
    "merchant paid some",
  ],
  ["no cost", undefined, back("2500", "0"), "other charges"],
  // 15.00 INR ÷ 80 is 0.1875 USD.
  ["less by what covers it", "merchant", back("2481", "0"), ""],
  ["less by too little", "merchant", back("2482", "0"), "another amount than the missing one"],
  ["less by too much", "merchant", back("2480", "0"), "another amount than the missing one"],
  ["the platform's cost too", "merchant", back("2481", "-15"), "other charges"],
])("of a short return: %s", (_what, bearer, entry, found) => {
  const { findings, expect: expectation } = expectationsOf("po_1");
  checkShort(payout({ return_charges: bearer } as never), entry, expectation);
  const reported = findings.map(({ detail }) => detail).join("; ");
  if (found === "") expect(reported).toBe("");
  else expect(reported).toContain(found);
});
