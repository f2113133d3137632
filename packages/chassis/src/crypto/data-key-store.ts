import type { Db } from "mongodb";
import { insertOnce } from "../mongo/once.ts";

/** A key of a database's own, wrapped by the provider's. */
export type DataKeyDocument = {
  /** `~1`, `~2`, … seal; `hash <purpose> <id>` hash. */
  _id: string;
  schema_version: number;
  wrapped_by: string;
  wrapped: string;
  /** The provider's current key when it was made: when that changes, texts are sealed anew. */
  made_under: string;
  made_at: Date;
  /** From then on it seals: by then every process knows it. */
  active_at: Date;
};

/** Where the data keys of a service are kept, beside what they seal. */
export type DataKeyStore = ReturnType<typeof openDataKeyStore>;

/** Opens the collection `data_keys`: a dozen after a year. */
export function openDataKeyStore(db: Db) {
  const documents = db.collection<DataKeyDocument>("data_keys");
  return {
    all: (): Promise<DataKeyDocument[]> => documents.find().toArray(),
    /** Unless there is one of its id. */
    insert: (document: DataKeyDocument): Promise<boolean> => insertOnce(documents, document),
    /** Wrapped anew, where it is as it was read; answers whether it was. */
    rewrap: async (
      { _id, wrapped }: Pick<DataKeyDocument, "_id" | "wrapped">,
      next: Pick<DataKeyDocument, "wrapped" | "wrapped_by">,
    ): Promise<boolean> => {
      const { modifiedCount } = await documents.updateOne({ _id, wrapped }, { $set: next });
      return modifiedCount === 1;
    },
  };
}
