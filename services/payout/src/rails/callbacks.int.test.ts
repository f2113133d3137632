import { createHash } from "node:crypto";
import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { Binary } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { type SandboxMessage, signMessage } from "./sandbox/callbacks.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.rails.current = platform.sandboxRail;
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

/** Returns a payout's state, exception and money, and the results of its callbacks. */
async function stateOf(id: string) {
  const found = await platform.history(id);
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  const callbacks = await platform.callbacks.find({ payout_id: id }).toArray();
  return {
    stage: found?.payout.progress.stage,
    exception: found?.payout.exception?.kind,
    balance: `${account?.available} + ${account?.held}`,
    became: callbacks.map(({ became }) => became).join(),
    heard: found?.lines.filter(({ kind }) => kind === "callback").map(({ detail }) => detail),
  };
}

const reference = expect.stringMatching(/^SBX\d{12}$/);

describe("the sandbox's scenario", () => {
  const heardSettled = /^settled SBX\d{12}, 10.00 USD; /;

  it("callback: the rail reports by itself", async () => {
    const id = await platform.execute(accountId, "sandbox-callback-1");
    await platform.after(0);
    await platform.after(1_000);
    const { heard, ...rest } = await stateOf(id);
    const settled = { stage: "settled", exception: undefined, balance: "90.00 + 0.00" };
    expect(rest).toEqual({ ...settled, became: "applied" });
    expect(heard).toEqual([expect.stringMatching(heardSettled)]);
  });

  it("duplicate: believed once", async () => {
    const id = await platform.execute(accountId, "sandbox-duplicate-1");
    await platform.after(0);
    await platform.after(1_000);
    const { heard, ...rest } = await stateOf(id);
    const settled = { stage: "settled", exception: undefined, balance: "90.00 + 0.00" };
    expect(rest).toEqual({ ...settled, became: "applied,repeated,repeated" });
    expect(heard?.map((each) => each.replace(heardSettled, ""))).toEqual([
      ...["believed", "already known", "already known"],
    ]);
  });

  it("early: before the submission is answered", async () => {
    const id = await platform.execute(accountId, "sandbox-early-1");
    await platform.after(0);
    expect(await stateOf(id)).toMatchObject({ stage: "settled", became: "applied" });
  });

  it("lost: polled by its key, paid once", async () => {
    const id = await platform.execute(accountId, "sandbox-lost-1");
    await platform.after(0);
    expect(await stateOf(id)).toMatchObject({ stage: "unknown", exception: "unknown" });
    await platform.after(2_100);
    expect(await stateOf(id)).toMatchObject({ stage: "settled", exception: undefined });
    const transfers = platform.database.db.collection<{ _id: string }>("sandbox_transfers");
    expect(await transfers.findOne({ _id: id })).toMatchObject({ submitted: 1 });
  });

  it("contradict: a settled payout stays settled, with an exception", async () => {
    const id = await platform.execute(accountId, "sandbox-contradict-1");
    await platform.after(0);
    await platform.after(1_000);
    expect(await stateOf(id)).toMatchObject({ stage: "settled", exception: undefined });
    await platform.after(1_000);
    const expectedState = { stage: "settled", exception: "contradicted", balance: "90.00 + 0.00" };
    expect(await stateOf(id)).toMatchObject({ ...expectedState, became: "applied,refused" });
  });

  it("silent: never has an outcome, and gets an exception", async () => {
    const id = await platform.execute(accountId, "sandbox-silent-1");
    for (const ms of [0, 2_100, 86_400_000]) {
      await platform.after(ms);
      expect(await stateOf(id)).toMatchObject({ stage: "unknown", exception: "unknown" });
    }
  });

  it("amount: another amount is refused, and raises an exception", async () => {
    const id = await platform.execute(accountId, "sandbox-amount-1");
    await platform.after(0);
    expect(await stateOf(id)).toMatchObject({ stage: "processing", exception: undefined });
    await platform.after(1_000);
    const expectedState = { stage: "settled", exception: "contradicted", balance: "90.00 + 0.00" };
    expect(await stateOf(id)).toMatchObject({ ...expectedState, became: "refused" });
  });

  it("late-return: days later the money is back", async () => {
    const id = await platform.execute(accountId, "sandbox-late-return-1");
    await platform.after(0);
    await platform.after(1_000);
    await platform.after(2 * 86_400_000);
    expect(await stateOf(id)).toMatchObject({ stage: "settled", balance: "90.00 + 0.00" });
    await platform.after(86_400_000);
    const expectedState = { stage: "returned", exception: undefined, balance: "100.00 + 0.00" };
    expect(await stateOf(id)).toMatchObject(expectedState);
  });
});

