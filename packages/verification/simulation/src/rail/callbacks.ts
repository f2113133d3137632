import type { Client } from "@connectrpc/connect";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import {
  type PayoutService,
  RailOutcome,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { untilAnswered } from "../network/rpc-network.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { messageOf, type RailReport, railName, railSignature, reportOf } from "./rail.ts";
import type { Transfer } from "./state.ts";

/** Interval at which the rail repeats an unacknowledged report. */
const retryMs = 2_000;

/** The rail's two report methods: an RPC, or its own signed message. */
type Rpc = {
  readonly payout: Client<typeof PayoutService>;
  readonly operations: Client<typeof PayoutOperatorService>;
};

const outcomes: Readonly<Record<RailReport["kind"], RailOutcome>> = {
  settled: RailOutcome.SETTLED,
  rejected: RailOutcome.REJECTED,
  returned: RailOutcome.RETURNED,
};

/** Sends the rail's reports of some transfers. Repeats each report until it is acknowledged. */
export class RailCallbacks {
  readonly #scheduler: Scheduler;
  readonly #rpc: Rpc;
  /** Reports that the service wrongly accepted or refused. */
  readonly wrong: string[] = [];
  underWay = 0;
  #plannedMs: number[] = [];
  #reportCount = 0;

  constructor(scheduler: Scheduler, rpc: Rpc) {
    this.#scheduler = scheduler;
    this.#rpc = rpc;
  }

  nextMs(): number | undefined {
    this.#plannedMs = this.#plannedMs.filter((each) => each > this.#scheduler.nowMs());
    return this.#plannedMs.length === 0 ? undefined : Math.min(...this.#plannedMs);
  }

  plan(transfer: Transfer): void {
    const { faults } = this.#scheduler;
    const { scenario, isSilent, decidedMs, returnedMs } = transfer;
    if (isSilent) return;
    const isEarly = faults.happens("rail: callback before the answer", 0.1);
    const isLate = scenario === "returns after days";
    if (isEarly || isLate || faults.happens("rail: callback", 0.3)) {
      this.#at(isEarly ? 0 : decidedMs, () => this.#reportDecision(transfer));
    }
    if (transfer.tellsReturn) {
      this.#at(returnedMs, async () => {
        if (!transfer.isWithdrawn) await this.#reportTruly(transfer, "returned");
      });
    }
  }

  async #reportDecision(transfer: Transfer): Promise<void> {
    if (transfer.isWithdrawn) return;
    transfer.isReported = true;
    const { faults } = this.#scheduler;
    const kind = transfer.scenario === "rejects" ? "rejected" : "settled";
    const opposite = kind === "rejected" ? "settled" : "rejected";
    if (faults.happens("rail: message forged", 0.2)) {
      await this.#refused(reportOf(transfer, opposite), "a forged message", "another sender");
    }
    if (kind === "settled" && faults.happens("rail: another amount", 0.2)) {
      await this.#refused(reportOf(transfer, kind, "9999.99"), "another amount");
    }
    await this.#reportTruly(transfer, kind);
    if (faults.happens("rail: callback twice", 0.3)) await this.#reportTruly(transfer, kind);
    if (!faults.happens("rail: contradiction", 0.2)) return;
    await this.#refused(reportOf(transfer, opposite), "a contradiction");
  }

  async #reportTruly(transfer: Transfer, kind: RailReport["kind"]): Promise<void> {
    const isAccepted = await this.#report(reportOf(transfer, kind), railSignature);
    if (!isAccepted) this.wrong.push(`${transfer.key}: the rail's report was refused`);
  }

  async #refused(report: RailReport, what: string, signature = railSignature): Promise<void> {
    const isAccepted = await this.#report(report, signature);
    if (isAccepted) this.wrong.push(`${report.key}: ${what} was accepted`);
  }

  /**
   * Sends a report until it is answered. Returns whether it was accepted. A forged report is sent
   * as a message.
   */
  async #report(report: RailReport, signature: string): Promise<boolean> {
    this.#reportCount += 1;
    const mutation = { operationId: `report-${this.#reportCount}` };
    const isMessage = signature !== railSignature || this.#scheduler.random.chance(0.5);
    const { key: payoutId, kind, reference, amount, currency } = report;
    const call = isMessage
      ? () =>
          this.#rpc.operations.receiveRailCallback({
            mutation,
            rail: railName,
            body: messageOf(report),
            signature,
          })
      : () =>
          this.#rpc.payout.reportRailOutcome({
            mutation,
            payoutId,
            outcome: outcomes[kind],
            amount,
            transactionReference: reference,
            currencyCode: currency,
          });
    const pause = () => this.#scheduler.pause(retryMs, "rail waits");
    return typeof (await untilAnswered<unknown>(call, pause)) !== "string";
  }

  #at(atMs: number, work: () => Promise<void>): void {
    const delayMs = Math.max(atMs - this.#scheduler.nowMs(), 0);
    this.#plannedMs.push(this.#scheduler.nowMs() + delayMs);
    const run = () => {
      this.underWay += 1;
      void work().finally(() => {
        this.underWay -= 1;
      });
    };
    this.#scheduler.after(delayMs, { label: "rail reports", run });
  }
}
