import { setTimeout as pause } from "node:timers/promises";
import { until } from "@disburse/harness/waiting.ts";
import { configureServices } from "@disburse/platform/services.ts";
import type { EngineFault, FaultOutcome } from "../fault.ts";
import type { Member } from "../replica-set/member.ts";
import type { ReplicaSet } from "../replica-set/replica-set.ts";

/** Longer than an election, which begins after 10 s without a primary. */
const electionMs = 15_000;
const pausedMs = 20_000;
/** On a machine with other work an election can take longer. */
const lateElection = { timeoutMs: 60_000, everyMs: 500 };
const cutOffMs = 22_000;
const noMajorityMs = 8_000;
/** The member that stepped down may not be elected again for this long. */
const stepDownSeconds = 10;
const settleMs = 3_000;
/** A migration of all databases takes a second or two. */
const migrationMs = 60_000;

const stepDown: EngineFault = {
  name: "step-down",
  about: "the primary steps down, as for maintenance",
  loss: "planned",
  run: async ({ set }) => {
    const primary = await set.primary();
    await primary.client.db("admin").command({ replSetStepDown: stepDownSeconds });
    await pause(settleMs);
    const isSame = (await set.primary()) === primary;
    return { problems: isSame ? ["the same member is the primary"] : [] };
  },
};

const rollingRestart: EngineFault = {
  name: "rolling-restart",
  about: "each member restarts, the primary last, as for an upgrade",
  loss: "planned",
  run: async ({ set }) => {
    const problems: string[] = [];
    for (const member of [...(await set.secondaries()), await set.primary()]) {
      await member.shutDown();
      await member.start();
      if (!(await set.untilHealthy())) problems.push(`${member.name} did not come back`);
    }
    return { problems };
  },
};

const killPrimary: EngineFault = {
  name: "kill-primary",
  about: "kill -9 of the primary, back after 15 s",
  loss: "unplanned",
  run: async ({ set }) => {
    const primary = await set.primary();
    await primary.kill();
    await pause(electionMs);
    await primary.start();
    return {};
  },
};

const pausePrimary: EngineFault = {
  name: "pause-primary",
  about: "SIGSTOP of the primary for 20 s; when it continues, there are briefly two",
  loss: "unplanned",
  run: async ({ set }) => {
    const primary = await set.primary();
    primary.signal("SIGSTOP");
    await pause(pausedMs);
    const problems = await electedBeside(set, primary);
    primary.signal("SIGCONT");
    return { problems };
  },
};

const twoAway: EngineFault = {
  name: "two-members-away",
  about: "kill -9 of the primary and a secondary, back after 8 s",
  loss: "unplanned",
  run: async ({ set }) => {
    const [secondary] = await set.secondaries();
    return takeAway([await set.primary(), secondary]);
  },
};

const secondariesAway: EngineFault = {
  name: "secondaries-away",
  about: "kill -9 of both secondaries, back after 8 s",
  loss: "unplanned",
  run: async ({ set }) => takeAway(await set.secondaries()),
};

/** Waits until one of the other members is the primary. Returns a problem if none is. */
async function electedBeside(set: ReplicaSet, member: Member): Promise<string[]> {
  const others = set.members.filter((each) => each !== member);
  const isElected = await until(async () => {
    return (await Promise.all(others.map(set.isPrimary))).includes(true);
  }, lateElection);
  return isElected ? [] : ["no other member was elected"];
}

const killAll: EngineFault = {
  name: "kill-all-members",
  about: "kill -9 of all three members, then all start",
  loss: "unplanned",
  run: ({ set }) => takeAway(set.members, 0),
};

async function takeAway(members: readonly Member[], forMs = noMajorityMs): Promise<FaultOutcome> {
  const from = performance.now();
  await Promise.all(members.map((member) => member.kill()));
  await pause(forMs);
  await Promise.all(members.map((member) => member.start()));
  return { awayMs: performance.now() - from };
}

const rollback: EngineFault = {
  name: "rollback",
  about: "the primary is cut off from its peers for 25 s while services reach it",
  loss: "unplanned",
  run: async ({ set }) => {
    const primary = await set.primary();
    set.cutOff(primary);
    // Wait for the others to replicate all earlier writes.
    await pause(settleMs);
    const marks = primary.client.db("rollback").collection("marks", { writeConcern: { w: 1 } });
    await marks.insertOne({});
    await pause(cutOffMs);
    const problems = await electedBeside(set, primary);
    set.reconnect();
    const isRolledBack = await until(async () => {
      return (await marks.countDocuments({}).catch(() => 1)) === 0;
    }, lateElection);
    return { problems: isRolledBack ? problems : [...problems, "no write was rolled back"] };
  },
};

const migration: EngineFault = {
  name: "migration",
  about: "new databases are migrated while a member is down",
  loss: "planned",
  run: async ({ set, platform }) => {
    const [secondary] = await set.secondaries();
    await secondary.kill();
    const fresh = await configureServices({ ...platform.options, databasePrefix: "migrated_" });
    const migrated = fresh.migrate().then(() => true);
    const isDone = await Promise.race([migrated, pause(migrationMs, false)]);
    await secondary.start();
    await migrated;
    return { problems: isDone ? [] : [`not done after ${migrationMs / 1_000} s`] };
  },
};

export const databaseFaults: readonly EngineFault[] = [
  ...[stepDown, killPrimary, pausePrimary, twoAway, secondariesAway, rollback],
  ...[rollingRestart, killAll, migration],
];
