import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { readLimit, readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import { valueOfWord } from "@disburse/chassis/rpc/enum-words.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  CheckSourceResponseSchema,
  type ComplianceService,
  ImportListResponseSchema,
  ListFormat,
  type ListImportSchema,
  ListImportsResponseSchema,
  ListListsResponseSchema,
  type ListSourceSchema,
  ListSourcesResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { ImportState, ListImport } from "./documents.ts";
import { collectFiles } from "./imports/files.ts";
import { type ImportDeps, importList } from "./imports/import.ts";
import { isListName, openImportStream, readImportHeader } from "./imports/request.ts";
import type { ListSources, SourceStatus } from "./sources/check.ts";
import { locationShown } from "./sources/setting.ts";
import { listVersionShape } from "./wire.ts";

type ListDeps = ImportDeps & {
  /** Brings the index to the lists in force. */
  readonly refresh: () => Promise<void>;
  readonly sources: ListSources;
  readonly log: Log;
};

/** The RPCs that keep the lists. */
export function listRpc(deps: ListDeps) {
  const { lists, sources, log } = deps;
  return {
    importList: async (requests) => {
      const { header, parts } = await openImportStream(requests);
      const request = orThrow(readImportHeader(header));
      const received = orThrow(await collectFiles(parts));
      const { version, change, notes } = orThrow(await importList(deps, request, received));
      const { list, version: name } = version;
      log.info({ list, version: name, ...change, notes: notes.length }, "list imported");
      // The list is in force whatever happens here; the watch reads it again soon.
      await deps.refresh().catch((error: unknown) => {
        log.error({ err: error, list }, "imported list could not be read yet");
      });
      return create(ImportListResponseSchema, { version: listVersionShape(version), change });
    },

    listLists: async () => {
      const inForce = await lists.listsInForce();
      const versions = inForce.map(({ version }) => listVersionShape(version));
      return create(ListListsResponseSchema, { lists: versions });
    },

    listImports: async ({ list, limit, cursor }) => {
      if (list !== "" && !isListName(list)) {
        orThrow(refused("INVALID_REQUEST", "list: must be a list's name"));
      }
      const length = orThrow(readLimit(limit));
      const found = await lists.listImports(list, orThrow(readStart(cursor)), length + 1);
      const { shown, nextCursor } = cutPageBy(found, length, ({ startedAt, version }) =>
        writeCursor({ at: startedAt, id: version.importId }),
      );
      return create(ListImportsResponseSchema, { imports: shown.map(importShape), nextCursor });
    },

    listSources: async () => {
      return create(ListSourcesResponseSchema, {
        sources: (await sources.list()).map(sourceShape),
      });
    },

    checkSource: async ({ mutation, list }) => {
      const { actor } = readMutation(mutation);
      const source = orThrow(await sources.check(list, actor));
      return create(CheckSourceResponseSchema, { source: sourceShape(source) });
    },
  } satisfies Partial<ServiceImpl<typeof ComplianceService>>;
}

const stateNames: Readonly<Record<ImportState, string>> = {
  reading: "running",
  committing: "running",
  in_force: "in_force",
  superseded: "superseded",
  refused: "refused",
  failed: "failed",
};

function importShape(each: ListImport): MessageInitShape<typeof ListImportSchema> {
  const { version, state, change, problem, notes, actor, startedAt } = each;
  return {
    id: version.importId,
    version: listVersionShape(version),
    state: stateNames[state],
    ...{ change, problem, notes: [...notes] },
    actor: { kind: valueOfWord(Actor_Kind, actor.kind), id: actor.id },
    startedAt: timestampFromDate(startedAt),
  };
}

/** A source that was never checked has no state. */
function sourceShape({ setting, state }: SourceStatus): MessageInitShape<typeof ListSourceSchema> {
  return {
    list: setting.list,
    format: valueOfWord(ListFormat, setting.format),
    locations: setting.files.map(locationShown),
    outcome: state?.outcome ?? "never",
    problem: state?.problem ?? "",
    failures: state?.failures ?? 0,
    ...(state && {
      checkedAt: timestampFromDate(state.checkedAt),
      nextCheckAt: timestampFromDate(state.nextCheckAt),
    }),
  };
}
