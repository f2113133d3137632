import { addDecimals, type Decimal } from "@disburse/kernel/decimal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversion, LedgerEntry, Movement } from "./account.ts";
import { hashOf, planMovement } from "./movement.ts";
import { isBalanced, postingText, withPlatformPostings } from "./postings.ts";
import { emptyAccount, runAt, runMovements } from "./test-runs.ts";

const start = emptyAccount;
const now = runAt;
const run = (movements: readonly Movement[], at = now) => runMovements(start, movements, at);

const toRupees: Conversion = {
  destination: "INR",
  feesMinor: 37n,
  receivingMinor: 100_000n,
  exchangeRate: "83.1234567891",
};
const credit = (amount: bigint, operationId = "op"): Movement => ({
  ...{ step: "credit", operationId, amount, note: "" },
});
const hold = (amount: bigint, payoutId = "po_1"): Movement => ({
  ...{ step: "hold", payoutId, amount, note: "" },
});
const post = (conversion = toRupees, payoutId = "po_1"): Movement => ({
  ...{ step: "post", payoutId, note: "", conversion },
});
const end = (step: "release" | "return", payoutId = "po_1"): Movement => ({
  ...{ step, payoutId, note: "" },
});
const reversal = (creditKey = "acc_1:credit:op"): Movement => ({
  ...{ step: "reversal", operationId: "back", creditKey, note: "typing error" },
});

const expired: Movement = { ...end("release"), step: "release", ofOrder: true } as Movement;

describe("a movement", () => {
  it.each<[string, Movement[], string, [bigint, bigint]]>([
    ["a credit", [credit(100n)], "applied", [100n, 0n]],
    ["a credit again", [credit(100n), credit(7n)], "repeated", [100n, 0n]],
    ["a hold of all", [credit(100n), hold(100n)], "applied", [0n, 100n]],
    ["a hold of more", [credit(100n), hold(101n)], "insufficient", [100n, 0n]],
    ["a hold again", [credit(100n), hold(60n), hold(60n)], "repeated", [40n, 60n]],
    ["a post", [credit(9_999n), hold(1_241n), post()], "applied", [8_758n, 0n]],
    ["a post again", [credit(9_999n), hold(1_241n), post(), post()], "repeated", [8_758n, 0n]],
    ["a post without a hold", [credit(9_999n), post()], "nothing_to_end", [9_999n, 0n]],
    [
      "a post of another's hold",
      [credit(9_999n), hold(1_241n), post(toRupees, "po_2")],
      "nothing_to_end",
      [8_758n, 1_241n],
    ],
    ["a release", [credit(9_999n), hold(1_241n), end("release")], "applied", [9_999n, 0n]],
    ["a release without a hold", [credit(100n), end("release")], "nothing_to_end", [100n, 0n]],
    [
      "a post after the release",
      [credit(9_999n), hold(1_241n), end("release"), post()],
      "ended_otherwise",
      [9_999n, 0n],
    ],
    [
      "a release after the post",
      [credit(9_999n), hold(1_241n), post(), end("release")],
      "ended_otherwise",
      [8_758n, 0n],
    ],
    ["a return", [credit(9_999n), hold(1_241n), post(), end("return")], "applied", [9_999n, 0n]],
    [
      "a return again",
      [credit(9_999n), hold(1_241n), post(), end("return"), end("return")],
      "repeated",
      [9_999n, 0n],
    ],
    [
      "a return of what was not paid",
      [credit(9_999n), hold(1_241n), end("return")],
      "nothing_to_end",
      [8_758n, 1_241n],
    ],
    ["a reversal", [credit(100n), reversal()], "applied", [0n, 0n]],
    ["a reversal again", [credit(100n), reversal(), reversal()], "repeated", [0n, 0n]],
    ["a reversal of money in use", [credit(100n), hold(1n), reversal()], "insufficient", [99n, 1n]],
    [
      "a reversal of a hold",
      [credit(9n), hold(1n), reversal("po_1:hold")],
      "nothing_to_end",
      [8n, 1n],
    ],
    ["more than is kept exactly", [credit(10n ** 33n)], "full", [0n, 0n]],
  ])("%s: the last of them", (_what, movements, outcome, [available, held]) => {
    const { state, outcomes } = run(movements);
    expect(outcomes.at(-1)).toBe(outcome);
    expect(state).toMatchObject({ available, held });
  });

  it.each<[string, Movement[], [initiated: number, succeeded: number, failed: number]]>([
    ["a hold", [hold(1n)], [1, 0, 0]],
    ["a hold again", [hold(1n), hold(1n)], [1, 0, 0]],
    ["a hold that is refused", [hold(10_000n)], [0, 0, 0]],
    ["a post", [hold(1_241n), post(), post()], [0, 1, 0]],
    ["a release", [hold(1n), end("release"), end("release")], [0, 0, 1]],
    ["a release of an order", [hold(1n), { ...expired }, { ...expired }], [0, 0, 0]],
    ["a return", [hold(1_241n), post(), end("return"), end("return")], [0, 0, 1]],
    ["a credit and its reversal", [credit(7n), reversal()], [0, 0, 0]],
  ])("counts the account's payouts: %s", (_what, movements, counts) => {
    const [initiated, succeeded, failed] = counts;
    const { state } = run([credit(9_999n), ...movements]);
    expect(state.counts).toEqual({ initiated, succeeded, failed });
  });

  it("posts fee, exchange and remainder exactly (decisions: the example)", () => {
    const { entries } = run([credit(9_999n), hold(1_241n), post(), end("return")]);
    const shown = (entry: LedgerEntry | undefined) =>
      entry?.postings.map(({ account, currency, amount }) =>
        [account, currency, postingText(amount)].join(" "),
      );
    expect(shown(entries[2])).toEqual([
      "held USD -12.41",
      "platform:fees USD 0.37",
      "platform:exchange USD 12.04",
      "platform:exchange INR -1000.806419740764",
      "platform:settlement INR 1000",
      "platform:rounding INR 0.806419740764",
    ]);
    expect(shown(entries[3])).toEqual([
      "available USD 12.41",
      "platform:fees USD -0.37",
      "platform:exchange USD -12.04",
      "platform:exchange INR 1000.806419740764",
      "platform:settlement INR -1000",
      "platform:rounding INR -0.806419740764",
    ]);
    expect(entries[3]?.reverses).toBe("po_1:post");
    const platform = withPlatformPostings({}, entries);
    const left = Object.entries(platform).map(([name, sum]) => `${name} ${postingText(sum)}`);
    expect(left.filter((each) => !each.endsWith(" 0"))).toEqual(["platform:funding/USD -99.99"]);
  });

  it("omits postings of zero if nothing is exchanged", () => {
    const same = { destination: "USD", feesMinor: 0n, receivingMinor: 100n, exchangeRate: "1" };
    const [, , posted] = run([credit(100n), hold(100n), post(same)]).entries;
    expect(posted?.postings.map(({ account }) => account)).toEqual(["held", "platform:settlement"]);
  });

  it("never goes back in time", () => {
    const later = { ...start, updatedAt: new Date(now.getTime() + 1) };
    const planned = planMovement(later, new Map(), credit(1n), now);
    const { updatedAt } = later;
    expect(planned).toMatchObject({ entry: { createdAt: updatedAt }, state: { updatedAt } });
    expect(run([credit(1n)]).state.updatedAt).toEqual(now);
  });

  it("is chained to the one before, and its hash covers every field", () => {
    const { entries } = run([credit(9_999n), hold(1_241n)]);
    const [first, second] = entries as [LedgerEntry, LedgerEntry];
    expect(second.previousHash).toBe(first.hash);
    expect(hashOf(second)).toBe(second.hash);
    const changes: Partial<LedgerEntry>[] = [
      { previousHash: "x" },
      { key: "x" },
      { accountId: "x" },
      { sequence: 9 },
      { step: "credit" },
      { currency: "INR" },
      { amount: 1n },
      { payoutId: "x" },
      { note: "x" },
      { available: 1n },
      { held: 1n },
      { postings: second.postings.slice(1) },
      { reverses: "x" },
      { createdAt: new Date(0) },
      { merchantId: "x" },
      { actor: { kind: "operator", id: "eve" } },
    ];
    for (const change of changes) expect(hashOf({ ...second, ...change })).not.toBe(second.hash);
    const credited = planMovement(start, new Map(), credit(1n), now, { kind: "a", id: "b" });
    if (credited.outcome !== "applied") return expect.unreachable();
    const { entry } = credited;
    expect(hashOf({ ...entry, actor: undefined })).not.toBe(entry.hash);
    expect(hashOf({ ...entry, actor: { kind: "a", id: "c" } })).not.toBe(entry.hash);
  });
});

