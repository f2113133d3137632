import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { readPage } from "@disburse/chassis/paging/page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  CheckSourceResponseSchema,
  CompareImportsResponseSchema,
  ComplianceService,
  GetListedEntryResponseSchema,
  ImportListResponseSchema,
  ListFormat,
  type ListImportSchema,
  ListImportsResponseSchema,
  ListListsResponseSchema,
  type ListSourceSchema,
  ListSourcesResponseSchema,
  type RetainedEntriesSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { ListImport, StoredList } from "./documents.ts";
import { collectFiles } from "./imports/files.ts";
import {
  announceImport,
  compareFiles,
  type ImportDeps,
  type ImportOutcome,
  importList,
} from "./imports/import.ts";
import { isListName, openImportStream, readImportHeader } from "./imports/request.ts";
import { sweepImports } from "./imports/steps.ts";
import { listedEntry } from "./listed-entry.ts";
import { removalGuard } from "./removals/guard.ts";
import { openRemovals, type RemovalDeps } from "./removals/removals.ts";
import { removeForms } from "./removals/steps.ts";
import { type ListVersion, missingLists } from "./rules/version.ts";
import { type ListSources, openSources, type SourceStatus } from "./sources/check.ts";
import { locationShown, type SourceSetting } from "./sources/setting.ts";
import { openSourceStore } from "./sources/store.ts";
import { compareImports, differenceShape } from "./version-differences.ts";
import { listVersionShape } from "./wire.ts";

/** The interval of the sweep that cleans up after crashed imports. */
const sweepEveryMs = 30_000;
/**
 * The interval of checks for due sources. The checking process also renews its lease at this
 * interval.
 */
const sourcesEveryMs = 30_000;
/**
 * The lease of source checks. It is longer than one or two checks take, so that no other process
 * starts the same check.
 */
const sourcesLeaseMs = 300_000;

/**
 * The interval of the sweep that proposes removals again, after a crash or after a proposal
 * expired.
 */
const removalsEveryMs = 60_000;
/** The lease of removals. It is longer than the search for parties that a removal would clear. */
const removalsLeaseMs = 300_000;

export type ListServiceDeps = Omit<RemovalDeps, "own"> & {
  readonly database: Database;
  readonly metrics: Metrics;
  readonly sources: readonly SourceSetting[];
  readonly approvals: ServiceApprovals;
  /** Returns the lists that this process currently screens with. */
  readonly indexed: () => readonly ListVersion[];
};

/** Starts imports, the checks of sources, and the sweep of crashed imports. */
export function startLists(deps: ListServiceDeps) {
  const { database, lists, clock, log, refresh } = deps;
  const { permit, own, guard } = deps.approvals;
  const metrics = listMetrics(deps.metrics);
  const stopping = new AbortController();
  const removals = openRemovals({ ...deps, own });
  const importing = { lists, clock, ended: metrics.ended, refresh, log, permit, removals };
  const sources = openSources({
    ...importing,
    settings: deps.sources,
    stop: stopping.signal,
    store: openSourceStore(database),
  });
  const rpc = guard(ComplianceService, listRpc({ ...importing, sources }), {
    removeRetainedEntries: removalGuard(deps),
  });
  const lease = createSweepLease(database, "list-sources", sourcesLeaseMs);
  const removalsLease = createSweepLease(database, "list-removals", removalsLeaseMs);
  const loops = [
    startLoop({
      name: "imports",
      everyMs: sweepEveryMs,
      log,
      run: async () => {
        await metrics.show({ ...deps, removals }, sources);
        await sweepImports(lists.collections, clock.now());
        return false;
      },
    }),
    startLoop({
      name: "list sources",
      everyMs: sourcesEveryMs,
      log,
      run: async () => {
        await sources.checkDue(async () => (await lease.hold()) !== undefined);
        return false;
      },
    }),
    startLoop({
      name: "list removals",
      everyMs: removalsEveryMs,
      log,
      run: async () => {
        await removals.sweep(async () => (await removalsLease.hold()) !== undefined);
        return false;
      },
    }),
  ];
  return {
    rpc,
    stop: async () => {
      stopping.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
      await lease.release();
      await removalsLease.release();
    },
  };
}

/** docs/reference/services/compliance.md describes the alerts on these metrics. */
export function listMetrics(metrics: Metrics) {
  const imports = metrics.counter(
    "disburse_list_imports_total",
    "Imports of sanctions lists, by outcome: imported, refused, overtaken, failed.",
    ["list", "outcome"],
  );
  const gauge = (name: string, help: string) => metrics.gauge(name, help, ["list"]);
  const age = gauge(
    "disburse_list_age_seconds",
    "Seconds since a sanctions list was imported, or since its source last confirmed it as current.",
  );
  const failures = gauge(
    "disburse_list_source_failures",
    "Consecutive failed checks of the source of a sanctions list.",
  );
  const indexed = gauge(
    "disburse_list_indexed",
    "1 if this process screens with the latest version of a sanctions list.",
  );
  const awaited = gauge(
    "disburse_list_awaited",
    "1 if screening is refused until a required sanctions list is in force.",
  );
  const removal = gauge(
    "disburse_list_removal_waiting_seconds",
    "Waiting time of the oldest removal of list entries that a person must confirm; 0 if there is none.",
  );
  return {
    ended: (list: string, outcome: ImportOutcome): void => imports.inc({ list, outcome }),

    /** Updates the age of the lists in force, their index state, and the sources' state. */
    show: async (
      deps: Pick<ListServiceDeps, "lists" | "clock" | "indexed"> & Pick<ImportDeps, "removals">,
      sources: ListSources,
    ): Promise<void> => {
      const inForce = await deps.lists.listsInForce();
      const [known, now] = [await sources.list(), deps.clock.now()];
      const waiting = await deps.removals.waiting();
      const used = new Set(deps.indexed().map(({ importId }) => importId));
      const confirmed = new Map(known.map(({ setting, state }) => [setting.list, state]));
      for (const { version } of inForce) {
        const { list, importId, importedAt } = version;
        const last = confirmed.get(list)?.confirmedAt ?? importedAt;
        const since = Math.max(importedAt.getTime(), last.getTime());
        indexed.set({ list }, used.has(importId) ? 1 : 0);
        age.set({ list }, Math.max(0, now.getTime() - since) / 1_000);
        const waits = now.getTime() - (waiting.get(list) ?? now).getTime();
        removal.set({ list }, Math.max(0, waits) / 1_000);
      }
      for (const { setting, state } of known) {
        const { list, optional } = setting;
        failures.set({ list }, state?.failures ?? 0);
        if (!optional) awaited.set({ list }, missingLists([list], inForce).length);
      }
    },
  };
}

