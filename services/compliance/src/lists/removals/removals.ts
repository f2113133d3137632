import { setImmediate as nextTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import {
  ComplianceService,
  RemoveRetainedEntriesRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { bucketNumber, chunkLines, lineEntry, unshared } from "../chunks.ts";
import type { StoredList } from "../documents.ts";
import type { ListEntry } from "../rules/entry.ts";
import { formKey, isDailyRemoval, retainedForms } from "../rules/retained.ts";
import type { ListStore } from "../store.ts";
import { type Removal, removeForms } from "./steps.ts";

const dayMs = 86_400_000;

/** A party that some forms of entries stop. `to` is its milder verdict without them. */
export type EasedSubject = {
  readonly merchantId: string;
  readonly recordId: string;
  readonly from: string;
  readonly to: string;
};

/** The effect of removing forms of entries. */
export type Eased = {
  /** Subjects with a milder verdict, in the order of their ids. */
  readonly subjects: readonly EasedSubject[];
  /** The forms that stop these subjects, by `formKey`. */
  readonly forms: ReadonlySet<string>;
  /** True if there may be more subjects. */
  readonly isCut: boolean;
};

export type ListForms = { readonly list: string; readonly forms: readonly ListEntry[] };

export type RemovalDeps = {
  readonly lists: ListStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Rebuilds the index with the lists in force. */
  readonly refresh: () => Promise<void>;
  /**
   * Computes the effect of removing forms. `others` are forms of other lists, which are treated as
   * removed too.
   */
  readonly easedBy: (
    list: string,
    forms: readonly ListEntry[],
    others?: readonly ListForms[],
  ) => Promise<Eased>;
  readonly own: ServiceApprovals["own"];
};

/** This service as an actor, for itself or for a publisher. */
export const itself: StoredActor = { kind: "service", id: "compliance" };

const { removeRetainedEntries: method } = ComplianceService.method;

/** Returns the prefix of the ids of operations that remove an import's retained forms. */
const operationsOf = (importId: string) => `removal:${importId}:`;

export type Removals = ReturnType<typeof openRemovals>;

/**
 * Removes retained forms, which are entries that a list no longer has. Normally a person must
 * confirm the removal, other than the one who imported the list. No person is needed if the
 * publisher removed the entries, if the removal clears no one, and if it is within
 * `isDailyRemoval`.
 */
export function openRemovals(deps: RemovalDeps) {
  const { lists, log } = deps;
  const isRejected = async (importId: string): Promise<boolean> => {
    if (importId === "") return false;
    const known = await deps.own(method).beginningWith(operationsOf(importId));
    return known.some(({ state }) => state === "rejected");
  };
  const follow = async (list: string): Promise<void> => {
    const stored = await retaining(lists, list);
    if (stored === undefined || (await isRejected(stored.version.importId))) return;
    // The index must contain the lists in force, to find parties that other entries still stop.
    await deps.refresh();
    const isPublishers = stored.retained.by?.kind === "service";
    const isChanged = isPublishers && (await removeAlone(deps, stored));
    const left = isChanged ? await retaining(lists, list) : stored;
    if (left !== undefined) await propose(deps, left);
  };
  return {
    /** True if a person rejected the removal, so that the import's retained forms stay in force. */
    isRejected,

    /**
     * Removes the forms for which no person is needed, and proposes the removal of the rest. A
     * repeat changes nothing.
     */
    follow,

    /** Returns the time since which each list has been waiting for a person's decision. */
    waiting: async (): Promise<ReadonlyMap<string, Date>> => {
      const waiting = new Map<string, Date>();
      for (const { version, retained } of await lists.listsInForce()) {
        const isOpen = retained.since !== null && !(await isRejected(version.importId));
        if (isOpen && retained.since !== null) waiting.set(version.list, retained.since);
      }
      return waiting;
    },

    /** Completes removals after a crash, and repeats proposals that expired undecided. */
    sweep: async (goOn: () => Promise<boolean>): Promise<void> => {
      for (const { version, retained } of await lists.listsInForce()) {
        if (retained.forms === 0) continue;
        if (!(await goOn())) return;
        const { list } = version;
        await follow(list).catch((error: unknown) =>
          log.error(
            { err: error, list },
            "proposing the removal of list entries failed; it will be retried",
          ),
        );
      }
    },
  };
}

async function retaining(lists: ListStore, list: string): Promise<StoredList | undefined> {
  const stored = await lists.listInForce(list);
  return stored === undefined || stored.retained.forms === 0 ? undefined : stored;
}

export async function retainedEntries(
  lists: Pick<ListStore, "readChunks">,
  { retained }: Pick<StoredList, "retained">,
): Promise<ListEntry[]> {
  return (await lists.readChunks(retained.chunks)).flatMap(chunkLines).map(lineEntry);
}

async function retainedByOthers(lists: ListStore, list: string): Promise<ListForms[]> {
  const all = await lists.listsInForce();
  const others = all.filter(({ version, retained }) => version.list !== list && retained.forms > 0);
  return Promise.all(
    others.map(async (stored) => ({
      list: stored.version.list,
      forms: await retainedEntries(lists, stored),
    })),
  );
}

/**
 * Removes forms whose removal clears no one, within the daily limit. Returns true if it removed
 * any. Retained forms of other lists are treated as removed too. Otherwise, if two lists stop the
 * same party, each removal would assume that the other list still stops it.
 */
async function removeAlone(deps: RemovalDeps, stored: StoredList): Promise<boolean> {
  const { lists, clock } = deps;
  const { list, importId } = stored.version;
  const forms = await retainedEntries(lists, stored);
  const eased = await deps.easedBy(list, forms, await retainedByOthers(lists, list));
  const kept = eased.isCut ? forms : forms.filter((form) => eased.forms.has(formKey(form)));
  if (kept.length === forms.length) return false;
  if (!(await isWithinDay(lists, stored, kept, clock.now()))) return false;
  const removal: Removal = {
    list,
    importId,
    kept,
    actor: itself,
    operationId: `${operationsOf(importId)}publisher`,
    note: `${forms.length - kept.length} retained forms removed without approval: no party is blocked by them`,
  };
  await removeForms(deps, removal);
  return true;
}

/** Proposes the removal of all remaining forms, unless a current proposal exists. */
async function propose({ own, log }: RemovalDeps, { version, retained }: StoredList) {
  const { list, importId } = version;
  const proposals = own(method);
  const current = await proposals.current(list);
  if (current.length > 0) return;
  const { length: before } = await proposals.beginningWith(operationsOf(importId));
  const operationId = `${operationsOf(importId)}${before}`;
  const mutation = { operationId };
  const request = create(RemoveRetainedEntriesRequestSchema, { mutation, list, importId });
  const { kind, id: by } = retained.by ?? itself;
  const proposer = { kind: kind === "operator" ? kind : "service", by } as const;
  await proposals.propose(request, operationId, proposer);
  log.info(
    { list, import_id: importId, forms: retained.forms },
    "proposed the removal of entries that their list no longer contains",
  );
}

/**
 * True if a list that retains only `kept` loses no more entries than are allowed within a day
 * without a person. The comparison is with the list of a day ago, so that many small removals add
 * up.
 */
async function isWithinDay(
  lists: Pick<ListStore, "importAt" | "importChunks" | "readChunks">,
  { version, published }: StoredList,
  kept: readonly ListEntry[],
  now: Date,
): Promise<boolean> {
  const before = await lists.importAt(version.list, new Date(now.getTime() - dayMs));
  if (before === undefined) return false;
  const apart = unshared(await lists.importChunks(before.importId), published);
  const keptOf = Map.groupBy(kept, ({ uid }) => uid);
  const gone = new Set<string>();
  for (const bucket of new Set(apart.before.map(bucketNumber))) {
    const read = async (ids: readonly string[]) => {
      const inBucket = ids.filter((id) => bucketNumber(id) === bucket);
      return (await lists.readChunks(inBucket)).flatMap(chunkLines).map(lineEntry);
    };
    const then = await read(apart.before);
    // A form that was retained a day ago may be covered by an entry in an unchanged chunk.
    const left = Map.groupBy(await read(published), ({ uid }) => uid);
    await nextTurn();
    for (const [uid, forms] of keptOf) left.set(uid, [...(left.get(uid) ?? []), ...forms]);
    for (const { uid } of retainedForms(then, left)) gone.add(uid);
  }
  return isDailyRemoval(gone.size, before.entries);
}
