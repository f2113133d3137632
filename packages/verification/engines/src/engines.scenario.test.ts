import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rabbitmqServer } from "@disburse/embedded/rabbitmq.ts";
import { say } from "@disburse/harness/command-line.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { countOption, judge, optionOf, skipBecause } from "@disburse/harness/scenario.ts";
import { afterAll, beforeAll, test } from "vitest";
import { brokerFaults } from "./kinds/broker-faults.ts";
import { databaseFaults } from "./kinds/database-faults.ts";
import { failpointFaults } from "./kinds/failpoints.ts";
import { allowedGaps, exceeded, lostRoundMs, type Row, tableOf } from "./table.ts";
import { checkWorld, startWorld, type World } from "./world.ts";

/** `npm run test:engines`: README.md describes the faults. */

const root = join(import.meta.dirname, "../../../..");
/** `scripts/mongod.mjs` downloads it. */
const mongod = optionOf("mongod") ?? join(root, "node_modules/.cache/mongod-6.0.5/mongod");
/** Multiplies the bounds and slows the load, on a machine with other work. */
const slack = countOption("slack", 1);
const seed = countOption("seed", 1);
const random = createRandom(seed);
const server = rabbitmqServer(process.env);

function reasonToSkip(): string | undefined {
  if (process.platform !== "linux") return "it finds the owners of connections in /proc";
  if (!existsSync(mongod)) return "there is no mongod: see --mongod";
  return server === undefined ? "there is no rabbitmq-server" : undefined;
}

const skipped = reasonToSkip();
const rows: Row[] = [];
const ends = new AsyncDisposableStack();
let world: World;

beforeAll(async () => {
  if (skipped !== undefined || server === undefined) return;
  const folder = optionOf("folder") ?? mkdtempSync(join(tmpdir(), "engines-"));
  for (const part of ["database", "broker"]) mkdirSync(join(folder, part), { recursive: true });
  world = await startWorld({ mongod, server, folder, random, slack }, ends);
});
afterAll(() => ends.disposeAsync());

test.for([...databaseFaults, ...failpointFaults, ...brokerFaults])("$name", async (fault, test) => {
  skipBecause(test, skipped);
  const { set, cluster, load } = world;
  say(`\n── ${fault.name}: ${fault.about}`);
  load.start();
  const ready = await load.recovered();
  const from = performance.now();
  const before = load.gaps.requests();
  const countLostRounds = set.watchElections();
  const { awayMs = 0, problems = [] } = await fault.run(world);
  const healed = [
    { name: "the replica set is healthy", isTrue: await set.untilHealthy() },
    { name: "the cluster is healthy", isTrue: await cluster.untilHealthy() },
    { name: "requests succeed", isTrue: ready && (await load.recovered()) },
  ];
  const to = performance.now();
  const lostRounds = countLostRounds();
  if (lostRounds > 0) say(`${lostRounds} rounds of elections without a winner`);
  const row: Row = {
    name: fault.name,
    requests: load.gaps.requests() - before,
    gaps: load.gaps.between(from, to),
    allowed: allowedGaps(fault.loss, awayMs + lostRounds * lostRoundMs, slack),
    longest: load.gaps.longestRepeat(from, to),
  };
  rows.push(row);
  for (const line of tableOf([row])) say(line);
  judge([
    { name: "the fault occurred", problems },
    ...healed.map(({ name, isTrue }) => ({ name, problems: isTrue ? [] : ["not in time"] })),
    { name: "gaps within their bounds", problems: exceeded(row) },
  ]);
});

test("invariants", async (test) => {
  skipBecause(test, skipped);
  const verdicts = await checkWorld(world);
  for (const line of ["", ...tableOf(rows), ""]) say(line);
  judge(verdicts);
});