export function listRpc(deps: ImportDeps & { readonly sources: ListSources }) {
  const { lists, sources } = deps;
  const compare = oneComparison();
  return {
    importList: async (requests) => {
      const { header, parts } = await openImportStream(requests);
      const request = orThrow(readImportHeader(header));
      if (header.compareOnly) {
        return compare(async () => {
          const received = orThrow(await collectFiles(parts));
          const { sample, ...compared } = orThrow(await compareFiles(lists, request, received));
          const differences = sample.map((each) => differenceShape(request.list, each));
          return create(ImportListResponseSchema, { ...compared, differences });
        });
      }
      const received = orThrow(await collectFiles(parts));
      const imported = orThrow(await importList(deps, request, received));
      await announceImport(deps, imported);
      const { version, change, retained } = imported;
      const shape = listVersionShape(version);
      return create(ImportListResponseSchema, { version: shape, change, retained });
    },

    removeRetainedEntries: async ({ mutation, list, importId }) => {
      const change = readMutation(mutation);
      const approvedBy = callContext()?.approvedBy ?? "";
      const note = `removal confirmed by ${approvedBy}: entries that the list no longer contains are out of force`;
      const removal = { ...change, list, importId, kept: [], note };
      // The index is not refreshed here. Each process polls the lists soon, which is early enough
      // for a removal.
      const version = orThrow(await removeForms(deps, removal));
      return { version: listVersionShape(version) };
    },

    listLists: async () => {
      const inForce = await lists.listsInForce();
      const versions = inForce.map(({ version }) => listVersionShape(version));
      const retained = inForce.filter((each) => each.retained.forms > 0).map(retainedShape);
      return create(ListListsResponseSchema, { lists: versions, retained });
    },

    getListedEntry: async (request) =>
      create(GetListedEntryResponseSchema, orThrow(await listedEntry(lists, request))),

    listImports: async ({ list, ...page }) => {
      if (list !== "" && !isListName(list)) {
        orThrow(refused("INVALID_REQUEST", "list: must be a list's name"));
      }
      const { shown, nextCursor } = await readPage(
        "list_imports",
        page,
        ({ after, limit }) => lists.listImports(list, after, limit),
        ({ startedAt: at, version }) => ({ at, id: version.importId }),
      );
      return create(ListImportsResponseSchema, { imports: shown.map(importShape), nextCursor });
    },

    compareImports: async (request) =>
      create(CompareImportsResponseSchema, orThrow(await compareImports(lists, request))),

    listSources: async () =>
      create(ListSourcesResponseSchema, { sources: (await sources.list()).map(sourceShape) }),

    checkSource: async ({ mutation, list }) => {
      const { actor } = readMutation(mutation);
      const source = orThrow(await sources.check(list, actor));
      return create(CheckSourceResponseSchema, { source: sourceShape(source) });
    },
  } satisfies Partial<ServiceImpl<typeof ComplianceService>>;
}

/**
 * Runs at most one comparison at a time in this process. Each holds all files and a thread, and no
 * operation bounds their number, as it does for imports.
 */
function oneComparison() {
  let isRunning = false;
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (isRunning) {
      orThrow(refused("INVALID_REQUEST", "another comparison is running; repeat this one later"));
    }
    isRunning = true;
    try {
      return await run();
    } finally {
      isRunning = false;
    }
  };
}

function importShape(each: ListImport): MessageInitShape<typeof ListImportSchema> {
  const { version, state, change, problem, notes, actor, startedAt, retained } = each;
  return {
    id: version.importId,
    version: listVersionShape(version),
    state: state === "reading" || state === "committing" ? "running" : state,
    change,
    problem,
    retained,
    notes: [...notes],
    actor: { kind: enumValue(Actor_Kind, actor.kind), id: actor.id },
    startedAt: timestampFromDate(startedAt),
  };
}

function retainedShape({
  version: { list, importId },
  retained: { forms, since },
}: StoredList): MessageInitShape<typeof RetainedEntriesSchema> {
  return { list, importId, forms, ...(since && { since: timestampFromDate(since) }) };
}

/** A source that was never checked has no state. */
function sourceShape({ setting, state }: SourceStatus): MessageInitShape<typeof ListSourceSchema> {
  return {
    list: setting.list,
    format: enumValue(ListFormat, setting.format) ?? ListFormat.UNSPECIFIED,
    formatName: setting.format,
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
