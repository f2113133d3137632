import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { checkDatabase, type Databases, openerFor } from "@disburse/invariants/database-check.ts";
import { untilQuiet } from "@disburse/invariants/quiet.ts";
import { registerBeneficiary } from "@disburse/platform/merchant.ts";
import { fundMerchant, startPlatform } from "@disburse/platform/platform.ts";
import { unlimitedRate } from "@disburse/platform/services.ts";
import { encryptionKeysOf } from "@disburse/sandbox/secrets.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { MongoClient } from "mongodb";
import { startBalancer } from "./balancer.ts";

/** Two processes of each service behind a load balancer, with a paying merchant. */
export type ReplicatedPlatform = Awaited<ReturnType<typeof startReplicatedPlatform>>;

const replicas = 2;
const prefix = "operate_";
/** Time until the platform is at rest. Longer than pending work takes and than leases last. */
const restMs = 120_000;

/**
 * Starts engine, broker, twelve processes and the balancer in a folder.
 *
 * @param checkout a folder with the sources of another version, which the processes run.
 */
export async function startReplicatedPlatform(
  folder: string,
  settings: Readonly<Record<string, string>>,
  checkout?: string,
) {
  await using starting = new AsyncDisposableStack();
  const onExit = (how: string) => process.stderr.write(`a part of the platform ended: ${how}\n`);
  const engine = await startEngine({ dataDir: folder, onExit });
  starting.defer(engine.stop);
  const broker = await startBroker({ dataDir: folder, onExit });
  if (broker === undefined) throw new Error("The platform with replicas needs rabbitmq-server.");
  starting.defer(broker.stop);
  const client = new MongoClient(engine.uri("admin"));
  starting.defer(() => client.close());
  const platform = await startPlatform({
    mongodbUri: engine.uri,
    amqpUrl: broker.url,
    databasePrefix: prefix,
    busNamespace: "operate",
    replicas,
    ...(checkout !== undefined && { checkout }),
    settings: { ...unlimitedRate, LOG_LEVEL: "warn", SANDBOX_SETTLE_MS: "100", ...settings },
  });
  starting.defer(platform.stop);
  for (const replica of platform.replicas.slice(1)) {
    await Promise.all(serviceNames.map((service) => replica.start(service)));
  }
  const merchant = await fundMerchant(platform);
  const balancer = await startBalancer(platform.replicas.map(({ baseUrl }) => baseUrl));
  starting.defer(balancer.close);
  const { url: baseUrl } = balancer;
  const beneficiaryId = await registerBeneficiary({ ...merchant, baseUrl });
  const databases: Databases = { client, prefix };
  const ends = starting.move();
  return {
    ...platform,
    /** The load's merchant, calling through the balancer. */
    payer: { ...merchant, baseUrl, beneficiaryId },
    /** Waits until nothing is in progress. Throws if an invariant is broken. */
    settle: async (): Promise<void> => {
      const busy = await untilQuiet(databases, restMs);
      if (busy.length > 0)
        throw new Error(`work is still pending after ${restMs} ms: ${busy.join(", ")}`);
      const open = await openerFor(databases, encryptionKeysOf(platform.secrets, "gateway") ?? "");
      const { findings } = await checkDatabase(databases, { now: new Date(), open });
      if (findings.length > 0)
        throw new Error(`invariants are broken: ${JSON.stringify(findings)}`);
    },
    stop: () => ends.disposeAsync(),
  };
}
