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
import { isUnavailable, orThrow, readRefusal } from "../rpc/refusal.ts";
import { answerKnown, approvalRequired, isRefusal, supersededRefusal } from "./answers.ts";
import {
  concluded,
  type Difference,
  digestOf,
  type Proposal,
  type Proposer,
  stateAt,
} from "./proposal.ts";
import { type ProposalStore, proposalKey, type StoredProposal } from "./store.ts";

/** Who asks for a change, and under which operation. */
export type Asked = {
  readonly person: string;
  readonly roles: ReadonlySet<Role>;
  readonly operationId: string;
};

/** When an RPC needs a second person. `Request` is its message. */
export type Guard<Request> = {
  /** A person needs one of these to decide. */
  readonly approvers: readonly Role[];
  /** What the request would change; a proposal of which this has changed is superseded. */
  readonly difference: (request: Request) => Promise<Difference>;
  /** Why one person is not enough; empty: one is. */
  readonly reasons: (
    request: Request,
    asked: Asked,
    difference: Difference,
  ) => Promise<readonly string[]>;
  /** While a proposal about a subject is open or has yet to run, every other request about it is refused. */
  readonly isSole?: true;
  /** Called where one person was enough and the RPC has refused: nothing has changed. */
  readonly refused?: (request: Request, asked: Asked) => Promise<void>;
};

type RequestOf<Rpc> = Rpc extends (request: infer Request, ...rest: never[]) => unknown
  ? Request
  : never;

/** The guards of some of a service's handlers. */
export type Guards<Rpc> = { readonly [Name in keyof Rpc]?: Guard<RequestOf<Rpc[Name]>> };

/** A proposal without a decision ends after a day. */
const openMs = 24 * 60 * 60 * 1_000;

/** The identity of a request. */
type Request = Pick<Proposal, "rpc" | "merchantId" | "operationId">;
type Person = Extract<Principal, { kind: "person" }>;
/** What is proposed, by whom and until when left out. */
type Wanted = Omit<
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

/** The approvals of a service's process. */
export type Approvals = ReturnType<typeof createApprovals>;

/** What approvals work with. */
export type ApprovalDeps = {
  readonly proposals: ProposalStore;
  /** True if the audit trail has a request as done and answered. */
  readonly isDone: (of: Request) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** Open proposals of a merchant, and of no merchant. */
  readonly openMax: number;
};

type State = ApprovalDeps & { readonly guarded: Map<string, Guarded> };

/** The approvals of a service: which of its RPCs wait for a second person, and what waits. */
export function createApprovals(deps: ApprovalDeps) {
  const state: State = { ...deps, guarded: new Map() };
  return {
    /** Handlers some of which wait for a second person where a person calls; services never do. */
    guard: <S extends DescService, Rpc extends Partial<ServiceImpl<S>>>(
      service: S,
      rpc: Rpc,
      guards: Guards<NoInfer<Rpc>>,
    ): Rpc => {
      const all: Record<string, unknown> = { ...rpc };
      for (const [localName, guard] of Object.entries(guards)) {
        const method = service.methods.find((each) => each.localName === localName);
        if (method === undefined || !isMutation(method)) {
          throw new Error(`${localName} changes nothing`);
        }
        const handle = all[localName] as MethodImpl<DescMethodUnary>;
        const each = { method, handle, guard: guard as Guarded["guard"] };
        state.guarded.set(nameOf(method), each);
        all[localName] = guardHandler(state, each);
      }
      return all as Rpc;
    },

    /**
     * Lets a request through that its proposer sends again once it is approved: one too large to be
     * kept. Answers with what to call when it has run; throws until it is approved.
     */
    permit: (wanted: Omit<Wanted, "request">) => permit(state, wanted),

    /** Whether a proposal would still change what its approver has read. */
    isCurrent: (proposal: Proposal) => isCurrent(state, proposal),

    /** Proposals of a guarded RPC that the service itself makes. */
    own: (method: DescMethodUnary) => ownProposals(state, method),

    /** Runs an approved proposal, once; throws where it is not known whether it has run. */
    finish: (proposal: StoredProposal) => finish(state, proposal),

    /** Finishes what a crash left, and ends proposals without a decision. */
    sweep: () => sweep(state),
  };
}

