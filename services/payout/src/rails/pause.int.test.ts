import { toJson } from "@bufbuild/protobuf";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { RailInfoSchema } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { openRailStates } from "./states.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
  const capabilities = {
    ...{ currencies: ["USD", "INR"], transferMethods: ["ACH"], networks: ["SOLANA"], limits: {} },
  };
  platform.rails.current = testRail({ capabilities });
});
afterAll(() => platform.stop());

function setPaused(paused: boolean, reason: string, change: object = {}) {
  const { operationId } = platform.operation();
  const mutation = { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "ada" } };
  const request = { mutation, rail: "scripted", paused, reason, ...change };
  return platform.operatorRpc.setRailPaused(request).then(
    ({ rail }) => rail && toJson(RailInfoSchema, rail),
    (error: unknown) => readRefusal(error)?.code,
  );
}

it("is shown with what the rail can send, and is in the trail with its reason", async () => {
  const shown = {
    ...{ name: "scripted", available: true, currencyCodes: ["USD", "INR"] },
    ...{ transferMethods: ["ACH"], networks: ["SOLANA"] },
  };
  const reason = "x".repeat(255);
  expect(await setPaused(true, reason)).toEqual({ ...shown, paused: true, reason });
  expect(await setPaused(false, "a reason is not kept")).toEqual(shown);
  const { rails } = await platform.operatorRpc.listRails({});
  expect(rails.map((each) => toJson(RailInfoSchema, each))).toEqual([shown]);
  expect(await platform.states.list()).toEqual([{ rail: "scripted", paused: false }]);
  const trail = await platform.parts.audit.decisionsOf("scripted", undefined, 100);
  expect(trail.map(({ action, person, detail }) => [action, person, detail])).toEqual([
    ["rail.resumed", "ada", ""],
    ["rail.paused", "ada", reason],
  ]);
});

it.each([
  ["without a reason", "", {}, "INVALID_REQUEST"],
  ["with a reason of 256 characters", "x".repeat(256), {}, "INVALID_REQUEST"],
  ["of a rail that is none", "holiday", { rail: "other" }, "RECORD_NOT_FOUND"],
])("is refused %s", async (_what, reason, change, code) => {
  expect(await setPaused(true, reason, change)).toBe(code);
});

it("counts at once where it was made, and within a second elsewhere", async () => {
  let atMs = 10_000;
  const clock = { now: () => new Date(atMs) };
  const here = openRailStates(platform.database, clock);
  const elsewhere = openRailStates(platform.database, clock);
  let sequence = 0;
  const follow = (states: typeof here, action: "rail.paused" | "rail.resumed") => {
    sequence += 1;
    const entry = { subject: "known", action, sequence, at: clock.now(), detail: "holiday" };
    const rest = {
      person: "ada",
      operation: "op",
      previousHash: "",
      hash: "",
    };
    return states.follow({ ...entry, ...rest });
  };
  const isPaused = async (ms: number) => {
    atMs = ms;
    return here.isPaused("known");
  };
  expect(await isPaused(10_000)).toBe(false);
  await follow(elsewhere, "rail.paused");
  expect(await isPaused(10_999)).toBe(false);
  expect(await isPaused(11_000)).toBe(true);
  await follow(elsewhere, "rail.resumed");
  expect(await isPaused(11_000)).toBe(true);
  // The clock was set back.
  expect(await isPaused(10_999)).toBe(false);
  await follow(here, "rail.paused");
  expect(await isPaused(10_999)).toBe(true);
});

it("tells the quote service if a currency is paid out", async () => {
  const ask = (currencyCode: string) => platform.rpc.checkDestination({ currencyCode });
  expect(await ask("USD")).toMatchObject({ payable: true });
  platform.rails.current = undefined;
  expect(await ask("USD")).toMatchObject({ payable: false });
  await expect(ask("XXX")).rejects.toThrow("currency_code: must be a known currency");
});

it("returns the rails of currencies and their times", async () => {
  platform.rails.current = platform.sandboxRail;
  const ask = (...currencyCodes: string[]) => platform.rpc.describeDestinations({ currencyCodes });
  const { destinations } = await ask("EUR", "BTC");
  const paid = { rail: "sandbox", cutOff: "", settlementSeconds: 1n };
  expect(destinations).toMatchObject([
    { currencyCode: "EUR", rails: [{ ...paid, transferMethod: "SEPA", network: "" }] },
    { currencyCode: "BTC", rails: [{ ...paid, transferMethod: "CRYPTO", network: "BTC" }] },
  ]);
  await expect(ask("EUR", "XXX")).rejects.toThrow("currency_codes[1]: must be a known currency");
  await expect(ask()).rejects.toThrow("currency_codes: must contain 1 to 100 codes");
  await expect(ask(...Array.from({ length: 101 }, () => "EUR"))).rejects.toThrow("1 to 100");
});
