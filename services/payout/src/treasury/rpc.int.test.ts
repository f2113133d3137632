import { create } from "@bufbuild/protobuf";
import { openDailySums } from "@disburse/chassis/approvals/daily-sums.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { type CallContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  FundRailAccountRequestSchema,
  RailStep,
} from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { guardedTreasury } from "./rpc.ts";
import { dayOf } from "./rules/day.ts";

let platform: TestPlatform;
let rails = 0;
let rail = "";
let statement: string | undefined;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(() => {
  platform.world.offsetMs = 0;
  rail = `bank-${++rails}`;
  statement = undefined;
  platform.rails.current = testRail({
    ...{ name: rail, isFunded: true },
    capabilities: { currencies: ["USD", "INR"], transferMethods: [], networks: [], limits: {} },
    statement: async () =>
      statement === undefined ? undefined : { opening: "0", closing: statement },
  });
});

const by = (person: string) => ({
  operationId: platform.operation().operationId,
  actor: { kind: Actor_Kind.OPERATOR, id: person },
});
const wire = (amount: string, own = {}) => ({
  ...{ mutation: by("ada"), rail, currencyCode: "USD", amount, note: "wire 1", ...own },
});
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => {
      const refusal = readRefusal(error);
      return refusal ? `${refusal.code}: ${refusal.message}` : String(error);
    },
  );

describe("a rail account", () => {
  it("is funded and swept once per operation, never below zero", async () => {
    const { operatorRpc } = platform;
    const once = wire("100.00");
    const { entry } = await operatorRpc.fundRailAccount(once);
    expect(entry).toMatchObject({ step: RailStep.FUND, available: "100.00", note: "wire 1" });
    expect((await operatorRpc.fundRailAccount(once)).entry).toEqual(entry);
    expect(await outcome(operatorRpc.fundRailAccount({ ...once, amount: "1.00" }))).toContain(
      "operation_id: was used with other content",
    );
    const tooMuch = wire("100.01");
    expect(await outcome(operatorRpc.sweepRailAccount(tooMuch))).toContain("INSUFFICIENT_BALANCE");
    await operatorRpc.fundRailAccount(wire("0.01"));
    expect(await outcome(operatorRpc.sweepRailAccount(tooMuch))).toContain("INSUFFICIENT_BALANCE");
    await operatorRpc.sweepRailAccount(wire("0.01"));
    await operatorRpc.sweepRailAccount(wire("60.00"));
    const charged = await operatorRpc.sweepRailAccount(wire("50.00", { charge: true }));
    expect(charged.entry).toMatchObject({ step: RailStep.RAIL_CHARGE, available: "-10.00" });
    const { accounts } = await operatorRpc.listRailAccounts({});
    const own = accounts.filter((each) => each.rail === rail);
    expect(own.map((each) => [each.currencyCode, each.available, each.held])).toEqual([
      ["INR", "0.00", "0.00"],
      ["USD", "-10.00", "0.00"],
    ]);
  });

  it.each<[string, object, string]>([
    ["a rail that there is not", { rail: "nowhere" }, "RECORD_NOT_FOUND"],
    ["no currency", { currencyCode: "XXX" }, "currency_code: must be a known currency"],
    ["a currency that it does not pay", { currencyCode: "BTC" }, "does not support BTC"],
    ["no amount", { amount: "0" }, "amount: must be greater than zero"],
    ["too many decimals", { amount: "1.001" }, "amount: must have at most 2 decimals"],
    ["no note", { note: " " }, "note: is required"],
    ["a service", { mutation: { operationId: "s", actor: { id: "x", kind: 3 } } }, "FORBIDDEN"],
  ])("is not funded with %s", async (_what, own, refusal) => {
    const request = wire("1.00", own);
    expect(await outcome(platform.operatorRpc.fundRailAccount(request))).toContain(refusal);
    expect(await outcome(platform.operatorRpc.sweepRailAccount(request))).toContain(refusal);
  });

  it("is none of a rail that has no money of ours", async () => {
    platform.rails.current = platform.sandboxRail;
    const request = wire("1.00", { rail: "sandbox" });
    expect(await outcome(platform.operatorRpc.fundRailAccount(request))).toContain("NOT_FOUND");
    const listed = platform.operatorRpc.listRailAccounts({ rail: "sandbox" });
    expect(await outcome(listed)).toContain("NOT_FOUND");
  });

  it("is out of reach of the RPCs of merchants' accounts", async () => {
    await platform.operatorRpc.fundRailAccount(wire("100.00"));
    const [merchantId, accountId] = ["platform", `rail:${rail}:USD`];
    const { rpc } = platform;
    const mutation = platform.operation();
    const entryId = `${accountId}:fund:x`;
    const calls = [
      rpc.getAccount({ merchantId, accountId }),
      rpc.listAccounts({ merchantId }),
      rpc.listEntries({ merchantId, accountId }),
      rpc.resolveAccount({ accountId }),
      rpc.openAccount({ mutation, merchantId, currencyCode: "USD" }),
      rpc.creditAccount({ mutation: by("ada"), merchantId, accountId, amount: "1.00" }),
      rpc.reverseCredit({ mutation: by("ada"), merchantId, accountId, entryId, note: "x" }),
    ].map(outcome);
    for (const said of await Promise.all(calls)) expect(said).toContain("RECORD_NOT_FOUND");
  });

  it("is in the ledger as any account is: recorded, chained, and its head is due", async () => {
    await platform.operatorRpc.fundRailAccount(wire("100.00"));
    await platform.tidy();
    const account = await platform.ledger.accounts.findOne({ _id: `rail:${rail}:USD` });
    expect(account).toMatchObject({ recent: [], recorded_sequence: 1, head_due: true });
    const entry = await platform.ledger.entries.findOne({ account_id: `rail:${rail}:USD` });
    expect(entry?.hash).toBe(account?.head_hash);
    expect(entry?.actor).toEqual({ kind: "operator", id: "ada" });
  });
});

