import { fromBinary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { QuoteState } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPayout } from "../payouts/store.ts";
import { type StandInQuote, unavailable } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

function execute(quoteId: string, change: object = {}) {
  return platform.rpc.executePayout({
    mutation: platform.operation(),
    merchantId: "mer_1",
    quoteId,
    referenceId: "order-1",
    ...change,
  });
}

async function balance(accountId: string) {
  const { account } = await platform.rpc.getAccount({ merchantId: "mer_1", accountId });
  return { available: account?.available, held: account?.held };
}

/** Makes leftovers old enough for the sweep, then sweeps. */
async function sweepLater() {
  platform.world.offsetMs += 6_000;
  await platform.sweep();
  platform.world.offsetMs = 0;
}

describe("execute", () => {
  it("holds the money, claims the quote and creates the payout", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const { payoutId } = await execute(quoteId);
    expect(payoutId).toBe(derivedId("payout", quoteId));
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
    const { payout } = await platform.rpc.getPayout({ merchantId: "mer_1", payoutId });
    expect(payout).toMatchObject({
      referenceId: "order-1",
      sourceAmount: "10.00",
      uniqueTransactionReference: "",
      version: 1,
    });
  });

  it.each([
    ["a key", { kind: Actor_Kind.API_KEY, id: "key_1", name: "ERP" }, "ERP"],
    ["a key without a name", { kind: Actor_Kind.API_KEY, id: "key_1", name: "" }, ""],
    ["a member", { kind: Actor_Kind.MEMBER, id: "mem_1", name: "Mia" }, undefined],
  ])("stores and publishes the creator: %s", async (_what, { name: _, ...actor }, name) => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const mutation = { ...platform.operation(), actor: { ...actor, name: _ } };
    const { payoutId } = await execute(platform.quote(accountId), { mutation });
    const { payout } = await platform.rpc.getPayout({ merchantId: "mer_1", payoutId });
    expect(payout?.createdBy).toMatchObject(actor);
    expect(payout?.createdBy?.name).toBe(name);
    const stored = await platform.payouts.findOne({ _id: payoutId });
    const events = [...(stored?.outbox ?? []), ...(stored?.published_events ?? [])];
    const [event] = events.map(({ body }) => fromBinary(PayoutStatusChangedSchema, body.buffer));
    expect(event?.payout?.createdBy).toEqual(payout?.createdBy);
  });

  it("creates a payout that another merchant can't find", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const { payoutId } = await execute(platform.quote(accountId));
    const foreign = platform.rpc.getPayout({ merchantId: "mer_2", payoutId });
    expect(await codeOf(foreign)).toBe("RECORD_NOT_FOUND");
  });

  const past = new Date(Date.now() - 1);
  it.each<[string, Partial<StandInQuote>, ScreeningStatus, string]>([
    ["of another merchant", { merchantId: "mer_2", expiresAt: past }, 2, "ACCESS_FORBIDDEN"],
    ["whose corridor closed", { corridorOpen: false, expiresAt: past }, 2, "ACCESS_FORBIDDEN"],
    ["that expired", { expiresAt: past, amount: "0.01" }, 3, "QUOTE_EXPIRED"],
    ["of a held beneficiary", { amount: "0.01" }, 3, "ACCESS_FORBIDDEN"],
    ["of one still screened", { amount: "0.01" }, 1, "BENEFICIARY_NOT_READY"],
    ["that expired, of one still screened", { expiresAt: past }, 1, "QUOTE_EXPIRED"],
    ["below the limits", { amount: "0.99" }, 2, "AMOUNT_NOT_WITHIN_LIMITS"],
    ["above the limits", { amount: "1000.01" }, 2, "AMOUNT_NOT_WITHIN_LIMITS"],
    ["above the balance", { amount: "100.01" }, 2, "INSUFFICIENT_BALANCE"],
  ])("refuses a quote %s and changes nothing", async (_what, change, screening, code) => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId, change);
    platform.world.screening = screening;
    expect(await codeOf(execute(quoteId))).toBe(code);
    platform.world.screening = ScreeningStatus.CLEARED;
    expect(await balance(accountId)).toEqual({ available: "100.00", held: "0.00" });
    expect(platform.quotes.get(quoteId)?.state).toBe(QuoteState.OPEN);
  });

  it("refuses an unknown quote", async () => {
    expect(await codeOf(execute("qt_x"))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(execute(""))).toBe("INVALID_REQUEST");
    const long = { referenceId: "x".repeat(256) };
    expect(await codeOf(execute("qt_x", long))).toBe("INVALID_REQUEST");
  });

  it("returns a repeat's result first, and ALREADY_PROCESSED for any other operation", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    const first = await execute(quoteId, { mutation });
    const quote = platform.quotes.get(quoteId);
    // A known result doesn't wait for the claim.
    platform.faults.claim = () => {
      throw unavailable();
    };
    expect(await codeOf(execute(quoteId))).toBe("ALREADY_PROCESSED");
    platform.faults.claim = () => undefined;
    if (quote) quote.corridorOpen = false;
    expect(await execute(quoteId, { mutation })).toEqual(first);
    expect(await codeOf(execute(quoteId))).toBe("ACCESS_FORBIDDEN");
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
  });

  it("answers a repeat without the quote service; another merchant finds nothing", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    const first = await execute(quoteId, { mutation });
    platform.quotes.delete(quoteId);
    expect(await execute(quoteId, { mutation })).toEqual(first);
    const foreign = execute(quoteId, { mutation, merchantId: "mer_2" });
    expect(await codeOf(foreign)).toBe("RECORD_NOT_FOUND");
  });

  it("is bound to the beneficiary's details, even if a repeat omits them", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    const sent = { mutation, remittanceInformation: "Invoice 7", purposeCode: "SUPP" };
    const first = await execute(quoteId, sent);
    expect(await execute(quoteId, sent)).toEqual(first);
    for (const other of [{ remittanceInformation: "Invoice 8" }, { purposeCode: "" }]) {
      expect(await codeOf(execute(quoteId, { ...sent, ...other }))).toBe("INVALID_REQUEST");
    }
  });

  it.each([
    ["140 characters", { remittanceInformation: "ü".repeat(140) }, "OK"],
    ["141 characters", { remittanceInformation: "ü".repeat(141) }, "INVALID_REQUEST"],
    ["a line break", { remittanceInformation: "a\nb" }, "INVALID_REQUEST"],
    ["a code", { purposeCode: "SALA" }, "OK"],
    ["a code in small letters", { purposeCode: "sala" }, "INVALID_REQUEST"],
    ["a code of three letters", { purposeCode: "SAL" }, "INVALID_REQUEST"],
    ["a code of five letters", { purposeCode: "SALAR" }, "INVALID_REQUEST"],
  ])("with %s for the beneficiary is answered %s", async (_what, sent, code) => {
    const accountId = await platform.fundedAccount("mer_1", "10.00");
    expect(await codeOf(execute(platform.quote(accountId), sent))).toBe(code);
  });

  it("binds an operation to its first quote, unless that was refused", async () => {
    const accountId = await platform.fundedAccount("mer_1", "15.00");
    const [first = "", second = ""] = [platform.quote(accountId), platform.quote(accountId)];
    const mutation = platform.operation();
    const both = await Promise.all([first, second].map((id) => codeOf(execute(id, { mutation }))));
    expect(both.toSorted()).toEqual(["INVALID_REQUEST", "OK"]);
    expect(await balance(accountId)).toEqual({ available: "5.00", held: "10.00" });
    const third = platform.quote(accountId);
    expect(await codeOf(execute(third, { mutation }))).toBe("INVALID_REQUEST");
    const refused = platform.operation();
    expect(await codeOf(execute(third, { mutation: refused }))).toBe("INSUFFICIENT_BALANCE");
    const fourth = platform.quote(accountId, { amount: "1.00" });
    expect(await codeOf(execute(fourth, { mutation: refused }))).toBe("OK");
    const credit = { mutation: platform.operation(), merchantId: "mer_1", accountId };
    await platform.rpc.creditAccount({ ...credit, amount: "6.00" });
    expect(await codeOf(execute(third, { mutation: refused }))).toBe("INVALID_REQUEST");
    expect(await codeOf(execute(third))).toBe("OK");
  });

  it("frees an operation whose quote expired before its claim", async () => {
    const accountId = await platform.fundedAccount("mer_1", "20.00");
    const [late, next] = [platform.quote(accountId), platform.quote(accountId)];
    const mutation = platform.operation();
    platform.faults.claim = () => {
      platform.quotes.get(late)!.expiresAt = new Date(0);
    };
    expect(await codeOf(execute(late, { mutation }))).toBe("QUOTE_EXPIRED");
    platform.faults.claim = () => undefined;
    expect(await codeOf(execute(next, { mutation }))).toBe("OK");
    expect(await balance(accountId)).toEqual({ available: "10.00", held: "10.00" });
  });

  it("holds no money again for a quote whose claim was refused", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const quote = platform.quotes.get(quoteId)!;
    const open = { ...quote };
    platform.faults.claim = () => {
      quote.expiresAt = new Date(0);
    };
    expect(await codeOf(execute(quoteId))).toBe("QUOTE_EXPIRED");
    platform.faults.claim = () => undefined;
    // The sweep takes the entries out of the account, which this process then reads again.
    await sweepLater();
    expect(await codeOf(execute(platform.quote(accountId)))).toBe("OK");
    // Another process has read the quote before it expired.
    Object.assign(quote, open);
    platform.faults.claim = () => {
      quote.expiresAt = new Date(0);
    };
    expect(await codeOf(execute(quoteId))).toBe("QUOTE_EXPIRED");
    platform.faults.claim = () => undefined;
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
    const account = await platform.ledger.accounts.findOne({ _id: accountId });
    expect(account?.sequence).toBe(4);
  });

  it("creates one payout per quote under concurrent requests", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteIds = Array.from({ length: 5 }, () => platform.quote(accountId));
    const asked = quoteIds.flatMap((id) => Array.from({ length: 16 }, () => codeOf(execute(id))));
    const codes = await Promise.all(asked);
    expect(codes.filter((code) => code === "OK")).toHaveLength(5);
    expect(codes.filter((code) => code === "ALREADY_PROCESSED")).toHaveLength(75);
    expect(await balance(accountId)).toEqual({ available: "50.00", held: "50.00" });
  });

  it("never overspends: the balance covers exactly 10 of 40", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quotes = Array.from({ length: 40 }, () => platform.quote(accountId));
    const codes = await Promise.all(quotes.map((id) => codeOf(execute(id))));
    expect(codes.filter((code) => code === "OK")).toHaveLength(10);
    expect(codes.filter((code) => code === "INSUFFICIENT_BALANCE")).toHaveLength(30);
    expect(await balance(accountId)).toEqual({ available: "0.00", held: "100.00" });
  });
});

