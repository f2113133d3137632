import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection, Db } from "mongodb";

const collectionName = "operators";

/** An operator who has signed in to the console. Records of all services have only the id. */
type OperatorDocument = {
  /** The subject of the provider's tokens. */
  _id: string;
  schema_version: 1;
  sealed_name: string;
  signed_in_at: Date;
};

/** Names of this many operators are shown, of those who signed in last. */
const namesMax = 1_000;

export type OperatorNames = ReturnType<typeof openOperatorNames>;

const sealContext = (id: string) => `operator|${id}|name`;

export function openOperatorNames(db: Db, { sealer, clock }: { sealer: Sealer; clock: Clock }) {
  const operators: Collection<OperatorDocument> = db.collection(collectionName);
  return {
    /** Stores the name with which an operator has signed in. */
    note: async (_id: string, name: string): Promise<void> => {
      const sealed_name = sealer.seal(name, sealContext(_id));
      const fields = { schema_version: 1, sealed_name, signed_in_at: clock.now() } as const;
      await operators.updateOne({ _id }, { $set: fields }, { upsert: true });
    },
    /** Returns names by id. Names that look alike have their ids beside them. */
    all: async (): Promise<Record<string, string>> => {
      const latest = await operators.find().sort({ signed_in_at: -1 }).limit(namesMax).toArray();
      const found = latest.flatMap(({ _id: id, sealed_name: text }) => {
        try {
          const name = cleanText(sealer.open(text, sealContext(id)));
          return [{ id, name: name.replaceAll(/\s+/g, " ") }];
        } catch {
          // The console shows the id: a name that can't be opened must keep no one out. Resealing
          // reports such texts.
          return [];
        }
      });
      const alike = Map.groupBy(found, ({ name }) => name.toLowerCase());
      return Object.fromEntries(
        found.map(({ id, name }) => {
          const isShared = alike.get(name.toLowerCase())?.length !== 1;
          return [id, isShared ? `${name} (${id})` : name];
        }),
      );
    },
  };
}

/** The place of the sealed names. */
export const sealedOperatorNames: SealedPlace = {
  collection: collectionName,
  reseal: (document, sealer) => {
    const { _id, sealed_name: text } = document as unknown as OperatorDocument;
    return resealTexts([{ path: "sealed_name", text, context: sealContext(_id) }], sealer);
  },
};
