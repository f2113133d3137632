import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import {
  type Db,
  Decimal128,
  type Document,
  MongoBulkWriteError,
  MongoClient,
  MongoClientBulkWriteError,
  type MongoClientOptions,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";
import { withTimeout } from "../timeout.ts";
import { bulkWriteOf, hasBulkWrite } from "./grouping/group-commit.ts";
import { groupedDb } from "./grouping/grouped-db.ts";
import type { ObserveBatch } from "./grouping/observe.ts";

/** Documents of one collection, each with its `_id`. */
export type Rows = {
  readonly collection: string;
  readonly documents: readonly { readonly _id: string }[];
};

/** The connection of a service to its own database. */
export type Database = ReturnType<typeof databaseOf>;

/** If the database is unavailable or no connection is free, a call fails after this time. */
const selectionTimeoutMs = 4_000;

/**
 * The client's guarantees. A write is in the journals of a majority before it is acknowledged, so
 * no failover undoes it. A read returns only data that a majority has. The simulated replica set
 * takes these options too.
 */
export const clientGuarantees = {
  writeConcern: { w: "majority", journal: true },
  readConcern: { level: "majority" },
  readPreference: "primary",
} as const satisfies MongoClientOptions;

type DatabaseOptions = {
  readonly observe?: ObserveBatch;
  /** Called with the client before it connects. */
  readonly watch?: (client: MongoClient) => void;
  /**
   * The time limit of a write. After this time the write's outcome is unknown. Read the document
   * again, and assume nothing.
   */
  readonly writeTimeoutMs?: number;
  /**
   * If a connection receives no byte for this long, the database hangs. The call then fails with an
   * unknown outcome.
   */
  readonly silenceMs?: number;
};
/** The time limit of a linearizable read, which waits for a majority. */
const proofTimeoutMs = 2_000;
/** The time limit of a ping. A readiness probe must respond before its caller gives up. */
const pingTimeoutMs = 1_000;

/**
 * Connects a service to its own database.
 *
 * @throws {Error} if the database is older than MongoDB 6.0.
 */
export async function connectDatabase(
  uri: string,
  name: string,
  {
    observe = () => undefined,
    watch,
    writeTimeoutMs = 5_000,
    silenceMs = 8_000,
  }: DatabaseOptions = {},
): Promise<Database> {
  guardDriverSockets();
  const client = new MongoClient(uri, {
    ...clientGuarantees,
    appName: name,
    writeConcern: { ...clientGuarantees.writeConcern, wtimeoutMS: writeTimeoutMs },
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    socketTimeoutMS: silenceMs,
    ignoreUndefined: true,
  });
  watch?.(client);
  try {
    await client.connect();
    const hello = await client.db("admin").command({ hello: 1 });
    assertRecent(hello);
    const isReplicaSet = hello.setName !== undefined;
    return databaseOf(client, name, { observe, isBulk: hasBulkWrite(hello), isReplicaSet });
  } catch (error) {
    await client.close();
    throw error;
  }
}

const driver = /[/\\]mongodb[/\\]lib[/\\]/;
let areGuarded = false;

/**
 * Prevents commands from hanging on a closed connection. If a write is buffered, the driver (7.8.0,
 * `writeCommand` in cmap/connection.js) waits for the event `drain`. It waits even on a destroyed
 * socket that has not emitted `close` yet. `drain` then never comes, and no timeout applies. If
 * this happens to the monitor's command, no connection is ever opened again. Therefore this
 * function makes such a socket emit an error, which the driver handles like any other.
 */
function guardDriverSockets(): void {
  if (areGuarded) return;
  areGuarded = true;
  subscribe("net.client.socket", (message) => {
    // The event is published while the driver creates the socket, so the stack contains the
    // driver's frames.
    if (!driver.test(new Error("where").stack ?? "")) return;
    const { socket } = message as { socket: Socket };
    socket.once("close", () => {
      if (socket.listenerCount("drain") === 0) return;
      socket.emit(
        "error",
        new MongoNetworkError("the database connection closed before the command was sent"),
      );
    });
  });
}

/** The wire version of MongoDB 6.0. Updates need its aggregation operators. */
const wireVersionMin = 17;

function assertRecent({ maxWireVersion }: Document): void {
  if (maxWireVersion >= wireVersionMin) return;
  throw new Error("the database must be MongoDB 6.0 or later");
}

/** Opens a database with an existing client and the client's options. */
export function databaseOf(
  client: MongoClient,
  name: string,
  {
    observe = () => undefined,
    isBulk = true,
    isReplicaSet = false,
  }: Pick<DatabaseOptions, "observe"> & {
    readonly isBulk?: boolean;
    readonly isReplicaSet?: boolean;
  } = {},
) {
  const plain = client.db(name);
  const db = groupedDb(plain, isBulk ? bulkWriteOf(client) : undefined, observe);
  return {
    /** The database. Writes and reads by `_id` are sent in batches. */
    db,
    /** False if the server is older than MongoDB 8.0. Each write is then its own command. */
    isBulk,
    /**
     * Inserts into several collections, in order, if possible in one command. Stops at the first
     * duplicate key and returns false. Documents before that key stay inserted.
     */
    bulkInsert: (rows: readonly Rows[]) =>
      isBulk ? bulkInsert(client, name, rows) : insertInTurn(plain, rows),
    ready: (): Promise<boolean> =>
      // In driver 7.8.0, `timeoutMS` doesn't limit a command without a session.
      withTimeout(pingTimeoutMs, () => db.command({ ping: 1 })).then(
        () => true,
        () => false,
      ),
    /**
     * Begins to watch the primary. The returned function throws that the database is unavailable
     * unless all reads since then saw every earlier write: they all went to one primary, and a
     * majority still follows it.
     */
    watchPrimary: isReplicaSet ? primaryWatch(client, plain) : () => async () => undefined,
    close: () => client.close(),
  };
}

/**
 * For some seconds a primary that is cut off from the other members doesn't know that they have
 * elected another one. Its reads then lack the newest documents. Only a linearizable read fails
 * there.
 */
function primaryWatch(client: MongoClient, db: Db) {
  let changes = 0;
  client.on("topologyDescriptionChanged", () => {
    changes += 1;
  });
  const readConcern = { level: "linearizable" } as const;
  const prove = sharedRun(() =>
    db.collection("migrations").findOne({}, { readConcern, maxTimeMS: proofTimeoutMs }),
  );
  return () => {
    const before = changes;
    return async (): Promise<void> => {
      await prove();
      if (changes !== before) throw new MongoNetworkError("the primary may have changed");
    };
  };
}

/** Runs `work` one at a time. All calls during a run share the next one, which starts after it. */
function sharedRun<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    const run = work();
    running = run;
    return run;
  };
  return () => {
    next ??= running.then(start, start);
    return next;
  };
}

