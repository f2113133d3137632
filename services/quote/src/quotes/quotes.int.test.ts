import { create, toJson } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { cacheMetrics } from "@disburse/chassis/cache.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { publicRefusals, readRefusal, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import {
  BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  ClaimQuoteResponseSchema,
  CorridorSchema,
  CreateQuoteRequestSchema,
  GetClaimableQuoteResponseSchema,
  QuoteSchema,
  QuoteService,
  QuoteState,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { Binary, Decimal128 } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { openQuoteService } from "../wiring.ts";
import { createQuoteCount } from "./count.ts";

const metrics = createMetrics("quote");
let database: Database;
let clockNow = new Date();
let operations = 0;
const operation = () => ({ operationId: `op-${++operations}` });
let screening = ScreeningStatus.CLEARED as ScreeningStatus;
let isAway = false;
let isClosed = false;
const accountReads: string[] = [];

const notFound = () => refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
const neighbours = createRouterTransport(({ service }) => {
  service(PayoutService, {
    describeDestinations: () => ({ destinations: [] }),
    resolveAccount: ({ accountId }) => {
      accountReads.push(accountId);
      if (accountId === "acc_closing") {
        return { accountId, merchantId: "mer_1", currencyCode: "USD", closed: isClosed };
      }
      if (accountId === "acc_usd") return { accountId, merchantId: "mer_1", currencyCode: "USD" };
      if (accountId === "acc_other") return { accountId, merchantId: "mer_2", currencyCode: "USD" };
      throw notFound();
    },
  });
  service(BeneficiaryService, {
    getBeneficiary: ({ beneficiaryId, merchantId }) => {
      if (isAway) throw new ConnectError("away", Code.Unavailable);
      if (!beneficiaryId.startsWith("ben_inr") || merchantId !== "mer_1") throw notFound();
      return {
        beneficiary: {
          id: beneficiaryId,
          name: "Asha Rao",
          destinationCurrency: "INR",
          transferMethod: "LOCAL",
          network: "IMPS",
          accountNumberMasked: "****1234",
          screeningStatus: screening,
          ...latinNames[beneficiaryId],
        },
        destinationKeys: ["account_1"],
      };
    },
  });
});

/** Fields that override the default beneficiary's, by id. */
const latinNames: Readonly<Record<string, object>> = {
  ben_inr_latin: { name: "आशा", nameLatin: "Asha" },
  ben_inr_unpayable: {
    unpayableReason: "beneficiary_city: must be at most 35 characters over LOCAL",
  },
};

let quotes: ReturnType<typeof createClient<typeof QuoteService>>;
let sandbox: ReturnType<typeof createClient<typeof QuoteSandboxService>>;
let corridorId = "";