describe("a day's report", () => {
  it("adds up, and shows the difference to the bank's statement", async () => {
    const day = dayOf(new Date());
    const report = async () =>
      (await platform.operatorRpc.getRailReport({ rail, currencyCode: "USD", day })).report;
    expect(await report()).toMatchObject({ opening: "0.00", closing: "0.00", difference: "" });
    await platform.operatorRpc.fundRailAccount(wire("100.00"));
    await platform.operatorRpc.sweepRailAccount(wire("30.00"));
    await platform.operatorRpc.sweepRailAccount(wire("0.50", { charge: true }));
    statement = "69.50";
    expect(await report()).toMatchObject({
      ...{ opening: "0.00", funded: "100.00", swept: "30.00", paid: "0.00", returned: "0.00" },
      ...{ charges: "0.50", closing: "69.50", held: "0.00" },
      ...{ statementClosing: "69.50", difference: "0.00", unexplained: "0.00" },
    });
    statement = "69.51";
    expect(await report()).toMatchObject({ difference: "0.01", unexplained: "0.01" });
    platform.world.offsetMs = 86_400_000;
    const next = dayOf(new Date(Date.now() + 86_400_000));
    const { report: then } = await platform.operatorRpc.getRailReport({
      ...{ rail, currencyCode: "USD", day: next },
    });
    expect(then).toMatchObject({ opening: "69.50", funded: "0.00", closing: "69.50" });
  });

  it.each(["", "2026-02-30", "2999-01-01"])("is none of %j", async (day) => {
    const call = platform.operatorRpc.getRailReport({ rail, currencyCode: "USD", day });
    expect(await outcome(call)).toContain(
      "day: must be a date (yyyy-mm-dd) that is not in the future",
    );
  });
});

describe("a second person", () => {
  const limits = new Map([["USD", 10_000n]]);
  const treasury = (own: ReadonlyMap<string, bigint>) => {
    const { clock } = platform.parts;
    const approvals = openApprovals({
      db: platform.database.db,
      clock,
      log: silentLog,
      openMax: 1_000,
    });
    const sums = openDailySums(platform.database);
    const rpc = guardedTreasury(platform.parts, { guard: approvals.guard, sums, limits: own });
    const fund = (amount: string, person: string, operationId = crypto.randomUUID()) => {
      const principal = { kind: "person", id: person, roles: new Set(["treasury"]) } as const;
      const mutation = { operationId };
      const request = create(FundRailAccountRequestSchema, wire(amount, { mutation }));
      return withCallContext({ requestId: "r", principal } as unknown as CallContext, async () =>
        rpc.fundRailAccount(request),
      );
    };
    return fund;
  };

  it("is needed above one operator's daily limit", async () => {
    const fund = treasury(limits);
    const [one, two] = [`one ${rail}`, `two ${rail}`];
    await fund("60.00", one);
    await fund("40.00", one);
    expect(await outcome(fund("0.01", one))).toContain("must approve");
    await fund("100.00", two);
    const { accounts } = await platform.operatorRpc.listRailAccounts({ rail });
    expect(accounts.find(({ currencyCode }) => currencyCode === "USD")?.available).toBe("200.00");
  });

  it("is always needed without a limit, as in live mode", async () => {
    expect(await outcome(treasury(new Map())("0.01", `one ${rail}`))).toContain("must approve");
  });

  it("reads no request that would be refused", async () => {
    const fund = treasury(new Map());
    platform.rails.current = undefined;
    expect(await outcome(fund("1.00", `one ${rail}`))).toContain("RECORD_NOT_FOUND");
  });

  it("is not needed for a refused request, which doesn't count", async () => {
    const fund = treasury(limits);
    const one = `one ${rail}`;
    platform.rails.current = undefined;
    expect(await outcome(fund("100.00", one))).toContain("RECORD_NOT_FOUND");
    platform.rails.current = testRail({
      ...{ name: rail, isFunded: true },
      capabilities: { currencies: ["USD"], transferMethods: [], networks: [], limits: {} },
    });
    await fund("100.00", one);
  });
});
