import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { BatchState } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  ListedPayoutSchema,
  PayoutSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const at = timestampFromDate(new Date("2026-11-20T11:26:00.123Z"));
const amounts = {
  sourceAmount: "1.00",
  receivingAmount: "1.00",
  sourceCurrencyCode: "USD",
  destinationCurrencyCode: "USD",
  createdAt: at,
  updatedAt: at,
};
const paths = { list: "/api/v1/transfer/payouts", members: "/api/v1/team/members" };

let gateway: TestGateway;
let acme: Awaited<ReturnType<TestGateway["merchant"]>>;
let memberId = "";

beforeAll(async () => {
  gateway = await startTestGateway();
  acme = await gateway.merchant();
  const body = JSON.stringify({ email: "mia@acme.example", name: "Mia Maker", role: "maker" });
  const added = await gateway.ask({ method: "POST", path: paths.members, key: acme.key, body });
  memberId = (added.json.data as { id: string }).id;
});
afterAll(() => gateway.stop());

const by = (kind: Actor_Kind, id: string, name?: string) =>
  create(ActorSchema, { kind, id, ...(name !== undefined && { name }) });

/** Returns the creators that a list shows of payouts with these. */
async function shown(creators: readonly ReturnType<typeof by>[]) {
  const payouts = creators.map((createdBy, number) =>
    create(ListedPayoutSchema, { id: `po_${number}`, ...amounts, createdBy }),
  );
  gateway.fakes.payout.listPayouts = () => ({ payouts, totalCount: 1n });
  const { json } = await gateway.ask({ path: paths.list, key: acme.key });
  const { transactions } = json.data as { transactions: { created_by: unknown }[] };
  return transactions.map(({ created_by }) => created_by);
}

it("names members, and keys whose name is not stored", async () => {
  const removed = `${paths.members}/${memberId}`;
  const asMember = by(Actor_Kind.MEMBER, memberId);
  const mia = { id: memberId, type: "member", name: "Mia Maker" };
  expect(
    await shown([
      ...[asMember, by(Actor_Kind.API_KEY, "a1B2c3D4", "ERP"), by(Actor_Kind.API_KEY, acme.keyId)],
      ...[by(Actor_Kind.API_KEY, "unknown1"), by(Actor_Kind.SERVICE, "sandbox"), asMember],
    ]),
  ).toEqual([
    mia,
    { id: "a1B2c3D4", type: "api_key", name: "ERP" },
    { id: acme.keyId, type: "api_key", name: expect.any(String) },
    { id: "unknown1", type: "api_key", name: "" },
    { id: "sandbox", type: "service", name: "" },
    mia,
  ]);
  await gateway.ask({ method: "DELETE", path: removed, key: acme.key });
  expect(await shown([asMember])).toEqual([mia]);
});

it("names the creator of a payout and of its expanded beneficiary", async () => {
  const createdBy = () => by(Actor_Kind.MEMBER, memberId);
  const { payout, beneficiary } = gateway.fakes;
  payout.getPayout = () => ({
    payout: create(PayoutSchema, {
      ...{ id: "po_1", ...amounts, totalFees: "0.00", exchangeRate: "1" },
      createdBy: createdBy(),
    }),
  });
  beneficiary.getBeneficiary = () => ({
    beneficiary: { id: "ben_1", createdBy: createdBy(), createdAt: at, updatedAt: at },
  });
  const path = `${paths.list}/po_1?expand[]=beneficiary`;
  const { json } = await gateway.ask({ path, key: acme.key });
  const created_by = { id: memberId, type: "member", name: "Mia Maker" };
  expect(json.data).toMatchObject({ created_by, beneficiary: { created_by } });
});

it("names the approver of a payout, in its list too", async () => {
  const decidedBy = () => by(Actor_Kind.MEMBER, memberId);
  const { payout } = gateway.fakes;
  const approval = { state: ApprovalState.APPROVED, expiresAt: at, decidedBy: decidedBy() };
  payout.getPayout = () => ({
    payout: { id: "po_1", ...amounts, totalFees: "0.00", exchangeRate: "1", approval },
  });
  payout.listPayouts = () => ({ payouts: [{ id: "po_1", ...amounts, decidedBy: decidedBy() }] });
  const decided_by = { id: memberId, type: "member", name: "Mia Maker" };
  const one = await gateway.ask({ path: `${paths.list}/po_1`, key: acme.key });
  expect(one.json.data).toMatchObject({ approval: { decided_by } });
  const list = await gateway.ask({ path: paths.list, key: acme.key });
  expect(list.json.data).toMatchObject({ transactions: [{ decided_by }] });
});

it("names the creator in the report of a batch", async () => {
  const { orders } = gateway.fakes;
  orders.getBatch = () => ({
    batch: {
      ...{
        id: "bat_1",
        state: BatchState.FINISHED,
        totalAmount: "0.00",
        approval: { byAnother: false },
      },
      ...{ createdBy: by(Actor_Kind.MEMBER, memberId), createdAt: at, updatedAt: at },
    },
  });
  orders.listBatchLines = () => ({ lines: [] });
  const path = "/api/v1/transfer/batches/bat_1/report.json";
  const { json } = await gateway.ask({ path, key: acme.key });
  const created_by = { id: memberId, type: "member", name: "Mia Maker" };
  expect(json).toMatchObject({ batch: { created_by } });
});

it("tells services the name of a key, and of no member", async () => {
  const requests: unknown[] = [];
  gateway.fakes.payout.executePayout = (request) => {
    requests.push(request.mutation?.actor);
    return { payoutId: "po_1" };
  };
  const scopes = ["payout:write"];
  const body = JSON.stringify({ description: "ERP of Berlin", scopes });
  const made = await gateway.ask({ method: "POST", path: "/api/v1/keys", key: acme.key, body });
  const { id, secret } = made.json.data as { id: string; secret: string };
  const order = JSON.stringify({ quote_id: "qt_1" });
  const path = "/api/v1/transfer/execute";
  await gateway.ask({ method: "POST", path, key: secret, body: order });
  expect(requests).toMatchObject([{ kind: Actor_Kind.API_KEY, id, name: "ERP of Berlin" }]);
});
