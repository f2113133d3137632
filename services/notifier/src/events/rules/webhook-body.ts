import {
  ExactNumber,
  exactNumber,
  exactValue,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { type Trial, trialBody } from "../../endpoints/rules/verification.ts";

/** The values that a merchant chose for a sandbox event. `""` keeps the value of the example. */
type Chosen = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly status: string;
  readonly data: Readonly<Record<string, string>>;
};

/** The `data` of a sandbox event, with the parts that are signed. */
type SandboxData = {
  readonly transactionId: string;
  readonly status: string;
  readonly dataJson: string;
};

const numberText = /^-?\d+(\.\d+)?$/;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

type Texts =
  | ("id" | "referenceId" | "status" | "merchantId" | "quoteId" | "corridorId" | "beneficiaryId")
  | ("sourceCurrencyCode" | "destinationCurrencyCode" | "sourceAmount" | "receivingAmount")
  | ("exchangeRate" | "totalFees" | "uniqueTransactionReference")
  | ("subStatus" | "failureCode" | "returnedReference");

/** A payout as its event contains it. Amounts and the rate are texts with a decimal number. */
export type PayoutSnapshot = Readonly<Record<Texts, string>> & {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Absent in events of the previous release. */
  readonly createdBy?: { readonly id: string; readonly type: string; readonly name: string };
};

/**
 * Builds the body of a payout's webhook. The API's fields come first, in its order. Fields that
 * were added later follow. Amounts keep the digits of the event. Throws if an amount is not a
 * decimal number, which the platform never sends.
 */
export function payoutBody(payout: PayoutSnapshot): Uint8Array {
  const data = {
    id: payout.id,
    reference_id: payout.referenceId,
    status: payout.status,
    merchant_id: payout.merchantId,
    quote_id: payout.quoteId,
    corridor_id: payout.corridorId,
    source_currency_code: payout.sourceCurrencyCode,
    destination_currency_code: payout.destinationCurrencyCode,
    beneficiary_id: payout.beneficiaryId,
    source_amount: exactNumber(payout.sourceAmount),
    receiving_amount: exactNumber(payout.receivingAmount),
    exchange_rate: exactNumber(payout.exchangeRate),
    total_fees: exactNumber(payout.totalFees),
    fixed_cost_currency: payout.sourceCurrencyCode,
    unique_transaction_reference: payout.uniqueTransactionReference,
    created_at: isoTime(payout.createdAt),
    updated_at: isoTime(payout.updatedAt),
    sub_status: payout.subStatus,
    failure_code: payout.failureCode,
    returned_reference: payout.returnedReference,
    ...(payout.createdBy && { created_by: payout.createdBy }),
  };
  return merchantEventBody("payout_session", payout.id, JSON.stringify(data));
}

const encoder = new TextEncoder();

/** Builds the body of an event. The bytes of `dataJson` stay unchanged. */
export function merchantEventBody(type: string, id: string, dataJson: string): Uint8Array {
  const frame = `{"transaction_type":${JSON.stringify(type)},"transaction_id":${JSON.stringify(id)}`;
  return encoder.encode(`${frame},"data":${dataJson}}`);
}

/** Test events have their own type and status, so that no receiver mistakes one for a payout. */
export const testTransactionType = "webhook_test";
export const testStatus = "test";

export function testBody(test: Trial): Uint8Array {
  return trialBody(testTransactionType, testStatus, test);
}

/**
 * Returns the example's `data` with the chosen values. Returns `undefined` if the example is not an
 * object. If a field of the example is a number and the chosen value is numeric, the field stays a
 * number.
 */
export function sandboxData(example: string, chosen: Chosen): SandboxData | undefined {
  const base = parseExactJson(example);
  if (!isJsonObject(base)) return undefined;
  const fields: JsonObject = { ...base };
  for (const [name, text] of Object.entries(chosen.data)) {
    const isNumber = base[name] instanceof ExactNumber && numberText.test(text);
    fields[name] = isNumber ? new ExactNumber(text) : text;
  }
  const transactionId = chosen.transactionId || textOf(fields.id);
  const status = chosen.status || textOf(fields.status);
  const own = { id: transactionId, status, merchant_id: chosen.merchantId };
  const dataJson = JSON.stringify(exactValue({ ...fields, ...own }));
  return { transactionId, status, dataJson };
}
