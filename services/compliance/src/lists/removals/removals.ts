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

/** A party that forms of entries stop, with the milder verdict without them. */
export type EasedSubject = {
  readonly merchantId: string;
  readonly recordId: string;
  readonly from: string;
  readonly to: string;
};

/** The effect of taking forms of entries out of force. */
export type Eased = {
  /** Subjects with a milder verdict, in the order of their ids. */
  readonly subjects: readonly EasedSubject[];
  /** The forms that stop them, by `formKey`. */
  readonly forms: ReadonlySet<string>;
  /** True if there may be more subjects. */
  readonly isCut: boolean;
};

export type ListForms = { readonly list: string; readonly forms: readonly ListEntry[] };

export type RemovalDeps = {
  readonly lists: ListStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Updates the index to the lists in force. */
  readonly refresh: () => Promise<void>;
  /** `others` are forms of other lists that count as removed too. */
  readonly easedBy: (
    list: string,
    forms: readonly ListEntry[],
    others?: readonly ListForms[],
  ) => Promise<Eased>;
  readonly own: ServiceApprovals["own"];
};

/** The service, acting by itself or for a publisher. */
export const itself: StoredActor = { kind: "service", id: "compliance" };

const { removeRetainedEntries: method } = ComplianceService.method;

/** The prefix of the operations that remove an import's retained forms. */
const operationsOf = (importId: string) => `removal:${importId}:`;

export type Removals = ReturnType<typeof openRemovals>;

/**
 * Takes entries that lists no longer have out of force. A person must confirm it, other than the
 * one who imported the list. A publisher's removals need no person if they clear no one and stay
 * within `isDailyRemoval`.
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
    // The index must know the lists in force, to find parties that the remaining entries stop.
    await deps.refresh();
    const isPublishers = stored.retained.by?.kind === "service";
    const isChanged = isPublishers && (await removeAlone(deps, stored));
    const left = isChanged ? await retaining(lists, list) : stored;
    if (left !== undefined) await propose(deps, left);
  };
  return {
    /** True if a person decided that an import's retained forms stay in force. */
    isRejected,

    /** Removes forms that need no person, and proposes the rest. It is safe to repeat. */
    follow,

    /** The start of each list's wait for a person. */
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
          log.error({ err: error, list }, "removal not proposed yet"),
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
 * Removes forms that clear no one, within the daily share; returns true if it removed any. Retained
 * forms of other lists count as removed. Otherwise two lists that stop one party could each rely on
 * the other while both remove it.
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
    note: `${forms.length - kept.length} retained forms removed without a person: they stop no one`,
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
  log.info({ list, import_id: importId, forms: retained.forms }, "removal proposed");
}

/**
 * True if a list that retains only `kept` has lost, since a day ago, no more than may go without a
 * person. Comparing with the list of a day ago adds up many small removals.
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
    // An entry of a shared chunk may cover a form that was retained then.
    const left = Map.groupBy(await read(published), ({ uid }) => uid);
    await nextTurn();
    for (const [uid, forms] of keptOf) left.set(uid, [...(left.get(uid) ?? []), ...forms]);
    for (const { uid } of retainedForms(then, left)) gone.add(uid);
  }
  return isDailyRemoval(gone.size, before.entries);
}
