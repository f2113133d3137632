import type { Preflight } from "@disburse/rail/rail.ts";
import { describe, expect, it } from "vitest";
import { agreedClearance, clearanceOf, firstOfEach } from "./clearance.ts";

const ok: Preflight = { kind: "ok" };
const paused: Preflight = { kind: "wait", reason: "paused" };
const blocked: Preflight = { kind: "refuse", failure: { code: "ACCOUNT_BLOCKED" } };
const invalid: Preflight = { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } };

describe("the clearance by two nodes", () => {
  it.each<[string, (Preflight | undefined)[], string]>([
    ["both pass", [ok, ok], "ok"],
    ["both refuse", [blocked, blocked], "refuse"],
    ["one passes", [ok, undefined], "wait"],
    ["one refuses", [blocked, undefined], "wait"],
    ["one refuses, one passes", [blocked, ok], "wait"],
    ["they refuse for different reasons", [blocked, invalid], "wait"],
    ["one waits", [ok, paused], "wait"],
    ["one waits, one refuses", [paused, blocked], "wait"],
    ["none responds", [undefined, undefined], "wait"],
  ])("%s", (_what, results, kind) => {
    expect(agreedClearance(results, 2).kind).toBe(kind);
    expect(agreedClearance(results.toReversed(), 2).kind).toBe(kind);
  });
});

it.each([
  [{}, "ok"],
  [{ isPaused: true }, "wait"],
  [{ isWalletBlocked: true }, "wait"],
  [{ isRecipientBlocked: true }, "refuse"],
  [{ isRecipientBlocked: true, isPaused: true }, "refuse"],
])("the issuer's controls %j: %s", (change, kind) => {
  const none = { isPaused: false, isRecipientBlocked: false, isWalletBlocked: false };
  expect(clearanceOf({ ...none, ...change }).kind).toBe(kind);
});

it("takes the first transfers of each currency", () => {
  const of = (key: string, currency: string) => ({ key, currency });
  const transfers = [of("1", "A"), of("2", "A"), of("3", "A"), of("4", "B")];
  expect(firstOfEach(transfers, 2).map(({ key }) => key)).toEqual(["1", "2", "4"]);
  expect(firstOfEach(transfers, 0)).toEqual([]);
});
