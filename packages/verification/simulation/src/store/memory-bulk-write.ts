import type { BulkWrite, WriteModel } from "@disburse/chassis/mongo/grouping/group-commit.ts";
import { type ClientBulkWriteResult, MongoClientBulkWriteError } from "mongodb";
import type { Access, Command, Outcome, Step } from "./collection.ts";
import type { Table } from "./table.ts";
import { replacing } from "./update.ts";
import { copied, type Document } from "./value.ts";

export const databaseName = "memory";

/**
 * Writes to several collections in one command. Each write is a separate step with its own outcome.
 */
export function memoryBulkWrite(access: Access): BulkWrite {
  return (models) => {
    const steps = models.map((model) => {
      // Copies the values, so that later changes don't affect what was sent.
      const sent = copied(model) as WriteModel;
      const collection = sent.namespace.slice(databaseName.length + 1);
      const filter = sent.name === "insertOne" ? undefined : (sent.filter as Document);
      const command: Command = {
        collection,
        name: sent.name,
        isWrite: true,
        isRepeatable: true,
        filter,
        sent: [sent],
      };
      const run: Step["run"] = (tables, taken) => write(tables(collection), sent, taken);
      return { run, command };
    });
    const collections = new Set(steps.map((each) => each.command.collection));
    const command: Command = {
      collection: [...collections].join("+"),
      name: "bulkWrite",
      isWrite: true,
      isRepeatable: true,
      bulk: "client",
      filter: undefined,
      sent: steps.flatMap((each) => each.command.sent),
    };
    return access(command, steps, (outcomes) => resultOf(models, outcomes));
  };
}

/** Answers as the driver does: with the results, or with an error that also contains them. */
function resultOf(models: readonly WriteModel[], outcomes: readonly Outcome[]) {
  const result = { insertResults: new Map(), updateResults: new Map(), deleteResults: new Map() };
  const writeErrors = new Map<number, { code: number; message: string }>();
  for (const [at, outcome] of outcomes.entries()) {
    if ("error" in outcome) {
      const { code, message } = outcome.error;
      writeErrors.set(at, { code: Number(code), message });
    } else result[resultsOf(models[at] as WriteModel)].set(at, outcome.value);
  }
  const partialResult = result as unknown as ClientBulkWriteResult;
  if (writeErrors.size === 0) return partialResult;
  const error = new MongoClientBulkWriteError({ message: "bulk write" });
  throw Object.assign(error, { writeErrors, partialResult });
}

function resultsOf({ name }: WriteModel) {
  if (name === "insertOne") return "insertResults";
  return name === "deleteOne" ? "deleteResults" : "updateResults";
}

function write(table: Table, model: WriteModel, taken: Document): unknown {
  switch (model.name) {
    case "insertOne":
      table.insert({ ...model.document, ...taken });
      return { insertedId: model.document._id };
    case "deleteOne": {
      const [found] = table.select(taken);
      if (found !== undefined) table.delete(found);
      return { deletedCount: Number(found !== undefined) };
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
      return { matchedCount, modifiedCount, didUpsert, upsertedId: after?._id };
    }
  }
}
