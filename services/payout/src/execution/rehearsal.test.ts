import { refused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { openRehearsal, type RehearsalDeps, type RehearsedPayout } from "./rehearsal.ts";

const line: RehearsedPayout = {
  accountId: "acc_1",
  destinationKeys: ["wallet"],
  beneficiaryCreatedAt: undefined,
  source: "USD",
  sourceMinor: 1_000n,
  feesMinor: 0n,
  destination: "USDC_ETH",
  receivingMinor: 10_000_000n,
  referenceId: "order-1",
  allowDuplicate: false,
};

/** Rehearses the same payout several times, with the guard on and no stored payout. */
async function rehearse(
  lines: readonly { readonly isRefused: boolean; readonly isOverLimit?: boolean }[],
) {
  let at = 0;
  const reserve = () =>
    lines[at]?.isOverLimit === true ? refused("LIMIT_EXCEEDED") : ("reserved" as const);
  const deps = {
    reservations: { rehearse: async () => ({ reserve, count: () => [], left: () => [] }) },
    duplicates: { rehearse: async () => () => undefined },
    controls: { of: () => undefined },
  } as unknown as RehearsalDeps;
  const who = { merchantId: "mer_1", actorRoot: "key:1" };
  const judge = await openRehearsal(deps, who, [line], new Date("2026-11-20T12:00:00.000Z"));
  const found: string[][] = [];
  for (const { isRefused } of lines) {
    const { refusals } = await judge(line, isRefused);
    found.push(refusals.map((each) => each.refused));
    at += 1;
  }
  return found;
}

const paid = { isRefused: false };

it("finds a line like an earlier one", async () => {
  const duplicate = ["POSSIBLE_DUPLICATE"];
  expect(await rehearse([paid, paid, paid])).toEqual([[], duplicate, duplicate]);
});

it("takes no refused line for an earlier payout", async () => {
  expect(await rehearse([{ isRefused: true }, paid])).toEqual([[], []]);
  const overLimit = { isRefused: false, isOverLimit: true };
  expect(await rehearse([overLimit, paid])).toEqual([["LIMIT_EXCEEDED"], []]);
});
