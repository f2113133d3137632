import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { readLimit, readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  CheckSourceResponseSchema,
  type ComplianceService,
  ImportListResponseSchema,
  ListImportsResponseSchema,
  ListListsResponseSchema,
  ListSourcesResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { accepted } from "../refusals.ts";
import type { IndexWatch } from "../screening/screening-index.ts";
import { listVersionMessage } from "../screening/wire.ts";
import { collectFiles } from "./imports/files.ts";
import { type ImportDeps, importList } from "./imports/import.ts";
import { isListName, openImportStream, readImportHeader } from "./imports/request.ts";
import type { ListSources } from "./sources/check.ts";
import { listImportMessage, listSourceMessage } from "./wire.ts";

type ListDeps = ImportDeps & {
  readonly watch: IndexWatch;
  readonly sources: ListSources;
  readonly log: Log;
};

export type ListMethod = "importList" | "listLists" | "listImports" | "listSources" | "checkSource";

/** The RPCs that keep the lists. */
export function listRpc(deps: ListDeps): Pick<ServiceImpl<typeof ComplianceService>, ListMethod> {
  const { lists, watch, sources, log } = deps;
  return {
    importList: async (requests) => {
      const { header, parts } = await openImportStream(requests);
      const request = accepted(readImportHeader(header));
      const arrived = accepted(await collectFiles(parts));
      const { version, change, notes } = accepted(await importList(deps, request, arrived));
      const { list, version: name } = version;
      log.info({ list, version: name, ...change, notes: notes.length }, "list imported");
      // The list is in force whatever happens here; the watch reads it again soon.
      await watch.refresh().catch((error: unknown) => {
        log.error({ err: error, list }, "imported list could not be read yet");
      });
      return create(ImportListResponseSchema, { version: listVersionMessage(version), change });
    },

    listLists: async () => {
      const inForce = await lists.listsInForce();
      const versions = inForce.map(({ version }) => listVersionMessage(version));
      return create(ListListsResponseSchema, { lists: versions });
    },

    listImports: async ({ list, limit, cursor }) => {
      if (list !== "" && !isListName(list)) {
        accepted(refused("INVALID_REQUEST", "list: must be a list's name"));
      }
      const length = accepted(readLimit(limit));
      const found = await lists.listImports(list, accepted(readStart(cursor)), length + 1);
      const page = found.slice(0, length);
      const last = found.length > length ? page.at(-1) : undefined;
      const next = last && writeCursor({ at: last.startedAt, id: last.version.importId });
      const imports = page.map(listImportMessage);
      return create(ListImportsResponseSchema, { imports, nextCursor: next ?? "" });
    },

    listSources: async () => {
      const known = await sources.list();
      const messages = known.map(({ setting, state }) => listSourceMessage(setting, state));
      return create(ListSourcesResponseSchema, { sources: messages });
    },

    checkSource: async ({ mutation, list }) => {
      const { actor } = readMutation(mutation);
      const { setting, state } = accepted(await sources.check(list, actor));
      return create(CheckSourceResponseSchema, { source: listSourceMessage(setting, state) });
    },
  };
}