describe("any run of movements", () => {
  const payoutId = fc.constantFrom("po_1", "po_2", "po_3");
  const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const conversion = fc.record({
    destination: fc.constantFrom("USD", "INR", "ETH", "BTC"),
    feesMinor: fc.bigInt({ min: 0n, max: 100n }),
    receivingMinor: fc.bigInt({ min: 1n, max: 10n ** 20n }),
    exchangeRate: fc.constantFrom("1", "83.1234567891", "0.0000104321", "0.0004"),
  });
  const movement = fc.oneof(
    fc.record({
      step: fc.constant("credit" as const),
      operationId: fc.constantFrom("a", "b", "c"),
      amount,
      note: fc.constant(""),
    }),
    fc.record({ step: fc.constant("hold" as const), payoutId, amount, note: fc.constant("") }),
    fc.record({ step: fc.constant("post" as const), payoutId, conversion, note: fc.constant("") }),
    fc.record({
      step: fc.constantFrom("release" as const, "return" as const),
      payoutId,
      note: fc.constant(""),
    }),
    fc.record({
      step: fc.constant("reversal" as const),
      operationId: fc.constant("back"),
      creditKey: fc.constantFrom("acc_1:credit:a", "acc_1:credit:b", "po_1:hold"),
      note: fc.constant(""),
    }),
  );

  it("conserves money, numbers without gap, and ends each hold once", () => {
    fc.assert(
      fc.property(fc.array(movement, { maxLength: 30 }), (movements) => {
        const { state, entries } = run(movements);
        expect(state.available >= 0n && state.held >= 0n).toBe(true);
        expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_each, at) => at + 1));
        expect(entries.every(({ postings }) => isBalanced(postings))).toBe(true);
        const own = entries
          .flatMap(({ postings }) => postings)
          .filter(({ account }) => account === "available" || account === "held")
          .map((each) => each.amount)
          .reduce<Decimal>(addDecimals, { units: 0n, scale: 0 });
        expect(own).toEqual(
          addDecimals({ units: state.available + state.held, scale: 2 }, { units: 0n, scale: 0 }),
        );
        const keys = new Set(entries.map(({ key }) => key));
        for (const each of ["po_1", "po_2", "po_3"]) {
          expect(keys.has(`${each}:post`) && keys.has(`${each}:release`)).toBe(false);
          if (keys.has(`${each}:return`)) expect(keys.has(`${each}:post`)).toBe(true);
          if (keys.has(`${each}:post`)) expect(keys.has(`${each}:hold`)).toBe(true);
        }
      }),
    );
  });
});
