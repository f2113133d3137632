import { setTimeout as pause } from "node:timers/promises";
import {
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createHandlerContext,
  type HandlerContext,
  type MethodImpl,
  type ServiceImpl,
} from "@connectrpc/connect";
import { newId } from "@disburse/kernel/id.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { subjectOf } from "../audit/calls.ts";
import { callContext, withCallContext } from "../call-context.ts";
import type { Log } from "../log.ts";
import { isMutation, merchantOf } from "../mutations/bindings.ts";
import { contentOf, readChange } from "../mutations/content.ts";
import type { Principal, Role } from "../principal.ts";
import { merchantsService, type StoredActor } from "../rpc/mutation.ts";
import { isRefusal, isUnavailable, orThrow, readRefusal } from "../rpc/refusal.ts";
import { approvalRequired, endRepeat, supersededRefusal } from "./answers.ts";
import { isChangedMeanwhile } from "./checked.ts";
import type { Guard, Guards, Requester } from "./guard.ts";
import {
  concluded,
  digestOf,
  merchantKinds,
  type Proposal,
  type Proposer,
  stateAt,
} from "./proposal.ts";
import { leaseMs, type ProposalStore, proposalKey, type StoredProposal } from "./store.ts";

/** A proposal without a decision expires after a day. */
const openMs = 24 * 60 * 60 * 1_000;
/** The maximum number of a merchant's own open proposals of one RPC. */
export const ownOpenMax = 20;
/** The maximum number of decisions about a request whose record changes each time. */
const decisionsMax = 10;
/** The interval at which a call polls the outcome of a run that another call or sweep has begun. */
const outcomePollMs = 100;
/** The part of a call's time that is reserved for the response that its request still runs. */
const responseMs = 500;

const stillRunning = refused(
  "IDEMPOTENCY_IN_PROGRESS",
  "The approved request is still running. Repeat this call, or read the proposal later.",
);

type Request = Pick<Proposal, "rpc" | "merchantId" | "operationId">;
type ProposedRequest = Omit<
  Proposal,
  "id" | "digest" | "proposed" | "expiresAt" | "state" | "decided" | "outcome" | "updatedAt"
>;
type Handler = (
  request: MessageShape<DescMethodUnary["input"]>,
  context: HandlerContext,
) => unknown;
type Guarded = {
  readonly method: DescMethodUnary;
  readonly handle: Handler;
  readonly guard: Guard<MessageShape<DescMethodUnary["input"]>>;
};

export type Approvals = ReturnType<typeof createApprovals>;

export type ApprovalDeps = {
  readonly proposals: ProposalStore;
  /** Returns true if the audit trail has a completed call for the request. */
  readonly isDone: (of: Request) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The maximum number of operators' open proposals of one merchant. Also applies to all proposals
   * without a merchant together.
   */
  readonly openMax: number;
};

type State = ApprovalDeps & { readonly guarded: Map<string, Guarded> };

/** Creates the approvals of a service. They hold guarded RPCs until a second person approves. */
export function createApprovals(deps: ApprovalDeps) {
  const state: State = { ...deps, guarded: new Map() };
  return {
    /**
     * Wraps handlers so that guarded RPCs need a second person. Calls that services make themselves
     * are not guarded.
     */
    guard: <S extends DescService, Rpc extends Partial<ServiceImpl<S>>>(
      service: S,
      rpc: Rpc,
      guards: Guards<NoInfer<Rpc>>,
    ): Rpc => {
      const all: Record<string, unknown> = { ...rpc };
      for (const [localName, guard] of Object.entries(guards)) {
        const method = service.methods.find((each) => each.localName === localName);
        if (method === undefined || !isMutation(method)) {
          throw new Error(`${service.typeName} has no mutation ${localName}`);
        }
        const handle = all[localName] as MethodImpl<DescMethodUnary>;
        const each = { method, handle, guard: guard as Guarded["guard"] };
        state.guarded.set(nameOf(method), each);
        all[localName] = guardHandler(state, each);
      }
      return all as Rpc;
    },

    /**
     * Admits a request that is too large to store, so its proposer must send it again after
     * approval. Throws until the request is approved. Returns a function that the caller must call
     * after the request has run.
     */
    permit: (wanted: Omit<ProposedRequest, "request">) => permit(state, wanted),

    /** Returns true if the proposal would still make the change that its approver has read. */
    isCurrent: (proposal: Proposal) => isCurrent(state, proposal),

    /** Returns functions for proposals of a guarded RPC that the service itself creates. */
    own: (method: DescMethodUnary) => ownProposals(state, method),

    /**
     * Runs an approved proposal once. If the sweep or an earlier call is running it, waits for that
     * run instead, until shortly before the deadline of this call. Throws if its outcome is unknown.
     */
    finish: (proposal: StoredProposal) => finish(state, proposal),

    /** Finishes proposals that a crash interrupted, and expires open ones. */
    sweep: () => sweep(state),
  };
}