async function bulkInsert(client: MongoClient, database: string, rows: readonly Rows[]) {
  const inserts = rows.flatMap(({ collection, documents }) => {
    const namespace = `${database}.${collection}`;
    return documents.map((document) => ({ name: "insertOne" as const, namespace, document }));
  });
  try {
    await client.bulkWrite<Record<string, { readonly _id: string }>>(inserts, { ordered: true });
    return true;
  } catch (error) {
    if (isStoppedByKey(error)) return false;
    throw error;
  }
}

/** Does the same as `bulkInsert` with one command for each collection. */
async function insertInTurn(db: Db, rows: readonly Rows[]): Promise<boolean> {
  for (const { collection, documents } of rows) {
    if (documents.length === 0) continue;
    try {
      await db.collection<{ readonly _id: string }>(collection).insertMany([...documents]);
    } catch (error) {
      if (isOnlyDuplicateKeys(error)) return false;
      throw error;
    }
  }
  return true;
}

/**
 * Returns true if only duplicate keys stopped a bulk write. Its earlier writes are then as durable
 * as any other.
 */
function isStoppedByKey(error: unknown): boolean {
  if (!(error instanceof MongoClientBulkWriteError)) return false;
  const { writeErrors, writeConcernErrors } = error;
  const codes = [...writeErrors.values()].map(({ code }) => code);
  return (
    writeConcernErrors.length === 0 &&
    codes.length > 0 &&
    codes.every((code) => code === duplicateKeyCode)
  );
}

