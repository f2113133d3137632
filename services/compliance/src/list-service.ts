import type { ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { watchLists } from "./index/watch.ts";
import { changedEntriesOf } from "./lists/changed-entries.ts";
import { type IsListed, isListedIn } from "./lists/listed-entry.ts";
import { listMetrics } from "./lists/metrics.ts";
import { type ListMethod, listRpc } from "./lists/rpc.ts";
import { openSources } from "./lists/sources/check.ts";
import type { SourceSetting } from "./lists/sources/setting.ts";
import { openSourceStore } from "./lists/sources/store.ts";
import { openListStore } from "./lists/store.ts";
import type { ChangedEntries, IndexWatch } from "./screening/screening-index.ts";

/** What a crash left is removed within minutes; nothing waits for it. */
const sweepEveryMs = 30_000;
/** How late a source may be checked; the process that checks keeps its lease by asking so often. */
const sourcesEveryMs = 30_000;
/** Longer than the checks of a source or two, so that no other process begins the same. */
const sourcesLeaseMs = 300_000;

export type ListServiceDeps = {
  readonly database: Database;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  /** How soon a list that another process imported is noticed. */
  readonly pollMs: number;
  readonly sources: readonly SourceSetting[];
};

export type ListService = {
  readonly watch: IndexWatch;
  readonly changedEntries: ChangedEntries;
  readonly isListed: IsListed;
  readonly rpc: Pick<ServiceImpl<typeof ComplianceService>, ListMethod>;
  stop(): Promise<void>;
};

/** Starts what keeps the lists: the index that answers, imports, sources, and their sweeps. */
export async function startLists(deps: ListServiceDeps): Promise<ListService> {
  const { database, clock, log } = deps;
  const lists = await openListStore(database);
  const required = deps.sources.filter(({ optional }) => !optional).map(({ list }) => list);
  const watch = watchLists({ store: lists, log, required });
  // Read before the first request, so that a restart answers at once. Until it succeeds,
  // screening is refused, and the loop tries again.
  await watch.refresh().catch((error: unknown) => log.error({ err: error }, "lists not read"));
  const metrics = listMetrics(deps.metrics);
  const stopping = new AbortController();
  const importing = { lists, clock, ended: metrics.ended };
  const sources = openSources({
    ...{ ...importing, watch, log, settings: deps.sources, stop: stopping.signal },
    store: openSourceStore(database),
  });
  const lease = createSweepLease(database, "list-sources", sourcesLeaseMs);
  const loops = [
    startLoop({
      ...{ name: "lists", everyMs: deps.pollMs, log },
      run: () => watch.refresh().then(() => false),
    }),
    startLoop({
      ...{ name: "imports", everyMs: sweepEveryMs, log },
      run: async () => {
        const inForce = await lists.listsInForce();
        const [index, known, now] = [watch.current(), await sources.list(), clock.now()];
        metrics.show({ inForce, index, sources: known, now });
        await lists.sweep(now);
        return false;
      },
    }),
    startLoop({
      ...{ name: "list sources", everyMs: sourcesEveryMs, log },
      run: async () => {
        await sources.checkDue(async () => (await lease.hold()) !== undefined);
        return false;
      },
    }),
  ];
  return {
    watch,
    changedEntries: changedEntriesOf(lists),
    isListed: isListedIn(lists),
    rpc: listRpc({ ...importing, watch, sources, log }),
    stop: async () => {
      stopping.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
      await watch.stop();
      await lease.release();
    },
  };
}
