import type { Db } from "mongodb";
import { insertOnce } from "../mongo/once.ts";

/** A data key of a database, wrapped by the provider's key. */
export type DataKeyDocument = {
  /** `~1`, `~2`, … seal; `hash <purpose> <id>` hash. */
  _id: string;
  schema_version: number;
  wrapped_by: string;
  wrapped: string;
  /** The provider's current key at creation. If that key changes, texts are sealed anew. */
  made_under: string;
  made_at: Date;
  /** The key seals from this time: every process knows it by then. */
  active_at: Date;
};

/** Stores the data keys of a service in the same database as the sealed texts. */
export type DataKeyStore = ReturnType<typeof openDataKeyStore>;

/** Opens the collection `data_keys`: a dozen documents after a year. */
export function openDataKeyStore(db: Db) {
  const documents = db.collection<DataKeyDocument>("data_keys");
  return {
    all: (): Promise<DataKeyDocument[]> => documents.find().toArray(),
    /** Inserts a key; false if its id exists. */
    insert: (document: DataKeyDocument): Promise<boolean> => insertOnce(documents, document),
    /** Stores the rewrapped key unless it has changed since it was read; returns true if it did. */
    rewrap: async (
      { _id, wrapped }: Pick<DataKeyDocument, "_id" | "wrapped">,
      next: Pick<DataKeyDocument, "wrapped" | "wrapped_by">,
    ): Promise<boolean> => {
      const { modifiedCount } = await documents.updateOne({ _id, wrapped }, { $set: next });
      return modifiedCount === 1;
    },
  };
}
