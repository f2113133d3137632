import { create } from "@bufbuild/protobuf";
import { Code, type ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { bindOperations, openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Principal, Role } from "@disburse/chassis/principal.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  CancelEnd,
  CancelNonceRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/chain_wallets_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { guardedWallets } from "./rpc.ts";
import { openTestWallet, type TestWallet } from "./test-wallet.ts";

let of: TestWallet;
let runs: ReturnType<TestWallet["dispatcher"]>;
beforeAll(async () => {
  of = await openTestWallet("wallet_rpc");
});
afterAll(() => of.close());
beforeEach(async () => {
  await of.reset();
  runs = of.dispatcher();
});

function service() {
  const { database, clock } = of;
  const approvals = openApprovals({ db: database.db, clock, log: silentLog, openMax: 1_000 });
  const audit = openAuditStore<string>(database);
  const wallets = [{ rail: "chain", wallet: "1:test", store: of.store, state: runs.state }];
  const guarded = guardedWallets({ wallets, audit, clock, approvals });
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
      wallets: createClient(PayoutOperatorService, transport),
      approvals: createClient(ApprovalService, transport),
    };
  };
  return {
    audit,
    ada: as("ada", "treasury"),
    bob: as("bob", "treasury_approver"),
  };
}

let operations = 0;
const request = (nonce: bigint, change: object = {}) =>
  create(CancelNonceRequestSchema, {
    mutation: { operationId: `cancel-${++operations}` },
    ...{ rail: "chain", nonce, end: CancelEnd.REJECT, reason: "the merchant asked for it" },
    ...change,
  });
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: ConnectError) => readRefusal(error)?.message ?? Code[error.code],
  );

it("shows the nonces that are not mined, with whom they pay, and gaps", async () => {
  const { ada } = service();
  expect(await outcome(ada.wallets.getChainWallet({ rail: "chain" }))).not.toBe("OK");
  await runs.run(true);
  await of.store.wallets.updateOne({}, { $set: { next_nonce: 1 } });
  await of.accept("po_1");
  await runs.run(true);
  await runs.run(true);
  const { wallet } = await ada.wallets.getChainWallet({ rail: "chain" });
  expect(wallet).toMatchObject({ nextNonce: 2n, minedNonces: 0n, blocked: "", waiting: 0 });
  const shown = wallet?.unmined.map(({ nonce, payoutId, transactions }) => {
    return [nonce, payoutId, transactions.length];
  });
  expect(shown).toEqual([
    [0n, "", 0],
    [1n, "po_1", 1],
  ]);
  const other = ada.wallets.getChainWallet({ rail: "other" });
  await expect(other).rejects.toMatchObject({ code: Code.NotFound });
});

it("proposes no cancellation that would be refused", async () => {
  const { ada, bob } = service();
  await of.accept("po_1");
  await runs.run(true);
  const changes = [{ rail: "other" }, { reason: " " }, { end: CancelEnd.UNSPECIFIED }];
  for (const asked of [...changes.map((change) => request(0n, change)), request(99n)]) {
    expect(await outcome(ada.wallets.cancelNonce(asked))).not.toContain("must approve");
  }
  expect((await bob.approvals.listProposals({})).proposals).toEqual([]);
});

it("cancels a nonce when another person has approved it, once, and keeps who did", async () => {
  const { ada, bob, audit } = service();
  await of.accept("po_1");
  await runs.run(true);
  const asked = request(0n);
  const first = await ada.wallets.cancelNonce(asked).catch((error: ConnectError) => error);
  expect(first).toMatchObject({ code: Code.FailedPrecondition });
  expect((await of.find("po_1")).cancel).toBeUndefined();
  const { proposals } = await bob.approvals.listProposals({});
  const [proposal] = proposals;
  const { id = "", contentDigest = "" } = proposal ?? {};
  const mutation = { operationId: "approve-1" };
  const own = ada.approvals.approveProposal({ mutation, proposalId: id, contentDigest });
  expect(await outcome(own)).not.toBe("OK");
  await bob.approvals.approveProposal({ mutation, proposalId: id, contentDigest });
  const found = await of.find("po_1");
  expect(found.cancel).toMatchObject({ end: "reject", person: "ada" });
  const again = await ada.wallets.cancelNonce(asked);
  expect(again.nonce).toMatchObject({ payoutId: "po_1", cancel: CancelEnd.REJECT });
  const entries = await audit.decisionsOf("po_1", undefined, 10);
  expect(entries.map(({ action, person }) => [action, person])).toEqual([
    ["nonce.cancelled", "ada"],
  ]);
  await of.settle(runs);
  expect(of.world().paid()).toEqual([]);
});

it.each<[string, bigint, object, string]>([
  ["no end", 0n, { end: CancelEnd.UNSPECIFIED }, "end: is required"],
  ["no reason", 0n, { reason: "because" }, "reason: must be 10 to 1000 printable characters"],
  ["a nonce that was not given away", 7n, {}, "nonce: was not assigned to a transfer"],
  ["a nonce below zero", -1n, {}, "nonce: was already used by a mined transaction"],
])("refuses %s", async (_what, nonce, change, refusal) => {
  await of.accept("po_1");
  await runs.run(true);
  const { database, clock } = of;
  const audit = openAuditStore<string>(database);
  const wallets = [{ rail: "chain", wallet: "1:test", store: of.store, state: runs.state }];
  // Runs a call without a guard, as it runs after its approval.
  const rpc = guardedWallets({ wallets, audit, clock });
  const principal: Principal = { kind: "person", id: "ada", roles: new Set(), signIn: "exempt" };
  const call = withCallContext({ requestId: "r", principal }, () =>
    rpc.cancelNonce(request(nonce, change)),
  );
  expect(await outcome(call)).toBe(refusal);
  expect((await of.find("po_1")).cancel).toBeUndefined();
});
