import { freePorts } from "@disburse/embedded/free-ports.ts";
import { startNetworkProxy } from "@disburse/faults/backends/network-proxy.ts";
import type { Random } from "@disburse/harness/random.ts";
import { until } from "@disburse/harness/waiting.ts";
import { createOwnerLookup } from "./connection-owner.ts";
import { createMember, type Member, setName } from "./member.ts";

/** Three database members, each of which the others and the services reach through a proxy. */
export type ReplicaSet = Awaited<ReturnType<typeof startReplicaSet>>;

const names = ["db1", "db2", "db3"] as const;
/** An election takes 10 to 15 s, and a restarted member must catch up. */
const healthy = { timeoutMs: 90_000, everyMs: 250 };

type Status = { readonly members: readonly { readonly stateStr: string }[] };

/**
 * The time that a new primary waits for a member that is ahead of it. Without this limit it also
 * waits 10 s for a member that hangs. No confirmed write is lost: the winner has all that a
 * majority has.
 */
const catchUpTimeoutMillis = 1_000;
/**
 * A secondary reports its progress to a sync source that hangs for up to 30 s. Meanwhile a new
 * primary learns of it by heartbeats alone, every 2 s by default. Each write would take that long,
 * and an execute has several.
 */
const heartbeatIntervalMillis = 200;

export async function startReplicaSet(mongod: string, folder: string, random: Random) {
  const ports = await freePorts(names.length);
  const members = names.map((name, at) => {
    return createMember({ mongod, name, folder, port: ports[at] ?? 0 });
  });
  const pids = () => new Map(members.map(({ name, pid }) => [name, pid() ?? 0]));
  const peerOf = createOwnerLookup(pids);
  const proxies = new Map<Member, Awaited<ReturnType<typeof startNetworkProxy>>>();
  for (const member of members) {
    const target = () => ({ host: "127.0.0.1", port: member.port });
    proxies.set(member, await startNetworkProxy(target, random, { peerOf }));
  }
  const addresses = [...proxies.values()].map(({ port }) => `127.0.0.1:${port}`);
  await Promise.all(members.map((member) => member.start()));
  const config = {
    _id: setName,
    members: addresses.map((host, _id) => ({ _id, host })),
    settings: { catchUpTimeoutMillis, heartbeatIntervalMillis },
  };
  await members[0]?.client.db("admin").command({ replSetInitiate: config });

  const isPrimary = async ({ client, pid }: Member): Promise<boolean> => {
    if (pid() === undefined) return false;
    const hello = await client.db("admin").command({ hello: 1 }).catch(nothing);
    return hello?.isWritablePrimary === true;
  };
  const primary = async (): Promise<Member> => {
    let found: Member | undefined;
    await until(async () => {
      const answers = await Promise.all(members.map(isPrimary));
      found = members[answers.indexOf(true)];
      return found !== undefined;
    }, healthy);
    if (found === undefined) throw new Error("the replica set has no primary");
    return found;
  };
  const isHealthy = async (): Promise<boolean> => {
    const found = members.find((member) => member.pid() !== undefined);
    const status = await found?.client.db("admin").command({ replSetGetStatus: 1 }).catch(nothing);
    const states = ((status ?? { members: [] }) as Status).members.map(({ stateStr }) => stateStr);
    return states.toSorted().join() === "PRIMARY,SECONDARY,SECONDARY";
  };
  return {
    members,
    isPrimary,
    primary,
    secondaries: async (): Promise<[Member, Member]> => {
      const first = await primary();
      return members.filter((member) => member !== first) as [Member, Member];
    },
    /**
     * Starts to count the rounds of elections after the first one. If two members start an election
     * at the same time, none of them wins, and the next round begins after 10 to 15 s.
     */
    watchElections: () => {
      const before = members.map((member) => member.countElections());
      return (): number => {
        const rounds = members.map((member, at) => member.countElections() - (before[at] ?? 0));
        return Math.max(1, ...rounds) - 1;
      };
    },
    /** Waits for a primary and two secondaries. Returns true if they came. */
    untilHealthy: () => until(isHealthy, healthy),
    /** Cuts a member off from the other members. Services still reach all of them. */
    cutOff: (member: Member) => {
      const others = members.filter((each) => each !== member);
      proxies.get(member)?.cutOff(others.map(({ name }) => name));
      for (const other of others) proxies.get(other)?.cutOff([member.name]);
    },
    reconnect: () => {
      for (const proxy of proxies.values()) proxy.cutOff([]);
    },
    uri: (database: string) => `mongodb://${addresses.join(",")}/${database}?replicaSet=${setName}`,
    stop: async () => {
      await Promise.all(members.map((member) => member.stop()));
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}

const nothing = (): undefined => undefined;
