import { appendFileSync } from "node:fs";
import { type CommandStartedEvent, type Document, MongoClient } from "mongodb";

/**
 * A module to load before a service. It appends what the service asks of its database to the file
 * of `COMMAND_RECORD`: for each document that is written a line `<service>.<collection> <insert,
 * update or delete>`, for each read `<service>.<collection> read by <fields of the filter>`. Behind
 * a tab are the fields that the router of a sharded cluster could choose a shard by: those of a
 * document that is inserted, and of a filter those that have one value or each of a few.
 */
const file = process.env.COMMAND_RECORD ?? "";

/** The fields that a filter names, without what is in its operators. */
function fieldsOf(filter: Document): string {
  const names = Object.keys(filter).filter((name) => !name.startsWith("$"));
  return names.join(", ") || "nothing";
}

/** A router reads no range of a hashed key. */
function targetsOf(filter: Document): string {
  const isValue = (value: unknown) => {
    const isPlain = typeof value === "object" && value !== null && value.constructor === Object;
    const [operator = ""] = isPlain ? Object.keys(value) : [];
    return !operator.startsWith("$") || operator === "$eq" || operator === "$in";
  };
  const named = Object.entries(filter).filter(([name]) => !name.startsWith("$"));
  return named.flatMap(([name, value]) => (isValue(value) ? name : [])).join(", ");
}

function lineOf(database: string, collection: string, what: string, by: Document): string {
  return `${database.split("_").at(-1)}.${collection} ${what}\t${targetsOf(by)}`;
}

function linesOf({ commandName, command, databaseName }: CommandStartedEvent): string[] {
  const line = (collection: string, what: string, by: Document) =>
    lineOf(databaseName, collection, what, by);
  const read = (collection: string, filter: Document = {}) =>
    line(collection, `read by ${fieldsOf(filter)}`, filter);
  switch (commandName) {
    case "bulkWrite":
      return command.ops.map((op: Document) => {
        const kind = ["insert", "update", "delete"].find((each) => each in op) ?? "";
        const [database = "", ...collection] = command.nsInfo[op[kind]].ns.split(".");
        return lineOf(database, collection.join("."), kind, op.filter ?? op.document);
      });
    case "insert":
      return command.documents.map((each: Document) => line(command.insert, "insert", each));
    case "update":
      return command.updates.map(({ q, multi }: Document) =>
        line(command.update, multi === true ? "update many" : "update", q),
      );
    case "delete":
      return command.deletes.map(({ q }: Document) => line(command.delete, "delete", q));
    case "findAndModify":
      return [line(command.findAndModify, "update", command.query ?? {})];
    case "find":
      return [read(command.find, command.filter)];
    case "distinct":
      return [read(command.distinct, command.query)];
    case "aggregate":
      return [read(command.aggregate, command.pipeline[0]?.$match)];
    default:
      return [];
  }
}

const { connect } = MongoClient.prototype;
MongoClient.prototype.connect = function connectRecorded(this: MongoClient) {
  this.options.monitorCommands = true;
  this.on("commandStarted", (event) => {
    const lines = linesOf(event);
    if (lines.length > 0) appendFileSync(file, `${lines.join("\n")}\n`);
  });
  return connect.call(this);
};
