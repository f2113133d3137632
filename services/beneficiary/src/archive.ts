import type { Collection } from "mongodb";
import { type BeneficiaryDocument, type Change, toBeneficiary } from "./documents.ts";
import type { Beneficiary } from "./domain/beneficiary.ts";

/**
 * Takes a merchant's beneficiary out of use, in one write, and answers with it; `undefined` where
 * there is none. The first time counts: a repeat finds nothing to change.
 */
export async function archiveBeneficiary(
  beneficiaries: Collection<BeneficiaryDocument>,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  { operationId, actor }: Change,
  now: Date,
): Promise<Beneficiary | undefined> {
  const own = { _id: id, merchant_id: merchantId };
  const archiving = { at: now, operation_id: operationId, actor };
  const archived = await beneficiaries.findOneAndUpdate(
    { ...own, archived: false },
    { $set: { archived: true, archiving, updated_at: now } },
    { returnDocument: "after" },
  );
  const found = archived ?? (await beneficiaries.findOne(own));
  return found === null ? undefined : toBeneficiary(found);
}
