import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let globex: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "500" });
  globex = payerOf(platform, "globex");
});
afterAll(() => platform?.stop());

describe("the outcome that a reference asks for", () => {
  const read = async (payoutId: string) => globex.data("GET", `${paths.payouts}/${payoutId}`);
  const item = async (payoutId: string) => {
    const { transactions } = await globex.data("GET", paths.payouts);
    return transactions.find((each: Record<string, unknown>) => each.id === payoutId);
  };
  const account = () =>
    globex.data("GET", `${paths.accounts}/${platform.accountId("globex", "USD")}`);
  const until = async (payoutId: string, status: string, sub_status: string) =>
    vi.waitFor(async () => expect(await read(payoutId)).toMatchObject({ status, sub_status }), {
      timeout: 15_000,
      interval: 20,
    });
  const steps = async () => {
    const entries = `${paths.accounts}/${platform.accountId("globex", "USD")}/entries`;
    const { entries: found } = await globex.data("GET", entries);
    return found.map(({ step, payout_id }: Record<string, unknown>) => `${step} ${payout_id}`);
  };

  /** Returns every status that the payout had, even briefly. */
  const statuses = async (payoutId: string): Promise<string[]> => {
    const { events } = await globex.data("GET", `${paths.payouts}/${payoutId}/events`);
    const all = events.map((each: Record<string, unknown>) => `${each.status} ${each.sub_status}`);
    return all.filter((one: string, at: number) => one !== all[at - 1]);
  };
  const pauseRail = (paused: boolean) =>
    platform.clients.operations.setRailPaused({
      mutation: { operationId: `outcomes-${paused}` },
      ...{ rail: "sandbox", paused, reason: "a bank holiday" },
    });

  it("is initiated first, its money held", async () => {
    await pauseRail(true);
    const payoutId = await globex.pay("sandbox-fail-1");
    expect(await read(payoutId)).toMatchObject({
      status: "initiated",
      sub_status: expect.stringMatching(/^(queued|processing)$/),
      unique_transaction_reference: "",
      reference_id: "sandbox-fail-1",
    });
    expect(await account()).toMatchObject({ available: 999_990, held: 10 });
    expect(await item(payoutId)).toMatchObject({ status: "initiated", transfer_method: "ACH" });

    await pauseRail(false);
    await until(payoutId, "failed", "rejected");
    const failure = {
      ...{ failure_code: "BENEFICIARY_BANK_REJECTED", rail_code: "MS03" },
      failure_message: "The beneficiary's bank rejected the payment.",
    };
    expect(await read(payoutId)).toMatchObject({
      ...{ unique_transaction_reference: "", returned_reference: "", ...failure },
    });
    const { events } = await globex.data("GET", `${paths.payouts}/${payoutId}/events`);
    expect(events.at(-1)).toMatchObject({ status: "failed", ...failure });
    expect(events.at(-2)).toMatchObject({ failure_code: "", failure_message: "", rail_code: "" });
    expect(await item(payoutId)).toMatchObject({
      ...failure,
      status: "failed",
      transfer_method: "CREDIT_REVERSAL",
      transfer_type: "debit",
      bank_reference_number: "",
      transaction_hash: "",
    });
    await vi.waitFor(
      async () => expect(await account()).toMatchObject({ available: 1_000_000, held: 0 }),
      10_000,
    );
    expect((await steps()).slice(0, 2)).toEqual([`release ${payoutId}`, `hold ${payoutId}`]);
  });

  it("is a return after success: sandbox-return", async () => {
    const payoutId = await globex.pay("sandbox-return-1");
    await until(payoutId, "failed", "returned");
    expect((await statuses(payoutId)).slice(-2)).toEqual(["succeeded settled", "failed returned"]);
    const failure = { failure_code: "ACCOUNT_CLOSED", rail_code: "AC04" };
    const returned_reference = expect.stringMatching(/^SBX[0-9]{12}$/);
    expect(await read(payoutId)).toMatchObject({
      ...{ unique_transaction_reference: "", returned_reference, ...failure },
    });
    expect(await item(payoutId)).toMatchObject({ transfer_method: "CREDIT_REVERSAL" });
    await vi.waitFor(
      async () => expect(await account()).toMatchObject({ available: 1_000_000, held: 0 }),
      10_000,
    );
    const moves = ["return", "post", "hold"].map((step) => `${step} ${payoutId}`);
    expect((await steps()).slice(0, 3)).toEqual(moves);
  });

  it("can be cancelled while it waits for its batch: sandbox-batch", async () => {
    const before = (await account()).available;
    const payoutId = await globex.pay("sandbox-batch-1");
    await until(payoutId, "initiated", "processing");
    const cancel = `${paths.payouts}/${payoutId}/cancel`;
    const data = await globex.data("POST", cancel);
    const gone = { status: "failed", sub_status: "cancelled", failure_code: "CANCELLED" };
    expect(data).toMatchObject({
      ...{ ...gone, unique_transaction_reference: "", expected_settlement_at: "" },
    });
    expect(await account()).toMatchObject({ available: before, held: 0 });
    expect(await globex.data("POST", cancel)).toEqual(data);
    expect(await read(payoutId)).toEqual(data);
    expect(await item(payoutId)).toMatchObject({
      ...{ ...gone, transfer_method: "CREDIT_REVERSAL" },
    });
    expect((await statuses(payoutId)).at(-1)).toBe("failed cancelled");
    expect((await steps()).slice(0, 2)).toEqual([`release ${payoutId}`, `hold ${payoutId}`]);
    const foreign = await payerOf(platform, "acme").post(cancel, {});
    expect([foreign.status, foreign.json.code]).toEqual([404, "RECORD_NOT_FOUND"]);
  });

  it("cannot be cancelled when it is on its way", async () => {
    const payoutId = await globex.pay("order-on-its-way");
    await until(payoutId, "succeeded", "settled");
    const { status, json } = await globex.post(`${paths.payouts}/${payoutId}/cancel`, {});
    const needed = "awaiting_approval, queued, awaiting_funds or not yet paid by its rail";
    const message = `The payout is settled. It must be ${needed}.`;
    expect([status, json]).toMatchObject([409, { code: "NOT_CANCELLABLE", message }]);
  });

  it("is not known for a while, and never guessed: sandbox-unknown", async () => {
    const payoutId = await globex.pay("sandbox-unknown-1");
    await until(payoutId, "succeeded", "settled");
    expect(await statuses(payoutId)).toContain("initiated unknown");
    expect((await read(payoutId)).unique_transaction_reference).toMatch(/^SBX\d{12}$/);
    await vi.waitFor(
      async () => expect(await account()).toMatchObject({ available: 999_980, held: 0 }),
      10_000,
    );
  });

  it("that came back is paid again in one call, and both payouts say so", async () => {
    const before = await globex.pay("sandbox-return-2");
    await until(before, "failed", "returned");
    const path = `${paths.payouts}/${before}/reissue`;
    const dear = await globex.post(path, { max_source_amount: "9.99" });
    expect([dear.status, dear.json.code]).toEqual([400, "AMOUNT_NOT_WITHIN_LIMITS"]);
    const change = { reference_id: "paid-again", max_source_amount: "10.00" };
    const created = await globex.data("POST", path, change);
    expect(created).toMatchObject({
      ...{ status: "initiated", source_amount: 10, reference_id: "paid-again" },
      ...{ reissue_of: before, reissued_as: "" },
    });
    const again = await globex.post(path, {});
    const code = "ALREADY_PROCESSED";
    expect([again.status, again.json]).toMatchObject([400, { code, payout_id: created.id }]);
    await until(created.id, "succeeded", "settled");
    expect(await read(before)).toMatchObject({ status: "failed", reissued_as: created.id });
    const { events } = await globex.data("GET", `${paths.payouts}/${before}/events`);
    expect(events.at(-1)).toMatchObject({ cause: "reissued", reissued_as: created.id });
    const { receipt } = await globex.data("GET", `${paths.payouts}/${before}/receipt`);
    expect(receipt).toMatchObject({ reissued_as: created.id });
    expect(receipt).not.toHaveProperty("reissue_of");
    const foreign = await payerOf(platform, "acme").post(path, {});
    expect([foreign.status, foreign.json.code]).toEqual([404, "RECORD_NOT_FOUND"]);
  });
});
