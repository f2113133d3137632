import { Code, type ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutService, RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signMessage } from "./rails/sandbox/callbacks.ts";
import { payoutRpc } from "./rpc.ts";
import { startTestPlatform, type TestPlatform } from "./test-platform.ts";
import { resolvers } from "./test-resolutions.ts";

const merchantId = "mer_1";
const other = "INVALID_REQUEST: operation_id: was used for a different request before";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => {
      const refusal = readRefusal(error);
      return refusal ? `${refusal.code}: ${refusal.message}` : Code[(error as ConnectError).code];
    },
  );

const operation = () => platform.operation();
const by = (person: string) => ({
  operationId: operation().operationId,
  actor: { kind: Actor_Kind.OPERATOR, id: person },
});

/** A payout whose rail doesn't know the outcome. Operators resolve the exception. */
async function unknownPayout(): Promise<string> {
  const id = await platform.execute(accountId, "sandbox-unknown");
  await platform.work();
  return id;
}

describe("an operation repeated with other content is refused", () => {
  it("of accounts, credits and reversals", async () => {
    const { rpc } = platform;
    const open = { mutation: operation(), merchantId, currencyCode: "USD" };
    await rpc.openAccount(open);
    expect(await outcome(rpc.openAccount({ ...open, currencyCode: "BTC" }))).toBe(other);
    expect(await outcome(rpc.openAccount({ ...open, merchantId: "mer_2" }))).toBe("OK");

    const second = await platform.fundedAccount(merchantId, "1.00");
    const credit = { mutation: operation(), merchantId, accountId, amount: "5.00" };
    const { entry } = await rpc.creditAccount(credit);
    for (const change of [{ amount: "999.00" }, { accountId: second }, { note: "more" }]) {
      expect(await outcome(rpc.creditAccount({ ...credit, ...change }))).toBe(other);
    }
    expect((await rpc.creditAccount(credit)).entry).toEqual(entry);

    const reversal = {
      ...{ mutation: operation(), merchantId, accountId },
      ...{ entryId: entry?.id ?? "", note: "by mistake" },
    };
    await rpc.reverseCredit(reversal);
    expect(await outcome(rpc.reverseCredit({ ...reversal, note: "another" }))).toBe(other);
    const { account } = await rpc.getAccount({ merchantId, accountId });
    expect(account?.available).toBe("100.00");
  });

  it("of an execute, before its payout is there and after", async () => {
    const quoteId = platform.quote(accountId);
    const execute = { mutation: operation(), merchantId, quoteId, referenceId: "order-1" };
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await platform.rpc.executePayout(execute).catch(() => undefined);
    platform.faults.claim = () => undefined;
    const another = { ...execute, referenceId: "order-2" };
    expect(await outcome(platform.rpc.executePayout(another))).toBe(other);
    const first = await platform.rpc.executePayout(execute);
    expect(await outcome(platform.rpc.executePayout(another))).toBe(other);
    expect(await platform.rpc.executePayout(execute)).toEqual(first);
    platform.quotes.delete(quoteId);
    expect(await outcome(platform.rpc.executePayout(another))).toBe(other);
    expect(await platform.rpc.executePayout(execute)).toEqual(first);
  });

  it("of reports and callbacks of rails, and of their pauses", async () => {
    const { rpc, operatorRpc } = platform;
    const [payoutId, second] = [await unknownPayout(), await unknownPayout()];
    const report = { mutation: operation(), payoutId, outcome: RailOutcome.REJECTED };
    await rpc.reportRailOutcome(report);
    const settled = { outcome: RailOutcome.SETTLED, transactionReference: "R" };
    expect(await outcome(rpc.reportRailOutcome({ ...report, ...settled }))).toBe(other);
    expect(await outcome(rpc.reportRailOutcome({ ...report, payoutId: second }))).toBe(other);

    const signed = (reference: string) =>
      signMessage(
        { key: second, outcome: "settled", reference, amount: "10.00", currency: "USD" },
        platform.callbackSecret,
      );
    const callback = { mutation: operation(), rail: "sandbox", ...signed("R1") };
    expect((await operatorRpc.receiveRailCallback(callback)).applied).toBe(true);
    const another = { ...callback, ...signed("R2") };
    expect(await outcome(operatorRpc.receiveRailCallback(another))).toBe(other);
    expect((await operatorRpc.receiveRailCallback(callback)).applied).toBe(false);

    const pause = { mutation: by("ada"), rail: "sandbox", paused: true, reason: "holiday" };
    await operatorRpc.setRailPaused(pause);
    expect(await outcome(operatorRpc.setRailPaused({ ...pause, paused: false }))).toBe(other);
    await operatorRpc.setRailPaused({ ...pause, mutation: by("ada"), paused: false });
  });

  it("of resolutions", async () => {
    const { propose, approve } = resolvers(platform);
    const [payoutId, second] = [await unknownPayout(), await unknownPayout()];
    const mutation = by("ada");
    const first = await propose(payoutId, {}, mutation);
    for (const change of [{ payoutId: second }, { reason: "another reason" }]) {
      expect(await outcome(propose(payoutId, change, mutation))).toBe(other);
    }
    const approval = by("bob");
    await approve(first, approval);
    expect(await outcome(approve(await propose(second), approval))).toBe(other);
  });
});

it("doesn't let a caller report an outcome in live mode", async () => {
  const payoutId = await unknownPayout();
  const before = await platform.history(payoutId);
  const report = { payoutId, outcome: RailOutcome.REJECTED };
  const live = createRouterTransport(({ service }) => {
    service(PayoutService, payoutRpc({ ...platform.parts, mode: "live" }));
  }, namedCallers);
  const { reportRailOutcome } = createClient(PayoutService, live);
  const refused = reportRailOutcome({ mutation: operation(), ...report });
  expect(await outcome(refused)).toBe("Unimplemented");
  expect(await platform.history(payoutId)).toEqual(before);
  const shown = platform.rpc.reportRailOutcome({ mutation: operation(), ...report });
  expect(await outcome(shown)).toBe("OK");
});