describe("a crash", () => {
  it("between hold and claim is completed by the sweep with the first details", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    platform.faults.claim = () => {
      throw unavailable();
    };
    expect(await codeOf(execute(quoteId))).toBe("Unavailable");
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
    await sweepLater();
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
    platform.faults.claim = () => undefined;
    await sweepLater();
    const payoutId = derivedId("payout", quoteId);
    const { payout } = await platform.rpc.getPayout({ merchantId: "mer_1", payoutId });
    expect(payout?.referenceId).toBe("order-1");
    expect(await codeOf(execute(quoteId))).toBe("ALREADY_PROCESSED");
  });

  it("between hold and claim, or after it, keeps the beneficiary's details", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const texts = { remittanceInformation: "Invoice 7, Ada Lovelace", purposeCode: "SUPP" };
    const sent = { ...texts, metadata: { order: "7", desk: "" } };
    for (const fault of ["claim", "afterClaim"] as const) {
      const quoteId = platform.quote(accountId);
      platform.faults[fault] = () => {
        throw unavailable();
      };
      expect(await codeOf(execute(quoteId, sent))).toBe("Unavailable");
      platform.faults[fault] = () => undefined;
      await sweepLater();
      const stored = await findPayout(platform.payouts, derivedId("payout", quoteId));
      expect(stored?.order.details).toEqual({ referenceId: "order-1", ...sent });
    }
  });

  it("between hold and claim gives the money back when the quote expired meanwhile", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    platform.faults.claim = () => {
      throw unavailable();
    };
    expect(await codeOf(execute(quoteId))).toBe("Unavailable");
    platform.faults.claim = () => undefined;
    const quote = platform.quotes.get(quoteId);
    if (quote) quote.expiresAt = new Date(0);
    await sweepLater();
    await sweepLater();
    expect(await balance(accountId)).toEqual({ available: "100.00", held: "0.00" });
    expect(await codeOf(execute(quoteId))).toBe("QUOTE_EXPIRED");
    const { entries } = await platform.rpc.listEntries({ merchantId: "mer_1", accountId });
    expect(entries.map(({ sequence }) => sequence)).toEqual([3n, 2n, 1n]);
  });

  it("between claim and create is completed by the next request", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    platform.faults.afterClaim = () => {
      throw unavailable();
    };
    expect(await codeOf(execute(quoteId, { mutation }))).toBe("Unavailable");
    platform.faults.afterClaim = () => undefined;
    expect(await codeOf(execute(quoteId))).toBe("ALREADY_PROCESSED");
    const { payoutId } = await execute(quoteId, { mutation });
    expect(payoutId).toBe(derivedId("payout", quoteId));
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
  });

  it("of all but the claim, by a restored backup, holds the money again and pays once", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const [mutation, other] = [platform.operation(), platform.operation()];
    const payoutId = derivedId("payout", quoteId);
    const { accounts, entries } = platform.ledger;
    const account = await accounts.findOne({ _id: accountId });
    await execute(quoteId, { mutation });
    await platform.payouts.deleteOne({ _id: payoutId });
    await entries.deleteMany({ payout_id: payoutId });
    await accounts.replaceOne({ _id: accountId }, account!);
    expect(await balance(accountId)).toEqual({ available: "100.00", held: "0.00" });
    expect(await codeOf(execute(quoteId, { mutation: other }))).toBe("ALREADY_PROCESSED");
    expect((await execute(quoteId, { mutation })).payoutId).toBe(payoutId);
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
  });

  it("of the claim alone, by a restored backup, claims with the payout's own order", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    await execute(quoteId, { mutation, metadata: { order: "7" } });
    const quote = platform.quotes.get(quoteId)!;
    const { claim: { order } = {} } = quote;
    const lost = () => {
      quote.state = QuoteState.OPEN;
      delete quote.claim;
    };
    lost();
    expect(await codeOf(execute(quoteId))).toBe("ALREADY_PROCESSED");
    expect(quote.claim?.order).toEqual(order);
    lost();
    await execute(quoteId, { mutation, metadata: { order: "7" } });
    expect(quote.claim?.order).toEqual(order);
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
  });

  it("of the claim alone, whose quote expires before a new claim, releases nothing", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    const mutation = platform.operation();
    const first = await execute(quoteId, { mutation });
    const quote = platform.quotes.get(quoteId)!;
    quote.state = QuoteState.OPEN;
    delete quote.claim;
    platform.faults.claim = () => {
      quote.expiresAt = new Date(0);
    };
    expect((await execute(quoteId, { mutation })).payoutId).toBe(first.payoutId);
    platform.faults.claim = () => undefined;
    expect(await balance(accountId)).toEqual({ available: "90.00", held: "10.00" });
  });

  it("of one payout that cannot be finished does not keep the sweep from the others", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const [broken = "", fine = ""] = [platform.quote(accountId), platform.quote(accountId)];
    platform.faults.claim = () => {
      throw unavailable();
    };
    for (const quoteId of [broken, fine])
      expect(await codeOf(execute(quoteId))).toBe("Unavailable");
    platform.faults.claim = () => undefined;
    platform.quotes.delete(broken);
    await sweepLater();
    const payoutId = derivedId("payout", fine);
    expect((await platform.rpc.getPayout({ merchantId: "mer_1", payoutId })).payout?.id).toBe(
      payoutId,
    );
    expect(await balance(accountId)).toEqual({ available: "80.00", held: "20.00" });
  });

  it("leaves a claim refused at the last moment without a hold", async () => {
    const accountId = await platform.fundedAccount("mer_1", "100.00");
    const quoteId = platform.quote(accountId);
    platform.faults.claim = () => {
      const quote = platform.quotes.get(quoteId);
      if (quote) quote.expiresAt = new Date(0);
    };
    expect(await codeOf(execute(quoteId))).toBe("QUOTE_EXPIRED");
    platform.faults.claim = () => undefined;
    expect(await balance(accountId)).toEqual({ available: "100.00", held: "0.00" });
  });
});
