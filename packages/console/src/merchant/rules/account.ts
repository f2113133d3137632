import type { Account } from "@disburse/sdk/gen/types.ts";
import { moneyText } from "../../ui/rules/amounts.ts";

/** Names an account in a selection, with what it can pay. */
export const accountLabel = ({ id, name, available, currency_code: currency }: Account) =>
  `${moneyText(available, currency)} · ${name || id}`;
