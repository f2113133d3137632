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
type SourceDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly outcome: SourceState["outcome"];
  readonly problem: string;
  readonly failures: number;
  readonly checked_at: Date;
  readonly next_check_at: Date;
  readonly confirmed_at: Date | null;
  readonly checksum: string;
  readonly validators: readonly Validator[];
};

export type SourceStore = ReturnType<typeof openSourceStore>;

/** What is known of the sources. Whoever checks one last, writes last: each check is whole. */
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

function fieldsOf(state: SourceState): Omit<SourceDocument, "_id"> {
  return {
    schema_version: schemaVersion,
    outcome: state.outcome,
    problem: state.problem,
    failures: state.failures,
    checked_at: state.checkedAt,
    next_check_at: state.nextCheckAt,
    confirmed_at: state.confirmedAt ?? null,
    checksum: state.checksum,
    validators: state.validators,
  };
}

function toState(document: SourceDocument): SourceState {
  return {
    list: document._id,
    outcome: document.outcome,
    problem: document.problem,
    failures: document.failures,
    checkedAt: document.checked_at,
    nextCheckAt: document.next_check_at,
    confirmedAt: document.confirmed_at ?? undefined,
    checksum: document.checksum,
    validators: document.validators,
  };
}
