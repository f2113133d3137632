import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Db, IndexDescription } from "mongodb";
import type { Log } from "../log.ts";
import { startLoop } from "../loop.ts";
import { connectDatabase, type Database } from "./database.ts";
import { insertOnce } from "./once.ts";
import { createSweepLease } from "./sweep-lease.ts";

/**
 * One step of a database's history: indexes, or a change of stored documents. Its number is its
 * place in its service's list, from 1. docs/MIGRATIONS.md says how one is written.
 */
export type Migration = {
  /** What the step does, in a few words. It is stored, and never changes. */
  readonly name: string;
  /**
   * Applies the step while services of this release and of the one before serve. A job that was
   * killed in it runs it again from its beginning, so it must be idempotent.
   */
  readonly up: (db: Db) => Promise<void>;
};

/** A step that a database has. */
type AppliedDocument = { _id: number; schema_version: number; name: string; applied_at: Date };

/** Indexes by their collection. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

/**
 * The first step. It is edited in place until the first release; its name has a digest of the
 * indexes, so that a database of an older checkout is refused.
 *
 * @param shape grows with each change of stored documents.
 */
export function baseline(shape: number, indexes: Indexes): Migration {
  const digest = createHash("sha256").update(JSON.stringify(indexes)).digest("hex").slice(0, 8);
  return { name: `baseline ${shape} ${digest}`, up: (db) => createIndexes(db, indexes) };
}

/**
 * Creates indexes of several collections; those that exist stay. On a replica set a majority of the
 * members has to build them: by default every member has to, and one that is down would hold up the
 * migration.
 */
export async function createIndexes(db: Db, indexes: Indexes): Promise<void> {
  const { setName } = await db.command({ hello: 1 });
  const options = setName === undefined ? {} : { commitQuorum: "majority" };
  const created = Object.entries(indexes).map(([collection, descriptions]) =>
    db.collection(collection).createIndexes([...descriptions], options),
  );
  await Promise.all(created);
}

/** A killed job delays the next one by this; a running one renews its lease before. */
const leaseMs = 15_000;
const renewEveryMs = 2_500;
/** A step that takes so long is logged, each time. */
const reportEverySeconds = 10;
/** How often a job looks whether the one before it is done. */
const lookEveryMs = 100;

/** A database has another step under a number: it was made by another checkout. */
export class OtherStepsError extends Error {}

/**
 * Applies the steps that a database lacks, in their order, and records each. One job works at a
 * time; another one waits for it, and then finds nothing to do.
 *
 * @throws {OtherStepsError} where the database has another step under one of these numbers.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
): Promise<void> {
  const lease = createSweepLease(database, "migrations", leaseMs);
  while ((await missingSteps(database, migrations)).length > 0) {
    if ((await lease.hold()) === undefined) {
      await setTimeout(lookEveryMs);
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

/** Stops before a step where another job has taken over, after a long pause of this process. */
async function applyMissing(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
  isHeld: () => Promise<boolean>,
): Promise<void> {
  // Read under the lease: what another job has applied meanwhile is not missing any more.
  for (const { number, name, up } of await missingSteps(database, migrations)) {
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
    await insertOnce(appliedSteps(database), document);
    log.info({ migration: number, name }, "migration applied");
  }
}

/**
 * Checks that a database has every step. It may have more: those of the next release, which this
 * one can run on.
 *
 * @throws {Error} that names the missing steps.
 */
export async function assertMigrated(
  database: Database,
  migrations: readonly Migration[],
): Promise<void> {
  const missing = await missingSteps(database, migrations);
  if (missing.length === 0) return;
  const names = missing.map(({ number, name }) => `${number} (${name})`).join(", ");
  throw new Error(
    `database ${database.db.databaseName} lacks migrations: ${names}. Run the service's main.ts with the argument migrate (docs/MIGRATIONS.md)`,
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
      `database ${database.db.databaseName} was made by another version: migration ${number} is "${name}" here, "${stored}" there. Begin with an empty database (docs/MIGRATIONS.md)`,
    );
  }
  return steps.filter(({ number }) => !names.has(number));
}

function appliedSteps({ db }: Database) {
  return db.collection<AppliedDocument>("schema_migrations");
}

/** An index of a large collection takes many minutes, in which the database sends nothing. */
const stepTimeoutMs = 3_600_000;

/** Migrates a database over a connection of its own, which waits for long steps. */
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
