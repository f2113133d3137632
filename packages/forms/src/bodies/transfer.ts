import { type Pattern, type PublicBody, singleForm, type TextField } from "../fields/field.ts";
import { lengths, textField } from "../fields/make.ts";

/** Service interface, "Request for quote" and "Execute payout". */

const reference = { maxLength: lengths.reference } as const;

/** Unstructured remittance information (ISO 20022 `Max140Text`). */
const remittanceMax = 140;

/**
 * The shape alone: ISO 20022 publishes the codes (`ExternalPurpose1Code`) anew each quarter, and
 * which of them a payment may have is decided by its banks.
 */
const purposeCode: Pattern = {
  source: "^[A-Z]{4}$",
  problem: "must be an ISO 20022 purpose code: four capital letters, such as SUPP",
};

const amount = (name: string, description: string): TextField =>
  textField(name, description, "100.10", { kind: "amount", maxLength: lengths.amount });

/**
 * `POST /api/v1/transfer/rfq`. With a source amount the receiving amount is ignored, not validated.
 * How many decimals an amount may have is checked by the quote service, which knows the currencies.
 */
export const requestForQuote: PublicBody = singleForm({
  name: "request_for_quote",
  description: "One of the two amounts; the source amount takes precedence.",
  fields: [
    {
      ...amount("source_amount", "Amount deducted from the source account."),
      required: { field: "receiving_amount", absent: true },
    },
    {
      ...amount("receiving_amount", "Amount that the recipient receives."),
      required: false,
      when: { field: "source_amount", absent: true },
    },
    textField("beneficiary_id", "Who is paid.", "ben_01hqz0000000000000000000ab", reference),
    textField("source_currency_code", "Currency of the account.", "USD", reference),
    textField("destination_currency_code", "Currency of the beneficiary.", "USD", reference),
    textField("account_id", "Account to be debited.", "acc_01hqz0000000000000000000ab", reference),
  ],
});

/** `POST /api/v1/transfer/execute`. */
export const executePayout: PublicBody = singleForm({
  name: "execute_payout",
  description: "The quote to pay.",
  fields: [
    textField("quote_id", "A quote of this merchant.", "qt_01hqz0000000000000000000ab", reference),
    textField(
      "reference_id",
      "The merchant's own order reference. It need not be unique: the quote and the idempotency key keep a payout from being made twice.",
      "order-1001",
      { required: false },
    ),
    textField(
      "remittance_information",
      "What the payment is for, for the beneficiary: on the statement of a bank account, where its rail carries it. Ignored on chains.",
      "Invoice 1001",
      { required: false, maxLength: remittanceMax },
    ),
    textField(
      "purpose_code",
      "Purpose of the payment for the banks, where its rail carries it: four letters of ISO 20022's external purpose codes. A code that a bank does not take is its rejection.",
      "SUPP",
      { required: false, maxLength: 4, pattern: purposeCode },
    ),
  ],
});
