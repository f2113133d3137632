import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { QuoteState } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { unavailable } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import type { UsageDocument } from "../velocity/documents.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.faults.claim = () => undefined;
  await usages().deleteMany({});
  await limit({});
  accountId = await platform.fundedAccount(merchantId, "1000.00");
});

const usages = () => platform.database.db.collection<UsageDocument>("velocity_usage");

async function limit(limits: { merchant?: object; beneficiary?: object }) {
  const { operationId } = platform.operation();
  const mutation = { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "ada" } };
  await platform.operatorRpc.setVelocityLimits({
    mutation,
    merchantId,
    merchant: {},
    beneficiary: {},
    ...limits,
  });
}

const answerOf = (call: Promise<unknown>) =>
  call.then(
    () => ({ code: "OK", message: "" }),
    (error: unknown) =>
      readRefusal(error) ?? { code: Code[(error as ConnectError).code], message: "" },
  );

function execute(quoteId = platform.quote(accountId), mutation = platform.operation()) {
  return answerOf(platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId: "" }));
}

const codeOf = async (answer: Promise<{ code: string }>) => (await answer).code;

async function age(ms: number) {
  for (const { _id, reservations } of await usages().find().toArray()) {
    const older = reservations.map((each) => ({ ...each, at: new Date(each.at.getTime() - ms) }));
    await usages().updateOne({ _id }, { $set: { reservations: older } });
  }
}

async function used(): Promise<string[]> {
  const found = await usages().findOne({ _id: merchantId });
  return found?.reservations.map(({ payout_id }) => payout_id) ?? [];
}

/** Runs both sweeps after leftovers are old enough. */
async function sweepLater() {
  platform.world.offsetMs += 6_000;
  await platform.sweep();
  await platform.sweepReservations();
}

