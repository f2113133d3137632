import { join } from "node:path";
import { checkPlatform } from "@disburse/faults/payouts/checks.ts";
import { makeRecipients } from "@disburse/faults/payouts/recipients.ts";
import { startFaultPlatform } from "@disburse/faults/platform.ts";
import { say } from "@disburse/harness/command-line.ts";
import type { Random } from "@disburse/harness/random.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import { MongoClient } from "mongodb";
import { startBrokerCluster } from "./broker-cluster/broker-cluster.ts";
import type { EngineContext } from "./fault.ts";
import { createEngineLoad } from "./load/load.ts";
import { openWebhookEndpoint, type WebhookEndpoint } from "./load/webhook-endpoint.ts";
import { startReplicaSet } from "./replica-set/replica-set.ts";

/** Two processes with every service on a replica set and a broker cluster, with their clients. */
export type World = EngineContext & { readonly endpoint: WebhookEndpoint };

const shownMax = 5;

type WorldOptions = {
  readonly mongod: string;
  /** The script that starts a RabbitMQ node. */
  readonly server: string;
  readonly folder: string;
  readonly random: Random;
  /** Makes the load this many times as slow. */
  readonly slack: number;
};

export async function startWorld(
  { mongod, server, folder, random, slack }: WorldOptions,
  ends: AsyncDisposableStack,
): Promise<World> {
  const [set, cluster] = await Promise.all([
    startReplicaSet(mongod, join(folder, "database"), random),
    startBrokerCluster(server, join(folder, "broker")),
  ]);
  ends.defer(set.stop);
  ends.defer(cluster.stop);
  if (!(await set.untilHealthy())) throw new Error("the replica set has no primary");
  say("a replica set and a broker cluster run; the platform starts");
  const client = new MongoClient(set.uri("admin"));
  ends.defer(() => client.close());
  const places = {
    mongodbUri: set.uri,
    amqpUrl: cluster.url,
    mongo: () => client,
    databasePrefix: "engines_",
    busNamespace: "engines",
    replicas: 2,
  };
  const platform = await startFaultPlatform(places, "together");
  ends.defer(platform.stop);
  const endpoint = await openWebhookEndpoint(platform);
  ends.defer(endpoint.close);
  const recipients = await makeRecipients(platform);
  const { apiKey, accountId } = platform;
  const gateways = platform.replicas.map(({ baseUrl }) => ({ baseUrl, apiKey }));
  const load = createEngineLoad({ gateways, accountId, recipients, random, slack });
  ends.defer(load.drain);
  return { set, cluster, platform, load, endpoint };
}

/** Waits until the platform is idle, then checks for lost, duplicate or stale data. */
export async function checkWorld({ platform, load, endpoint }: World): Promise<Verdict[]> {
  const checked = await checkPlatform(platform, load, endpoint);
  const { answered, unavailable } = load.reader.counts();
  const counts = { payouts: load.accepted.length, reads: answered, webhooks: endpoint.calls() };
  const idle = Object.entries(counts).filter(([, count]) => count === 0);
  const others = platform.replicas.flatMap((replica) => replica.takeFailures());
  return [
    ...checked,
    {
      name: "every client was served",
      problems: idle.map(([what]) => `no ${what}`),
      figures: `${counts.payouts} payouts`,
    },
    {
      name: "requests failed for a time only",
      problems: load.refusals.problems(),
      figures: load.refusals.counts().join(", ") || "none refused",
    },
    { name: "no other service failed by itself", problems: others },
    { name: "no accepted quote lost", problems: await lostQuotes(platform, load.quoteIds) },
    {
      name: "no read misses an accepted payout or a later status",
      problems: load.reader.problems.slice(0, shownMax),
      figures: `${answered} reads, ${unavailable} refused or without an answer`,
    },
    {
      name: "webhooks in order, each with one body",
      problems: endpoint.problems.slice(0, shownMax),
      figures: `${endpoint.calls()} calls, ${endpoint.repeated()} of them again`,
    },
  ];
}

async function lostQuotes(
  { databases }: World["platform"],
  ids: readonly string[],
): Promise<string[]> {
  const found = await collectionOf(databases(), "quotes").countDocuments({
    _id: { $in: [...ids] },
  });
  return found === ids.length ? [] : [`${ids.length - found} of ${ids.length} are not there`];
}