function guardHandler(state: State, each: Guarded): Handler {
  const { proposals, isDone, clock } = state;
  const { method, handle, guard } = each;
  return async (request, context) => {
    const { operationId, content, actor } = readChange(method.input, request);
    const proposer = proposerOf(callContext()?.principal, guard.isForMerchants && actor);
    if (proposer === undefined) return handle(request, context);
    const requester = { person: proposer.by, roles: new Set(proposer.roles), operationId };
    const of = { rpc: nameOf(method), merchantId: merchantOf(request) ?? "", operationId };
    const repeat = () => guard.repeated?.(request) ?? handle(request, context);
    const known = await proposals.findByKey(proposalKey(of));
    if (known !== undefined) {
      endRepeat(known, content, requester.person, clock.now());
      return repeat();
    }
    const subject = subjectOf(method, request, undefined);
    const rival = guard.isSole && (await ownProposals(state, method).current(subject))[0];
    if (rival !== undefined) {
      const since = await proposals.findByKey(proposalKey(of));
      // A concurrent copy of the request has created the proposal.
      if (since !== undefined) endRepeat(since, content, requester.person, clock.now());
      if (since !== undefined || (await isDone(of))) return repeat();
      const next = rival.state === "open" ? "decide on it first" : "wait until it has run";
      orThrow(refused("INVALID_REQUEST", `proposal ${rival.id} is ${rival.state}: ${next}`));
    }
    const { difference, reasons, run } = await runIfAlone(each, request, context, requester);
    if (run !== undefined) return run.response;
    // A repeat is harmless, because the RPC or the guard recognises it.
    if (await isDone(of)) return repeat();
    await guard.check?.(request);
    throw await propose(state, proposer, {
      ...of,
      subject,
      content,
      reasons,
      ...difference,
      approvers: approversOf(guard, request),
      request: toBinary(method.input, request),
    });
  };
}

async function isCurrent(
  { guarded }: State,
  { rpc, request, content, digest }: Proposal,
): Promise<boolean> {
  const found = guarded.get(rpc);
  if (found === undefined) return true;
  const now = await found.guard.difference(fromBinary(found.method.input, request));
  return digestOf(content, now) === digest;
}

/**
 * Returns functions for proposals that the service itself creates, without a merchant and without a
 * person's call. The proposer is the person who caused the proposals, so that this person can't
 * approve them.
 */
function ownProposals(state: State, method: DescMethodUnary) {
  const { proposals, clock, guarded } = state;
  const rpc = nameOf(method);
  return {
    /** Returns proposals whose operation ids have this prefix, with their current states. */
    beginningWith: async (operationIds: string): Promise<Proposal[]> => {
      const found = await proposals.beginningWith(rpc, operationIds);
      return found.map((each) => ({ ...each, state: stateAt(each, clock.now()) }));
    },

    /**
     * Returns approved proposals that have not run, and open proposals that are still current. Ends
     * all other open proposals. `subject` limits the search to one subject.
     */
    current: async (subject?: string): Promise<Proposal[]> => {
      const now = clock.now();
      const current: Proposal[] = [];
      for (const each of await proposals.pendingOf(rpc, subject)) {
        if (stateAt(each, now) === "expired") continue;
        if (each.state === "approved" || (await isCurrent(state, each))) current.push(each);
        else await proposals.change(each, concluded(each, "superseded", "", now));
      }
      return current;
    },

    /** Proposes a request, unless a proposal for its operation exists. */
    propose: async (
      request: MessageShape<DescMethodUnary["input"]>,
      operationId: string,
      by: Pick<Proposer, "kind" | "by">,
    ): Promise<void> => {
      const guard = guarded.get(rpc)?.guard;
      if (guard === undefined) throw new Error(`${rpc} has no guard`);
      const content = contentOf(method.input, request);
      const difference = await guard.difference(request);
      const proposer = { ...by, roles: [] };
      const requester = { person: by.by, roles: new Set<Role>(), operationId };
      const reasons = await guard.reasons(request, requester, difference);
      await propose(state, proposer, {
        rpc,
        merchantId: "",
        operationId,
        subject: subjectOf(method, request, undefined),
        content,
        reasons,
        ...difference,
        approvers: approversOf(guard, request),
        request: toBinary(method.input, request),
      });
    },
  };
}

