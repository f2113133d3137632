import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { AuditEntry } from "../payouts/operators.ts";

/** A merchant's stored settings. A merchant without settings has no document. */
export type SettingsDocument<Text> = Partial<Text> & {
  _id: string;
  schema_version: number;
  /** The last audit entry that set any of them. */
  audit_sequence: number;
  /** The audit entry that set each part. An earlier entry doesn't change it. */
  set_by: { [Name in keyof Text]?: number };
  updated_at: Date;
};

/** Merchants' settings: texts that operators write, and the rules that the service applies. */
export type MerchantSettings<Text, Rules> = {
  /** Returns the rules known to this process, or `undefined` if none were ever set. */
  readonly of: (merchantId: string) => Rules | undefined;
  readonly read: (merchantId: string) => Promise<SettingsDocument<Text> | null>;
  /** Loads changes by other processes. */
  readonly refresh: () => Promise<void>;
  /** Applies an audit entry once. Completes it after a crash between trail and settings. */
  readonly follow: (entry: AuditEntry) => Promise<SettingsDocument<Text>>;
};

/** Changes by this many last audit entries are read again: writes may overtake each other. */
const overtakenMax = 100;

/**
 * Opens a collection of settings. A process keeps them all in memory, so requests of merchants
 * without settings cost nothing.
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
    // Increases with each part that is set, even by an entry that is applied late.
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
      if (stored === null) throw new Error("the settings don't exist after they were set");
      learn(stored);
      return stored;
    },
  };
}

/**
 * Sets each part of an entry unless a later entry has set it. Entries may be applied in any order,
 * and concurrent entries with different parts both take effect.
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
