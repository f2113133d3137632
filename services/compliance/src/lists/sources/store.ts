import type { Database } from "@disburse/chassis/mongo/database.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Validator } from "./fetch.ts";

const schemaVersion = 1;

/** The result of a source's last check. */
export type SourceState = {
  readonly list: string;
  /** `failed` is a fault of this service, not of the source. */
  readonly outcome: "unchanged" | "imported" | "refused" | "unreachable" | "failed";
  /** The reason of a refusal or failure; "" otherwise. */
  readonly problem: string;
  /** The number of consecutive checks that were refused, unreachable or failed. */
  readonly failures: number;
  readonly checkedAt: Date;
  readonly nextCheckAt: Date;
  /** The last time at which the list in force was confirmed to equal the published list. */
  readonly confirmedAt: Date | undefined;
  /** The checksum of the file that the validators belong to. "" until a list came into force. */
  readonly checksum: string;
  readonly validators: readonly Validator[];
};

/** The collection `list_sources`, with one document for each source. */
type SourceDocument = Stored<Omit<SourceState, "list">> & {
  readonly _id: string;
  readonly schema_version: number;
};

export type SourceStore = ReturnType<typeof openSourceStore>;

/** Stores the state of sources. Each check replaces the whole state, so the last write wins. */
export function openSourceStore({ db }: Pick<Database, "db">) {
  const sources = db.collection<SourceDocument>("list_sources");
  return {
    states: async (): Promise<ReadonlyMap<string, SourceState>> => {
      const found = await sources.find().toArray();
      return new Map(
        found.map(({ _id: list, schema_version: _, ...state }) => {
          return [list, { list, ...fromStored<Omit<SourceState, "list">>(state) }];
        }),
      );
    },

    save: async ({ list, ...state }: SourceState): Promise<void> => {
      const document = { schema_version: schemaVersion, ...toStored(state) };
      await sources.replaceOne({ _id: list }, document, { upsert: true });
    },
  };
}
