import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import {
  type ApprovalRequired,
  type ApprovalService,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import {
  type Payout,
  PayoutSubStatus,
  RailOutcome,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { untilAnswered } from "../network/rpc-network.ts";
import type { RailState, Transfer } from "../rail/state.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const pollMaxMs = 12_000;
const retryMs = 1_500;

type Operator = "ann" | "bob";

type Resolution = ReturnType<typeof resolutionOf>;

/** The resolution for a payout whose beneficiary is blocked. */
const cancelled = {
  outcome: RailOutcome.REJECTED,
  transactionReference: "",
  reason: "not sent, and not to be sent",
};

/** Returns true if a payout waits for its beneficiary or for funds. */
function isUnsent(payout: Payout | undefined, rail: string): boolean {
  return rail === "" || payout?.subStatus === PayoutSubStatus.AWAITING_FUNDS;
}

function resolutionOf({ scenario, reference }: Transfer) {
  const reason = "learned from the rail by telephone";
  return scenario === "rejects"
    ? { outcome: RailOutcome.REJECTED, transactionReference: "", reason }
    : { outcome: RailOutcome.SETTLED, transactionReference: reference, reason };
}

/** The operators' clients. One of them proposes, and both try to approve. */
type OperatorRpcs = {
  readonly proposer: Client<typeof PayoutOperatorService>;
  readonly approvers: Record<Operator, Client<typeof ApprovalService>>;
};

/**
 * Returns the proposal that a call created. Returns nothing if the request was approved and
 * executed before.
 */
async function proposalOf(call: Promise<unknown>): Promise<ApprovalRequired | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const required = readApprovalRequired(error);
    if (required === undefined) throw error;
    return required;
  }
}

/** The codes of refusals after which an approver repeats the call. */
const retried = new Set(["SERVICE_UNAVAILABLE", "IDEMPOTENCY_IN_PROGRESS"]);

/**
 * Two operators who find out outcomes that the rail doesn't report, and resolve the payouts. One
 * proposes and the other approves; both sometimes repeat their calls.
 */
export class Operators {
  readonly #scheduler: Scheduler;
  readonly #rpc: OperatorRpcs;
  readonly #railState: RailState;
  readonly #resolved = new Set<string>();
  readonly wrong: string[] = [];
  #operations = 0;

  constructor(scheduler: Scheduler, rpc: OperatorRpcs, railState: RailState) {
    this.#scheduler = scheduler;
    this.#rpc = rpc;
    this.#railState = railState;
  }

  get unresolved(): readonly string[] {
    const silent = [...this.#railState.transfers.values()].filter(
      ({ isSilent, isWithdrawn }) => isSilent && !isWithdrawn,
    );
    return silent.map(({ key }) => key).filter((key) => !this.#resolved.has(key));
  }

  start(): void {
    const poll = () => void this.#pollPending().finally(() => this.start());
    const delayMs = this.#scheduler.random.below(pollMaxMs);
    this.#scheduler.after(delayMs, { label: "operators poll", run: poll });
  }

  async #pollPending(): Promise<void> {
    const found = await this.#answer(() => this.#rpc.proposer.listPayoutExceptions({ limit: 100 }));
    if (typeof found === "string") return;
    const { random, faults } = this.#scheduler;
    for (const { payout, rail } of found.exceptions) {
      const id = payout?.id ?? "";
      const transfer = this.#railState.transfers.get(id);
      if (transfer?.isSilent === true) {
        if (!(await this.#resolve(id, resolutionOf(transfer)))) continue;
        faults.count("resolved by operators");
        this.#resolved.add(id);
      } else if (isUnsent(payout, rail) && random.chance(0.5)) {
        if (await this.#resolve(id, cancelled)) faults.count("kept back by operators");
      }
    }
  }

  async #resolve(payoutId: string, resolution: Resolution): Promise<boolean> {
    const { random } = this.#scheduler;
    const request = { mutation: this.#mutation(), payoutId, ...resolution };
    const propose = () => this.#answer(() => proposalOf(this.#rpc.proposer.resolvePayout(request)));
    const [created] = await Promise.all([propose(), ...(random.chance(0.3) ? [propose()] : [])]);
    if (typeof created === "string" || created === undefined) return false;
    const { proposalId, contentDigest } = created;
    const approve = (person: Operator) => {
      const decision = { mutation: this.#mutation(), proposalId, contentDigest };
      const rpc = this.#rpc.approvers[person];
      return () => this.#effect(() => rpc.approveProposal(decision));
    };
    const alone = random.chance(0.3) ? await approve("ann")() : "nothing";
    if (typeof alone !== "string") this.wrong.push(`${proposalId} was approved by its proposer`);
    const second = approve("bob");
    const [ended] = await Promise.all([second(), ...(random.chance(0.3) ? [second()] : [])]);
    return typeof ended !== "string" && ended?.proposal?.state === ProposalState.EXECUTED;
  }

  /**
   * Repeats the call while the payout is being sent, because a rejection has to wait for that, and
   * while the approved request is running.
   */
  async #effect<T>(call: () => Promise<T>): Promise<T | string> {
    for (;;) {
      const answer = await this.#answer(call);
      if (typeof answer !== "string" || !retried.has(answer)) return answer;
      await this.#scheduler.pause(retryMs, "an operator waits");
    }
  }

  #answer<T>(call: () => Promise<T>): Promise<T | string> {
    return untilAnswered(call, () => this.#scheduler.pause(retryMs, "an operator waits"));
  }

  #mutation() {
    this.#operations += 1;
    return create(MutationSchema, { operationId: `resolve-${this.#operations}` });
  }
}
