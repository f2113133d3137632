import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { expect, it } from "vitest";

const script = readFileSync(join(import.meta.dirname, "../deploy/mongo/reader.js"), "utf8");

type Command = Readonly<Record<string, unknown>>;

/** Runs the script of mongosh with a database that has these users. Returns its commands. */
function run(env: Record<string, string>, users: readonly string[] = [], failure = "") {
  const commands: Command[] = [];
  class Mongo {
    readonly uri: string;
    constructor(uri: string) {
      this.uri = uri;
    }
    getDB(name: string) {
      return {
        runCommand: (command: Command) => {
          commands.push({ at: `${this.uri} ${name}`, ...command });
          if ("usersInfo" in command) return { ok: 1, users };
          return failure === "" ? { ok: 1 } : { ok: 0, errmsg: failure };
        },
      };
    }
  }
  runInNewContext(script, { process: { env }, Mongo, print: () => undefined });
  // Objects of another context have other prototypes.
  return JSON.parse(JSON.stringify(commands)) as Command[];
}

const env = { MONGODB_ADMIN_URI: "mongodb://root:r@mongo:27017", READER_PASSWORD: "p" };
const roles = serviceNames.toSorted().map((name) => ({ role: "read", db: `disburse_${name}` }));
const at = "mongodb://root:r@mongo:27017 admin";

it("makes a user who may read the six databases and write none", () => {
  expect(run(env)).toEqual([
    { at, usersInfo: "reader" },
    { at, createUser: "reader", pwd: "p", roles },
  ]);
});

it("gives the user another password if it exists", () => {
  expect(run(env, ["reader"])[1]).toEqual({ at, updateUser: "reader", pwd: "p", roles });
});

it("refuses to run without an address or a password, and reports a refusal", () => {
  expect(() => run({ ...env, READER_PASSWORD: "" })).toThrow("READER_PASSWORD must be set");
  expect(() => run({ READER_PASSWORD: "p" })).toThrow("MONGODB_ADMIN_URI");
  expect(() => run(env, [], "not authorized on admin")).toThrow("not authorized on admin");
});
