import { appendFileSync } from "node:fs";
import { type CommandStartedEvent, type Document, MongoClient } from "mongodb";

/**
 * A module to load before a service. It appends what the service asks of its database to the file
 * of `COMMAND_RECORD`: for each document that is written a line `<service>.<collection> <insert,
 * update or delete>`, for each read `<service>.<collection> read by <fields of the filter>`.
 */
const file = process.env.COMMAND_RECORD ?? "";

/** The fields that a filter names, without what is in its operators. */
function fieldsOf(filter: Document): string {
  const names = Object.keys(filter).filter((name) => !name.startsWith("$"));
  return names.join(", ") || "nothing";
}

function linesOf({ commandName, command, databaseName }: CommandStartedEvent): string[] {
  const service = databaseName.split("_").at(-1);
  const line = (collection: string, what: string) => `${service}.${collection} ${what}`;
  switch (commandName) {
    case "bulkWrite":
      return command.ops.map((op: Document) => {
        const kind = ["insert", "update", "delete"].find((each) => each in op) ?? "";
        const namespace: string = command.nsInfo[op[kind]].ns;
        const [database = "", ...collection] = namespace.split(".");
        return `${database.split("_").at(-1)}.${collection.join(".")} ${kind}`;
      });
    case "insert":
      return command.documents.map(() => line(command.insert, "insert"));
    case "update":
      return command.updates.map(({ multi }: Document) =>
        line(command.update, multi === true ? "update many" : "update"),
      );
    case "delete":
      return command.deletes.map(() => line(command.delete, "delete"));
    case "findAndModify":
      return [line(command.findAndModify, "update")];
    case "find":
      return [line(command.find, `read by ${fieldsOf(command.filter ?? {})}`)];
    case "distinct":
      return [line(command.distinct, `read by ${fieldsOf(command.query ?? {})}`)];
    case "aggregate":
      return [line(command.aggregate, `read by ${fieldsOf(command.pipeline[0]?.$match ?? {})}`)];
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
