import type { BulkWrite, WriteModel } from "@disburse/chassis/mongo/grouping/group-commit.ts";
import { type ClientBulkWriteResult, MongoClientBulkWriteError, MongoServerError } from "mongodb";
import type { Access, Command, Step } from "./collection.ts";
import type { Table } from "./table.ts";
import { replacing } from "./update.ts";
import { copied, type Document } from "./value.ts";

export const databaseName = "memory";

/**
 * Writes to several collections in one command. Each write is a separate step with its own outcome.
 */
export function memoryBulkWrite(tableOf: (name: string) => Table, access: Access): BulkWrite {
  return (models) => {
    const result = {
      insertResults: new Map(),
      updateResults: new Map(),
      deleteResults: new Map(),
    };
    const writeErrors = new Map<number, { code: number; message: string }>();
    const steps = models.map((model, at): Step => {
      // Copies the values, so that later changes don't affect what was sent.
      const sent = copied(model) as WriteModel;
      const collection = sent.namespace.slice(databaseName.length + 1);
      const table = tableOf(collection);
      const filter = sent.name === "insertOne" ? undefined : (sent.filter as Document);
      const command: Command = {
        collection,
        name: sent.name,
        isWrite: true,
        filter,
        sent: [sent],
      };
      const step = (taken: Document) => {
        try {
          write(table, sent, taken, at, result);
        } catch (error) {
          if (!(error instanceof MongoServerError)) throw error;
          writeErrors.set(at, { code: Number(error.code), message: error.message });
        }
      };
      return Object.assign(step, { command });
    });
    const collections = new Set(steps.map(({ command }) => command?.collection));
    const collection = [...collections].join("+");
    const sent = steps.flatMap(({ command }) => command?.sent ?? []);
    const command = { collection, name: "bulkWrite", isWrite: true, filter: undefined, sent };
    return access(command, steps, () => {
      const partialResult = result as unknown as ClientBulkWriteResult;
      if (writeErrors.size === 0) return partialResult;
      const error = new MongoClientBulkWriteError({ message: "bulk write" });
      throw Object.assign(error, { writeErrors, partialResult });
    });
  };
}

type Results = Record<"insertResults" | "updateResults" | "deleteResults", Map<number, unknown>>;

function write(table: Table, model: WriteModel, taken: Document, at: number, into: Results) {
  switch (model.name) {
    case "insertOne":
      table.insert({ ...model.document, ...taken });
      into.insertResults.set(at, { insertedId: model.document._id });
      return;
    case "deleteOne": {
      const [found] = table.select(taken);
      if (found !== undefined) table.delete(found);
      into.deleteResults.set(at, { deletedCount: Number(found !== undefined) });
      return;
    }
    default: {
      const update = model.name === "updateOne" ? model.update : replacing(model.replacement);
      const { before, after, isModified } = table.update(taken, update, {
        upsert: model.upsert === true,
      });
      const didUpsert = before === undefined && after !== undefined;
      // Counts an upserted document as matched, as the server does.
      const matchedCount = Number(before !== undefined || didUpsert);
      const modifiedCount = Number(before !== undefined && isModified);
      into.updateResults.set(at, {
        matchedCount,
        modifiedCount,
        didUpsert,
        upsertedId: after?._id,
      });
    }
  }
}