/** Returns the operator, or the merchant's actor. Calls that services make themselves have none. */
function proposerOf(
  principal: Principal | undefined,
  merchants: StoredActor | undefined,
): Proposer | undefined {
  if (principal?.kind === "person") {
    return { kind: "operator", by: principal.id, roles: [...principal.roles] };
  }
  if (merchants?.kind !== "api_key" && merchants?.kind !== "member") return undefined;
  const { kind, id: by, root } = merchants;
  return { kind, by, root, roles: [] };
}

function approversOf<Request>({ approvers }: Guard<Request>, request: Request): readonly Role[] {
  return typeof approvers === "function" ? approvers(request) : approvers;
}

/** Stores a proposal. Returns the error for the caller. */
async function propose(
  { proposals, clock, log, openMax }: State,
  proposer: Proposer,
  wanted: ProposedRequest,
): Promise<ConnectError> {
  const at = clock.now();
  const proposal: Proposal = {
    ...wanted,
    id: newId("proposal", at),
    digest: digestOf(wanted.content, wanted),
    proposed: { ...proposer, at },
    expiresAt: new Date(at.getTime() + openMs),
    state: "open",
    outcome: "",
    updatedAt: at,
  };
  const max = merchantKinds.has(proposer.kind) ? Math.min(openMax, ownOpenMax) : openMax;
  const inserted = await proposals.insert(proposal, max);
  if (inserted === "exists") {
    return new ConnectError(
      "another call is creating the proposal for this request; repeat the request",
      Code.Aborted,
    );
  }
  if (inserted === "full") {
    orThrow(refused("INVALID_REQUEST", `There can be at most ${max} open proposals.`));
  }
  log.info(
    { proposal_id: proposal.id, rpc: proposal.rpc },
    "request awaits another person's approval",
  );
  return approvalRequired(proposal);
}

async function permit(
  state: State,
  wanted: Omit<ProposedRequest, "request">,
): Promise<() => Promise<void>> {
  const { proposals, clock } = state;
  const principal = callContext()?.principal;
  if (principal?.kind !== "person") return async () => undefined;
  const known = await proposals.findByKey(proposalKey(wanted));
  if (known === undefined) {
    const proposer = { kind: "operator", by: principal.id, roles: [...principal.roles] } as const;
    throw await propose(state, proposer, { ...wanted, request: new Uint8Array() });
  }
  const isSame = known.digest === digestOf(wanted.content, wanted);
  const isOwn = known.proposed.by === principal.id;
  if (known.state !== "approved" || !isSame || !isOwn) {
    endRepeat(known, wanted.content, principal.id, clock.now());
  }
  return async () =>
    void (await proposals.change(known, concluded(known, "executed", "", clock.now())));
}

async function finish(state: State, proposal: StoredProposal): Promise<Proposal> {
  const { proposals, guarded } = state;
  const found = guarded.get(proposal.rpc);
  // If the request is not stored, its proposer must send it again.
  if (found === undefined) return proposal;
  const deadlineMs = callContext()?.deadlineMs ?? Date.now() + leaseMs;
  for (;;) {
    const leased = await proposals.lease(proposal.id);
    if (leased !== undefined) return runLeased(state, found, leased);
    const current = await proposals.read(proposal.id);
    if (current?.state !== "approved") return current ?? proposal;
    if (Date.now() >= deadlineMs - responseMs) orThrow(stillRunning);
    await pause(outcomePollMs);
  }
}

