import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Ledger, listRailAccounts } from "@disburse/ledger/accounts.ts";
import type { LedgerCollections } from "@disburse/ledger/documents.ts";
import type { Payouts } from "../payouts/document.ts";
import type { TreasuryRails } from "./rails.ts";
import { readRailDay } from "./report.ts";
import { dayBefore, readDay } from "./rules/day.ts";
import { readWaiting } from "./waiting.ts";

const labels = ["rail", "currency"] as const;

/** Converts an amount to a float in major units, for charts. Never calculate with the result. */
const shown = (minor: bigint, currency: string) => Number(formatAmount(minor, currency));

/**
 * Returns a function that updates the gauges of rail accounts. All processes show the same values.
 */
export function railAccountGauges(
  ledger: Pick<LedgerCollections, "accounts">,
  payouts: Payouts,
  metrics: Metrics,
): () => Promise<void> {
  const available = metrics.gauge(
    "disburse_rail_account_available",
    "Available balance of a rail account, in major units.",
    labels,
  );
  const held = metrics.gauge(
    "disburse_rail_account_held",
    "Amount of a rail account that is held for open payouts, in major units.",
    labels,
  );
  const waiting = metrics.gauge(
    "disburse_rail_account_waiting",
    "Sum of the payouts that wait until a rail account is funded, in major units.",
    labels,
  );
  const waitingPayouts = metrics.gauge(
    "disburse_payouts_awaiting_funds",
    "Payouts that wait until a rail account is funded.",
    labels,
  );
  return async () => {
    const [accounts, sums] = await Promise.all([listRailAccounts(ledger), readWaiting(payouts)]);
    for (const account of accounts) {
      const { rail, currency } = account;
      const of = { rail, currency };
      available.set(of, shown(account.available, currency));
      held.set(of, shown(account.held, currency));
      const own = sums.find((each) => each.rail === rail && each.currency === currency);
      waiting.set(of, own === undefined ? 0 : shown(own.sum, currency));
      waitingPayouts.set(of, own?.count ?? 0);
    }
  };
}

export type StatementGaugeDeps = {
  readonly ledger: Ledger;
  readonly rails: TreasuryRails;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * The interval of comparisons. Statements arrive once a day and are thus compared within a minute.
 */
const compareEveryMs = 60_000;

/** Regularly compares rail accounts with their banks' statements of the previous day. */
export function startStatementGauges(deps: StatementGaugeDeps): Loop {
  const read = statementGauges(deps);
  const run = () => read().then(() => false);
  return startLoop({ name: "rail-statements", everyMs: compareEveryMs, run, log: deps.log });
}

/**
 * Returns a function that compares once. A rail account without a statement of the previous day has
 * no series.
 */
export function statementGauges({ ledger, rails, metrics, clock }: StatementGaugeDeps) {
  const unexplained = metrics.gauge(
    "disburse_rail_statement_unexplained",
    "Difference between the bank's statement of the previous day and the rail account, without open payouts, in major units.",
    labels,
  );
  return async (): Promise<void> => {
    const day = readDay(dayBefore(clock.now()));
    if (day === undefined) throw new Error("the date of the previous day is not valid");
    for (const rail of rails.all.filter((each) => each.isFunded && each.statement)) {
      for (const currency of rail.capabilities.currencies) {
        const name = { rail: rail.name, currency };
        const { statement } = await readRailDay(ledger, name, day, rail);
        if (statement === undefined) unexplained.remove(name);
        else unexplained.set(name, shown(statement.unexplained, currency));
      }
    }
  };
}
