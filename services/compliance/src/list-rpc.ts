import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { readMutation } from "@disburse/chassis/mutation.ts";
import {
  type ComplianceService,
  type ImportListRequest,
  type ImportListRequest_Header,
  ImportListResponseSchema,
  ListListsResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { importList } from "./list-import.ts";
import type { ListStore } from "./list-store.ts";
import type { ListsWatch } from "./lists-in-force.ts";
import { accepted } from "./refusals.ts";
import { readListName } from "./screening-request.ts";
import { listVersionMessage } from "./wire.ts";

export type ListDeps = {
  readonly lists: ListStore;
  readonly watch: ListsWatch;
  readonly clock: Clock;
  readonly log: Log;
};

type ListMethod = "importList" | "listLists";

/** The RPCs that keep the lists. */
export function listRpc({
  lists,
  watch,
  clock,
  log,
}: ListDeps): Pick<ServiceImpl<typeof ComplianceService>, ListMethod> {
  return {
    importList: async (requests) => {
      const { header, pieces } = await openStream(requests);
      const { operationId, actor } = readMutation(header.mutation);
      const { list, version } = accepted(readListName(header));
      const request = { list, version, operationId, actor };
      const imported = accepted(await importList({ lists, clock }, request, pieces));
      log.info({ list, version, entries: imported.entries }, "list imported");
      // The list is in force whatever happens here; the watch reads it again soon.
      await watch.refresh().catch((error: unknown) => {
        log.error({ err: error, list }, "imported list could not be read yet");
      });
      return create(ImportListResponseSchema, { version: listVersionMessage(imported) });
    },

    listLists: async () => {
      const versions = await lists.listVersions();
      return create(ListListsResponseSchema, { lists: versions.map(listVersionMessage) });
    },
  };
}

/** The header that an import begins with, and the pieces of its lines. */
async function openStream(
  requests: AsyncIterable<ImportListRequest>,
): Promise<{ header: ImportListRequest_Header; pieces: AsyncIterable<Uint8Array> }> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done === true || first.value.part.case !== "header") {
    throw new ConnectError("the header must come first", Code.InvalidArgument);
  }
  return { header: first.value.part.value, pieces: linesOf(messages) };
}

async function* linesOf(messages: AsyncIterator<ImportListRequest>): AsyncIterable<Uint8Array> {
  for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
    if (next.value.part.case !== "lines") {
      throw new ConnectError("after the header only lines may come", Code.InvalidArgument);
    }
    yield next.value.part.value;
  }
}
