import { create } from "@bufbuild/protobuf";
import { Code, type ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { changeWallet, findTransfer, findWallet } from "@disburse/chain-rail/wallet/store.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";
import { bindOperations, openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Principal, Role } from "@disburse/chassis/principal.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { CancelTransactionBatchRequestSchema } from "@disburse/contracts/disburse/payout/v1/transaction_batches_pb.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WalletState } from "../dispatcher.ts";
import { type BitcoinStore, openBitcoinStore } from "../documents.ts";
import { indexes } from "../indexes.ts";
import {
  acceptTransfer,
  addTransaction,
  beginWallet,
  endBatch,
  findBatch,
  storeBatch,
} from "../store.ts";
import { withdrawTransfer } from "../withdrawal.ts";
import { guardedBatches } from "./rpc.ts";

const now = new Date("2026-01-01T00:00:00Z");
const clock = { now: () => now };
const wallet = "main:bc1q";
const coin = `${"a".repeat(64)}:0`;
let database: Database;
let store: BitcoinStore;
let state: WalletState | undefined;

beforeAll(async () => {
  database = await migratedDatabase("bitcoin_rpc", [
    baseline(1, { ...auditIndexes, ...proposalIndexes, ...indexes }),
  ]);
  store = openBitcoinStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  for (const each of [store.wallets, store.transfers, store.batches]) await each.deleteMany({});
  state = {
    ...{ at: now, height: 10, balance: 5n, free: 5n, coins: 3, waiting: 1, unmined: 1 },
    ...{ oldestUnminedMs: 0, blocked: undefined, isAtBound: true },
  };
  await beginWallet(store, wallet, "block");
  await acceptTransfer(store, "po_1", wallet, { to: "bc1qpayee", amount: 7n }, now);
});

/** Assigns a transfer to a batch, up to a step. */
async function form(until: "decided" | "stored"): Promise<void> {
  const found = await findWallet(store, wallet);
  if (found === undefined) throw new Error("no wallet");
  const forming = { id: coin, keys: ["po_1"], since: 10 };
  const changed = await changeWallet(store, found, { forming });
  if (changed === undefined) throw new Error("the wallet was changed");
  if (until === "stored") await storeBatch(store, changed, now);
}

function service() {
  const approvals = openApprovals({ db: database.db, clock, log: silentLog, openMax: 1_000 });
  const audit = openAuditStore<string>(database);
  const wallets = [{ rail: "bitcoin", wallet, store, state: () => state }];
  const guarded = guardedBatches({ wallets, audit, clock, approvals });
  const rpc = bindOperations(PayoutOperatorService, guarded, openOperationBindings(database));
  const as = (id: string, ...roles: Role[]) => {
    const principal: Principal = { kind: "person", id, roles: new Set(roles), signIn: "exempt" };
    const transport = createRouterTransport(
      (router) =>
        router.service(PayoutOperatorService, rpc).service(ApprovalService, approvals.rpc),
      {
        router: {
          interceptors: [
            (next) => (request) =>
              withCallContext({ requestId: "r", principal }, () => next(request)),
          ],
        },
      },
    );
    return {
      batches: createClient(PayoutOperatorService, transport),
      approvals: createClient(ApprovalService, transport),
    };
  };
  return { audit, ada: as("ada", "treasury"), bob: as("bob", "treasury_approver") };
}

let operations = 0;
const request = (change: object = {}) =>
  create(CancelTransactionBatchRequestSchema, {
    mutation: { operationId: `cancel-batch-${++operations}` },
    ...{ rail: "bitcoin", batchId: coin, reason: "the merchant asked for it" },
    ...change,
  });
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: ConnectError) => readRefusal(error)?.message ?? Code[error.code],
  );

it("shows the open batches with their payouts and transactions", async () => {
  const { ada } = service();
  await form("stored");
  const batch = await findBatch(store, coin);
  const signed = { id: "f".repeat(64), raw: Uint8Array.of(1), fee: 200n, vsize: 141 };
  if (batch === undefined || !(await addTransaction(store, batch, signed, now)))
    throw new Error("no");
  const shown = await ada.batches.listTransactionBatches({ rail: "bitcoin" });
  expect(shown).toMatchObject({ wallet, blocked: "", atFeeBound: true, coins: 3 });
  expect(shown.batches).toMatchObject([
    { id: coin, state: "open", payoutIds: ["po_1"], transactions: [{ fee: "200", size: 141 }] },
  ]);
  const other = ada.batches.listTransactionBatches({ rail: "other" });
  await expect(other).rejects.toMatchObject({ code: Code.NotFound });
  state = undefined;
  expect(await outcome(ada.batches.listTransactionBatches({ rail: "bitcoin" }))).not.toBe("OK");
});

