import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Rail, RailReply, StatementBalances } from "@disburse/rail/rail.ts";
import type { TransferredAmount } from "@disburse/rail/report.ts";
import type { Decimal128 } from "mongodb";
import type { Seals } from "./contents.ts";
import type { BankStore, PaymentDocument } from "./documents.ts";
import { acceptPayment, withdrawPayment } from "./payments.ts";
import { type BankSchedule, endOfDay, largestOf, lastTimeOf, planOf } from "./plan.ts";

export type BankRailOptions = {
  readonly name: string;
  readonly currency: string;
  readonly transferMethods: readonly string[];
  /** The debited account, as bank statements identify it. "" if the bank sends no statements. */
  readonly account: string;
  readonly schedule: BankSchedule;
  /** The number of banking days after settlement until an unconfirmed payment counts as settled. */
  readonly returnWindowDays: number;
  readonly overdueAfterMs: number;
  /** The largest payment that the format allows. `undefined` if it allows any amount. */
  readonly largest: bigint | undefined;
  readonly store: BankStore;
  readonly sealer: Seals;
  readonly clock: Clock;
};

/** Polling is rare, because `callPending` notifies the payout when its payment changes. */
const pollMs = 600_000;

/**
 * Creates a rail that sends payments in files. Submitting a payment inserts its document. Polling
 * reads that document.
 */
export function createBankRail(options: BankRailOptions): Rail {
  const { name, currency, account, schedule, store, sealer, clock } = options;
  const { code } = currencyOf(currency);
  const reply = async (key: string): Promise<RailReply> => {
    const found = await store.payments.findOne({ _id: key });
    if (found === null) return { status: { kind: "not_received" } };
    return replyOf(found);
  };
  const max = [largestOf(schedule), options.largest]
    .filter((each) => each !== undefined)
    .reduce<bigint | undefined>(
      (least, each) => (least === undefined || each < least ? each : least),
      undefined,
    );
  return {
    name,
    capabilities: {
      currencies: [code],
      transferMethods: options.transferMethods,
      networks: [],
      limits: max === undefined ? {} : { [code]: { max } },
    },
    isFunded: true,
    overdueAfterMs: options.overdueAfterMs,
    // The rail stays available while the bank's server is down, because files wait. It is
    // unavailable after the calendar's last day, because no payment can be planned.
    available: async () => !isRefused(planOf(schedule, 1n, clock.now())),
    expectedAt: ({ amount }, now) => {
      const plan = planOf(schedule, amount, now);
      if (isRefused(plan)) return undefined;
      return endOfDay(schedule, plan.settles_on, options.returnWindowDays);
    },
    cutOff: () => {
      const time = lastTimeOf(schedule);
      return time === undefined ? undefined : { time, zone: schedule.zone };
    },
    statement: (currency, day) => statementOf(store, name, currency, day),
    submit: async (key, instruction) => {
      if (instruction.currency !== code)
        throw new Error(`the rail does not pay in ${instruction.currency}`);
      const now = clock.now();
      const plan = planOf(schedule, instruction.amount, now);
      if (isRefused(plan)) throw new Error("the bank's calendar ends before the next cut-off");
      await acceptPayment(store, sealer, { key, rail: name, account, instruction, plan, at: now });
      return reply(key);
    },
    query: async (key) => {
      const found = await store.payments.findOne({ _id: key });
      if (found === null) return { status: { kind: "not_received" } };
      await noteAsked(store, found);
      return replyOf(found);
    },
    withdraw: (key) => withdrawPayment(store, name, key, clock.now()),
    // A bank sends files, not callbacks.
    readCallback: () => "forged",
  };
}

/**
 * Records that the payout has read the latest change. The polling worker keeps its lease until it
 * has stored the response.
 */
async function noteAsked(
  { payments }: BankStore,
  { _id, report_pending, revision }: PaymentDocument,
) {
  if (report_pending === undefined) return;
  await payments.updateOne({ _id, revision }, { $unset: { report_pending: "" } });
}

/**
 * Converts a payment to a reply. An unknown outcome does not change the payment's known state.
 * Operators decide the outcome.
 */
export function replyOf(payment: PaymentDocument): RailReply {
  const { state, currency, reference = "", failure, returned, charges } = payment;
  const unknownOutcome = payment.unknown_outcome;
  const contradicted = unknownOutcome !== undefined && {
    contradiction: `the bank's files: ${unknownOutcome.why}`,
  };
  const taken = charges !== undefined && {
    charges: charges.map((each) => amountOf(each.amount_minor, each.currency)),
  };
  switch (state) {
    case "waiting":
    case "filed":
      return {
        status: { kind: unknownOutcome === undefined ? "accepted" : "unknown" },
        pollAfterMs: pollMs,
      };
    case "withdrawn":
      return { status: { kind: "rejected" } };
    case "rejected":
      return { status: { kind: "rejected", ...failureOf(failure) }, ...taken, ...contradicted };
    case "settled":
      return {
        status: { kind: "settled", reference },
        ...taken,
        ...contradicted,
      };
    case "returned": {
      const short = returned?.short_minor;
      return {
        status: { kind: "returned", reference, ...failureOf(failure) },
        ...taken,
        ...(short !== undefined && { short: amountOf(short, currency) }),
        ...contradicted,
      };
    }
  }
}

function amountOf(minor: Decimal128, currency: string): TransferredAmount {
  return { amount: formatAmount(fromDecimal128(minor), currency), currency };
}

function failureOf(failure: PaymentDocument["failure"]): { readonly failure?: Failure } {
  if (failure === undefined) return {};
  const { code, rail_code: railCode } = failure;
  return { failure: { code, ...(railCode !== undefined && { railCode }) } };
}

async function statementOf(
  { balances }: BankStore,
  rail: string,
  currency: string,
  day: string,
): Promise<StatementBalances | undefined> {
  const found = await balances.findOne({ _id: `${rail} ${day}` });
  if (found === null || found.currency !== currency) return undefined;
  return {
    opening: formatAmount(fromDecimal128(found.opening_minor), currency),
    closing: formatAmount(fromDecimal128(found.closing_minor), currency),
  };
}
