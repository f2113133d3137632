import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Movement } from "./account.ts";
import { isBalanced, postingText, withPlatformPostings } from "./postings.ts";
import { emptyAccount, runMovements } from "./test-runs.ts";

const start = { ...emptyAccount, id: "rail:bank:USD", merchantId: "platform" };
const run = (movements: readonly Movement[]) => runMovements(start, movements);

const fund = (amount: bigint, operationId = "op"): Movement => ({
  ...{ step: "fund", operationId, amount, note: "wire" },
});
const sweep = (amount: bigint, operationId = "op"): Movement => ({
  ...{ step: "sweep", operationId, amount, note: "wire" },
});
const hold = (amount: bigint, payoutId = "po_1"): Movement => ({
  ...{ step: "rail_hold", payoutId, amount, note: "" },
});
const end = (step: "rail_post" | "rail_release", payoutId = "po_1"): Movement => ({
  ...{ step, payoutId, note: "" },
});
const back = (shortMinor: bigint, payoutId = "po_1"): Movement => ({
  ...{ step: "rail_return", payoutId, shortMinor, note: "" },
});
const charge = (amount: bigint, payoutId = "po_1"): Movement => ({
  ...{ step: "rail_charge", of: { payoutId }, amount, note: "" },
});

describe("a movement of a rail account", () => {
  it.each<[string, Movement[], string, [bigint, bigint]]>([
    ["funding", [fund(100n)], "applied", [100n, 0n]],
    ["the same funding again", [fund(100n), fund(7n)], "repeated", [100n, 0n]],
    ["a sweep of all", [fund(100n), sweep(100n)], "applied", [0n, 0n]],
    ["a sweep of more", [fund(100n), sweep(101n)], "insufficient", [100n, 0n]],
    ["a hold of all", [fund(100n), hold(100n)], "applied", [0n, 100n]],
    ["a hold of more", [fund(100n), hold(101n)], "insufficient", [100n, 0n]],
    ["a hold again", [fund(100n), hold(60n), hold(60n)], "repeated", [40n, 60n]],
    ["a second payout's", [fund(100n), hold(60n), hold(60n, "po_2")], "insufficient", [40n, 60n]],
    ["a payment", [fund(100n), hold(60n), end("rail_post")], "applied", [40n, 0n]],
    ["a payment without a hold", [fund(100n), end("rail_post")], "nothing_to_end", [100n, 0n]],
    ["a release", [fund(100n), hold(60n), end("rail_release")], "applied", [100n, 0n]],
    [
      "a payment after its release",
      [fund(100n), hold(60n), end("rail_release"), end("rail_post")],
      "ended_otherwise",
      [100n, 0n],
    ],
    [
      "a release after the payment",
      [fund(100n), hold(60n), end("rail_post"), end("rail_release")],
      "ended_otherwise",
      [40n, 0n],
    ],
    ["a release of nothing", [fund(100n), end("rail_release")], "applied", [100n, 0n]],
    [
      "a hold that comes after the release",
      [fund(100n), end("rail_release"), hold(60n)],
      "ended_otherwise",
      [100n, 0n],
    ],
    ["a return of all", [fund(100n), hold(60n), end("rail_post"), back(0n)], "applied", [100n, 0n]],
    ["a short one", [fund(100n), hold(60n), end("rail_post"), back(59n)], "applied", [41n, 0n]],
    [
      "a return again",
      [fund(100n), hold(60n), end("rail_post"), back(5n), back(0n)],
      "repeated",
      [95n, 0n],
    ],
    [
      "a return of what was not paid",
      [fund(100n), hold(60n), back(0n)],
      "nothing_to_end",
      [40n, 60n],
    ],
    ["a charge", [fund(100n), charge(5n)], "applied", [95n, 0n]],
    ["a charge again", [fund(100n), charge(5n), charge(5n)], "repeated", [95n, 0n]],
    ["a charge that is not covered", [charge(5n)], "applied", [-5n, 0n]],
    ["a hold where it is overdrawn", [charge(5n), hold(1n)], "insufficient", [-5n, 0n]],
    ["funding of an overdrawn one", [charge(5n), fund(3n)], "applied", [-2n, 0n]],
    [
      "a payment of an overdrawn one",
      [fund(60n), hold(60n), charge(5n), end("rail_post")],
      "applied",
      [-5n, 0n],
    ],
  ])("%s: the last of them", (_what, movements, outcome, [available, held]) => {
    const { state, outcomes } = run(movements);
    expect(outcomes.at(-1)).toBe(outcome);
    expect(state).toMatchObject({ available, held });
  });

  it("throws for a return of nothing", () => {
    const paid = [fund(100n), hold(60n), end("rail_post")];
    expect(() => run([...paid, back(60n)])).toThrow("a return of nothing");
  });

  it("books the example of decision 50", () => {
    const { entries } = run([
      ...[fund(100_000n), hold(2_500n), end("rail_post"), charge(350n), back(1_000n)],
      sweep(50_000n),
    ]);
    const shown = entries.map(({ step, postings }) => [
      step,
      ...postings.map(({ account, amount }) => `${account} ${postingText(amount)}`),
    ]);
    expect(shown).toEqual([
      ["fund", "available 1000", "platform:nostro -1000"],
      ["rail_hold", "held 25", "available -25"],
      ["rail_post", "platform:nostro 25", "held -25"],
      [
        "rail_charge",
        ...[
          "platform:nostro 3.5",
          "available -3.5",
          "platform:settlement 3.5",
          "platform:charges -3.5",
        ],
      ],
      ["rail_return", "available 15", "platform:nostro -15"],
      ["sweep", "platform:nostro 500", "available -500"],
    ]);
    const platform = Object.entries(withPlatformPostings({}, entries));
    expect(platform.map(([name, sum]) => `${name} ${postingText(sum)}`)).toEqual([
      ...["platform:nostro/USD -486.5", "platform:settlement/USD 3.5", "platform:charges/USD -3.5"],
    ]);
  });
});

