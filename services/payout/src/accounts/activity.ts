import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { CountRead } from "@disburse/chassis/cache.ts";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { createDailyReport } from "@disburse/chassis/rpc/daily-report.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type AccountActivity,
  AccountActivitySchema,
  LedgerStep,
  type PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Ledger, platformMerchantId } from "@disburse/ledger/accounts.ts";
import { createActivity, type DayActivity, entriesMax } from "@disburse/ledger/activity.ts";
import type { MerchantStep } from "@disburse/ledger/rules/account.ts";

type ActivityDeps = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly countRead?: CountRead | undefined;
};

/** A report has at most 50 kB. */
const keptMax = 500;

const tooMany = refused(
  "INVALID_REQUEST",
  `first_day: must be later, because the account has more than ${entriesMax} entries since then`,
);

/** Serves the charts of an account. */
export function activityRpc({ ledger, clock, countRead }: ActivityDeps) {
  const activityOf = createActivity(ledger);
  const report = createDailyReport<AccountActivity | Refused<"INVALID_REQUEST">>({
    name: "account_activity",
    max: keptMax,
    clock,
    countRead,
    read: async ([merchantId = "", accountId = ""], days) => {
      const found = await activityOf({ merchantId, accountId }, days);
      if (found === undefined || found === "too_many") return found && tooMany;
      const { currency } = found;
      return create(AccountActivitySchema, {
        accountId,
        currencyCode: currency,
        days: found.days.map((day) => dayMessage(day, currency)),
      });
    },
  });
  return {
    getAccountActivity: async ({ merchantId, accountId, ...days }) => {
      const isMerchants = merchantId !== platformMerchantId;
      const found = isMerchants ? await report([merchantId, accountId], days) : undefined;
      return { activity: orThrow(found ?? refused("RECORD_NOT_FOUND")) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

function dayMessage({ day, movements, available, held }: DayActivity, currency: string) {
  const text = (minor: bigint) => formatAmount(minor, currency);
  return {
    date: day,
    movements: [...movements].map(([step, { count, sum }]) => ({
      // Merchants' accounts have no steps of rail accounts.
      step: enumValue(LedgerStep, step as MerchantStep),
      count: BigInt(count),
      amount: text(sum),
    })),
    available: text(available),
    held: text(held),
  };
}
