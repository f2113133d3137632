import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Db, IndexDescription } from "mongodb";
import type { Log } from "../log.ts";
import { startLoop } from "../loop.ts";
import { connectDatabase, type Database } from "./database.ts";
import { insertOnce } from "./once.ts";
import { createSweepLease } from "./sweep-lease.ts";

/**
 * A migration step: it creates indexes or changes stored documents. Its number is its position in
 * the service's list, starting at 1. See docs/operators/migrations.md.
 */
export type Migration = {
  /** A short description. It is stored, and never changes. */
  readonly name: string;
  /**
   * Applies the step while services of this release and the previous one are running. If the job is
   * killed, the next job runs the step from the beginning, so the step must be idempotent.
   */
  readonly up: (db: Db) => Promise<void>;
  /**
   * Set on a step that removes something: the number of the step whose release is the oldest that
   * works without it. Older releases refuse to start afterwards.
   */
  readonly needs?: number;
};

type AppliedDocument = {
  _id: number;
  schema_version: number;
  name: string;
  applied_at: Date;
  /** Absent if every release works with the step. */
  needs?: number;
};

export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

/**
 * Creates the first step. Its name includes a digest of the indexes, so that a database of an older
 * checkout is refused. It never changes again: `tests/released-steps.json`.
 */
export function baseline(shape: number, indexes: Indexes): Migration {
  const digest = createHash("sha256").update(JSON.stringify(indexes)).digest("hex").slice(0, 8);
  return { name: `baseline ${shape} ${digest}`, up: (db) => createIndexes(db, indexes) };
}

/**
 * Creates indexes of several collections. Existing indexes stay. On a replica set, a majority of
 * the members must build them. By default every member must, and one member that is down would
 * block the migration.
 */
export async function createIndexes(db: Db, indexes: Indexes): Promise<void> {
  const { setName } = await db.command({ hello: 1 });
  const isReplicaSet = setName !== undefined;
  const options = isReplicaSet ? { commitQuorum: "majority" } : {};
  const created: Promise<unknown>[] = [];
  for (const [collection, descriptions] of Object.entries(indexes)) {
    created.push(db.collection(collection).createIndexes([...descriptions], options));
    // The platform's writes wait for the same members, so these build one collection at a time.
    if (isReplicaSet) await created.at(-1);
  }
  await Promise.all(created);
}

/**
 * The lease's lifetime. A killed job delays the next one by this time. A running job renews its
 * lease earlier.
 */
const leaseMs = 15_000;
const renewEveryMs = 2_500;
/** The interval at which a running step is logged. */
const reportEverySeconds = 10;
/** The pause between two checks whether the previous job is done. */
const checkEveryMs = 100;

/**
 * Thrown if the database has a different step with the same number, which another checkout created.
 */
export class OtherStepsError extends Error {}

/**
 * Applies the missing steps in order and records each one. Only one job works at a time. A second
 * job waits and then finds nothing to do.
 *
 * @throws {OtherStepsError} if the database has a different step with one of these numbers.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
): Promise<void> {
  const lease = createSweepLease(database, "migrations", leaseMs);
  while ((await missingSteps(database, migrations)).length > 0) {
    if ((await lease.hold()) === undefined) {
      await setTimeout(checkEveryMs);
      continue;
    }
    const run = () => lease.hold().then(() => false);
    const renewal = startLoop({ name: "migration-lease", everyMs: renewEveryMs, run, log });
    try {
      await applyMissing(database, migrations, log, async () => (await lease.hold()) !== undefined);
    } finally {
      await renewal.stop();
      await lease.release();
    }
  }
}

/**
 * Applies the missing steps. Stops before a step if another job has taken over after a long pause
 * of this process.
 */
async function applyMissing(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
  isHeld: () => Promise<boolean>,
): Promise<void> {
  // The missing steps are read while this job has the lease, so that they exclude steps that
  // another job has applied.
  for (const { number, name, up, needs } of await missingSteps(database, migrations)) {
    if (!(await isHeld())) return;
    let seconds = 0;
    const report = setInterval(() => {
      seconds += reportEverySeconds;
      log.info({ migration: number, name, seconds }, "migration still running");
    }, reportEverySeconds * 1_000);
    try {
      await up(database.db);
    } finally {
      clearInterval(report);
    }
    const document = { _id: number, schema_version: 1, name, applied_at: new Date() };
    await insertOnce(appliedSteps(database), { ...document, ...(needs && { needs }) });
    log.info({ migration: number, name }, "migration applied");
  }
}

/**
 * Checks that a database has every step. It may also have steps of later releases, unless one of
 * them removed something that this release needs.
 *
 * @throws {Error} that names the missing steps, or the step that this release doesn't work with.
 */
export async function assertMigrated(
  database: Database,
  migrations: readonly Migration[],
): Promise<void> {
  const missing = await missingSteps(database, migrations);
  if (missing.length === 0) return assertNotNarrowed(database, migrations.length);
  const names = missing.map(({ number, name }) => `${number} (${name})`).join(", ");
  throw new Error(
    `database ${database.db.databaseName} lacks migrations: ${names}. Run the service's main.ts with the argument migrate (docs/operators/migrations.md)`,
  );
}

/** Refuses a database from which a later release removed something that this one needs. */
async function assertNotNarrowed(database: Database, known: number): Promise<void> {
  const [narrowing] = await appliedSteps(database)
    .find({ _id: { $gt: known }, needs: { $gt: known } })
    .sort({ _id: 1 })
    .toArray();
  if (narrowing === undefined) return;
  const { _id, name, needs } = narrowing;
  throw new Error(
    `database ${database.db.databaseName} has migration ${_id} (${name}), which needs a release with migration ${needs}; this one has ${known}. Start a later release (docs/operators/migrations.md)`,
  );
}

async function missingSteps(database: Database, migrations: readonly Migration[]) {
  const applied = await appliedSteps(database).find().toArray();
  const names = new Map(applied.map(({ _id, name }) => [_id, name]));
  const steps = migrations.map((each, at) => ({ ...each, number: at + 1 }));
  for (const { number, name } of steps) {
    const stored = names.get(number) ?? name;
    if (stored === name) continue;
    throw new OtherStepsError(
      `database ${database.db.databaseName} was created by another version: migration ${number} is "${name}" in this version and "${stored}" in the database. Begin with an empty database (docs/operators/migrations.md)`,
    );
  }
  return steps.filter(({ number }) => !names.has(number));
}

function appliedSteps({ db }: Database) {
  return db.collection<AppliedDocument>("schema_migrations");
}

/**
 * The time limit of a step. Building an index of a large collection takes many minutes, and the
 * database sends nothing meanwhile.
 */
const stepTimeoutMs = 3_600_000;

/** Migrates a database over a separate connection, which waits for long steps. */
export async function migrateDatabase(
  { uri, name }: { readonly uri: string; readonly name: string },
  migrations: readonly Migration[],
  log: Log,
): Promise<void> {
  const timeouts = { writeTimeoutMs: stepTimeoutMs, silenceMs: stepTimeoutMs };
  const database = await connectDatabase(uri, name, timeouts);
  try {
    await migrate(database, migrations, log);
  } finally {
    await database.close();
  }
}
