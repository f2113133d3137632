import { tracingChannel } from "node:diagnostics_channel";
import {
  type AnyClientBulkWriteModel,
  BSON,
  type ClientBulkWriteResult,
  type Document,
  MongoAPIError,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoInvalidArgumentError,
  MongoNotConnectedError,
  MongoServerError,
} from "mongodb";
import { createGatherer, type Defer, type Gathered, type GathererLimits } from "./gatherer.ts";
import type { ObserveBatch } from "./observe.ts";

export type WriteModel = Extract<
  AnyClientBulkWriteModel<Document>,
  { name: "insertOne" | "updateOne" | "replaceOne" | "deleteOne" }
>;

/**
 * Sends several writes in one command with the options `ordered: false` and `verboseResults: true`
 * of `MongoClient.bulkWrite`.
 */
export type BulkWrite = (models: readonly WriteModel[]) => Promise<ClientBulkWriteResult>;

type Write = Gathered & {
  readonly model: WriteModel;
  /** Sends the same write as a separate command. */
  readonly alone: () => Promise<unknown>;
  readonly requestedAt: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** Groups a client's writes. Each write resolves as the driver's own method would. */
export type GroupCommit = ReturnType<typeof createGroupCommit>;

/**
 * Larger batches do not reduce the engine's cost per write. A second batch in flight keeps the
 * engine busy while the replies of the first are read. A batch on a dead connection takes 8 s to
 * fail. Meanwhile one further batch a second is sent.
 */
const limits: GathererLimits = {
  batchMax: 256,
  batchBytesMax: 4 * 1024 * 1024,
  inFlightMax: 2,
  furtherMax: 8,
  waitingMax: 10_000,
  waitingBytesMax: 64 * 1024 * 1024,
};

/**
 * Publishes the start and end of each write. Tests use this channel to inject faults
 * (`disburse:write`).
 */
const writes = tracingChannel("disburse:write");

/**
 * Each write of such a batch uses a connection. Two batches leave a third of the driver's 100
 * connections for reads. More batches would only wait for connections.
 */
const singleLimits: GathererLimits = { ...limits, batchMax: 32, furtherMax: 0 };

/**
 * Groups writes to all collections. Writes that are requested during a bulk write go into the next
 * one. Each write has its own outcome. If the connection is lost, or no majority confirms, every
 * write of the batch fails with an unknown outcome. If too many writes are waiting, a new write
 * fails immediately and is not sent.
 *
 * @param bulkWrite undefined for a server without this command (`hasBulkWrite`). Each write of a
 *   batch is then a command of its own, and only that write shares the command's outcome.
 */
export function createGroupCommit(
  bulkWrite: BulkWrite | undefined,
  observe: ObserveBatch,
  defer?: Defer,
) {
  const commit = bulkWrite === undefined ? sendAlone : sendTogether(bulkWrite);
  const send = async (gathered: readonly Write[]) => {
    const startedAt = performance.now();
    await commit(gathered.toSorted(byPlace));
    const waitedMs = startedAt - (gathered[0]?.requestedAt ?? startedAt);
    observe("write", { size: gathered.length, waitedMs, tookMs: performance.now() - startedAt });
  };
  const gatherer = createGatherer(send, bulkWrite === undefined ? singleLimits : limits, defer);
  const request = (model: WriteModel, alone: () => Promise<unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      const gathered = { key: keyOf(model), bytes: sizeOf(model) };
      const requestedAt = performance.now();
      const isAdded = gatherer.add({ ...gathered, model, alone, requestedAt, resolve, reject });
      if (!isAdded) reject(new MongoNotConnectedError("too many writes wait for the database"));
    });
  return {
    /** @param alone the same write by the driver's own method, for writes that can't be batched. */
    write: <T>(model: WriteModel, alone: () => Promise<T>): Promise<T> => {
      const run = () => request(model, alone) as Promise<T>;
      return writes.hasSubscribers ? writes.tracePromise(run, { method: model.name }) : run();
    },
  };
}

/** The wire version of MongoDB 8.0, the first version with bulk writes over several collections. */
const bulkWriteWireVersion = 25;

/** Returns true if the server with this reply to `hello` has the command `bulkWrite`. */
export function hasBulkWrite({ maxWireVersion }: Document): boolean {
  return maxWireVersion >= bulkWriteWireVersion;
}

