import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { serviceMutation } from "@disburse/chassis/mutation.ts";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import {
  type PayoutService,
  RailOutcome,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Transfer } from "./rail-book.ts";
import { movedBy } from "./simulated-rail.ts";
import type { World } from "./world.ts";

/** The rail tries again until it is heard. */
const retryMs = 2_000;

/** A report as the rail makes it. */
type Report = {
  readonly outcome: RailOutcome;
  readonly transactionReference: string;
  readonly amount: string;
  readonly currencyCode: string;
};

/** What the rail tells of its own accord, until it is heard; some transfers, not all. */
export class RailCallbacks {
  readonly #world: World;
  readonly #rpc: Client<typeof PayoutService>;
  /** What the service should have refused and did not. */
  readonly wrong: string[] = [];
  #underWay = 0;
  #nextMs: number[] = [];
  #made = 0;

  constructor(world: World, rpc: Client<typeof PayoutService>) {
    this.#world = world;
    this.#rpc = rpc;
  }

  /** Reports that are on their way now. */
  get underWay(): number {
    return this.#underWay;
  }

  /** When the rail will next have something to say by itself. */
  nextMs(): number | undefined {
    this.#nextMs = this.#nextMs.filter((each) => each > this.#world.nowMs());
    return this.#nextMs.length === 0 ? undefined : Math.min(...this.#nextMs);
  }

  /** Plans what is told of a new transfer. */
  plan(transfer: Transfer): void {
    const { faults, random } = this.#world;
    const { scenario, decidedMs, returnedMs } = transfer;
    const isEarly = faults.happens("rail: callback before the answer", 0.1);
    const isLate = scenario === "returns after days";
    if (isEarly || isLate || faults.happens("rail: callback", 0.3)) {
      this.#at(isEarly ? 0 : decidedMs, () => this.#tellDecision(transfer));
    }
    if (isLate || (scenario === "returns" && random.chance(0.3))) {
      this.#at(returnedMs, () => this.#tell(transfer, RailOutcome.RETURNED));
    }
  }

  async #tellDecision(transfer: Transfer): Promise<void> {
    const { faults } = this.#world;
    const outcome = transfer.scenario === "rejects" ? RailOutcome.REJECTED : RailOutcome.SETTLED;
    if (faults.happens("rail: another amount", 0.2) && outcome === RailOutcome.SETTLED) {
      const wrong = { ...reportOf(transfer, outcome), amount: "9999.99" };
      await this.#refused(transfer, wrong, "a settlement of another amount");
    }
    await this.#tell(transfer, outcome);
    if (faults.happens("rail: callback twice", 0.3)) await this.#tell(transfer, outcome);
    if (!faults.happens("rail: contradiction", 0.2)) return;
    const isRejected = outcome === RailOutcome.REJECTED;
    const opposite = isRejected ? RailOutcome.SETTLED : RailOutcome.REJECTED;
    await this.#refused(transfer, reportOf(transfer, opposite), "a contradiction");
  }

  async #tell(transfer: Transfer, outcome: RailOutcome): Promise<void> {
    const answer = await this.#report(transfer, reportOf(transfer, outcome));
    if (answer !== "accepted") this.wrong.push(`${transfer.key}: the rail's word was refused`);
  }

  async #refused(transfer: Transfer, report: Report, what: string): Promise<void> {
    const answer = await this.#report(transfer, report);
    if (answer === "accepted") this.wrong.push(`${transfer.key}: ${what} was accepted`);
  }

  /** Reports under one operation until there is an answer. */
  async #report({ key: payoutId }: Transfer, report: Report): Promise<"accepted" | "refused"> {
    this.#made += 1;
    const mutation = serviceMutation("rail", `report-${this.#made}`);
    for (;;) {
      try {
        await this.#rpc.reportRailOutcome({ mutation, payoutId, ...report });
        return "accepted";
      } catch (error) {
        if (readRefusal(error) !== undefined) return "refused";
        if (ConnectError.from(error).code === Code.Unimplemented) throw error;
        await this.#pause(retryMs);
      }
    }
  }

  #at(atMs: number, work: () => Promise<void>): void {
    const delayMs = Math.max(atMs - this.#world.nowMs(), 0);
    this.#nextMs.push(this.#world.nowMs() + delayMs);
    const run = () => {
      this.#underWay += 1;
      void work().finally(() => {
        this.#underWay -= 1;
      });
    };
    this.#world.after(delayMs, { label: "rail reports", run });
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#world.after(ms, { label: "rail waits", run: resolve });
    return promise;
  }
}

function reportOf(transfer: Transfer, outcome: RailOutcome): Report {
  const { amount, currency } = movedBy(transfer);
  const isPaid = outcome !== RailOutcome.REJECTED;
  return {
    outcome,
    transactionReference: isPaid ? transfer.reference : "",
    amount: isPaid ? amount : "",
    currencyCode: isPaid ? currency : "",
  };
}
