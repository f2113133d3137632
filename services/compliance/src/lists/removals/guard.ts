import type { Guard } from "@disburse/chassis/approvals/guard.ts";
import type { RemoveRetainedEntriesRequest } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../../refusals.ts";
import { bucketNumber, chunkLines, lineEntry } from "../chunks.ts";
import type { StoredList } from "../documents.ts";
import { changedFields, type ListEntry } from "../rules/entry.ts";
import type { ListStore } from "../store.ts";
import { type RemovalDeps, retainedEntries } from "./removals.ts";

type Deps = Pick<RemovalDeps, "lists" | "easedBy">;

/** The maximum forms shown in a proposal. `CompareImports` shows every change of a list. */
const formsShown = 100;

/**
 * Requires approval to remove retained entries. If an operator imported the list, another person
 * must approve. If the publisher removed the entries, one person must approve.
 */
export function removalGuard(deps: Deps): Guard<RemoveRetainedEntriesRequest> {
  return {
    approvers: ["compliance_approver"],
    difference: async ({ list, importId }) => {
      const stored = await deps.lists.listInForce(list);
      const isCurrent = stored?.version.importId === importId && stored.retained.forms > 0;
      return isCurrent ? differenceOf(deps, stored) : { before: "", after: "" };
    },
    // Refuses an import that is not in force. Without any reason, one person could run the removal
    // alone, and the import may come into force before it runs.
    reasons: async (_request, _requester, { before }) => {
      if (before === "") orThrow(refused("RECORD_NOT_FOUND"));
      return ["the request removes entries that the list no longer contains"];
    },
  };
}

async function differenceOf({ lists, easedBy }: Deps, stored: StoredList) {
  const { list, version, importId } = stored.version;
  const forms = await retainedEntries(lists, stored);
  const { subjects, isCut } = await easedBy(list, forms);
  const shown = forms.slice(0, formsShown);
  const published = await publishedOf(lists, stored, shown);
  const entries = shown.map((form) => {
    const after = published.get(form.uid);
    const change = after === undefined ? "removed" : changedFields(form, after).join(", ");
    return { uid: form.uid, name: form.names[0]?.name ?? "", change };
  });
  const clears = subjects.map(({ merchantId, recordId, from, to }) => ({
    merchant_id: merchantId,
    record_id: recordId,
    from,
    to,
  }));
  return {
    before: JSON.stringify({ list, version, import_id: importId, retained: forms.length }),
    after: JSON.stringify({
      retained: 0,
      clears,
      ...(isCut && { clears_more: true }),
      entries,
      ...(forms.length > shown.length && { entries_more: forms.length - shown.length }),
    }),
  };
}

/** Returns the list's published entries that have the uids of these forms. */
async function publishedOf(
  lists: Pick<ListStore, "readChunks">,
  { published, retained }: StoredList,
  forms: readonly ListEntry[],
): Promise<ReadonlyMap<string, ListEntry>> {
  const uids = new Set(forms.map(({ uid }) => uid));
  const buckets = new Set(retained.chunks.map(bucketNumber));
  const read = await lists.readChunks(published.filter((id) => buckets.has(bucketNumber(id))));
  const found = read.flatMap(chunkLines).map(lineEntry);
  return new Map(found.filter(({ uid }) => uids.has(uid)).map((entry) => [entry.uid, entry]));
}
