import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { AuditEntry } from "../payouts/operators.ts";
import type { LimitsDocument } from "./documents.ts";
import { type MerchantLimits, type MerchantLimitsText, readLimits } from "./rules/limits.ts";

/** The limits of merchants. */
export type VelocityLimits = Awaited<ReturnType<typeof openVelocityLimits>>;

/** Limits that were set within so many audit entries are read again: writes may overtake others. */
const overtakenMax = 100;

/**
 * Opens the limits. A process has all of them in memory, so an execute of a merchant without limits
 * costs nothing; `refresh` follows what other processes set.
 */
export async function openVelocityLimits({ db }: Database) {
  const collection = db.collection<LimitsDocument>("velocity_limits");
  const known = new Map<string, LimitsDocument>();
  const compared = new Map<string, MerchantLimits>();
  let sequence = 0;

  const learn = (document: LimitsDocument): void => {
    const { _id: merchantId, audit_sequence, merchant, beneficiary } = document;
    sequence = Math.max(sequence, audit_sequence);
    if (audit_sequence <= (known.get(merchantId)?.audit_sequence ?? 0)) return;
    known.set(merchantId, document);
    const limits = { merchant: readLimits(merchant), beneficiary: readLimits(beneficiary) };
    compared.set(merchantId, limits);
  };
  const refresh = async (): Promise<void> => {
    const since = { audit_sequence: { $gt: sequence - overtakenMax } };
    for (const document of await collection.find(since).toArray()) learn(document);
  };
  await refresh();

  return {
    /** A merchant's limits as this process knows them; `undefined`: it never had any. */
    of: (merchantId: string): MerchantLimits | undefined => compared.get(merchantId),
    /** A merchant's limits as they are stored. */
    read: (merchantId: string) => collection.findOne({ _id: merchantId }),
    refresh,
    /** Applies an audit entry, once: also where a crash came between the trail and the limits. */
    follow: async ({ subject, sequence: audit_sequence, detail, at }: AuditEntry) => {
      const text: MerchantLimitsText = JSON.parse(detail);
      const written = { ...text, schema_version: 1, audit_sequence, updated_at: at };
      // A duplicate key means that a later entry is applied.
      await onceByKey(() =>
        collection.updateOne(
          { _id: subject, audit_sequence: { $not: { $gte: audit_sequence } } },
          { $set: written },
          { upsert: true },
        ),
      );
      const stored = await collection.findOne({ _id: subject });
      if (stored === null) throw new Error("limits that were set are gone");
      learn(stored);
      return stored;
    },
  };
}
