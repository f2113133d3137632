import { currencyOf } from "@disburse/kernel/currency.ts";
import { parseDecimal, rescale } from "@disburse/kernel/decimal.ts";
import { type Ledger, platformMerchantId } from "@disburse/ledger/accounts.ts";
import type { RailStep } from "@disburse/ledger/rules/account.ts";
import { sumsBetween } from "@disburse/ledger/statement.ts";
import { type RailAccountName, railAccountId } from "./accounts.ts";
import type { TreasuryRail } from "./rails.ts";
import {
  addsUp,
  compareStatement,
  type Day,
  type DayMovements,
  type Difference,
} from "./rules/day.ts";

/** A rail account's movements in a day, compared with the bank's statement if there is one. */
export type RailDay = DayMovements & {
  readonly statement?: Difference & { readonly closing: bigint };
};

const none: DayMovements = {
  opening: 0n,
  funded: 0n,
  swept: 0n,
  paid: 0n,
  returned: 0n,
  charges: 0n,
  closing: 0n,
  held: 0n,
};

/** Sums the movements of a rail account's day. */
export async function readRailDay(
  ledger: Ledger,
  name: RailAccountName,
  day: Day,
  rail: TreasuryRail | undefined,
): Promise<RailDay> {
  const own = { merchantId: platformMerchantId, accountId: railAccountId(name) };
  const [read, statement] = await Promise.all([
    sumsBetween(ledger, own, day),
    rail?.statement?.(name.currency, day.text),
  ]);
  const movements = read === undefined ? none : movementsOf(read);
  if (!addsUp(movements))
    throw new Error("the movements of a rail account's day don't add up to its closing balance");
  if (statement === undefined) return movements;
  const closing = signedAmount(statement.closing, name.currency);
  return { ...movements, statement: { ...compareStatement(movements, closing), closing } };
}

function movementsOf({
  before,
  after,
  sums,
}: NonNullable<Awaited<ReturnType<typeof sumsBetween>>>): DayMovements {
  const sum = (step: RailStep) => sums.get(step) ?? 0n;
  return {
    opening: before.available + before.held,
    funded: sum("fund"),
    swept: sum("sweep"),
    paid: sum("rail_post"),
    returned: sum("rail_return"),
    charges: sum("rail_charge"),
    closing: after.available + after.held,
    held: after.held,
  };
}

/** Parses a bank's balance, which may be negative. */
function signedAmount(text: string, currency: string): bigint {
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw new Error("the balance of a bank's statement is not a decimal");
  return rescale(decimal, currencyOf(currency).decimals);
}
