import type { Database } from "@disburse/chassis/mongo/database.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Validator } from "./fetch.ts";

const schemaVersion = 1;

/** How the last check of a source went. */
export type SourceState = {
  readonly list: string;
  /** `failed`: by a fault of this service, whatever the source publishes. */
  readonly outcome: "unchanged" | "imported" | "refused" | "unreachable" | "failed";
  /** Why it was refused, not reached or not checked; "" otherwise. */
  readonly problem: string;
  /** Checks in a row that were refused, reached nothing or failed. */
  readonly failures: number;
  readonly checkedAt: Date;
  readonly nextCheckAt: Date;
  /** When the list in force was last known to be what the source publishes. */
  readonly confirmedAt: Date | undefined;
  /** Of the bytes that the validators are of; "" while none came into force. */
  readonly checksum: string;
  readonly validators: readonly Validator[];
};

/** `list_sources`: one document a source. */
type SourceDocument = Stored<Omit<SourceState, "list">> & {
  readonly _id: string;
  readonly schema_version: number;
};

/** See `openSourceStore`. */
export type SourceStore = ReturnType<typeof openSourceStore>;

/** The states of the sources. Each check is whole, so the last one to write wins. */
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
