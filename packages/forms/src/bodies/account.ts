import { type PublicBody, singleForm } from "../fields/field.ts";
import { amountText, lengths, textField } from "../fields/make.ts";

/**
 * `PATCH /api/v1/transfer/accounts/:id`. The payout service checks the decimals of the account's
 * currency, and that at least one field is sent.
 */
export const updateAccount: PublicBody = singleForm({
  name: "update_account",
  description: "Changes to an account; at least one is required. An empty text removes a field.",
  needsField: true,
  fields: [
    textField("name", "Your own name for the account.", "Payroll", {
      required: false,
      maxLength: lengths.alias,
    }),
    textField(
      "low_balance_threshold",
      "Amount in the account's currency. When the available balance falls below it, endpoints that name it get `account.balance_low`, once for each fall.",
      "500.00",
      {
        kind: "amount",
        maxLength: lengths.amount,
        required: false,
        mayBeEmpty: true,
        shape: amountText.replace("^(", "^(|"),
      },
    ),
  ],
});
