import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { AuditEntry } from "../payouts/operators.ts";

/** A merchant's stored rules. A merchant without rules has no document. */
export type RulesDocument<Text> = Partial<Text> & {
  _id: string;
  schema_version: number;
  /** The last audit entry that set any part of the rules. */
  audit_sequence: number;
  /** The audit entry that set each part. An earlier entry can't change that part any more. */
  set_by: { [Name in keyof Text]?: number };
  updated_at: Date;
};

/**
 * Merchants' rules. `Text` is the form that operators write, and `Rules` is the form that the
 * service applies.
 */
export type MerchantRules<Text, Rules> = {
  /**
   * Returns the merchant's rules as this process knows them, or `undefined` if none were ever set.
   */
  readonly of: (merchantId: string) => Rules | undefined;
  readonly read: (merchantId: string) => Promise<RulesDocument<Text> | null>;
  /** Loads changes by other processes. */
  readonly refresh: () => Promise<void>;
  /**
   * Applies an audit entry once. After a crash between the audit trail and the rules, a repeat
   * applies it.
   */
  readonly follow: (entry: AuditEntry) => Promise<RulesDocument<Text>>;
};

/**
 * A refresh reads the changes of this many last audit entries again, because a write may complete
 * after the write of a later entry.
 */
const overtakenMax = 100;

/**
 * Opens a collection of rules. A process keeps all of them in memory, so requests need no
 * database read.
 */
export async function openMerchantRules<Text extends object, Rules>(
  { db }: Database,
  name: string,
  rulesOf: (text: Partial<Text>) => Rules,
): Promise<MerchantRules<Text, Rules>> {
  const collection = db.collection<RulesDocument<object>>(name);
  const known = new Map<string, { readonly version: number; readonly rules: Rules }>();
  let sequence = 0;

  const learn = (document: RulesDocument<Text>): void => {
    const { _id: merchantId, audit_sequence, set_by } = document;
    sequence = Math.max(sequence, audit_sequence);
    // The version increases with each part that is set, even if an entry is applied late.
    const version = Object.values<number | undefined>(set_by).reduce<number>(
      (sum, each = 0) => sum + each,
      0,
    );
    if (version <= (known.get(merchantId)?.version ?? 0)) return;
    known.set(merchantId, { version, rules: rulesOf(document) });
  };
  const read = async (merchantId: string) =>
    (await collection.findOne({ _id: merchantId })) as RulesDocument<Text> | null;
  const refresh = async (): Promise<void> => {
    const since = { audit_sequence: { $gt: sequence - overtakenMax } };
    const found = await collection.find(since).toArray();
    for (const document of found) learn(document as RulesDocument<Text>);
  };
  await refresh();

  return {
    of: (merchantId) => known.get(merchantId)?.rules,
    read,
    refresh,
    follow: async ({ subject, sequence: audit_sequence, detail, at }) => {
      await onceByKey(() =>
        collection.updateOne({ _id: subject }, [partsOf(detail, audit_sequence, at)], {
          upsert: true,
        }),
      );
      const stored = await read(subject);
      if (stored === null)
        throw new Error("the merchant's rules are missing right after they were written");
      learn(stored);
      return stored;
    },
  };
}

/**
 * Builds the write of an audit entry. It sets each part that no later entry has set. Entries may be
 * applied in any order, and concurrent entries with different parts both take effect.
 */
function partsOf(detail: string, sequence: number, at: Date) {
  const parts = Object.entries<unknown>(JSON.parse(detail)).flatMap(([name, value]) => {
    const isNewer = { $gt: [sequence, { $ifNull: [`$set_by.${name}`, 0] }] };
    const set = (to: unknown, from: string) => ({ $cond: [isNewer, to, from] });
    return [
      [name, set({ $literal: value }, `$${name}`)],
      [`set_by.${name}`, set(sequence, `$set_by.${name}`)],
    ];
  });
  const isLast = { $gt: [sequence, { $ifNull: ["$audit_sequence", 0] }] };
  return {
    $set: {
      ...Object.fromEntries(parts),
      schema_version: 1,
      audit_sequence: { $cond: [isLast, sequence, "$audit_sequence"] },
      updated_at: { $cond: [isLast, at, "$updated_at"] },
    },
  };
}
