import {
  AccountActivitySchema,
  AccountDaySchema,
  AccountMovementsSchema,
  LedgerStep,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get } from "../openapi/route.ts";

const movements = f.record(
  AccountMovementsSchema,
  "AccountMovements",
  "All movements of one kind on one day.",
  {
    step: f.word(LedgerStep, "Kind of movement, as in List entries."),
    count: f.whole("Number of movements.", 12),
    amount: f.decimal("Sum of their amounts.", "3000.00"),
  },
);

const day = f.record(AccountDaySchema, "AccountDay", "An account on one day.", {
  date: f.day("UTC day."),
  movements: f.listOf("The kinds of movements that the day has.", f.ref(movements)),
  available: f.decimal("Available balance at the end of the day, or now for today.", "999750.00"),
  held: f.decimal("Held balance at the end of the day, or now for today.", "250.00"),
});

const activity = f.record(
  AccountActivitySchema,
  "AccountActivity",
  "The movements and balances of an account by day.",
  {
    account_id: f.id("acc", "Account id."),
    currency_code: f.text("Currency of the amounts.", "USD"),
    days: f.listOf("Each day of the period, the earliest first.", f.ref(day)),
  },
);

export const activityComponents = [movements, day, activity];

export const getAccountActivity = get(
  "getAccountActivity",
  "/api/v1/transfer/accounts/:accountId/activity",
  {
    summary: "Get account activity",
    description:
      "Sums the lines of an account's statement by UTC day, with the balances at the end of each day. `post` counts payouts that left the account, `release` those that did not, because they failed or were cancelled, and `return` those that came back. The figures are at most 60 seconds old. An account with more than 1,000,000 lines in the period is refused: ask for fewer days.",
    query: q.days,
    data: activity,
    answer: async ({ request }, { payout }) => (await payout.getAccountActivity(request)).activity,
  },
);
