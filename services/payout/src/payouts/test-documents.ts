import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { newId } from "@disburse/kernel/id.ts";
import { changesOf } from "@disburse/testkit/document-text.ts";
import { type PayoutDocument, type Payouts, payoutDocument } from "./document.ts";
import { type ClaimedQuote, type PayoutOrder, payoutFrom } from "./rules/payout.ts";

export const claimedAt = new Date("2026-03-01T10:00:00Z");

/** All values differ, so that a test notices if two fields are swapped. */
export const quote: ClaimedQuote = {
  id: "quo_1",
  merchantId: "mer_1",
  accountId: "acc_1",
  corridorId: "cor_1",
  source: "USD",
  destination: "USDC",
  sourceMinor: 10_050n,
  feesMinor: 50n,
  receivingMinor: 99_500_000n,
  isReceivingFixed: true,
  exchangeRate: "0.995",
  returnCharges: "platform",
  reissueOf: undefined,
  destinationKeys: ["destination_1"],
  duplicateKeys: ["duplicate_1"],
  beneficiary: {
    id: "ben_1",
    name: "Ada Lovelace",
    accountNumberMasked: "********1234",
    transferMethod: "CRYPTO",
    network: "ETHEREUM",
  },
  claimedAt,
};

export const actor: StoredActor = { kind: "api_key", id: "key_1" };

/** The order that claimed `quote`. */
export const order: PayoutOrder = {
  ...{ merchantId: "mer_1", quoteId: "quo_1", operationId: "op_1", content: "content_1", actor },
  details: { referenceId: "order-1", remittanceInformation: "", purposeCode: "" },
  allowDuplicate: false,
};

export function storedPayout(change: Partial<PayoutDocument> = {}): PayoutDocument {
  const id = newId("quote");
  const made = payoutFrom({ ...quote, id }, { ...order, quoteId: id, operationId: id });
  return { ...payoutDocument(made, {}), ...change };
}

export const after = (seconds: number): Date => new Date(claimedAt.getTime() + seconds * 1_000);

/**
 * Returns the changes that a write makes to a stored payout. Times are given in seconds after
 * `claimedAt`.
 */
export async function changesBy(payouts: Payouts, id: string, write: () => Promise<unknown>) {
  const before = await payouts.findOne({ _id: id });
  await write();
  const time = (at: Date) => `${(at.getTime() - claimedAt.getTime()) / 1_000} s`;
  return changesOf(before, await payouts.findOne({ _id: id }), time);
}
