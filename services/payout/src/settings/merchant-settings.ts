import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { AuditEntry } from "../payouts/operators.ts";

/** A merchant's settings as they are stored; without a document it has none. */
export type SettingsDocument<Text> = Text & {
  /** The merchant's id. */
  _id: string;
  schema_version: number;
  /** The audit entry that set them: an earlier one changes nothing. */
  audit_sequence: number;
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
  rulesOf: (text: Text) => Rules,
): Promise<MerchantSettings<Text, Rules>> {
  const collection = db.collection<SettingsDocument<object>>(name);
  const known = new Map<string, { readonly sequence: number; readonly rules: Rules }>();
  let sequence = 0;

  const learn = (document: SettingsDocument<Text>): void => {
    const { _id: merchantId, audit_sequence } = document;
    sequence = Math.max(sequence, audit_sequence);
    if (audit_sequence <= (known.get(merchantId)?.sequence ?? 0)) return;
    known.set(merchantId, { sequence: audit_sequence, rules: rulesOf(document) });
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
      const text: Text = JSON.parse(detail);
      const _id = subject;
      const written = { ...text, schema_version: 1, audit_sequence, updated_at: at };
      // A whole document, for one that is set anew may leave fields out. A duplicate key means that
      // a later entry is applied.
      await onceByKey(() =>
        collection.replaceOne(
          { _id, audit_sequence: { $not: { $gte: audit_sequence } } },
          written,
          {
            upsert: true,
          },
        ),
      );
      const stored = await read(subject);
      if (stored === null) throw new Error("settings that were set are gone");
      learn(stored);
      return stored;
    },
  };
}
