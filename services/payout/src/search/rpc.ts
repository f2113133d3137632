import type { ServiceImpl } from "@connectrpc/connect";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import { type Ledger, platformMerchantId } from "@disburse/ledger/accounts.ts";
import { toAccount } from "@disburse/ledger/documents.ts";
import { accountMessage } from "../accounts/rpc.ts";
import type { Batches } from "../batches/document.ts";
import { batchMessage } from "../batches/wire.ts";
import type { Orders } from "../orders/document.ts";
import { isCreated, type Payouts } from "../payouts/document.ts";
import { listedMessage, listFields } from "../payouts/listed.ts";
import { asWaiting } from "../waiting/document.ts";
import { listedWaiting } from "../waiting/wire.ts";

/** Shorter texts would only be typing errors in the audit trail. */
const referenceMin = 4;
const referenceMax = 255;
const foundMax = 20;

export type SearchDeps = {
  readonly payouts: Payouts;
  readonly waiting: Orders;
  readonly batches: Batches;
  readonly lines: Orders;
  readonly ledger: Ledger;
};

/**
 * Finds records of all merchants by whole ids and references. The indexes begin with the merchant,
 * so each reference is one look-up for each merchant that has an account.
 */
export function searchRpc({ payouts, waiting, batches, lines, ledger }: SearchDeps) {
  const ofMerchants = { merchant_id: { $ne: platformMerchantId } };
  const payoutsBy = (filter: object, hint: string) =>
    payouts.find(filter, { projection: listFields, hint }).limit(foundMax).toArray();
  return {
    findRecords: async ({ reference }) => {
      const text = cleanText(reference);
      if (text.length < referenceMin || text.length > referenceMax) {
        const bounds = `${referenceMin} to ${referenceMax}`;
        orThrow(refused("INVALID_REQUEST", `reference: must have ${bounds} characters`));
      }
      const merchant_id = { $in: await ledger.accounts.distinct("merchant_id", ofMerchants) };
      // A bank file has the id without its prefix, in capitals.
      const ids = [text, `po_${text.toLowerCase()}`];
      const named = { merchant_id, reference_id: text };
      const [byId, byReference, byPayment, waits, batchById, batchByReference, accounts] =
        await Promise.all([
          payouts.find({ _id: { $in: ids }, ...isCreated }, { projection: listFields }).toArray(),
          payoutsBy({ merchant_id, "order.details.reference_id": text }, "list_reference_id"),
          payoutsBy({ merchant_id, "progress.reference": text }, "list_reference"),
          waiting.find({ _id: { $in: ids }, "balance.listed": true }).toArray(),
          batches.find({ _id: text }).toArray(),
          batches.find(named, { hint: "list_reference_id" }).limit(foundMax).toArray(),
          ledger.accounts.find({ _id: text, ...ofMerchants }).toArray(),
        ]);
      const paid = [...byId, ...byReference, ...byPayment].map(listedMessage);
      const found = [...waits.map((each) => listedWaiting(asWaiting(each))), ...paid];
      const own = [...batchById, ...batchByReference];
      return {
        payouts: [...new Map(found.map((each) => [each.id, each])).values()].slice(0, foundMax),
        batches: await Promise.all(own.slice(0, foundMax).map((each) => batchMessage(lines, each))),
        accounts: accounts.map((each) => accountMessage(toAccount(each))),
      };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}
