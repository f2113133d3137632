import { appendFileSync } from "node:fs";
import {
  BSON,
  type CommandStartedEvent,
  type CommandSucceededEvent,
  type Document,
  MongoClient,
} from "mongodb";

/**
 * Preloaded in a service. Appends the service's database commands to the file in `COMMAND_RECORD`
 * when they have succeeded. Each written document is a line `<service>.<collection> <insert, update
 * or delete>`. Each read is a line `<service>.<collection> read by <fields of the filter>`. After a
 * tab come the fields by which the router of a sharded cluster could choose a shard: the fields of
 * an inserted document, or the fields for which the filter has one or a few values. After another
 * tab comes the command's number, which combined writes share. After the last tab come the BSON
 * bytes of the line's part of the command and of the read documents.
 */
const file = process.env.COMMAND_RECORD ?? "";

/** Returns the top-level fields of a filter. Operators are omitted. */
function fieldsOf(filter: Document): string {
  const names = Object.keys(filter).filter((name) => !name.startsWith("$"));
  return names.join(", ") || "nothing";
}

/** The router can't choose a shard from a range of a hashed key. */
function targetsOf(filter: Document): string {
  const isValue = (value: unknown) => {
    const isPlain = typeof value === "object" && value !== null && value.constructor === Object;
    const [operator = ""] = isPlain ? Object.keys(value) : [];
    return !operator.startsWith("$") || operator === "$eq" || operator === "$in";
  };
  const named = Object.entries(filter).filter(([name]) => !name.startsWith("$"));
  return named.flatMap(([name, value]) => (isValue(value) ? name : [])).join(", ");
}

type CommandPart = { readonly line: string; readonly bytes: number };

type By = { readonly by: Document; readonly sent: Document };

function askedOf(
  database: string,
  collection: string,
  what: string,
  { by, sent }: By,
): CommandPart {
  const line = `${database.split("_").at(-1)}.${collection} ${what}\t${targetsOf(by)}`;
  return { line, bytes: BSON.calculateObjectSize(sent) };
}

function commandParts({ commandName, command, databaseName }: CommandStartedEvent): CommandPart[] {
  const partOf = (collection: string, what: string, by: Document, sent = by) =>
    askedOf(databaseName, collection, what, { by, sent });
  const read = (collection: string, filter: Document = {}, sent = filter) =>
    partOf(collection, `read by ${fieldsOf(filter)}`, filter, sent);
  switch (commandName) {
    case "bulkWrite":
      return command.ops.map((op: Document) => {
        const kind = ["insert", "update", "delete"].find((each) => each in op) ?? "";
        const [database = "", ...collection] = command.nsInfo[op[kind]].ns.split(".");
        const by = op.filter ?? op.document;
        return askedOf(database, collection.join("."), kind, { by, sent: op });
      });
    case "insert":
      return command.documents.map((each: Document) => partOf(command.insert, "insert", each));
    case "update":
      return command.updates.map((each: Document) =>
        partOf(command.update, each.multi === true ? "update many" : "update", each.q, each),
      );
    case "delete":
      return command.deletes.map(({ q }: Document) => partOf(command.delete, "delete", q));
    case "findAndModify": {
      const { query = {}, update = {} } = command;
      return [partOf(command.findAndModify, "update", query, { query, update })];
    }
    case "find":
      return [read(command.find, command.filter)];
    case "distinct":
      return [read(command.distinct, command.query)];
    case "aggregate":
      return [read(command.aggregate, command.pipeline[0]?.$match, command.pipeline)];
    default:
      return [];
  }
}

/** Returns the size of the read documents, which may be raw BSON. */
function readBytes({ reply }: CommandSucceededEvent): number {
  const found: unknown = (reply as Document).cursor?.firstBatch;
  if (!Array.isArray(found)) return 0;
  const sizes = found.map((each) =>
    each instanceof Uint8Array ? each.byteLength : BSON.calculateObjectSize(each),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const { connect } = MongoClient.prototype;
MongoClient.prototype.connect = function connectRecorded(this: MongoClient) {
  this.options.monitorCommands = true;
  const running = new Map<number, readonly CommandPart[]>();
  this.on("commandStarted", (event) => {
    const all = commandParts(event);
    if (all.length > 0) running.set(event.requestId, all);
  });
  this.on("commandFailed", ({ requestId }) => running.delete(requestId));
  this.on("commandSucceeded", (event) => {
    const { requestId } = event;
    const all = running.get(requestId);
    if (all === undefined) return;
    running.delete(requestId);
    const read = readBytes(event);
    const lines = all.map(({ line, bytes }) => `${line}\t${requestId}\t${bytes + read}\n`);
    appendFileSync(file, lines.join(""));
  });
  return connect.call(this);
};
