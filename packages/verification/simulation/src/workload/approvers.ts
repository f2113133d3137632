import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import {
  type Payout,
  type PayoutService,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import {
  approverOf,
  type CalledFor,
  Callers,
  childOfMaker,
  makerOf,
  mutationFor,
} from "./callers.ts";

const pollMaxMs = 6_000;
/** A late decision is made within this time before or after the approval's expiry. */
const aroundEndMs = 500;

export type Decision = {
  readonly payoutId: string;
  readonly as: "approved" | "rejected";
  readonly operationId: string;
  readonly by: CalledFor;
  /** The refusal codes that callers got, and "decided". */
  readonly answers: string[];
};

/** The planned decision on a waiting payout. */
type Plan = "approve" | "reject" | "both" | "late" | "nothing";
const plans: readonly Plan[] = [
  ...(["approve", "approve", "approve", "reject", "both", "late", "late", "nothing"] as const),
];

/** Members of merchants' teams. They decide on payouts awaiting approval, or ignore them. */
export class Approvers {
  readonly #scheduler: Scheduler;
  readonly #rpc: { readonly payout: Client<typeof PayoutService> };
  readonly #callers: Callers;
  readonly #plans = new Map<string, Plan>();
  readonly #tended = new Set<string>();
  underWay = 0;
  readonly decisions: Decision[] = [];
  readonly wrong: string[] = [];

  constructor(scheduler: Scheduler, rpc: { readonly payout: Client<typeof PayoutService> }) {
    this.#scheduler = scheduler;
    this.#rpc = rpc;
    this.#callers = new Callers(scheduler, "decision");
  }

  start(merchantId: string): void {
    const poll = () => void this.#pollPending(merchantId).finally(() => this.start(merchantId));
    const delayMs = this.#scheduler.random.below(pollMaxMs);
    this.#scheduler.after(delayMs, { label: "approvers poll", run: poll });
  }

  async #pollPending(merchantId: string): Promise<void> {
    const subStatus = PayoutSubStatus.AWAITING_APPROVAL;
    const list = () => this.#rpc.payout.listPayouts({ merchantId, subStatus, limit: 100 });
    const found = await this.#callers.ask(list);
    if (typeof found === "string") {
      this.wrong.push(`the payouts of ${merchantId} are ${found}`);
      return;
    }
    for (const { id } of found.payouts) void this.#tend(merchantId, id);
  }

  /** Carries out the plan for a payout. Repeats a refused decision. */
  async #tend(merchantId: string, id: string): Promise<void> {
    const { random } = this.#scheduler;
    if (this.#tended.has(id)) return;
    const plan = this.#plans.get(id) ?? random.pick(plans);
    this.#plans.set(id, plan);
    if (plan === "nothing") return;
    this.#tended.add(id);
    const read = () => this.#rpc.payout.getPayout({ merchantId, payoutId: id });
    const found = await this.#callers.ask(read);
    const payout = typeof found === "string" ? undefined : found.payout;
    if (payout === undefined) {
      this.wrong.push(`${id} is listed, and cannot be read`);
      return;
    }
    if (plan === "late") await this.#callers.pause(this.#untilEnd(payout));
    this.underWay += 1;
    if (random.chance(0.3)) await this.#tryWrongly(payout);
    const isBoth = plan === "both" || plan === "late";
    await Promise.all([
      ...(plan === "approve" || isBoth ? [this.#decide(payout, "approved", 1)] : []),
      ...(plan === "reject" || isBoth ? [this.#decide(payout, "rejected", 2)] : []),
    ]);
    this.underWay -= 1;
    this.#tended.delete(id);
  }

  #untilEnd({ approval }: Payout): number {
    const end = approval?.expiresAt;
    if (end === undefined) throw new Error("a payout awaiting approval has no expiry time");
    const { random } = this.#scheduler;
    const leftMs = timestampDate(end).getTime() - this.#scheduler.nowMs();
    return Math.max(leftMs + random.below(2 * aroundEndMs) - aroundEndMs, 0);
  }

  /**
   * Tries decisions that must be refused: an approval by the payout's creator, and an approval with
   * other content.
   */
  async #tryWrongly({ id: payoutId, merchantId }: Payout): Promise<void> {
    const digest = "0".repeat(64);
    const tries = [
      { what: "its maker", by: makerOf(merchantId), digest: "" },
      { what: "a key of its maker", by: childOfMaker(merchantId), digest: "" },
      { what: "a member who read another one", by: approverOf(merchantId, 1), digest },
    ];
    for (const { what, by, digest } of tries) {
      const mutation = mutationFor(by, this.#callers.operation());
      const approve = () =>
        this.#rpc.payout.approvePayout({ mutation, merchantId, payoutId, digest });
      const answer = await this.#callers.ask(approve);
      if (typeof answer === "string") this.#scheduler.faults.count("approval refused");
      else this.wrong.push(`${payoutId} was approved by ${what}`);
    }
  }

  async #decide(payout: Payout, as: Decision["as"], number: number): Promise<void> {
    const { random } = this.#scheduler;
    const { id: payoutId, merchantId, approval } = payout;
    const operationId = this.#callers.operation();
    const by = approverOf(merchantId, number);
    const decision = { payoutId, as, operationId, by, answers: [] as string[] };
    this.decisions.push(decision);
    const request = { mutation: mutationFor(by, operationId), merchantId, payoutId };
    const digest = random.chance(0.5) ? (approval?.digest ?? "") : "";
    const call = (): Promise<unknown> =>
      as === "approved"
        ? this.#rpc.payout.approvePayout({ ...request, digest })
        : this.#rpc.payout.rejectPayout({ ...request, reason: "not ours" });
    const answers = await this.#callers.askTwice(call);
    const heard = answers.map((each) => (typeof each === "string" ? each : "decided"));
    decision.answers.push(...heard);
  }
}