describe("a velocity limit", () => {
  it.each<[string, object, string[], RegExp]>([
    [
      "payouts an hour",
      { merchant: { countHour: 2 } },
      ["1.00", "1.00", "1.00"],
      /At most 2 payouts by this merchant in 60 minutes\. The limit allows this payout from 2\S+Z on\./,
    ],
    [
      "payouts a day to a beneficiary",
      { beneficiary: { countDay: 2 } },
      ["1.00", "1.00", "1.00"],
      /At most 2 payouts to this beneficiary in 24 hours\. The limit allows/,
    ],
    [
      "an amount a day",
      { merchant: { amounts: [{ currencyCode: "USD", day: "25.00" }] } },
      ["12.50", "12.50", "1.00"],
      /At most 25\.00 USD by this merchant in 24 hours\. The limit allows/,
    ],
    [
      "an amount of one payout",
      { beneficiary: { amounts: [{ currencyCode: "USD", hour: "9.99" }] } },
      ["9.98", "10.00"],
      /At most 9\.99 USD to this beneficiary in 60 minutes\. This payout alone exceeds the limit\./,
    ],
  ])(
    "of %s refuses what is beyond, and the quote stays open",
    async (_what, limits, amounts, message) => {
      await limit(limits);
      const quotes = amounts.map((amount) => platform.quote(accountId, { amount }));
      for (const quoteId of quotes.slice(0, -1)) expect(await codeOf(execute(quoteId))).toBe("OK");
      const last = quotes.at(-1) ?? "";
      const before = await platform.rpc.getAccount({ merchantId, accountId });
      expect(await execute(last)).toEqual({
        ...{ code: "LIMIT_EXCEEDED", message: expect.stringMatching(message) },
      });
      expect(await platform.rpc.getAccount({ merchantId, accountId })).toEqual(before);
      expect(platform.quotes.get(last)?.state).toBe(QuoteState.OPEN);
    },
  );

  it.each<[string, Parameters<TestPlatform["quote"]>[1][]]>([
    ["two records of it", [{ beneficiaryId: "ben_1" }, { beneficiaryId: "ben_2" }]],
    ["keys before and after a rotation", [{}, { destinationKeys: ["new", "one"] }]],
    ["keys after and before a rotation", [{ destinationKeys: ["new", "one"] }, {}]],
  ])("to a beneficiary counts its account: %s", async (_what, changes) => {
    await limit({ beneficiary: { countHour: 1 } });
    const codes: string[] = [];
    for (const change of changes) {
      const quoteId = platform.quote(accountId, { destinationKeys: ["one"], ...change });
      codes.push(await codeOf(execute(quoteId)));
    }
    expect(codes).toEqual(["OK", "LIMIT_EXCEEDED"]);
    const other = platform.quote(accountId, { destinationKeys: ["two"] });
    expect(await codeOf(execute(other))).toBe("OK");
  });

  it("is not used by an execute whose operation was refused", async () => {
    await limit({ merchant: { countHour: 2 } });
    const mutation = platform.operation();
    expect(await codeOf(execute(platform.quote(accountId), mutation))).toBe("OK");
    expect(await codeOf(execute(platform.quote(accountId), mutation))).toBe("INVALID_REQUEST");
    expect(await used()).toHaveLength(1);
    expect(await codeOf(execute())).toBe("OK");
  });

  it("allows payouts again after its window, and at once when it is lifted", async () => {
    await limit({ merchant: { countHour: 1 } });
    expect(await codeOf(execute())).toBe("OK");
    const waiting = platform.quote(accountId);
    expect(await codeOf(execute(waiting))).toBe("LIMIT_EXCEEDED");
    await age(3_600_000);
    expect(await codeOf(execute(waiting))).toBe("OK");
    expect(await codeOf(execute())).toBe("LIMIT_EXCEEDED");
    await limit({});
    expect(await codeOf(execute())).toBe("OK");
  });

  it("is checked after the corridor's limits and before the balance", async () => {
    await limit({ merchant: { countHour: 0 } });
    const below = platform.quote(accountId, { amount: "0.99" });
    expect(await codeOf(execute(below))).toBe("AMOUNT_NOT_WITHIN_LIMITS");
    const poor = await platform.fundedAccount(merchantId, "1.00");
    expect(await codeOf(execute(platform.quote(poor)))).toBe("LIMIT_EXCEEDED");
    await limit({});
    expect(await codeOf(execute(platform.quote(poor)))).toBe("INSUFFICIENT_BALANCE");
  });

  it("holds for 40 executes at once, and across accounts of the merchant", async () => {
    await limit({ merchant: { countHour: 10 } });
    const other = await platform.fundedAccount(merchantId, "1000.00");
    const quotes = Array.from({ length: 40 }, (_, n) =>
      platform.quote(n % 2 === 0 ? accountId : other, { amount: "1.00" }),
    );
    const codes = await Promise.all(quotes.map((id) => codeOf(execute(id))));
    expect(codes.filter((code) => code === "OK")).toHaveLength(10);
    expect(codes.filter((code) => code === "LIMIT_EXCEEDED")).toHaveLength(30);
  });

  it("counts a payout once, however often it is executed", async () => {
    await limit({ merchant: { countHour: 2 } });
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    const codes = await Promise.all(
      Array.from({ length: 12 }, () => codeOf(execute(quoteId, mutation))),
    );
    expect(new Set(codes)).toEqual(new Set(["OK"]));
    expect(await codeOf(execute(quoteId, mutation))).toBe("OK");
    expect(await used()).toHaveLength(1);
  });

  it("of one merchant is none of another's", async () => {
    await limit({ merchant: { countHour: 0 } });
    const own = await platform.fundedAccount("mer_2", "100.00");
    const quoteId = platform.quote(own, { merchantId: "mer_2" });
    const mutation = platform.operation();
    await platform.rpc.executePayout({ mutation, merchantId: "mer_2", quoteId, referenceId: "" });
    expect(await usages().countDocuments()).toBe(0);
  });
});

