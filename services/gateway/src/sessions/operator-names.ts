import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
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
    /** Returns names by id. Operators of the same name have their ids beside it. */
    all: async (): Promise<Record<string, string>> => {
      const latest = operators.find().sort({ signed_in_at: -1 }).limit(namesMax);
      const found = (await latest.toArray()).map(({ _id, sealed_name: text }) => ({
        id: _id,
        name: sealer.open(text, sealContext(_id)),
      }));
      const counts = Map.groupBy(found, ({ name }) => name);
      const isShared = (name: string) => (counts.get(name)?.length ?? 0) > 1;
      return Object.fromEntries(
        found.map(({ id, name }) => [id, isShared(name) ? `${name} (${id})` : name]),
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
