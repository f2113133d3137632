import { setTimeout as pause } from "node:timers/promises";
import type { BrokerNode } from "../broker-cluster/broker-cluster.ts";
import type { EngineContext, EngineFault } from "../fault.ts";

const awayMs = 5_000;
/** Longer than an election of the database, which begins after 10 s without a primary. */
const electionMs = 15_000;

const leaderOf = ({ cluster, platform }: EngineContext): Promise<BrokerNode> =>
  cluster.leaderOf(`${platform.options.busNamespace}.notifier.inbox`);

async function takeAway(nodes: readonly BrokerNode[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.kill()));
  await pause(awayMs);
  await Promise.all(nodes.map((node) => node.start()));
}

const killLeader: EngineFault = {
  name: "kill-broker-leader",
  about: "kill -9 of the broker node that leads the notifier's queue",
  loss: "planned",
  run: async (context) => {
    const leader = await leaderOf(context);
    await takeAway([leader]);
    return {};
  },
};

const killTwo: EngineFault = {
  name: "kill-two-brokers",
  about: "kill -9 of two broker nodes: the third one pauses",
  loss: "planned",
  run: async (context) => {
    const leader = await leaderOf(context);
    const other = context.cluster.nodes.find((node) => node !== leader) ?? leader;
    await takeAway([leader, other]);
    return {};
  },
};

const killAll: EngineFault = {
  name: "kill-all-brokers",
  about: "kill -9 of all three broker nodes",
  loss: "planned",
  run: async ({ cluster }) => {
    await takeAway(cluster.nodes);
    return {};
  },
};

const killBoth: EngineFault = {
  name: "kill-leader-and-primary",
  about: "kill -9 of the broker's leader and the database's primary together",
  loss: "unplanned",
  run: async (context) => {
    const leader = await leaderOf(context);
    const primary = await context.set.primary();
    await Promise.all([leader.kill(), primary.kill()]);
    await pause(electionMs);
    await Promise.all([leader.start(), primary.start()]);
    return {};
  },
};

export const brokerFaults: readonly EngineFault[] = [killLeader, killTwo, killAll, killBoth];
