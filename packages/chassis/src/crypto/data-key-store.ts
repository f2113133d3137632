import type { Db } from "mongodb";
import { insertOnce } from "../mongo/once.ts";

/** A data key of a database, wrapped by the key provider's key. */
export type DataKeyDocument = {
  /** Keys named `~1`, `~2`, … encrypt texts. Keys named `hash <purpose> <id>` hash values. */
  _id: string;
  schema_version: number;
  wrapped_by: string;
  wrapped: string;
  /**
   * The id of the key provider's current key when this data key was created. When the provider's
   * key changes, texts are encrypted again.
   */
  made_under: string;
  made_at: Date;
  /** The time from which this key encrypts texts. Every process has loaded the key by then. */
  active_at: Date;
};

/** Stores the data keys of a service in the same database as the encrypted texts. */
export type DataKeyStore = ReturnType<typeof openDataKeyStore>;

/** Opens the collection `data_keys`. It has about a dozen documents after a year. */
export function openDataKeyStore(db: Db) {
  const documents = db.collection<DataKeyDocument>("data_keys");
  return {
    all: (): Promise<DataKeyDocument[]> => documents.find().toArray(),
    /** Inserts a key. Returns false if its id exists. */
    insert: (document: DataKeyDocument): Promise<boolean> => insertOnce(documents, document),
    /**
     * Stores the rewrapped key, unless the key has changed since it was read. Returns true if it
     * was stored.
     */
    rewrap: async (
      { _id, wrapped }: Pick<DataKeyDocument, "_id" | "wrapped">,
      next: Pick<DataKeyDocument, "wrapped" | "wrapped_by">,
    ): Promise<boolean> => {
      const { modifiedCount } = await documents.updateOne({ _id, wrapped }, { $set: next });
      return modifiedCount === 1;
    },
  };
}
