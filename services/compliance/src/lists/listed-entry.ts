import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  GetListedEntryRequest,
  GetListedEntryResponseSchema,
  ListedEntrySchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { findEntry } from "./changed-entries.ts";
import { isListName } from "./imports/request.ts";
import type { ListEntry } from "./rules/entry.ts";
import type { ListVersion } from "./rules/version.ts";
import type { ListStore } from "./store.ts";
import { listVersionShape } from "./wire.ts";

type Store = Pick<ListStore, "importChunks" | "readChunks" | "listInForce" | "importOfVersion">;
type Wanted = Pick<GetListedEntryRequest, "list" | "entryUid" | "listVersion">;

/** Finds an entry of a list, in the version in force or in an earlier one. */
export async function listedEntry(
  store: Store,
  { list, entryUid, listVersion }: Wanted,
): Promise<
  | MessageInitShape<typeof GetListedEntryResponseSchema>
  | Refused<"INVALID_REQUEST" | "RECORD_NOT_FOUND">
> {
  if (!isListName(list)) return refused("INVALID_REQUEST", "list: must be a valid list name");
  const current = (await store.listInForce(list))?.version;
  const isCurrent = listVersion === "" || current?.version === listVersion;
  const version = isCurrent ? current : await versionOf(store, list, listVersion);
  const entry = version && (await findEntry(store, version, entryUid));
  if (version === undefined || entry === undefined) return refused("RECORD_NOT_FOUND");
  return {
    entry: entryShape(list, entry),
    version: listVersionShape(version),
    inForce: isCurrent,
  };
}

async function versionOf(
  store: Store,
  list: string,
  version: string,
): Promise<ListVersion | undefined> {
  return (await store.importOfVersion(list, version))?.version;
}

export function entryShape(
  list: string,
  { uid, source, type, names, births, countries, documents, wallets, programs }: ListEntry,
): MessageInitShape<typeof ListedEntrySchema> {
  return {
    list,
    uid,
    source,
    type,
    names: names.map(({ name, kind }) => ({ name, kind })),
    births: [...births],
    countries: [...countries],
    documents: documents.map(({ type, number, country }) => ({ type, number, country })),
    wallets: wallets.map(({ currency, address }) => ({ currency, address })),
    programs: [...programs],
  };
}
