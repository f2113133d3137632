import type { Account } from "@disburse/sdk/gen/types.ts";
import { moneyText } from "../../ui/rules/amounts.ts";
import { isBelow } from "../../ui/rules/sums.ts";

/** Names an account in a selection, with what it can pay. */
export const accountLabel = ({ id, name, available, currency_code: currency }: Account) =>
  `${moneyText(available, currency)} · ${name || id}`;

/** True if an open account has less than its threshold. */
export const isLow = ({ available, low_balance_threshold: least, closed_at: closed }: Account) =>
  least !== undefined && closed === "" && isBelow(available, least);