describe("any run of movements of a rail account", () => {
  const payoutId = fc.constantFrom("po_1", "po_2", "po_3");
  const amount = fc.bigInt({ min: 1n, max: 1_000n });
  const operationId = fc.constantFrom("a", "b", "c");
  const movement: fc.Arbitrary<Movement> = fc.oneof(
    fc.tuple(amount, operationId).map(([minor, id]) => fund(minor * 3n, id)),
    fc.tuple(amount, operationId).map(([minor, id]) => sweep(minor, id)),
    fc.tuple(amount, payoutId).map(([minor, id]) => hold(minor, id)),
    payoutId.map((id) => end("rail_post", id)),
    payoutId.map((id) => end("rail_release", id)),
    payoutId.map((id) => back(0n, id)),
    fc.tuple(amount, payoutId).map(([minor, id]) => charge(minor, id)),
  );

  it("sums to zero, is mirrored, never overspends, and ends each hold once", () => {
    fc.assert(
      fc.property(fc.array(movement, { maxLength: 40 }), (movements) => {
        const { state, entries } = run(movements);
        expect(entries.every(({ postings }) => isBalanced(postings))).toBe(true);
        const platform = withPlatformPostings({}, entries);
        const nostro = platform["platform:nostro/USD"];
        const own = state.available + state.held;
        expect(nostro === undefined ? "0" : postingText(nostro)).toBe(
          postingText({ units: -own, scale: 2 }),
        );
        expect(state.held >= 0n).toBe(true);
        for (const [at, entry] of entries.entries()) {
          const before = entries[at - 1]?.available ?? 0n;
          // Only a charge may make it negative.
          const isCovered = entry.available >= 0n || entry.available >= before;
          expect(isCovered || entry.step === "rail_charge").toBe(true);
        }
        const keys = new Set(entries.map(({ key }) => key));
        for (const id of ["po_1", "po_2", "po_3"]) {
          expect(keys.has(`${id}:rail_post`) && keys.has(`${id}:rail_release`)).toBe(false);
          if (keys.has(`${id}:rail_post`)) expect(keys.has(`${id}:rail_hold`)).toBe(true);
          if (keys.has(`${id}:rail_return`)) expect(keys.has(`${id}:rail_post`)).toBe(true);
        }
      }),
    );
  });
});