it("proposes no cancellation that would be refused", async () => {
  const { ada, bob } = service();
  await form("stored");
  for (const change of [{ rail: "other" }, { batchId: "none" }, { reason: " " }]) {
    const cancelled = outcome(ada.batches.cancelTransactionBatch(request(change)));
    expect(await cancelled).not.toContain("must approve");
  }
  expect((await bob.approvals.listProposals({})).proposals).toEqual([]);
});

it("cancels a batch when another person has approved it, once, and keeps who did", async () => {
  const { ada, bob, audit } = service();
  await form("stored");
  const asked = request();
  const first = await ada.batches.cancelTransactionBatch(asked).catch((error) => error);
  expect(first).toMatchObject({ code: Code.FailedPrecondition });
  expect((await findBatch(store, coin))?.cancel).toBeUndefined();
  const { proposals } = await bob.approvals.listProposals({});
  const { id = "", contentDigest = "" } = proposals[0] ?? {};
  const mutation = { operationId: "approve-batch-1" };
  const own = ada.approvals.approveProposal({ mutation, proposalId: id, contentDigest });
  expect(await outcome(own)).not.toBe("OK");
  await bob.approvals.approveProposal({ mutation, proposalId: id, contentDigest });
  expect((await findBatch(store, coin))?.cancel).toMatchObject({ person: "ada" });
  const again = await ada.batches.cancelTransactionBatch(asked);
  expect(again.batch).toMatchObject({ id: coin, cancelledBy: { id: "ada" } });
  const entries = await audit.decisionsOf(coin, undefined, 10);
  expect(entries.map(({ action, person }) => [action, person])).toEqual([
    ["batch.cancelled", "ada"],
  ]);
  // A payment that was signed before the decision is not stored any more.
  const batch = await findBatch(store, coin);
  const signed = { id: "e".repeat(64), raw: Uint8Array.of(1), fee: 200n, vsize: 141 };
  if (batch === undefined) throw new Error("no batch");
  const { cancel: _cancel, ...before } = batch;
  expect(await addTransaction(store, before, signed, now)).toBe(false);
});

it.each<[string, object, string]>([
  ["no reason", { reason: "because" }, "reason: must be 10 to 1000 printable characters"],
  ["an unknown batch", { batchId: `${"b".repeat(64)}:0` }, "NotFound"],
  ["an ended batch", {}, "batch_id: already has a final transaction"],
])("refuses %s", async (_what, change, refusal) => {
  await form("stored");
  const batch = await findBatch(store, coin);
  const end = { id: "f".repeat(64), height: 9, block: "block", at: now };
  if (batch === undefined || !(await endBatch(store, batch, "settled", end))) throw new Error("no");
  const audit = openAuditStore<string>(database);
  const wallets = [{ rail: "bitcoin", wallet, store, state: () => state }];
  // Runs a call without a guard, as it runs after its approval.
  const rpc = guardedBatches({ wallets, audit, clock });
  const principal: Principal = { kind: "person", id: "ada", roles: new Set(), signIn: "exempt" };
  const call = withCallContext({ requestId: "r", principal }, () =>
    rpc.cancelTransactionBatch(request(change)),
  );
  const found = await outcome(call);
  expect(refusal === "NotFound" ? found !== "OK" : found === refusal).toBe(true);
  expect((await findBatch(store, coin))?.cancel).toBeUndefined();
});

describe("a transfer is withdrawn", () => {
  const withdraw = () => withdrawTransfer(store, wallet, "po_1", now);

  it("while it waits, and then joins no batch", async () => {
    const before = await findWallet(store, wallet);
    expect(await withdraw()).toBe(true);
    expect(await withdraw()).toBe(true);
    // A dispatcher that read the wallet before can't assign the transfer any more.
    if (before === undefined) throw new Error("no wallet");
    const forming = { id: coin, keys: ["po_1"], since: 10 };
    expect(await changeWallet(store, before, { forming })).toBeUndefined();
    expect((await findTransfer(store, "po_1"))?.state).toBe("withdrawn");
  });

  it.each(["decided", "stored"] as const)("never once its batch is %s", async (until) => {
    await form(until);
    expect(await withdraw()).toBe(false);
    expect((await findTransfer(store, "po_1"))?.state).not.toBe("withdrawn");
  });
});
