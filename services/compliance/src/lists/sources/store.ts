import type { Database } from "@disburse/chassis/mongo/database.ts";
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
type SourceDocument = { readonly _id: string } & ReturnType<typeof fieldsOf>;

/** See `openSourceStore`. */
export type SourceStore = ReturnType<typeof openSourceStore>;

/** The states of the sources. Each check is whole, so the last one to write wins. */
export function openSourceStore({ db }: Pick<Database, "db">) {
  const sources = db.collection<SourceDocument>("list_sources");
  return {
    states: async (): Promise<ReadonlyMap<string, SourceState>> => {
      const found = await sources.find().toArray();
      return new Map(found.map((document) => [document._id, toState(document)]));
    },

    save: async (state: SourceState): Promise<void> => {
      await sources.updateOne({ _id: state.list }, { $set: fieldsOf(state) }, { upsert: true });
    },
  };
}

function fieldsOf({ list: _list, checkedAt, nextCheckAt, confirmedAt, ...rest }: SourceState) {
  const times = { checked_at: checkedAt, next_check_at: nextCheckAt };
  return { schema_version: schemaVersion, ...rest, ...times, confirmed_at: confirmedAt ?? null };
}

function toState({ _id: list, confirmed_at, ...document }: SourceDocument): SourceState {
  const { outcome, problem, failures, checksum, validators } = document;
  return {
    list,
    outcome,
    problem,
    failures,
    checksum,
    validators,
    checkedAt: document.checked_at,
    nextCheckAt: document.next_check_at,
    confirmedAt: confirmed_at ?? undefined,
  };
}