/**
 * MongoDB's error codes that mean: a member is unreachable (6, 7, 89, 9001), not the primary (189,
 * 10058, 10107, 11602, 13435, 13436) or shutting down (91, 11600); a time limit was exceeded (50,
 * 262); a write or read has no majority yet (64, 79, 100, 134); the server ended the operation (43,
 * 175, 237, 11601); the operation conflicted with another one (112); or there were too many
 * requests (462).
 */
const unavailableCodes = new Set<unknown>([
  ...[6, 7, 89, 9001],
  ...[189, 10_058, 10_107, 11_602, 13_435, 13_436],
  ...[91, 11_600],
  ...[50, 262],
  ...[64, 79, 100, 134],
  ...[43, 175, 237, 11_601],
  ...[112, 462],
]);

const unavailableLabels = ["RetryableWriteError", "RetryableError", "SystemOverloadedError"];

/**
 * Returns true if the database was unavailable or a write's outcome is unknown. A retry may then
 * succeed.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const isAway =
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoWriteConcernError;
  if (isAway) return true;
  if (!(error instanceof MongoError)) return false;
  return (
    unavailableLabels.some((label) => error.hasErrorLabel(label)) ||
    unavailableCodes.has(error.code) ||
    isBulkUnavailable(error)
  );
}

/** Returns true if the error of a bulk write contains an error for an unavailable database. */
function isBulkUnavailable(error: MongoError): boolean {
  if (error instanceof MongoBulkWriteError) {
    // Checks the error that the bulk write's error wraps.
    if (isDatabaseUnavailable(error.errorResponse)) return true;
    return [error.writeErrors].flat().some(({ code }) => unavailableCodes.has(code));
  }
  if (!(error instanceof MongoClientBulkWriteError)) return false;
  const { writeErrors, writeConcernErrors, cause } = error;
  if (writeConcernErrors.length > 0 || isDatabaseUnavailable(cause)) return true;
  return [...writeErrors.values()].some(({ code }) => unavailableCodes.has(code));
}

/** MongoDB's code for a duplicate key. */
const duplicateKeyCode = 11_000;

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

/** Returns true if an unordered bulk insert failed only because of duplicate keys. */
export function isOnlyDuplicateKeys(error: unknown): boolean {
  if (isDuplicateKey(error) && !(error instanceof MongoBulkWriteError)) return true;
  if (!(error instanceof MongoBulkWriteError)) return false;
  const writeErrors = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  return writeErrors.length > 0 && writeErrors.every(({ code }) => code === duplicateKeyCode);
}

/** The number of digits that Decimal128 stores exactly. Longer numbers would be rounded. */
const decimal128Digits = 34;

/** Converts whole minor units for storage. Decimal128 is exact, and `$inc` works on it. */
export function toDecimal128(minor: bigint): Decimal128 {
  const text = minor.toString();
  if (text.replace("-", "").length > decimal128Digits) throw new Error("more than 34 digits");
  return Decimal128.fromString(text);
}

/** The high eight bytes of a non-negative whole number that fits in the low eight bytes. */
const smallWhole = 0x3040_0000_0000_0000n;

const decimal128Text = /^(-?\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/;

/** Reads stored minor units. The database may return a form such as `1E+3`. */
export function fromDecimal128(stored: Decimal128): bigint {
  const { bytes } = stored;
  const { buffer, byteOffset } = bytes;
  const words = new DataView(buffer, byteOffset, 16);
  if (words.getBigUint64(8, true) === smallWhole) return words.getBigUint64(0, true);
  const match = decimal128Text.exec(stored.toString());
  if (match === null) throw new Error("the stored number is not a whole number");
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const zeros = Number(exponent) - fraction.length;
  if (zeros < 0) throw new Error("the stored number is not a whole number");
  return BigInt(whole + fraction) * 10n ** BigInt(zeros);
}
