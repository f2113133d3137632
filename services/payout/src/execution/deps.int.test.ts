import { create } from "@bufbuild/protobuf";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ExecutePayoutRequestSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Lease } from "../payouts/document.ts";
import { findPayout } from "../payouts/store.ts";
import { unavailable } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { acceptPayout } from "../waiting/rpc.ts";
import { claimAndCreate, type ExecuteDeps, executePayout } from "./execute.ts";
import { executionRpc } from "./rpc.ts";

/** Tests the calls that an execute makes to other services and its callbacks. */

const actor = { kind: "api_key", id: "key_1" } as const;
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount("mer_1", "100.00");
});
afterAll(() => platform.stop());

function request(quoteId: string) {
  const { operationId } = platform.operation();
  return {
    merchantId: "mer_1",
    quoteId,
    details: { referenceId: "order", remittanceInformation: "", purposeCode: "" },
    operationId,
    actor,
    content: quoteId,
    allowDuplicate: false,
  };
}

it("hands a new payout on once: to close its hold, and with its lease and first event", async () => {
  const lease: Lease = { token: "token", until: new Date(), place: "first:8080" };
  const handed: unknown[] = [];
  const { ledger } = platform.parts;
  const deps: ExecuteDeps = {
    ...platform.parts,
    ledger: { ...ledger, closeHold: (...hold) => handed.push(hold) },
    leaseNew: () => lease,
    onCreated: (...created) => handed.push(created),
  };
  const asked = request(platform.quote(accountId));
  const execute = () => executePayout(deps, asked);
  const payout = await withCallContext({ requestId: "req-1" }, execute);
  const id = derivedId("payout", asked.quoteId);
  const stored = await platform.payouts.findOne({ _id: id });
  expect(payout).toEqual(await findPayout(platform.payouts, id));
  expect(stored).toMatchObject({ order: { actor }, lease, request_id: "req-1" });
  const origin = { request_id: "req-1" };
  const closed = [accountId, id];
  expect(handed.splice(0)).toEqual([closed, [{ payout, origin, events: stored?.outbox }, lease]]);
  expect(await execute()).toEqual(payout);
  expect(handed).toEqual([]);
  // Simulates a crash before the response.
  expect(await claimAndCreate(deps, accountId, asked)).toEqual(payout);
  expect(handed).toEqual([closed]);
});

it("is refused for an unknown quote, and fails if the quote service is unavailable", async () => {
  const { parts: worker } = platform;
  expect(await executePayout(worker, request("qt_none"))).toEqual(refused("RECORD_NOT_FOUND"));
  const getClaimableQuote = () => Promise.reject(unavailable());
  const deps = { ...worker, quote: { ...worker.quote, getClaimableQuote } };
  await expect(executePayout(deps, request("qt_none"))).rejects.toThrow("away");
});

it("fails after a refused claim if its hold can't be released", async () => {
  const asked = request(platform.quote(accountId, { expiresAt: new Date(0) }));
  const released = claimAndCreate(platform.parts, "acc_none", asked);
  await expect(released).rejects.toThrow(
    "the money held for a payout with an expired quote was not released: no_account",
  );
});

it.each([
  ["live", "sandbox-return-1", "INVALID_REQUEST"],
  ["live", "order-sandbox-1", "OK"],
  ["sandbox", "sandbox-return-1", "OK"],
] as const)("in mode %s with reference %s is answered %s", async (mode, referenceId, expected) => {
  const quoteId = platform.quote(accountId);
  const mutation = platform.operation();
  const asked = { mutation, merchantId: "mer_1", quoteId, referenceId };
  const message = create(ExecutePayoutRequestSchema, asked);
  const rpc = executionRpc({
    ...platform.parts,
    mode,
    execute: (request, sent) => acceptPayout(platform.parts, request, sent),
  });
  const principal = { kind: "service", name: "gateway" } as const;
  const answered = withCallContext({ requestId: "req-1", principal }, () =>
    rpc.executePayout(message),
  );
  const code = await answered.then(
    ({ payoutId }) => {
      expect(payoutId).toBe(derivedId("payout", quoteId));
      return "OK";
    },
    (error: unknown) => readRefusal(error)?.code,
  );
  expect(code).toBe(expected);
});

it("is refused with the fields that the gateway could not read", async () => {
  const unreadable = [{ field: "reference_id", problem: "must be text" }];
  const asked = { merchantId: "mer_1", quoteId: platform.quote(accountId), unreadable };
  const answered = platform.rpc.executePayout({ mutation: platform.operation(), ...asked });
  await expect(answered).rejects.toThrow("reference_id: must be text");
});