function guardHandler(state: State, each: Guarded): Handler {
  const { proposals, isDone, clock } = state;
  const { method, handle, guard } = each;
  return async (request, context) => {
    const principal = callContext()?.principal;
    if (principal?.kind !== "person") return handle(request, context);
    const { operationId, content } = readChange(method.input, request);
    const asked = { person: principal.id, roles: principal.roles, operationId };
    const of = { rpc: nameOf(method), merchantId: merchantOf(request) ?? "", operationId };
    const known = await proposals.findByKey(proposalKey(of));
    if (known !== undefined) {
      answerKnown(known, content, asked.person, clock.now());
      return handle(request, context);
    }
    const subject = subjectOf(method, request, undefined);
    const rival = guard.isSole && (await ownProposals(state, method).current(subject))[0];
    if (rival !== undefined) {
      const since = await proposals.findByKey(proposalKey(of));
      // The same request was sent twice at once, and the other one created the proposal.
      if (since !== undefined) answerKnown(since, content, asked.person, clock.now());
      if (since !== undefined || (await isDone(of))) return handle(request, context);
      const next = rival.state === "open" ? "decide on it first" : "wait until it has run";
      orThrow(refused("INVALID_REQUEST", `proposal ${rival.id} is ${rival.state}: ${next}`));
    }
    const difference = await guard.difference(request);
    const reasons = await guard.reasons(request, asked, difference);
    if (reasons.length === 0) return runAlone(each, request, context, asked);
    // Nothing changes again: the RPC knows its operation.
    if (await isDone(of)) return handle(request, context);
    throw await propose(state, proposerOf(principal), {
      ...of,
      subject,
      content,
      reasons,
      ...difference,
      approvers: guard.approvers,
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
 * Proposals of a guarded RPC, of no merchant, that the service makes where no person calls it. The
 * proposer is who caused them, so that it is no approver of its own.
 */
function ownProposals(state: State, method: DescMethodUnary) {
  const { proposals, clock, guarded } = state;
  const rpc = nameOf(method);
  return {
    /** Proposals whose operation ids have this prefix, with their current states. */
    beginningWith: async (operationIds: string): Promise<Proposal[]> => {
      const found = await proposals.beginningWith(rpc, operationIds);
      return found.map((each) => ({ ...each, state: stateAt(each, clock.now()) }));
    },

    /**
     * The approved ones that have yet to run, and the open ones that would still do what they say; ends
     * the other open ones. About one subject if given.
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

    /** Proposes a request, unless its operation is proposed already. */
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
      const asked = { person: by.by, roles: new Set<Role>(), operationId };
      const reasons = await guard.reasons(request, asked, difference);
      await propose(state, proposer, {
        rpc,
        merchantId: "",
        operationId,
        subject: subjectOf(method, request, undefined),
        content,
        reasons,
        ...difference,
        approvers: guard.approvers,
        request: toBinary(method.input, request),
      });
    },
  };
}

function proposerOf({ id, roles }: Person): Proposer {
  return { kind: "operator", by: id, roles: [...roles] };
}

/** Stores a proposal; answers with the error that the request ends with. */
async function propose(
  { proposals, clock, log, openMax }: State,
  proposer: Proposer,
  wanted: Wanted,
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
  const inserted = await proposals.insert(proposal, openMax);
  if (inserted === "exists") {
    return new ConnectError("the request is being proposed", Code.Aborted);
  }
  if (inserted === "full") {
    orThrow(refused("INVALID_REQUEST", `There can be at most ${openMax} open proposals.`));
  }
  log.info({ proposal_id: proposal.id, rpc: proposal.rpc }, "approval needed");
  return approvalRequired(proposal);
}

async function permit(state: State, wanted: Omit<Wanted, "request">): Promise<() => Promise<void>> {
  const { proposals, clock } = state;
  const principal = callContext()?.principal;
  if (principal?.kind !== "person") return async () => undefined;
  const known = await proposals.findByKey(proposalKey(wanted));
  if (known === undefined) {
    const request = new Uint8Array();
    throw await propose(state, proposerOf(principal), { ...wanted, request });
  }
  const isSame = known.digest === digestOf(wanted.content, wanted);
  const isOwn = known.proposed.by === principal.id;
  if (known.state !== "approved" || !isSame || !isOwn) {
    answerKnown(known, wanted.content, principal.id, clock.now());
  }
  return async () =>
    void (await proposals.change(known, concluded(known, "executed", "", clock.now())));
}

async function finish(state: State, proposal: StoredProposal): Promise<Proposal> {
  const { proposals, clock, guarded } = state;
  const found = guarded.get(proposal.rpc);
  // Its proposer asks again.
  if (found === undefined) return proposal;
  const ended = await runApproved(found, proposal, clock);
  await proposals.change(proposal, ended);
  return (await proposals.read(proposal.id)) ?? ended;
}

async function sweep(state: State): Promise<void> {
  const { proposals, clock, guarded, log } = state;
  for (const proposal of await proposals.due(clock.now())) {
    // What waits for a person, rather than for this process, ends at its time.
    if (proposal.state === "open" || !guarded.has(proposal.rpc)) {
      await proposals.change(proposal, concluded(proposal, "expired", "", clock.now()));
      continue;
    }
    await finish(state, proposal).catch((error: unknown) => {
      const fields = { err: error, proposal_id: proposal.id };
      if (isUnavailable(error)) log.info(fields, "proposal waits");
      else log.error(fields, "proposal not finished");
    });
  }
}

/** Runs a request for which one person is enough. */
async function runAlone(
  { handle, guard }: Guarded,
  request: MessageShape<DescMethodUnary["input"]>,
  context: HandlerContext,
  asked: Asked,
) {
  try {
    return await handle(request, context);
  } catch (error) {
    if (isRefusal(error)) await guard.refused?.(request, asked);
    throw error;
  }
}

/** Runs a proposal as its proposer, under its operation id: a repeat of it changes nothing more. */
async function runApproved(
  { method, handle }: Guarded,
  proposal: Proposal,
  clock: Clock,
): Promise<Proposal> {
  const { proposed, decided, request, before } = proposal;
  const principal: Principal =
    proposed.kind === "service"
      ? { kind: "service", name: proposed.by }
      : { kind: "person", id: proposed.by, roles: new Set(proposed.roles) };
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
    await withCallContext({ requestId, principal, approvedBy, approvedBefore: before }, async () =>
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

const nameOf = (method: DescMethodUnary) => `${method.parent.typeName}/${method.name}`;