/** `MongoClient.bulkWrite` as group commit needs it. */
export function bulkWriteOf(client: MongoClient): BulkWrite {
  return (models) => client.bulkWrite([...models], { ordered: false, verboseResults: true });
}

/**
 * Inserts first, then by collection: this costs the engine less. The order has no other effect,
 * because a batch writes no document twice.
 */
function byPlace({ model: one }: Write, { model: other }: Write): number {
  return placeOf(one) < placeOf(other) ? -1 : Number(placeOf(one) > placeOf(other));
}

function placeOf({ name, namespace }: WriteModel): string {
  return `${name === "insertOne" ? 0 : 1} ${namespace}`;
}

/** The document's `_id`, if it is known: a batch writes each `_id` once. */
function keyOf(model: WriteModel): string | undefined {
  const id = model.name === "insertOne" ? model.document._id : model.filter._id;
  return typeof id === "string" ? `${model.namespace}/${id}` : undefined;
}

/** Counts only the large parts of a write; filters and operators are small. */
function sizeOf(model: WriteModel): number {
  switch (model.name) {
    case "insertOne":
      return BSON.calculateObjectSize(model.document);
    case "replaceOne":
      return BSON.calculateObjectSize(model.replacement);
    case "updateOne":
      return BSON.calculateObjectSize(model.update);
    case "deleteOne":
      return 0;
  }
}

/** Sends each write as its own command. The batch ends with its last write. */
async function sendAlone(batch: readonly Write[]): Promise<void> {
  await Promise.all(batch.map(({ alone, resolve, reject }) => alone().then(resolve, reject)));
}

function sendTogether(bulkWrite: BulkWrite) {
  return async (batch: readonly Write[]): Promise<void> => {
    try {
      settle(batch, await bulkWrite(batch.map(({ model }) => model)));
    } catch (error) {
      if (isRefusedByDriver(error)) await sendAlone(batch);
      else settleFailed(batch, error);
    }
  };
}

function settle(batch: readonly Write[], result: ClientBulkWriteResult): void {
  for (const [at, { model, resolve }] of batch.entries()) resolve(outcomeOf(model, at, result));
}

/** Builds the result of the driver's own method. */
function outcomeOf(model: WriteModel, at: number, result: ClientBulkWriteResult) {
  switch (model.name) {
    case "insertOne":
      return { acknowledged: true, insertedId: model.document._id };
    case "deleteOne":
      return {
        acknowledged: true,
        deletedCount: result.deleteResults?.get(at)?.deletedCount ?? 0,
      };
    default: {
      const updated = result.updateResults?.get(at);
      const isUpserted = updated?.didUpsert === true;
      return {
        acknowledged: true,
        // The server counts an upserted document among the matched ones.
        matchedCount: isUpserted ? 0 : (updated?.matchedCount ?? 0),
        modifiedCount: updated?.modifiedCount ?? 0,
        upsertedCount: isUpserted ? 1 : 0,
        upsertedId: isUpserted ? updated.upsertedId : null,
      };
    }
  }
}

function settleFailed(batch: readonly Write[], error: unknown): void {
  if (isOfSingleWrites(error)) {
    for (const [at, { model, resolve, reject }] of batch.entries()) {
      const failed = error.writeErrors.get(at);
      if (failed === undefined)
        resolve(outcomeOf(model, at, error.partialResult ?? nothingWritten));
      else reject(serverError(failed));
    }
    return;
  }
  for (const { reject } of batch) reject(error);
}

/**
 * True if the driver refused a batch because of one write: nothing was sent. `MongoAPIError`s for
 * closed clients and sessions don't prove that.
 */
function isRefusedByDriver(error: unknown): boolean {
  return (
    error instanceof MongoInvalidArgumentError ||
    (error instanceof MongoAPIError && error.constructor === MongoAPIError)
  );
}

/** True if a whole bulk write was carried out, with errors of single operations. */
function isOfSingleWrites(error: unknown): error is MongoClientBulkWriteError {
  return (
    error instanceof MongoClientBulkWriteError &&
    error.cause === undefined &&
    error.writeConcernErrors.length === 0
  );
}

const nothingWritten = {} as ClientBulkWriteResult;

function serverError({ code, message }: { readonly code: number; readonly message: string }) {
  return new MongoServerError({ code, message, errmsg: message });
}
