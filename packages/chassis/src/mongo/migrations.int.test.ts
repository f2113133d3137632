import { spawn } from "node:child_process";
import { once } from "node:events";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../log.ts";
import { connectDatabase, type Database } from "./database.ts";
import {
  assertMigrated,
  baseline,
  createIndexes,
  type Migration,
  migrate,
  migrateDatabase,
  OtherStepsError,
} from "./migrations.ts";
import { createSweepLease } from "./sweep-lease.ts";

let database: Database;
let ran: string[];
beforeEach(async () => {
  const name = freshDatabase("migrations");
  database = await connectDatabase(mongodbUri(name), name);
  ran = [];
});
afterEach(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const step = (name: string, up: Migration["up"] = async () => undefined): Migration => ({
  name,
  up: async (db) => {
    ran.push(name);
    await up(db);
  },
});
const run = (...steps: readonly Migration[]) => migrate(database, steps, silentLog);
const check = (...steps: readonly Migration[]) => assertMigrated(database, steps);
const applied = async () => {
  const found = await database.db.collection("schema_migrations").find().sort({ _id: 1 }).toArray();
  return found.map(({ _id, name }) => `${_id} ${name}`);
};

it.each([
  ["a majority of a replica set", { setName: "rs0" }, { commitQuorum: "majority" }],
  ["a standalone server, which refuses a quorum", {}, {}],
])("builds indexes on %s", async (_what, hello, expected) => {
  const calls: unknown[] = [];
  const createIndexesOf = async (...given: unknown[]) => void calls.push(given[1]);
  const db = { command: async () => hello, collection: () => ({ createIndexes: createIndexesOf }) };
  await createIndexes(db as never, { things: [{ key: { a: 1 }, name: "a" }] });
  expect(calls).toEqual([expected]);
});

it("logs a step that takes long, until it ends", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const lines: unknown[] = [];
    const log = { ...silentLog, info: (...line: unknown[]) => void lines.push(line) };
    const slow = step("slow", async () => void (await vi.advanceTimersByTimeAsync(25_000)));
    await migrate(database, [slow], log);
    await vi.advanceTimersByTimeAsync(25_000);
    const running = { migration: 1, name: "slow" };
    expect(lines).toEqual([
      [{ ...running, seconds: 10 }, "migration still running"],
      [{ ...running, seconds: 20 }, "migration still running"],
      [running, "migration applied"],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

it("applies missing steps, in order and once", async () => {
  await run(step("one"), step("two"));
  await run(step("one"), step("two"));
  await run(step("one"), step("two"), step("three"));
  expect(ran).toEqual(["one", "two", "three"]);
  const stored = await database.db
    .collection("schema_migrations")
    .find()
    .sort({ _id: 1 })
    .toArray();
  expect(stored).toEqual(
    ["one", "two", "three"].map((name, at) => ({
      ...{ _id: at + 1, schema_version: 1, name, applied_at: expect.any(Date) },
    })),
  );
});

it("fails if an index can't be created", async () => {
  const wrong = { rows: [{ key: { at: 1 }, expireAfterSeconds: -1 }] } as const;
  await expect(createIndexes(database.db, wrong)).rejects.toThrow("expireAfterSeconds");
});

it("migrates over a connection that waits an hour for a step, and closes it", async () => {
  const connected = vi.spyOn(MongoClient.prototype, "connect");
  const closed = vi.spyOn(MongoClient.prototype, "close");
  const { databaseName: name } = database.db;
  await migrateDatabase({ uri: mongodbUri(name), name }, [step("one")], silentLog);
  expect(await applied()).toEqual(["1 one"]);
  const [client] = connected.mock.contexts as MongoClient[];
  expect(client?.options).toMatchObject({
    ...{ appName: name, socketTimeoutMS: 3_600_000, writeConcern: { wtimeoutMS: 3_600_000 } },
  });
  expect(closed.mock.contexts[0]).toBe(client);
});

it("leaves no lease behind, for which the next job would wait", async () => {
  await run(step("one"));
  const leases = database.db.collection<{ _id: string; until: Date }>("leases");
  expect((await leases.findOne({ _id: "migrations" }))?.until).toEqual(new Date(0));
});

it("works in one of several jobs, while the others wait", async () => {
  const slow = step("slow", (db) =>
    createIndexes(db, { rows: [{ key: { at: 1 } }], others: [{ key: { at: 1 } }] }),
  );
  await Promise.all([run(slow, step("two")), run(slow, step("two")), run(slow, step("two"))]);
  expect(ran).toEqual(["slow", "two"]);
});

it("continues with the failed step", async () => {
  const fails = step("two", () => Promise.reject(new Error("no space left")));
  await expect(run(step("one"), fails, step("three"))).rejects.toThrow("no space left");
  await run(step("one"), step("two"), step("three"));
  expect(ran).toEqual(["one", "two", "two", "three"]);
});

const expireLease = () =>
  database.db
    .collection<{ _id: string }>("leases")
    .updateOne({ _id: "migrations" }, { $set: { until: new Date(0) } });

/** A job that reports its second step, and hangs there. */
const stuckJob = (uri: string, name: string) => `
  import { migrateDatabase } from "${new URL("migrations.ts", import.meta.url)}";
  const stay = () => new Promise(() => console.log("in step two"));
  const steps = [{ name: "one", up: async () => {} }, { name: "two", up: stay }];
  const log = { info: () => {}, error: console.error };
  await migrateDatabase(${JSON.stringify({ uri, name })}, steps, log);
`;

it("runs the step again in which a job was killed, when its lease has expired", async () => {
  const { databaseName } = database.db;
  const program = stuckJob(mongodbUri(databaseName), databaseName);
  const job = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(job.stdout, "data");
  const next = run(step("one"), step("two"));
  job.kill("SIGKILL");
  await once(job, "exit");
  expect(ran).toEqual([]);
  await expireLease();
  await next;
  expect(ran).toEqual(["two"]);
  expect(await applied()).toEqual(["1 one", "2 two"]);
});

it("leaves the next step to the job that took over during a long pause", async () => {
  const other = createSweepLease(database, "migrations", 3_600_000);
  const pause = step("one", async () => {
    await expireLease();
    await other.hold();
    const nowMs = performance.now() + 3_600_000;
    vi.spyOn(performance, "now").mockReturnValue(nowMs);
  });
  const paused = run(pause, step("two"));
  await vi.waitFor(async () => expect(await applied()).toEqual(["1 one"]), 10_000);
  await database.db
    .collection<{ _id: number; name: string }>("schema_migrations")
    .insertOne({ _id: 2, name: "two" });
  await other.release();
  await paused;
  expect(ran).toEqual(["one"]);
});

it("refuses a database that lacks steps, and names them", async () => {
  await run(step("one"));
  await check(step("one"));
  await expect(check(step("one"), step("two"), step("three"))).rejects.toThrow(
    /lacks migrations: 2 \(two\), 3 \(three\)\. Run .*main\.ts with the argument migrate/,
  );
});

it("accepts the steps of the next release", async () => {
  await run(step("one"), step("two"), step("three"));
  await check(step("one"));
  await run(step("one"));
  expect(await applied()).toEqual(["1 one", "2 two", "3 three"]);
});

describe("going back a version", () => {
  const [one, two, three] = [step("one"), step("expand: two"), step("move: three")];
  const narrowing = { ...step("contract: four"), needs: 3 };

  it("works where the newer steps are none, or only add", async () => {
    await run(one, two);
    await check(one, two);
    await check(one);
  });

  it("is refused at the start where a step removed what that version reads", async () => {
    await run(one, two, three, narrowing);
    await check(one, two, three);
    await expect(check(one, two)).rejects.toThrow(
      /has migration 4 \(contract: four\), which needs a release with migration 3; this one has 2/,
    );
  });

  it("leaves the job of that version nothing to do, and removes no step", async () => {
    await run(one, two, three, narrowing);
    await run(one, two);
    expect(await applied()).toHaveLength(4);
  });
});

it("refuses a database of another baseline: of other indexes, or of another shape", async () => {
  const rows = { rows: [{ key: { at: 1 }, name: "at" }] } as const;
  const own = baseline(1, rows);
  await run(own);
  await run(baseline(1, { rows: [{ key: { at: 1 }, name: "at" }] }));
  await check(own);
  const others = [baseline(1, { rows: [{ key: { at: -1 }, name: "at" }] }), baseline(2, rows)];
  for (const other of others) {
    expect(other.name).not.toBe(own.name);
    const { databaseName } = database.db;
    const refusal = `database ${databaseName} was created by another version: migration 1 is "${other.name}" in this version and "${own.name}" in the database. Begin with an empty database`;
    await expect(run(other)).rejects.toThrow(refusal);
    await expect(run(other)).rejects.toThrow(OtherStepsError);
    await expect(check(other)).rejects.toThrow(refusal);
  }
  expect(await applied()).toEqual([`1 ${own.name}`]);
  const indexes = await database.db.collection("rows").indexes();
  expect(indexes.map(({ key }) => key)).toEqual([{ _id: 1 }, { at: 1 }]);
});

it("refuses a database that has another step under a number", async () => {
  await run(step("one"), step("two"));
  const other = [step("one"), step("another two"), step("three")];
  const refusal = 'migration 2 is "another two" in this version and "two" in the database';
  await expect(run(...other)).rejects.toThrow(refusal);
  await expect(check(...other)).rejects.toThrow(refusal);
  expect(ran).toEqual(["one", "two"]);
});
