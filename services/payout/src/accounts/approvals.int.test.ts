import { create } from "@bufbuild/protobuf";
import { openDailySums } from "@disburse/chassis/approvals/daily-sums.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { type CallContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  CreditAccountRequestSchema,
  ReverseCreditRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { guardedAccounts } from "./approvals.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

/** The RPCs of an operator who may credit nothing alone. */
function guarded() {
  const { database, parts } = platform;
  const { guard } = openApprovals({
    ...{ db: database.db, clock: parts.clock, log: silentLog, openMax: 1_000 },
  });
  return guardedAccounts(parts, { guard, sums: openDailySums(database), limits: new Map() });
}

const byAda = <T>(call: () => Promise<T>) => {
  const principal = { kind: "person", id: "ada", roles: new Set(["treasury"]) } as const;
  const context = { requestId: "r", principal } as unknown as CallContext;
  return withCallContext(context, call).then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.message ?? String(error),
  );
};

it("credits and reversals that would be refused are not proposed", async () => {
  const rpc = guarded();
  const merchantId = "mer_1";
  const { account } = await platform.rpc.openAccount({
    ...{ mutation: platform.operation(), merchantId, currencyCode: "USD" },
  });
  const own = { merchantId, accountId: account?.id ?? "" };
  const credit = (change: object = {}) => {
    const terms = { ...own, amount: "5.00", currencyCode: "USD", note: "wire", ...change };
    const request = { mutation: platform.operation(), ...terms };
    return byAda(() => rpc.creditAccount(create(CreditAccountRequestSchema, request)));
  };
  expect(await credit()).toContain("must approve");
  expect(await credit({ currencyCode: "EUR" })).toContain("must be the account's currency");
  expect(await credit({ note: "a\u0000b" })).toContain("note: must be at most 255 characters");

  const booked = await platform.rpc.creditAccount({
    ...{ mutation: platform.operation(), ...own, amount: "5.00", currencyCode: "USD" },
  });
  const reverse = (note: string) => {
    const terms = { ...own, entryId: booked.entry?.id ?? "", note };
    const request = { mutation: platform.operation(), ...terms };
    return byAda(() => rpc.reverseCredit(create(ReverseCreditRequestSchema, request)));
  };
  expect(await reverse("typing error")).toContain("must approve");
  expect(await reverse(" ")).toContain("note: is required");
});