function send(rail: string, body: Uint8Array, signature: string) {
  const mutation = platform.operation();
  return platform.operatorRpc.receiveRailCallback({ mutation, rail, body, signature }).then(
    ({ applied }) => (applied ? "applied" : "repeated"),
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );
}

describe("a rail's message", () => {
  let id = "";
  const message = (change: Partial<SandboxMessage> = {}) => ({
    ...{ key: id, outcome: "settled", reference: "R1", amount: "10.00", currency: "USD" },
    ...change,
  });
  const signed = (change: object = {}) =>
    signMessage({ ...message(), ...change } as SandboxMessage, platform.callbackSecret);
  const last = async () => (await platform.callbacks.find().sort({ $natural: -1 }).next())!;

  beforeEach(async () => {
    // The rail does not know the outcome: only its callbacks change the payout.
    id = await platform.execute(accountId, "sandbox-unknown");
    await platform.work();
  });

  it.each([
    ["another amount", { amount: "10.01" }, "INVALID_REQUEST", "refused"],
    ["more decimals than the currency has", { amount: "10.001" }, "INVALID_REQUEST", "refused"],
    ["more than 34 digits", { amount: "1".repeat(35) }, "INVALID_REQUEST", "refused"],
    ["another currency", { currency: "INR" }, "INVALID_REQUEST", "refused"],
  ])(
    "of %s is stored and refused, and raises an exception",
    async (_what, change, code, became) => {
      const { body, signature } = signed(change);
      expect(await send("sandbox", body, signature)).toBe(code);
      expect(await last()).toMatchObject({ became, payout_id: id });
      const { stage, exception, balance, heard } = await stateOf(id);
      expect({ stage, exception, balance }).toEqual({
        ...{ stage: "unknown", exception: "contradicted", balance: "90.00 + 10.00" },
      });
      expect(heard?.at(-1)).toContain("; refused: ");
    },
  );

  it.each([
    ["an unknown key", { key: "po_x" }, "RECORD_NOT_FOUND", "unknown_key"],
    ["no outcome", { outcome: "perhaps" }, "INVALID_REQUEST", "unreadable"],
    ["65 KiB", { more: "x".repeat(65_536) }, "INVALID_REQUEST", "too_large"],
  ])("of %s is kept and refused", async (_what, change, code, became) => {
    const before = await stateOf(id);
    const { body, signature } = signed(change);
    expect(await send("sandbox", body, signature)).toBe(code);
    const kept = await last();
    expect(kept.became).toBe(became);
    expect(kept.body?.value().length).toBe(became === "too_large" ? undefined : body.length);
    expect(await stateOf(id)).toEqual(before);
  });

  it("is kept whole up to 64 KiB", async () => {
    const sized = (length: number) => signed({ outcome: "perhaps", more: "x".repeat(length) });
    const most = sized(65_536 - sized(0).body.length);
    expect(most.body).toHaveLength(65_536);
    expect(await send("sandbox", most.body, most.signature)).toBe("INVALID_REQUEST");
    const { became, body } = await last();
    expect([became, body?.value().length]).toEqual(["unreadable", 65_536]);
  });

  it("that is forged, or of a rail that is none, is kept and refused", async () => {
    const before = await stateOf(id);
    const { body, signature } = signed();
    expect(await send("sandbox", body, signature.replace(/.$/, "x"))).toBe("ACCESS_FORBIDDEN");
    expect(await last()).toMatchObject({ became: "forged", rail: "sandbox" });
    expect(await send("other", body, signature)).toBe("RECORD_NOT_FOUND");
    expect(await last()).toMatchObject({ became: "unknown_rail", rail: "other" });
    expect(await stateOf(id)).toEqual(before);
  });

  it("of another rail's payout, or of one that no rail has yet, is kept and refused", async () => {
    const queued = await platform.execute(accountId, "sandbox-unknown");
    const { body, signature } = signed();
    const status = { kind: "settled", reference: "R1" } as const;
    for (const key of [id, queued]) {
      const readCallback = () => ({ key, status });
      platform.rails.current = testRail({ name: "other", readCallback });
      const before = await stateOf(key);
      expect(await send("other", body, signature)).toBe("RECORD_NOT_FOUND");
      expect(await last()).toMatchObject({ became: "foreign_key", rail: "other", payout_id: key });
      expect(await stateOf(key)).toEqual({ ...before, became: "foreign_key" });
    }
  });

  it("is applied once, however often and concurrently it arrives", async () => {
    const { body, signature } = signed();
    const became = await Promise.all([1, 2, 3].map(() => send("sandbox", body, signature)));
    expect(became.toSorted()).toEqual(["applied", "repeated", "repeated"]);
    await platform.work();
    expect(await stateOf(id)).toMatchObject({ stage: "settled", balance: "90.00 + 0.00" });
    expect(await send("sandbox", body, signature)).toBe("repeated");
    await platform.work();
    expect(await stateOf(id)).toMatchObject({ stage: "settled", balance: "90.00 + 0.00" });
  });

  it.each([
    ["applied", {}, {}],
    ["refused", { amount: "10.01" }, { detail: "amount: differs from the submitted amount" }],
    ["unknown_key", { key: "po_x" }, { payout_id: "po_x" }],
    ["unreadable", { outcome: "perhaps" }, { payout_id: undefined }],
    ["too_large", { more: "x".repeat(65_536) }, { payout_id: undefined, body: undefined }],
  ])("is kept byte for byte, with its sender and result: %s", async (became, change, own) => {
    const { body, signature } = signed(change);
    const mutation = platform.operation();
    const request = { mutation, rail: "sandbox", body, signature };
    await platform.operatorRpc.receiveRailCallback(request).catch(() => undefined);
    expect(await last()).toEqual({
      ...{ _id: expect.any(String), schema_version: 1, rail: "sandbox", became, payout_id: id },
      ...{ body: new Binary(body), body_sha256: createHash("sha256").update(body).digest("hex") },
      ...{ signature, actor: { kind: "service", id: "test" }, operation_id: mutation.operationId },
      received_at: expect.any(Date),
      ...own,
    });
  });

  it("is decided again after a concurrent write", async () => {
    const { findOne } = platform.payouts;
    vi.spyOn(platform.payouts, "findOne").mockImplementationOnce(async (...given: unknown[]) => {
      const read = await findOne.apply(platform.payouts, given as never);
      const rejected = signed({ outcome: "rejected" });
      expect(await send("sandbox", rejected.body, rejected.signature)).toBe("applied");
      return read;
    });
    const settled = signed();
    expect(await send("sandbox", settled.body, settled.signature)).toBe("INVALID_REQUEST");
    await platform.work();
    const expectedState = {
      stage: "rejected",
      exception: "contradicted",
      balance: "100.00 + 0.00",
    };
    expect(await stateOf(id)).toMatchObject(expectedState);
  });

  it("that contradicts the outcome is refused, and the exception stays", async () => {
    const settled = signed();
    expect(await send("sandbox", settled.body, settled.signature)).toBe("applied");
    await platform.work();
    const rejected = signed({ outcome: "rejected" });
    expect(await send("sandbox", rejected.body, rejected.signature)).toBe("INVALID_REQUEST");
    const expectedState = { stage: "settled", exception: "contradicted", balance: "90.00 + 0.00" };
    expect(await stateOf(id)).toMatchObject(expectedState);
  });
});

it("keeps the reference of the rail's message", async () => {
  const id = await platform.execute(accountId, "sandbox-callback-2");
  await platform.after(0);
  await platform.after(1_000);
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: id });
  expect(payout?.uniqueTransactionReference).toEqual(reference);
});
