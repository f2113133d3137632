import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import {
  Decimal128,
  MongoBulkWriteError,
  MongoClient,
  MongoClientBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";
import { withTimeout } from "../timeout.ts";
import { bulkWriteOf } from "./grouping/group-commit.ts";
import { groupedDb } from "./grouping/grouped-db.ts";
import type { ObserveBatch } from "./grouping/observe.ts";

/** Documents of one collection, each with its `_id`. */
export type Rows = {
  readonly collection: string;
  readonly documents: readonly { readonly _id: string }[];
};

/** The connection of a service to its own database. */
export type Database = ReturnType<typeof databaseOf>;

/** A call fails after this if the database is unavailable or no connection is free. */
const selectionTimeoutMs = 4_000;
type DatabaseOptions = {
  readonly observe?: ObserveBatch;
  /** Called with the client before it connects. */
  readonly watch?: (client: MongoClient) => void;
  /** After this a write's outcome is unknown: read again, never assume. */
  readonly writeTimeoutMs?: number;
  /** After this long without a byte the call fails with an unknown outcome: the database hangs. */
  readonly silenceMs?: number;
};
/** A readiness probe must answer before its caller gives up. */
const pingTimeoutMs = 1_000;

/**
 * Connects a service to its own database. Every write is journalled on a majority before it is
 * acknowledged; reads return only data of a majority.
 *
 * @throws {Error} if the database is older than MongoDB 8.0.
 */
export async function connectDatabase(
  uri: string,
  name: string,
  { observe, watch, writeTimeoutMs = 5_000, silenceMs = 8_000 }: DatabaseOptions = {},
): Promise<Database> {
  guardDriverSockets();
  const client = new MongoClient(uri, {
    appName: name,
    writeConcern: { w: "majority", journal: true, wtimeoutMS: writeTimeoutMs },
    readConcern: { level: "majority" },
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    socketTimeoutMS: silenceMs,
    ignoreUndefined: true,
  });
  watch?.(client);
  try {
    await client.connect();
    await assertRecent(client);
  } catch (error) {
    await client.close();
    throw error;
  }
  return databaseOf(client, name, observe);
}

const driver = /[/\\]mongodb[/\\]lib[/\\]/;
let areGuarded = false;

/**
 * Keeps commands from hanging on a closed connection. If a write is buffered, the driver (7.8.0,
 * `writeCommand` of cmap/connection.js) waits for `drain`, even on a destroyed socket that has not
 * emitted `close` yet. `drain` then never comes, and no timeout runs. If the monitor's command
 * hangs, no connection is ever opened again. Here such a socket emits an error, which the driver
 * handles like any other.
 */
function guardDriverSockets(): void {
  if (areGuarded) return;
  areGuarded = true;
  subscribe("net.client.socket", (message) => {
    // Published while the driver creates the socket, so that its frames are on the stack.
    if (!driver.test(new Error("where").stack ?? "")) return;
    const { socket } = message as { socket: Socket };
    socket.once("close", () => {
      if (socket.listenerCount("drain") === 0) return;
      socket.emit("error", new MongoNetworkError("the connection closed before it was written to"));
    });
  });
}

/** MongoDB 8.0, the first with bulk writes over several collections. */
const wireVersionMin = 25;

async function assertRecent(client: MongoClient): Promise<void> {
  const { maxWireVersion } = await client.db("admin").command({ hello: 1 });
  if (maxWireVersion >= wireVersionMin) return;
  throw new Error("the database is older than MongoDB 8.0");
}

/** Opens a database of a client; the client's options apply. */
export function databaseOf(
  client: MongoClient,
  name: string,
  observe: ObserveBatch = () => undefined,
) {
  const db = groupedDb(client.db(name), bulkWriteOf(client), observe);
  return {
    /** Groups its writes and reads by `_id`. */
    db,
    /**
     * Inserts into several collections in one command, in order. At the first duplicate key it
     * stops and returns false; the documents before it stay inserted.
     */
    bulkInsert: (rows: readonly Rows[]) => bulkInsert(client, name, rows),
    ready: (): Promise<boolean> =>
      // In driver 7.8.0, `timeoutMS` doesn't bound a command without a session.
      withTimeout(pingTimeoutMs, () => db.command({ ping: 1 })).then(
        () => true,
        () => false,
      ),
    close: () => client.close(),
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

/**
 * True if only duplicate keys stopped a bulk write: its earlier writes are as durable as any other.
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
 * MongoDB's codes for a member that is unreachable (6, 7, 89, 9001), not the primary (189, 10058,
 * 10107, 11602, 13435, 13436) or shutting down (91, 11600), for an exceeded time limit (50, 262),
 * for a write or read that has no majority yet (64, 79, 100, 134), for an operation that the server
 * ended (43, 175, 237, 11601) or that met another one (112), and for too many requests (462).
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

/** True if the database was unavailable or a write's outcome is unknown: retrying may succeed. */
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

/** True if a bulk write's error contains such a failure. */
function isBulkUnavailable(error: MongoError): boolean {
  if (error instanceof MongoBulkWriteError) {
    // The wrapped error.
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

/** True if an unordered bulk insert failed only because of duplicate keys. */
export function isOnlyDuplicateKeys(error: unknown): boolean {
  if (isDuplicateKey(error) && !(error instanceof MongoBulkWriteError)) return true;
  if (!(error instanceof MongoBulkWriteError)) return false;
  const writeErrors = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  return writeErrors.length > 0 && writeErrors.every(({ code }) => code === duplicateKeyCode);
}

/** Decimal128 keeps 34 digits; past them it would round. */
const decimal128Digits = 34;

/** Whole minor units for storage: exact, and `$inc` works on them. */
export function toDecimal128(minor: bigint): Decimal128 {
  const text = minor.toString();
  if (text.replace("-", "").length > decimal128Digits) throw new Error("more than 34 digits");
  return Decimal128.fromString(text);
}

/** The first eight bytes of a whole number from 0 that fits the other eight. */
const smallWhole = 0x3040_0000_0000_0000n;

const decimal128Text = /^(-?\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/;

/** Reads stored minor units; the database may write them as `1E+3`. */
export function fromDecimal128(stored: Decimal128): bigint {
  const { bytes } = stored;
  const { buffer, byteOffset } = bytes;
  const words = new DataView(buffer, byteOffset, 16);
  if (words.getBigUint64(8, true) === smallWhole) return words.getBigUint64(0, true);
  const match = decimal128Text.exec(stored.toString());
  if (match === null) throw new Error("not a stored whole number");
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const zeros = Number(exponent) - fraction.length;
  if (zeros < 0) throw new Error("not a stored whole number");
  return BigInt(whole + fraction) * 10n ** BigInt(zeros);
}