describe("a reservation", () => {
  beforeEach(() => limit({ merchant: { countHour: 1 }, beneficiary: { countHour: 1 } }));

  it("is given back at once when the balance is not sufficient", async () => {
    const dear = platform.quote(accountId, { amount: "1000.00" });
    const small = platform.quote(accountId);
    await limit({});
    await execute(platform.quote(accountId));
    await limit({ merchant: { countHour: 1 } });
    expect(await codeOf(execute(dear))).toBe("INSUFFICIENT_BALANCE");
    expect(await used()).toEqual([]);
    expect(await codeOf(execute(small))).toBe("OK");
  });

  it("is released when the payout fails, even after a crash in between", async () => {
    const payoutId = await platform.execute(accountId, "sandbox-fail");
    expect(await codeOf(execute())).toBe("LIMIT_EXCEEDED");
    const { reservations } = platform.parts;
    let calls = 0;
    platform.parts.reservations = {
      giveBack: async (...args: Parameters<typeof reservations.giveBack>) => {
        calls += 1;
        if (calls === 2) await reservations.giveBack(...args);
        if (calls < 3) throw new Error("killed");
        await reservations.giveBack(...args);
      },
    } as typeof reservations;
    for (let n = 0; n < 5; n += 1) await platform.after(6_000);
    platform.parts.reservations = reservations;
    expect(calls).toBe(3);
    expect((await platform.payouts.findOne({ _id: payoutId }))?.status).toBe("failed");
    expect(await used()).toEqual([]);
    platform.world.offsetMs = 0;
    expect(await codeOf(execute())).toBe("OK");
  });

  it("is given back when the payout is cancelled, and to a late execute's sweep too", async () => {
    const quote = platform.quote(accountId, { destinationKeys: ["new", "old"] });
    const sent = { mutation: platform.operation(), merchantId, quoteId: quote, referenceId: "" };
    const { payoutId } = await platform.rpc.executePayout(sent);
    expect(await usages().countDocuments()).toBe(3);
    expect(await codeOf(execute())).toBe("LIMIT_EXCEEDED");
    await platform.rpc.cancelPayout({ mutation: platform.operation(), merchantId, payoutId });
    expect(await usages().countDocuments()).toBe(0);
    // Reserved by a late execute of the same quote.
    await platform.reservations.reserve({
      ...{
        payoutId,
        quoteId: "qt_late",
        merchantId,
        accountId,
        destinationKeys: ["account of ben_1"],
      },
      ...{ currency: "USD", amount: 1_000n },
    });
    await sweepLater();
    expect(await used()).toEqual([]);
    platform.world.offsetMs = 0;
    expect(await codeOf(execute())).toBe("OK");
  });

  it("is kept by a paid payout, even when it returns", async () => {
    const payoutId = await platform.execute(accountId, "sandbox-return");
    for (let n = 0; n < 3; n += 1) await platform.after(2_000);
    const found = await platform.payouts.findOne({ _id: payoutId });
    expect(found?.progress.stage).toBe("returned");
    expect(await used()).toEqual([payoutId]);
  });

  it("is kept by an execute that crashed before its hold, and given back once its quote expired", async () => {
    const quoteId = platform.quote(accountId);
    const payoutId = derivedId("payout", quoteId);
    await platform.reservations.reserve({
      ...{ payoutId, quoteId, merchantId, accountId, destinationKeys: ["account of ben_1"] },
      ...{ currency: "USD", amount: 1_000n },
    });
    await sweepLater();
    expect(await used()).toEqual([payoutId]);
    expect(await codeOf(execute())).toBe("LIMIT_EXCEEDED");
    const quote = platform.quotes.get(quoteId);
    if (quote) quote.expiresAt = new Date(0);
    await sweepLater();
    expect(await used()).toEqual([]);
    expect(await usages().countDocuments()).toBe(0);
    expect(await codeOf(execute())).toBe("OK");
  });

  it("that a crash left before the hold is the retry's", async () => {
    const quoteId = platform.quote(accountId);
    const payoutId = derivedId("payout", quoteId);
    await platform.reservations.reserve({
      ...{ payoutId, quoteId, merchantId, accountId, destinationKeys: ["account of ben_1"] },
      ...{ currency: "USD", amount: 1_000n },
    });
    expect(await codeOf(execute(quoteId))).toBe("OK");
    expect(await used()).toEqual([payoutId]);
    await sweepLater();
    const [usage] = await usages().find({ _id: merchantId }).toArray();
    expect(usage?.reservations).toMatchObject([{ payout_id: payoutId }]);
    expect(usage?.reservations[0]?.open).toBeUndefined();
  });

  it("stays with a hold whose claim got no response until the claim has decided", async () => {
    const [paid, expired] = [platform.quote(accountId), platform.quote(accountId)] as const;
    platform.faults.claim = () => {
      throw unavailable();
    };
    expect(await codeOf(execute(paid))).toBe("Unavailable");
    await platform.sweepReservations();
    expect(await codeOf(execute(expired))).toBe("LIMIT_EXCEEDED");
    await sweepLater();
    expect(await used()).toEqual([derivedId("payout", paid)]);
    platform.faults.claim = () => undefined;
    await sweepLater();
    expect(await used()).toEqual([derivedId("payout", paid)]);
  });

  it("is given back with a hold that is released because its quote expired", async () => {
    const quoteId = platform.quote(accountId);
    platform.faults.claim = () => {
      const quote = platform.quotes.get(quoteId);
      if (quote) quote.expiresAt = new Date(0);
    };
    expect(await codeOf(execute(quoteId))).toBe("QUOTE_EXPIRED");
    await sweepLater();
    expect(await used()).toEqual([]);
  });
});