beforeAll(async () => {
  database = await migratedDatabase("quote", migrations);
  const { rpc, sandboxRpc } = openQuoteService({
    database,
    payout: createClient(PayoutService, neighbours),
    beneficiary: createClient(BeneficiaryService, neighbours),
    clock: { now: () => clockNow },
    quoteTtlSeconds: 300,
    countQuote: createQuoteCount(metrics),
    countRead: cacheMetrics(metrics),
  });
  const transport = createRouterTransport(({ service }) => {
    service(QuoteService, rpc);
    service(QuoteSandboxService, sandboxRpc);
  }, namedCallers);
  quotes = createClient(QuoteService, transport);
  sandbox = createClient(QuoteSandboxService, transport);
  const set = await quotes.setCorridor({
    mutation: operation(),
    corridor: {
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: "INR",
      active: true,
      feeShare: "0.005",
      feeFlat: "0.30",
      limits: { sourceMin: "1.00", sourceMax: "100000.00" },
      ...{ quoteTtlSeconds: 0, rateMaxAgeSeconds: 0, returnCharges: ReturnCharges.PLATFORM },
    },
  });
  corridorId = set.corridor?.id ?? "";
  await quotes.setMerchantCorridor({
    mutation: operation(),
    merchantId: "mer_1",
    corridorId,
    open: true,
  });
  const rate = { rate: "83.1234567891", source: "test" };
  await quotes.setRate({ mutation: operation(), corridorId, rate });
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

function ask(change: object = {}) {
  return quotes.createQuote(
    create(CreateQuoteRequestSchema, {
      mutation: operation(),
      merchantId: "mer_1",
      accountId: "acc_usd",
      beneficiaryId: "ben_inr",
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: "INR",
      receivingAmount: "1000.00",
      ...change,
    }),
  );
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

it("names the corridor's limits if the amounts exceed them", async () => {
  const limits = { sourceMin: "1.00", sourceMax: "100000.00", receivingMin: "", receivingMax: "" };
  const { exceededLimits } = await ask({ receivingAmount: "", sourceAmount: "100000.01" });
  expect(exceededLimits).toMatchObject(limits);
  const within = await ask({ receivingAmount: "", sourceAmount: "100000.00" });
  expect(within.exceededLimits).toBeUndefined();
});

it("keeps a name in Latin letters if the beneficiary has one", async () => {
  const { quote } = await ask({ beneficiaryId: "ben_inr_latin" });
  const found = await quotes.getQuote({ merchantId: "mer_1", quoteId: quote?.id ?? "" });
  for (const each of [quote, found.quote]) {
    expect(each?.beneficiary).toMatchObject({ name: "आशा", nameLatin: "Asha" });
  }
  expect((await ask()).quote?.beneficiary?.nameLatin).toBe("");
});

it("refuses a beneficiary whose fields its payment method can't carry", async () => {
  const error = await ask({ beneficiaryId: "ben_inr_unpayable" }).catch((thrown) => thrown);
  expect(readRefusal(error)).toMatchObject({
    code: "INVALID_REQUEST",
    message:
      "beneficiary_id: cannot be paid by its payment method: see the beneficiary's `unpayable_reason`",
  });
});

it("counts requests for quotes by their outcome", async () => {
  const counted = async (outcome: string) => {
    const series = new RegExp(`^disburse_quotes_total{.*outcome="${outcome}".*} (.*)$`, "m");
    return Number(series.exec(await metrics.text())?.[1] ?? 0);
  };
  const before = await counted("QUOTED");
  await ask();
  expect(await counted("QUOTED")).toBe(before + 1);
  expect(await counted("RECORD_NOT_FOUND")).toBe(0);
  expect(await codeOf(ask({ beneficiaryId: "ben_none" }))).toBe("RECORD_NOT_FOUND");
  expect(await counted("RECORD_NOT_FOUND")).toBe(1);
  isAway = true;
  expect(await codeOf(ask())).toBe("Unavailable");
  isAway = false;
  expect(await counted("UNAVAILABLE")).toBe(1);
});

it("counts cached reads, by cache", async () => {
  const counted = async (result: string) => {
    const reads = new RegExp(`cache="(\\w+)",result="${result}".*} (.*)$`, "gm");
    return new Map(
      [...(await metrics.text()).matchAll(reads)].map(([, cache, n]) => [cache, Number(n)]),
    );
  };
  await ask();
  const before = await counted("hit");
  await ask();
  const after = await counted("hit");
  const caches = ["account_owners", "corridors", "merchant_corridors", "rates"];
  expect([...after.keys()].toSorted()).toEqual(caches);
  for (const each of caches) expect(after.get(each)).toBe((before.get(each) ?? 0) + 1);
});

const timeText = (at: Date) => toJson(TimestampSchema, timestampFromDate(at));

describe("a quote", () => {
  it("is priced, stored and read by its merchant alone", async () => {
    const { quote } = await ask();
    expect(quote).toMatchObject({
      sourceAmount: "12.41",
      totalFees: "0.37",
      convertedAmount: "12.04",
      receivingAmount: "1000.00",
      exchangeRate: "83.1234567891",
    });
    const quoteId = quote?.id ?? "";
    expect((await quotes.getQuote({ merchantId: "mer_1", quoteId })).quote).toEqual(quote);
    expect(await codeOf(quotes.getQuote({ merchantId: "mer_2", quoteId }))).toBe(
      "RECORD_NOT_FOUND",
    );
  });

  it("stores and returns every field, before its claim and after", async () => {
    const mutation = operation();
    const { quote } = await ask({ mutation });
    const id = quote?.id ?? "";
    const stored = () =>
      database.db.collection<{ _id: string; updated_at: Date }>("quotes").findOne({ _id: id });
    const rate = await database.db.collection("rates").findOne({ corridor_id: corridorId });
    const document = {
      _id: id,
      schema_version: 1,
      merchant_id: "mer_1",
      account_id: "acc_usd",
      corridor_id: corridorId,
      source: "USD",
      destination: "INR",
      amounts: {
        source: Decimal128.fromString("1241"),
        fees: Decimal128.fromString("37"),
        converted: Decimal128.fromString("1204"),
        receiving: Decimal128.fromString("100000"),
      },
      rate: "83.1234567891",
      rate_as_of: rate?.as_of,
      rate_source: "test",
      beneficiary: {
        ...{ id: "ben_inr", name: "Asha Rao", account_number_masked: "****1234" },
        ...{ transfer_method: "LOCAL", network: "IMPS" },
        destination_keys: ["account_1"],
      },
      metadata: [],
      fixed: "receiving",
      reissue_of: "",
      return_charges: "platform",
      state: "open",
      created_at: clockNow,
      updated_at: clockNow,
      expires_at: new Date(clockNow.getTime() + 300_000),
      operation_id: mutation.operationId,
      operation_content: expect.stringMatching(/^[\w-]{43}$/),
      actor: { kind: "service", id: "test" },
      content_hash: expect.stringMatching(/^[\w-]{43}$/),
    };
    expect(await stored()).toEqual(document);
    const message = {
      id,
      merchantId: "mer_1",
      accountId: "acc_usd",
      corridorId,
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: "INR",
      sourceAmount: "12.41",
      convertedAmount: "12.04",
      totalFees: "0.37",
      receivingAmount: "1000.00",
      exchangeRate: "83.1234567891",
      rateAsOf: timeText(rate?.as_of),
      rateSource: "test",
      beneficiary: {
        ...{ id: "ben_inr", name: "Asha Rao", accountNumberMasked: "****1234" },
        ...{ transferMethod: "LOCAL", network: "IMPS" },
        destinationKeys: ["account_1"],
      },
      state: "QUOTE_STATE_OPEN",
      returnCharges: "RETURN_CHARGES_PLATFORM",
      createdAt: timeText(clockNow),
      updatedAt: timeText(clockNow),
      expiredAt: timeText(document.expires_at),
      receivingFixed: true,
    };
    expect(quote && toJson(QuoteSchema, quote)).toEqual(message);
    const claimable = async () => {
      const found = await quotes.getClaimableQuote({ quoteId: id });
      return toJson(GetClaimableQuoteResponseSchema, found);
    };
    const limits = { sourceMin: "1.00", sourceMax: "100000.00" };
    const open = { corridorOpen: true, limits, now: expect.any(String) };
    expect(await claimable()).toEqual({ quote: message, ...open });
    const claiming = operation();
    const order = new TextEncoder().encode("$expires_at");
    const payout = { payoutId: "po_1", order };
    const claimed = await quotes.claimQuote({ mutation: claiming, quoteId: id, ...payout });
    const after = await stored();
    const at = after?.updated_at ?? new Date(0);
    expect(after).toEqual({
      ...{ ...document, state: "claimed", updated_at: at },
      claim: {
        ...{ payout_id: "po_1", order: new Binary(order), operation_id: claiming.operationId },
        claimed_at: at,
      },
    });
    const claim = {
      ...{ payoutId: "po_1", order: Buffer.from(order).toString("base64") },
      ...{ operationId: claiming.operationId, claimedAt: timeText(at) },
    };
    const later = { ...message, state: "QUOTE_STATE_CLAIMED", updatedAt: timeText(at) };
    expect(toJson(ClaimQuoteResponseSchema, claimed)).toEqual({ quote: later, claim });
    expect(await claimable()).toEqual({ quote: later, claim, ...open });
  });

  it("keeps metadata as it was sent", async () => {
    const { quote } = await ask({ metadata: { b: "2", a: "$source" } });
    const id = quote?.id ?? "";
    expect(quote?.metadata).toEqual({ a: "$source", b: "2" });
    const stored = await database.db.collection<{ _id: string }>("quotes").findOne({ _id: id });
    expect(stored).toMatchObject({
      metadata: [
        { k: "a", v: "$source" },
        { k: "b", v: "2" },
      ],
    });
  });

  it("uses the source amount and ignores the receiving amount", async () => {
    const { quote } = await ask({ sourceAmount: "100.10", receivingAmount: "-junk" });
    expect(quote).toMatchObject({ sourceAmount: "100.10", totalFees: "0.81" });
  });

  it.each<[string, object, string]>([
    ["no amount", { receivingAmount: "" }, "INVALID_REQUEST"],
    ["three decimals", { receivingAmount: "1.001" }, "INVALID_REQUEST"],
    ["less than its fees", { sourceAmount: "0.30" }, "INVALID_REQUEST"],
    ["no account", { accountId: "" }, "INVALID_REQUEST"],
    ["an unknown account", { accountId: "acc_x", beneficiaryId: "ben_x" }, "RECORD_NOT_FOUND"],
    ["a foreign account", { accountId: "acc_other", beneficiaryId: "ben_x" }, "ACCESS_FORBIDDEN"],
    ["an unknown beneficiary", { beneficiaryId: "ben_x" }, "RECORD_NOT_FOUND"],
    ["another source currency", { sourceCurrencyCode: "INR" }, "INVALID_REQUEST"],
    ["operators in strings", { accountId: '{"$gt":""}' }, "RECORD_NOT_FOUND"],
  ])("is refused for %s", async (_what, change, code) => {
    expect(await codeOf(ask(change))).toBe(code);
  });

  it("refuses a beneficiary that is not cleared yet, and reports an unavailable service", async () => {
    screening = ScreeningStatus.PENDING;
    expect(await codeOf(ask())).toBe("BENEFICIARY_NOT_READY");
    screening = ScreeningStatus.REVIEW;
    expect(await codeOf(ask())).toBe("ACCESS_FORBIDDEN");
    screening = ScreeningStatus.CLEARED;
    isAway = true;
    expect(await codeOf(ask())).toBe("Unavailable");
    isAway = false;
  });

  it("is returned to a repeat of its operation, even if it would now be refused", async () => {
    const mutation = operation();
    const { quote } = await ask({ mutation });
    screening = ScreeningStatus.BLOCKED;
    expect((await ask({ mutation })).quote).toEqual(quote);
    expect(await codeOf(ask())).toBe("ACCESS_FORBIDDEN");
    screening = ScreeningStatus.CLEARED;
  });

  it("reads an account's owner once, and an unknown account each time", async () => {
    await ask();
    accountReads.length = 0;
    await ask();
    expect(await codeOf(ask({ accountId: "acc_new" }))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(ask({ accountId: "acc_new" }))).toBe("RECORD_NOT_FOUND");
    expect(accountReads).toEqual(["acc_new", "acc_new"]);
  });

  it("quotes from a reopened account at once", async () => {
    isClosed = true;
    const closed = ask({ accountId: "acc_closing" });
    expect(await codeOf(closed)).toBe("SOURCE_ACCOUNT_CLOSED");
    isClosed = false;
    await expect(ask({ accountId: "acc_closing" })).resolves.toMatchObject({ quote: {} });
  });

  it("of one operation is created once by concurrent repeats", async () => {
    // An earlier quote of the same merchant, created by another operation.
    await ask();
    const mutation = operation();
    const responses = await Promise.all(Array.from({ length: 16 }, () => ask({ mutation })));
    expect(new Set(responses.map(({ quote }) => quote?.id)).size).toBe(1);
    expect((await ask({ mutation })).quote).toEqual(responses[0]?.quote);
    expect(await codeOf(ask({ mutation, receivingAmount: "5.00" }))).toBe("INVALID_REQUEST");
    expect(await codeOf(ask({ mutation, accountId: "acc_new" }))).toBe("INVALID_REQUEST");
  });
});

describe("a claim", () => {
  const claim = (quoteId: string, payoutId: string, order = Uint8Array.of(1)) =>
    quotes.claimQuote({ mutation: operation(), quoteId, payoutId, order });

  it("is won once by one of many payouts, and repeated by the winner alone", async () => {
    const quoteId = (await ask()).quote?.id ?? "";
    const tries = Array.from({ length: 32 }, (_each, at) => codeOf(claim(quoteId, `po_${at}`)));
    const codes = await Promise.all(tries);
    expect(codes.filter((code) => code === "OK")).toHaveLength(1);
    expect(codes.filter((code) => code === "ALREADY_PROCESSED")).toHaveLength(31);
    const winner = `po_${codes.indexOf("OK")}`;
    const repeated = await claim(quoteId, winner, Uint8Array.of(2));
    expect(repeated.claim).toMatchObject({ payoutId: winner, order: Uint8Array.of(1) });
  });

  it("past the expiry by the database's clock is refused, also when repeated", async () => {
    const hourAgo = new Date(Date.now() - 3_600_000);
    clockNow = hourAgo;
    const quoteId = (await ask()).quote?.id ?? "";
    clockNow = new Date();
    expect(await codeOf(claim(quoteId, "po_1"))).toBe("QUOTE_EXPIRED");
    const state = (await quotes.getClaimableQuote({ quoteId })).quote?.state;
    expect(state).toBe(QuoteState.EXPIRED);
    expect(await codeOf(claim(quoteId, "po_1"))).toBe("QUOTE_EXPIRED");
    expect(await codeOf(claim("qt_none", "po_1"))).toBe("RECORD_NOT_FOUND");
  });

  it("is refused for an expired quote, and a claimed quote can't expire", async () => {
    const [ended, claimed] = [(await ask()).quote?.id ?? "", (await ask()).quote?.id ?? ""];
    const end = (quoteId: string) => quotes.expireQuote({ mutation: operation(), quoteId });
    expect([await codeOf(end(ended)), await codeOf(end(ended))]).toEqual(["OK", "OK"]);
    expect(await codeOf(claim(ended, "po_1"))).toBe("QUOTE_EXPIRED");
    await claim(claimed, "po_2");
    expect(await codeOf(end(claimed))).toBe("ALREADY_PROCESSED");
    expect((await quotes.getClaimableQuote({ quoteId: claimed })).claim?.payoutId).toBe("po_2");
    expect(await codeOf(end("qt_none"))).toBe("RECORD_NOT_FOUND");
  });

  it("of many at once wins or loses against the expiry of its quote, never both", async () => {
    const quoteId = (await ask()).quote?.id ?? "";
    const end = quotes.expireQuote({ mutation: operation(), quoteId });
    const codes = await Promise.all([codeOf(claim(quoteId, "po_1")), codeOf(end)]);
    expect([
      ["OK", "ALREADY_PROCESSED"],
      ["QUOTE_EXPIRED", "OK"],
    ]).toContainEqual(codes);
  });

  it("sees the corridor as it is now", async () => {
    const quoteId = (await ask()).quote?.id ?? "";
    const before = await quotes.getClaimableQuote({ quoteId });
    expect(before).toMatchObject({ corridorOpen: true, limits: { sourceMin: "1.00" } });
    const merchant = { merchantId: "mer_1", corridorId };
    await quotes.setMerchantCorridor({ mutation: operation(), ...merchant, open: false });
    expect((await quotes.getClaimableQuote({ quoteId })).corridorOpen).toBe(false);
    expect(await codeOf(ask())).toBe("RECORD_NOT_FOUND");
    await quotes.setMerchantCorridor({ mutation: operation(), ...merchant, open: true });
  });
});

/** Returns a listed corridor's terms, to set them again. */
function termsOf(corridor = create(CorridorSchema)) {
  const { $typeName: _name, id: _id, rate: _rate, rails: _rails, ...terms } = corridor;
  return terms;
}

describe("a corridor", () => {
  it("is not changed by a repeated operation with different content", async () => {
    const { corridors } = await quotes.listCorridors({ merchantId: "" });
    const corridor = termsOf(corridors[0]);
    const set = { mutation: operation(), corridor };
    await quotes.setCorridor(set);
    const closed = { ...set, corridor: { ...corridor, active: false } };
    expect(await codeOf(quotes.setCorridor(closed))).toBe("INVALID_REQUEST");
    const open = { mutation: operation(), merchantId: "mer_9", corridorId, open: true };
    await quotes.setMerchantCorridor(open);
    const shut = quotes.setMerchantCorridor({ ...open, open: false });
    expect(await codeOf(shut)).toBe("INVALID_REQUEST");
    const listed = await quotes.listCorridors({ merchantId: "mer_9" });
    expect(listed.corridors).toMatchObject([{ id: corridorId, active: true }]);
  });

  it("is one per pair, changes, and takes a repeated operation once", async () => {
    const mutation = operation();
    const corridor = {
      sourceCurrencyCode: "INR",
      destinationCurrencyCode: "BTC",
      active: false,
      feeShare: "0",
      feeFlat: "0",
      limits: {},
      ...{ quoteTtlSeconds: 0, rateMaxAgeSeconds: 0, returnCharges: ReturnCharges.PLATFORM },
    };
    const first = await quotes.setCorridor({ mutation, corridor });
    const changed = { ...corridor, active: true };
    await quotes.setCorridor({ mutation: operation(), corridor: changed });
    const repeated = await quotes.setCorridor({ mutation, corridor });
    expect(repeated.corridor).toMatchObject({ id: first.corridor?.id, active: true });
    const all = await quotes.listCorridors({ merchantId: "" });
    expect(all.corridors).toHaveLength(2);
    expect((await quotes.listCorridors({ merchantId: "mer_1" })).corridors).toHaveLength(1);
  });

  it("keeps its corridor's return charges as of its creation", async () => {
    const { corridors } = await quotes.listCorridors({ merchantId: "mer_1" });
    const corridor = termsOf(corridors[0]);
    const set = (returnCharges: ReturnCharges) =>
      quotes.setCorridor({ mutation: operation(), corridor: { ...corridor, returnCharges } });
    await set(ReturnCharges.MERCHANT);
    const quoteId = (await ask()).quote?.id ?? "";
    await set(ReturnCharges.PLATFORM);
    const { quote } = await quotes.getClaimableQuote({ quoteId });
    expect(quote?.returnCharges).toBe(ReturnCharges.MERCHANT);
    expect((await ask()).quote?.returnCharges).toBe(ReturnCharges.PLATFORM);
  });

  it("quotes the rate with the latest time, and none that is too old", async () => {
    const asOf = timestampFromDate(new Date(Date.now() - 60_000));
    const old = { rate: "1", source: "late news", asOf };
    await quotes.setRate({ mutation: operation(), corridorId, rate: old });
    expect((await ask()).quote?.exchangeRate).toBe("83.1234567891");
    const again = { operationId: "op-rate" };
    const rate = { rate: "84", source: "test" };
    await quotes.setRate({ mutation: again, corridorId, rate });
    const repeat = await quotes.setRate({ mutation: again, corridorId, rate });
    expect(repeat.rate?.rate).toBe("84");
    const other = { rate: "85", source: "test" };
    const call = quotes.setRate({ mutation: again, corridorId, rate: other });
    expect(await codeOf(call)).toBe("INVALID_REQUEST");
    const { corridors } = await quotes.listCorridors({ merchantId: "mer_1" });
    const corridor = termsOf(corridors[0]);
    const aged = { ...corridor, rateMaxAgeSeconds: 60 };
    await quotes.setCorridor({ mutation: operation(), corridor: aged });
    clockNow = new Date(Date.now() + 120_000);
    expect(await codeOf(ask())).toBe("Unavailable");
    clockNow = new Date();
    expect((await ask()).quote?.exchangeRate).toBe("84");
  });

  it.each([
    { rate: "0", source: "t" },
    { rate: "1", source: "" },
    { rate: "1.00000000001", source: "t" },
  ])("takes no rate like %j", async (rate) => {
    const set = quotes.setRate({ mutation: operation(), corridorId, rate });
    expect(await codeOf(set)).toBe("INVALID_REQUEST");
  });
});

describe("a quote that its sandbox merchant expires", () => {
  const expire = (quoteId = "", merchantId = "mer_1") =>
    sandbox.expireQuoteNow({ mutation: operation(), merchantId, quoteId });
  const claim = (quoteId = "") =>
    quotes.claimQuote({ mutation: operation(), quoteId, payoutId: `po_${quoteId}` });

  it("ends now, and cannot be claimed any more", async () => {
    const { quote } = await ask();
    const { quote: ended } = await expire(quote?.id);
    const endMs = (at = timestampFromDate(new Date(0))) => Number(at.seconds) * 1_000;
    expect(endMs(ended?.expiredAt)).toBeLessThanOrEqual(Date.now());
    expect(endMs(ended?.expiredAt)).toBeLessThan(endMs(quote?.expiredAt));
    expect(await codeOf(claim(quote?.id))).toBe("QUOTE_EXPIRED");
    const again = await expire(quote?.id);
    expect(again.quote).toMatchObject({ expiredAt: ended?.expiredAt });
  });

  it("must be the merchant's own and unclaimed", async () => {
    const { quote } = await ask();
    expect(await codeOf(expire(quote?.id, "mer_2"))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(claim(quote?.id))).toBe("OK");
    expect(await codeOf(expire(quote?.id))).toBe("ALREADY_PROCESSED");
  });
});
