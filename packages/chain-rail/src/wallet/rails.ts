import type { Loop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { RailContext, RailPackage, RailRpc } from "@disburse/rail/rail-package.ts";
import { walletMetrics } from "./metrics.ts";
import { type CalledServers, liveProblems, serversOf } from "./settings.ts";

/** A rail with its wallet and its background work. */
type OpenedRail = {
  readonly rail: Rail;
  readonly wallet: { readonly wallet: string };
  start(): Pick<Loop, "stop">;
};

/** Documents whose field `open` names a wallet while they need work. */
type OpenDocuments = {
  countDocuments(filter: { open: { $exists: true; $nin: string[] } }): Promise<number>;
};

/** The parts of a package whose rails pay from wallets on chains. */
type WalletRails<Settings extends CalledServers, Opened extends OpenedRail, Observer> = {
  readonly setting: string;
  readonly indexes: Indexes;
  readonly read: (text: string) => readonly Settings[];
  /** Violations of live mode's rules. */
  readonly problems?: (rails: readonly Settings[]) => string[];
  readonly metrics: (metrics: Metrics, rails: readonly Settings[]) => Observer;
  readonly open: (
    settings: Settings,
    context: Omit<RailContext, "metrics"> & { readonly metrics: Observer },
  ) => Promise<Opened>;
  readonly openDocuments: (database: Database) => readonly OpenDocuments[];
  readonly rpc?: (context: RailContext, wallets: readonly Opened["wallet"][]) => RailRpc;
};

const orphansFound = "open transfers belong to wallets that the setting does not name";

/** Creates a package with a rail for each wallet of its setting. */
export function walletRails<Settings extends CalledServers, Opened extends OpenedRail, Observer>({
  setting,
  problems = liveProblems,
  ...parts
}: WalletRails<Settings, Opened, Observer>): RailPackage {
  return {
    setting,
    indexes: parts.indexes,
    sealed: [],
    configure: (text = "[]", mode) => {
      const configured = parts.read(text);
      const found = mode === "live" ? problems(configured) : [];
      if (found.length > 0) throw new SettingsError(`settings: ${setting}: ${found.join("; ")}`);
      return {
        names: configured.map(({ rail }) => rail),
        servers: serversOf(configured),
        needsSealer: false,
        open: async (context) => {
          const metrics = parts.metrics(context.metrics, configured);
          const opened = await Promise.all(
            configured.map((each) => parts.open(each, { ...context, metrics })),
          );
          const wallets = opened.map(({ wallet }) => wallet);
          const names = wallets.map(({ wallet }) => wallet);
          const documents = parts.openDocuments(context.database);
          const count = await countOrphans(documents, names);
          walletMetrics(context.metrics).orphans.set({ setting }, count);
          // No process works on them.
          if (count > 0) context.log.error({ count, setting }, orphansFound);
          return {
            rails: opened.map(({ rail }) => rail),
            rpc: parts.rpc?.(context, wallets) ?? {},
            start: () => {
              const running = opened.map((each) => each.start());
              const stop = () => Promise.all(running.map((each) => each.stop()));
              return { stop: async () => void (await stop()) };
            },
          };
        },
      };
    },
  };
}

/** Counts the open documents of wallets that are not configured. */
export async function countOrphans(
  documents: readonly OpenDocuments[],
  wallets: readonly string[],
): Promise<number> {
  const others = { open: { $exists: true as const, $nin: [...wallets] } };
  const counts = await Promise.all(documents.map((each) => each.countDocuments(others)));
  return counts.reduce((sum, count) => sum + count, 0);
}
