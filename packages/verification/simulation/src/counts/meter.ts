import { BSON } from "mongodb";
import type { Assembly } from "../platform.ts";
import type { Access, Command, Step } from "../store/collection.ts";

export type Counts = {
  documents: number;
  /**
   * Number of database commands. A bulk write counts as one command, and so does a read of many
   * documents.
   */
  commands: number;
  /** BSON bytes of the documents, filters and updates in commands and in their results. */
  bytes: number;
  /** Number of calls between services, including the gateway's. */
  hops: number;
};

export function createMeter() {
  const none = (): Counts => ({ documents: 0, commands: 0, bytes: 0, hops: 0 });
  let counts = none();
  const kinds = new Map<string, number>();
  let background: ReadonlySet<string> = new Set();
  const note = (what: string) => kinds.set(what, (kinds.get(what) ?? 0) + 1);
  const isCounted = (what: string): boolean => {
    if (background.has(what)) return false;
    note(what);
    return true;
  };
  const metered =
    (service: string, access: Access, changes: () => number): Access =>
    (command, steps, answer) => {
      const own = (
        steps.length === 0 ? [command] : steps.map((step) => step.command ?? command)
      ).map((each) => ({ each, isCounted: isCounted(`${service}.${nameOf(each)}`) }));
      if (!own.some((each) => each.isCounted)) return access(command, steps, answer);
      counts.commands += 1;
      const alone = new Set(own.flatMap(({ each, isCounted }) => (isCounted ? [each] : [])));
      for (const { sent } of alone) counts.bytes += bytesOf(sent);
      const measured = steps.map((step, at): Step => {
        if (own[at]?.isCounted !== true) return step;
        const run: Step["run"] = (tables, filter) => {
          const before = changes();
          try {
            return step.run(tables, filter);
          } finally {
            counts.documents += changes() - before;
          }
        };
        return { ...step, run };
      });
      return access(command, measured, (outcomes, rows) => {
        const found = answer(outcomes, rows);
        if (!command.isWrite) counts.bytes += bytesOf([found].flat());
        return found;
      });
    };
  const assembly: Omit<Assembly, "runs"> = {
    database: (service, database) => ({
      ...database,
      connect: (access) => database.connect(metered(service, access, database.changes)),
    }),
    network: (network) => ({
      ...network,
      serve: (service, implementation, host) => {
        const handlers = Object.entries(implementation).map(([name, handler]) => [
          name,
          (...given: unknown[]) => {
            counts.hops += 1;
            note(`call ${name}`);
            return (handler as (...given: unknown[]) => unknown)(...given);
          },
        ]);
        network.serve(service, Object.fromEntries(handlers), host);
      },
    }),
  };
  return {
    assembly,
    /** Excludes these kinds of commands from now on, because they are background work. */
    ignore: (names: Iterable<string>) => {
      background = new Set(names);
    },
    /** Returns and resets the counts, and the number of each kind of command and call. */
    take: () => {
      const taken = { counts, kinds: Object.fromEntries([...kinds].sort()) };
      counts = none();
      kinds.clear();
      return taken;
    },
  };
}

/** Uses the names of `testkit/command-recorder.ts`. */
function nameOf({ collection, name, filter }: Command): string {
  if (name === "insertMany" || name === "insertOne" || name === "bulkInsert") {
    return `${collection} insert`;
  }
  if (name === "updateMany") return `${collection} update many`;
  if (name.startsWith("delete")) return `${collection} delete`;
  if (["updateOne", "replaceOne", "findOneAndUpdate", "bulkWrite"].includes(name)) {
    return `${collection} update`;
  }
  const fields = Object.keys(filter ?? {}).filter((field) => !field.startsWith("$"));
  return `${collection} read by ${fields.join(", ") || "nothing"}`;
}

function bytesOf(sent: readonly unknown[]): number {
  return sent.reduce<number>((sum, each) => sum + sizeOf(each), 0);
}

/**
 * The size of a document that is read raw is its own byte length. A count is a number in a
 * response.
 */
function sizeOf(each: unknown): number {
  if (each instanceof Uint8Array) return each.byteLength;
  return typeof each === "object" && each !== null ? BSON.calculateObjectSize(each) : 8;
}
