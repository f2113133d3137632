import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import {
  ApprovalRequiredSchema,
  ApprovalService,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  AccountSchema,
  type CancelPayoutRequest,
  type OpenAccountRequest,
  PayoutService,
  type UpdateAccountRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { expect } from "vitest";
import { openAuditStore } from "../audit/store.ts";
import { callContext, withCallContext } from "../call-context.ts";
import { silentLog } from "../log.ts";
import type { Database } from "../mongo/database.ts";
import { createIndexes } from "../mongo/migrations.ts";
import { bindOperations, openOperationBindings } from "../mutations/bindings.ts";
import type { Principal, Role } from "../principal.ts";
import { readMutation } from "../rpc/mutation.ts";
import { readRefusal } from "../rpc/refusal.ts";
import { createApprovals } from "./approvals.ts";
import { approvalRpc } from "./rpc.ts";
import { openProposals } from "./store.ts";

/** Helpers for the integration tests of approvals: a service with guarded RPCs, and its callers. */
export function approvalsDatabase(): Promise<Database> {
  const proposals = [
    { key: { key: 1 }, name: "request", unique: true },
    { key: { due_at: 1 }, name: "due", sparse: true },
  ];
  const up = (db: Database["db"]) => createIndexes(db, { proposals });
  return migratedDatabase("approvals", [{ name: "indexes", up }]);
}

/** What the guarded RPCs do, and what they have done. Tests change it. */
export type World = {
  /** The effect of the guarded RPCs. */
  run: () => Promise<void> | void;
  ran: { by: string | undefined; approvedBy: string | undefined }[];
  /** The previous version; another value supersedes the proposal. */
  before: string;
  isCancelAlone: boolean;
  /** Currencies that need only one person. */
  alone: readonly string[];
  /** The difference between the clock of services and the real time. */
  offsetMs: number;
  /** The deadline of calls, by the real time. */
  deadlineMs: number | undefined;
  refusals: number;
  /** Refuses a request before it is proposed. */
  check: () => void;
  /** The previous version that a request receives from its guard. */
  readBefore: string | undefined;
};

export function newWorld(): World {
  return {
    run: () => undefined,
    ran: [],
    before: "",
    isCancelAlone: false,
    alone: ["USD"],
    offsetMs: 0,
    deadlineMs: undefined,
    refusals: 0,
    check: () => undefined,
    readBefore: undefined,
  };
}

export const openMax = 25;

/** Starts a service, with clients of its callers. Several services can use one database. */
export function approvalService(database: Database, world: World) {
  const clock = { now: () => new Date(Date.now() + world.offsetMs) };
  const proposals = openProposals(database);
  const isDone = openAuditStore(database).hasDone;
  const deps = { proposals, isDone, clock, log: silentLog, openMax };
  const approvals = createApprovals(deps);
  const rpc = {
    openAccount: async ({ merchantId }: OpenAccountRequest) => {
      const { principal, approvedBy, checkedBefore } = callContext() ?? {};
      world.readBefore = checkedBefore;
      const by = principal?.kind === "person" ? principal.id : undefined;
      await world.run();
      world.ran.push({ by, approvedBy });
      return { account: create(AccountSchema, { merchantId }) };
    },
    updateAccount: async ({ mutation }: UpdateAccountRequest) => {
      await world.run();
      world.ran.push({
        by: readMutation(mutation).actor.id,
        approvedBy: callContext()?.approvedBy,
      });
      return {};
    },
    cancelPayout: async ({ payoutId }: CancelPayoutRequest) => {
      await world.run();
      world.ran.push({ by: payoutId, approvedBy: callContext()?.approvedBy });
      return {};
    },
  };
  const guarded = approvals.guard(PayoutService, rpc, {
    cancelPayout: {
      approvers: ["treasury_approver"],
      isSole: true,
      difference: async ({ payoutId }) => ({ before: world.before, after: payoutId }),
      reasons: async () => (world.isCancelAlone ? [] : ["is paid"]),
    },
    updateAccount: {
      approvers: ({ accountId }) => (accountId === "acc_alone" ? ["treasury_approver"] : []),
      isForMerchants: true,
      difference: async ({ name }) => ({ before: world.before, after: name ?? "" }),
      reasons: async ({ name }) => (name === "alone" ? [] : ["is renamed"]),
    },
    openAccount: {
      approvers: ["treasury_approver"],
      difference: async ({ currencyCode }) => ({ before: world.before, after: currencyCode }),
      reasons: async ({ currencyCode }) =>
        world.alone.includes(currencyCode) ? [] : ["is not USD"],
      check: async () => world.check(),
      refused: async () => {
        world.refusals += 1;
      },
    },
  });
  const bound = bindOperations(PayoutService, guarded, openOperationBindings(database));
  const deciding = approvalRpc({ approvals, proposals, clock });
  const as = (principal: Principal) => {
    const transport = createRouterTransport(
      (router) => router.service(PayoutService, bound).service(ApprovalService, deciding),
      {
        router: {
          interceptors: [
            (next) => (request) => {
              const { deadlineMs } = world;
              return withCallContext({ requestId: "r", principal, deadlineMs }, () =>
                next(request),
              );
            },
          ],
        },
      },
    );
    return {
      payout: createClient(PayoutService, transport),
      approval: createClient(ApprovalService, transport),
    };
  };
  const person = (id: string, ...roles: Role[]) =>
    as({ kind: "person", id, roles: new Set(roles) });
  return {
    ada: person("ada", "treasury", "treasury_approver"),
    /** The same person in other letter case. */
    Ada: person("Ada", "treasury_approver"),
    bob: person("bob", "treasury_approver"),
    eve: person("eve", "compliance_approver"),
    gateway: as({ kind: "service", name: "gateway" }),
    sandbox: as({ kind: "service", name: "sandbox" }),
    proposals,
    permit: approvals.permit,
    sweep: approvals.sweep,
  };
}

export type Caller = ReturnType<typeof approvalService>["ada"];
let operations = 0;
export const operation = () => ({ operationId: `op-${++operations}` });
export const ask = ({ payout }: Caller, mutation = operation(), currencyCode = "EUR") =>
  payout.openAccount({ mutation, merchantId: "mer_1", currencyCode });
export const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: ConnectError) => readRefusal(error)?.message ?? Code[error.code],
  );

/** Requests a change that needs approval, and reads the proposal from the refusal. */
export async function proposed(caller: Caller, mutation = operation()) {
  const error = await ask(caller, mutation).then(
    () => expect.unreachable(),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  expect(error.code).toBe(Code.FailedPrecondition);
  expect(readRefusal(error)?.code).toBe("APPROVAL_REQUIRED");
  const detail = error.findDetails(ApprovalRequiredSchema)[0];
  if (detail === undefined) return expect.unreachable();
  const { proposalId, contentDigest } = detail;
  return { mutation, proposalId, contentDigest };
}
export type Proposed = Awaited<ReturnType<typeof proposed>>;

export const approve = (
  { approval }: Caller,
  { proposalId, contentDigest }: Proposed,
  by = operation(),
) => approval.approveProposal({ mutation: by, proposalId, contentDigest });
