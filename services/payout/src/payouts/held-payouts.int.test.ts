import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { type Database, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import type { PayoutDocument } from "./document.ts";
import { heldPayoutsRpc } from "./held-payouts.ts";
import { openPayouts } from "./store.ts";
import { after, storedPayout } from "./test-documents.ts";

let database: Database;
let rpc: Client<typeof PayoutOperatorService>;
beforeAll(async () => {
  database = await migratedDatabase("payout", migrations);
  const held = heldPayoutsRpc({ payouts: openPayouts(database) });
  rpc = createClient(
    PayoutOperatorService,
    createRouterTransport((router) => router.service(PayoutOperatorService, held)),
  );
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const payee = { merchantId: "mer_held", beneficiaryId: "ben_held" };

const insert = (_id: string, change: Partial<PayoutDocument>) =>
  openPayouts(database).insertOne(
    storedPayout({ _id, merchant_id: "mer_held", beneficiary_id: "ben_held", ...change }),
  );

it("lists payouts that no rail has yet, with their sums, of these beneficiaries alone", async () => {
  const usd = (minor: bigint) => ({ source: "USD", source_minor: toDecimal128(minor) });
  await insert("po_1", { ...usd(10_050n), progress: { stage: "queued" }, created_at: after(1) });
  await insert("po_2", {
    ...usd(500n),
    progress: { stage: "awaiting_approval" },
    created_at: after(2),
  });
  await insert("po_3", {
    ...{ source: "INR", source_minor: toDecimal128(700n) },
    progress: { stage: "awaiting_funds" },
    created_at: after(3),
  });
  await insert("po_4", { ...usd(900n), progress: { stage: "submitting" }, created_at: after(4) });
  await insert("po_5", { ...usd(900n), progress: { stage: "settled", reference: "r" } });
  await insert("po_6", { ...usd(1n), progress: { stage: "queued" }, merchant_id: "mer_other" });
  const other = { merchantId: "mer_held", beneficiaryId: "ben_none" };
  const { payees } = await rpc.listHeldPayouts({ payees: [other, payee] });
  expect(payees[0]).toMatchObject({ payee: other, payouts: [], sums: [], cut: false });
  expect(payees[1]?.payouts).toEqual([]);
  const single = await rpc.listHeldPayouts({ payees: [payee], withPayouts: true });
  const listed = single.payees[0]?.payouts ?? [];
  expect(listed.map(({ payoutId }) => payoutId)).toEqual(["po_3", "po_2", "po_1"]);
  expect(listed[2]).toMatchObject({
    ...{ amount: "100.50", currencyCode: "USD", subStatus: PayoutSubStatus.QUEUED },
  });
  expect(payees[1]?.sums).toMatchObject([
    { currencyCode: "INR", amount: "7.00", count: 1 },
    { currencyCode: "USD", amount: "105.50", count: 2 },
  ]);
});

it("reads at most the newest 1,000 payouts of a beneficiary, and says so", async () => {
  const many = Array.from({ length: 1_001 }, (_each, at) =>
    storedPayout({
      ...{ _id: `po_many_${at}`, merchant_id: "mer_many", beneficiary_id: "ben_many" },
      ...{ progress: { stage: "queued" as const }, created_at: after(at) },
      operations: [{ id: `op_${at}`, content: "" }],
    }),
  );
  await openPayouts(database).insertMany(many);
  const of = { merchantId: "mer_many", beneficiaryId: "ben_many" };
  const { payees } = await rpc.listHeldPayouts({ payees: [of], withPayouts: true });
  expect(payees[0]?.cut).toBe(true);
  expect(payees[0]?.payouts).toHaveLength(1_000);
  expect(payees[0]?.payouts.some(({ payoutId }) => payoutId === "po_many_0")).toBe(false);
});

it("refuses to list the payouts of several payees", async () => {
  const listed = rpc.listHeldPayouts({ payees: [payee, payee], withPayouts: true });
  await expect(listed).rejects.toThrow("with_payouts: requires a single payee");
});

it.each([[[]], [Array(101).fill(payee)], [[{ merchantId: "mer_held", beneficiaryId: "" }]]])(
  "refuses a wrong number of payees and a payee without an id",
  async (payees) => {
    await expect(rpc.listHeldPayouts({ payees })).rejects.toThrow("payees: must contain");
  },
);
