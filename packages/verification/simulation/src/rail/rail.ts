import { formatAmount } from "@disburse/kernel/money.ts";
import type { Instruction, Rail, RailCallback, RailReply } from "@disburse/rail/rail.ts";
import { SimulatedFault } from "../checks/process-log.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import { createOutages, type Scheduler, settlement } from "../scheduler/scheduler.ts";
import type { RailState, Transfer } from "./state.ts";

const hopMs = 30;
const outageMaxMs = 20_000;
/**
 * Duration of a slow call. Longer than a process waits for a rail, so a submission may arrive after
 * the query about it.
 */
const slowMs = 15_000;

/** Chooses the key of a submission. By default this is the payout's key. A test may change it. */
export type KeyOf = (payoutId: string) => string;

/** Delivers processes' calls to the rail's state. */
export class SimulatedRail {
  readonly outages: ReturnType<typeof createOutages>;
  readonly #scheduler: Scheduler;
  readonly #railState: RailState;
  readonly #onTaken: (transfer: Transfer) => void;

  constructor(scheduler: Scheduler, railState: RailState, onTaken: (transfer: Transfer) => void) {
    this.#scheduler = scheduler;
    this.outages = createOutages(scheduler, "rail: down", outageMaxMs);
    this.#railState = railState;
    this.#onTaken = onTaken;
  }

  connect(instance: ProcessInstance, keyOf: KeyOf = (payoutId) => payoutId): Rail {
    return {
      name: railName,
      capabilities: {
        currencies: ["USD", "INR"],
        transferMethods: ["LOCAL"],
        networks: [],
        limits: {},
      },
      available: () => this.#call(instance, "available", () => this.outages.isUp()),
      submit: (key, instruction) =>
        this.#call(instance, "submit", () => this.#submit(keyOf(key), instruction)),
      query: (key) => this.#call(instance, "query", () => this.#query(keyOf(key))),
      ...(this.#railState.isFunded && { isFunded: true as const }),
      withdraw: (key) => this.#call(instance, "withdraw", () => this.#withdraw(keyOf(key))),
      readCallback: readMessage,
    };
  }

  #submit(key: string, { amount, currency }: Instruction): RailReply {
    if (!this.outages.isUp()) throw new SimulatedFault("the rail is down");
    const { transfer, isNew } = this.#railState.take(key, amount, currency);
    if (isNew) this.#onTaken(transfer);
    return this.#answer(transfer);
  }

  #query(key: string): RailReply {
    if (!this.outages.isUp()) throw new SimulatedFault("the rail is down");
    const transfer = this.#railState.transfers.get(key);
    if (transfer !== undefined) return this.#answer(transfer);
    return { status: { kind: this.#railState.isStone(key) ? "rejected" : "not_received" } };
  }

  #withdraw(key: string): boolean {
    if (!this.outages.isUp()) throw new SimulatedFault("the rail is down");
    return this.#railState.withdraw(key);
  }

  #answer(transfer: Transfer): RailReply {
    const nowMs = this.#scheduler.nowMs();
    if (transfer.isWithdrawn) return { status: { kind: "rejected" } };
    if (transfer.isSilent || transfer.unknownAnswers > 0) {
      transfer.unknownAnswers -= 1;
      return { status: { kind: "unknown" }, pollAfterMs: 1_000 };
    }
    const { scenario, reference, decidedMs, returnedMs, charge, short, currency } = transfer;
    const openMs = decidedMs - nowMs;
    if (openMs > 0) return { status: { kind: "accepted" }, pollAfterMs: openMs };
    if (scenario === "rejects") return { status: { kind: "rejected" } };
    const transferred = transferredBy(transfer);
    const charges = charge && textOf(charge.minor, charge.currency);
    const paid = { transferred, ...(charges && { charges: [charges] }) };
    if (scenario === "settles") return { status: { kind: "settled", reference }, ...paid };
    if (nowMs >= returnedMs) {
      const missing = short > 0n && { short: textOf(short, currency) };
      return { status: { kind: "returned", reference }, ...paid, ...missing };
    }
    const isSoon = scenario === "returns";
    const again = isSoon ? { pollAfterMs: returnedMs - nowMs } : {};
    return { status: { kind: "settled", reference }, ...paid, ...again };
  }

  /** Delivers a call and its answer. If only the answer is lost, the call still took effect. */
  #call<T>(instance: ProcessInstance, label: string, effect: () => T): Promise<T> {
    const { faults, random } = this.#scheduler;
    const later = (what: string, run: () => void, owner?: ProcessInstance) => {
      const delayMs = faults.happens("rail: slow", 0.03) ? slowMs : hopMs;
      this.#scheduler.after(random.fraction() * delayMs, {
        label: `rail ${label} ${what}`,
        owner,
        run,
      });
    };
    return new Promise((resolve, reject) => {
      const fail = () => later("failed", () => reject(new SimulatedFault("no answer")), instance);
      later(`by ${instance.name}`, () => {
        if (faults.happens("rail: request lost", 0.04)) return fail();
        const settle = settlement(effect, resolve, reject);
        if (faults.happens("rail: answer lost", 0.06)) return fail();
        later("answered", settle, instance);
      });
    });
  }
}

/** Returns the amount that the rail reports as paid. */
export function transferredBy({ amount, currency }: Pick<Transfer, "amount" | "currency">) {
  return textOf(amount, currency);
}

function textOf(minor: bigint, currency: string) {
  return { amount: formatAmount(minor, currency), currency };
}

type Outcome = RailCallback["status"];

export type RailReport = {
  readonly key: string;
  readonly kind: Outcome["kind"];
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
};

/** The rail's name in the services and in the rail's messages. */
export const railName = "simulated";
/** Stands for a signature that only the rail can create. */
export const railSignature = "signed by the rail";

export function messageOf(report: RailReport): Uint8Array {
  return Buffer.from(JSON.stringify(report));
}

/** Parses a message of the rail. Returns "forged" for a wrong signature. */
export function readMessage(body: Uint8Array, signature: string): RailCallback | "forged" {
  if (signature !== railSignature) return "forged";
  const { key, kind, reference, amount, currency } = JSON.parse(
    Buffer.from(body).toString(),
  ) as RailReport;
  const status: Outcome = kind === "rejected" ? { kind } : { kind, reference };
  return { key, status, transferred: { amount, currency } };
}

/**
 * Creates a report. The report is true unless `amount`, as decimal text, differs from the paid
 * amount.
 */
export function reportOf(
  transfer: Transfer,
  kind: Outcome["kind"],
  amount = transferredBy(transfer).amount,
): RailReport {
  const { key, reference, currency } = transfer;
  return kind === "rejected"
    ? { key, kind, reference: "", amount: "", currency: "" }
    : { key, kind, reference, amount, currency };
}