async function runLeased(
  { proposals, clock }: State,
  found: Guarded,
  leased: StoredProposal,
): Promise<Proposal> {
  try {
    const ended = await runApproved(found, leased, clock);
    await proposals.conclude(ended);
    return (await proposals.read(leased.id)) ?? ended;
  } catch (error) {
    // The error is thrown to the caller. If the lease can't be released now, it ends by itself.
    await proposals.release(leased).catch(() => undefined);
    throw error;
  }
}

async function sweep(state: State): Promise<void> {
  const { proposals, clock, guarded, log } = state;
  for (const proposal of await proposals.due(clock.now())) {
    const found = guarded.get(proposal.rpc);
    // An open proposal, or one that its proposer must send again, waits for a person. It expires at
    // its expiry time.
    if (proposal.state === "open" || found === undefined) {
      await proposals.change(proposal, concluded(proposal, "expired", "", clock.now()));
      continue;
    }
    await sweepApproved(state, found, proposal).catch((error: unknown) => {
      const fields = { err: error, proposal_id: proposal.id };
      if (isUnavailable(error))
        log.info(fields, "approved request not run: a service is unavailable; it will be retried");
      else log.error(fields, "running an approved request failed; it will be retried");
    });
  }
}

/** Runs an approved request, unless a call or the sweep of another process is running it. */
async function sweepApproved(state: State, found: Guarded, proposal: Proposal): Promise<void> {
  const leased = await state.proposals.lease(proposal.id);
  if (leased !== undefined) await runLeased(state, found, leased);
}

/**
 * Runs a request that needs no second person. If its record changes between the guard's decision
 * and the write, the guard decides again.
 */
async function runIfAlone(
  each: Guarded,
  request: MessageShape<DescMethodUnary["input"]>,
  context: HandlerContext,
  requester: Requester,
) {
  for (let tries = 1; ; tries += 1) {
    const difference = await each.guard.difference(request);
    const reasons = await each.guard.reasons(request, requester, difference);
    if (reasons.length > 0) return { difference, reasons };
    const { requestId = requester.operationId, ...others } = callContext() ?? {};
    const checked = { ...others, requestId, checkedBefore: difference.before };
    try {
      const response = await withCallContext(checked, async () =>
        runAlone(each, request, context, requester),
      );
      return { difference, reasons, run: { response } };
    } catch (error) {
      if (!isChangedMeanwhile(error) || tries === decisionsMax) throw error;
    }
  }
}

async function runAlone(
  { handle, guard }: Guarded,
  request: MessageShape<DescMethodUnary["input"]>,
  context: HandlerContext,
  requester: Requester,
) {
  try {
    return await handle(request, context);
  } catch (error) {
    if (isRefusal(error)) await guard.refused?.(request, requester);
    throw error;
  }
}

/**
 * Runs a proposal as its proposer, under its operation id, so that a repeat has no further effect.
 */
async function runApproved(
  { method, handle }: Guarded,
  proposal: Proposal,
  clock: Clock,
): Promise<Proposal> {
  const { proposed, decided, request, before } = proposal;
  const requestId = callContext()?.requestId ?? proposal.id;
  const context = createHandlerContext({
    service: method.parent,
    method,
    protocolName: "approval",
    requestMethod: "POST",
    url: `approval:/${proposal.rpc}`,
  });
  const approvedBy = decided?.by;
  try {
    const principal = principalOf(proposed);
    await withCallContext({ requestId, principal, approvedBy, checkedBefore: before }, async () =>
      handle(fromBinary(method.input, request), context),
    );
    return concluded(proposal, "executed", "", clock.now());
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = readRefusal(error)?.message ?? "";
    return message === supersededRefusal.detail
      ? concluded(proposal, "superseded", "", clock.now())
      : concluded(proposal, "failed", message, clock.now());
  }
}

/** Returns the principal that sent the request. For merchants that was the gateway. */
function principalOf({ kind, by, roles }: Proposer): Principal {
  if (kind === "operator") return { kind: "person", id: by, roles: new Set(roles) };
  return { kind: "service", name: kind === "service" ? by : merchantsService };
}

const nameOf = (method: DescMethodUnary) => `${method.parent.typeName}/${method.name}`;
