import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { AuditEntry } from "../payouts/operators.ts";

/** A merchant's settings as they are stored; without a document it has none. */
export type SettingsDocument<Text> = Partial<Text> & {
  /** The merchant's id. */
  _id: string;
  schema_version: number;
  /** The last audit entry that set any of them. */
  audit_sequence: number;
  /** The audit entry that set each of them: an earlier one does not change it. */
  set_by: { [Name in keyof Text]?: number };
  updated_at: Date;
};

/** Settings of merchants, as texts that operators write and rules that are applied. */
export type MerchantSettings<Text, Rules> = {
  /** A merchant's rules as this process knows them; `undefined`: none were ever set. */
  readonly of: (merchantId: string) => Rules | undefined;
  /** A merchant's settings as they are stored. */
  readonly read: (merchantId: string) => Promise<SettingsDocument<Text> | null>;
  /** Follows what other processes set. */
  readonly refresh: () => Promise<void>;
  /** Applies an audit entry, once: also where a crash came between the trail and the settings. */
  readonly follow: (entry: AuditEntry) => Promise<SettingsDocument<Text>>;
};

/** What was set within so many audit entries is read again: writes may overtake others. */
const overtakenMax = 100;

/**
 * Opens a collection of settings. A process has all of them in memory, so a request of a merchant
 * without settings costs nothing.
 */
export async function openMerchantSettings<Text extends object, Rules>(
  { db }: Database,
  name: string,
  rulesOf: (text: Partial<Text>) => Rules,
): Promise<MerchantSettings<Text, Rules>> {
  const collection = db.collection<SettingsDocument<object>>(name);
  const known = new Map<string, { readonly version: number; readonly rules: Rules }>();
  let sequence = 0;

  const learn = (document: SettingsDocument<Text>): void => {
    const { _id: merchantId, audit_sequence, set_by } = document;
    sequence = Math.max(sequence, audit_sequence);
    // It grows with each part that is set, also by an entry that is applied late.
    const version = Object.values<number | undefined>(set_by).reduce<number>(
      (sum, each = 0) => sum + each,
      0,
    );
    if (version <= (known.get(merchantId)?.version ?? 0)) return;
    known.set(merchantId, { version, rules: rulesOf(document) });
  };
  const read = async (merchantId: string) =>
    (await collection.findOne({ _id: merchantId })) as SettingsDocument<Text> | null;
  const refresh = async (): Promise<void> => {
    const since = { audit_sequence: { $gt: sequence - overtakenMax } };
    const found = await collection.find(since).toArray();
    for (const document of found) learn(document as SettingsDocument<Text>);
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
      if (stored === null) throw new Error("settings that were set are gone");
      learn(stored);
      return stored;
    },
  };
}

/**
 * Sets each part of an entry that no later entry has set: entries may be applied in any order, and
 * two that set different parts at once are both in force.
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
