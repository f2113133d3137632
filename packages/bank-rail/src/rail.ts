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

/** What the rail of a bank is made of. */
export type BankRailOptions = {
  readonly name: string;
  readonly currency: string;
  readonly transferMethods: readonly string[];
  /** The account that is debited, as statements name it; "" where none does. */
  readonly account: string;
  readonly schedule: BankSchedule;
  /** Banking days after settlement until a payment of which nothing is confirmed is settled. */
  readonly returnWindowDays: number;
  readonly overdueAfterMs: number;
  /** The largest payment of the format; `undefined`: any. */
  readonly largest: bigint | undefined;
  readonly store: BankStore;
  readonly sealer: Seals;
  readonly clock: Clock;
};

/** A payment that changes wakes its payout at once (`callOwed`), so polls are rare. */
const pollMs = 600_000;

/** A rail whose payments go to a bank in files: taking one is one insert, and polls read of it. */
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
    // Files wait for a server that is away; after a calendar's end there is no plan.
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
    statement: (asked, day) => statementOf(store, name, asked, day),
    submit: async (key, instruction) => {
      if (instruction.currency !== code) throw new Error("another currency's transfer");
      const now = clock.now();
      const plan = planOf(schedule, instruction.amount, now);
      if (isRefused(plan)) throw new Error("the bank's calendar ends before the next window");
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
    // A bank sends files.
    readCallback: () => "forged",
  };
}

/** The worker that asks keeps its lease until it has stored what it was answered. */
async function noteAsked({ payments }: BankStore, { _id, owed, revision }: PaymentDocument) {
  if (owed === undefined) return;
  await payments.updateOne({ _id, revision }, { $unset: { owed: "" } });
}

/** What a rail says of a payment. A doubt never changes what is known: people decide. */
export function replyOf(payment: PaymentDocument): RailReply {
  const { state, currency, reference = "", failure, returned, charges, doubt } = payment;
  const isDoubted = doubt !== undefined && { contradiction: `the bank's files: ${doubt.why}` };
  const taken = charges !== undefined && {
    charges: charges.map((each) => amountOf(each.amount_minor, each.currency)),
  };
  switch (state) {
    case "waiting":
    case "filed":
      return {
        status: { kind: doubt === undefined ? "accepted" : "unknown" },
        pollAfterMs: pollMs,
      };
    case "withdrawn":
      return { status: { kind: "rejected" } };
    case "rejected":
      return { status: { kind: "rejected", ...failureOf(failure) }, ...isDoubted };
    case "settled":
      return {
        status: { kind: "settled", reference },
        ...taken,
        ...isDoubted,
      };
    case "returned": {
      const short = returned?.short_minor;
      return {
        status: { kind: "returned", reference, ...failureOf(failure) },
        ...taken,
        ...(short !== undefined && { short: amountOf(short, currency) }),
        ...isDoubted,
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
