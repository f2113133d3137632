import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, runCommand, say, UsageError } from "@disburse/harness/command-line.ts";
import { MongoClient } from "mongodb";
import { checkChain } from "./chain/chain-check.ts";
import { openNode } from "./chain/node.ts";
import { openDataFolder } from "./data-folder.ts";
import {
  type CheckReport,
  checkDatabase,
  type Databases,
  openerFor,
  withFindings,
} from "./database-check.ts";
import { executeCommand, ordersToRepeat } from "./orders-to-repeat.ts";
import { untilQuiet } from "./quiet.ts";
import { reportLines, verdictOf } from "./report.ts";

/** `npm run check:invariants`: README.md describes the checks. */

async function check(command: ReturnType<typeof readCommand>): Promise<number> {
  const { mongodbUri, dataDir, prefix, settleSeconds, json, commands, nodes } = command;
  const folder = mongodbUri === undefined ? await openDataFolder(dataDir) : undefined;
  const client = new MongoClient(mongodbUri ?? folder?.uri ?? "");
  try {
    const databases: Databases = { client, prefix };
    const busy = await untilQuiet(databases, settleSeconds * 1_000);
    if (busy.length > 0) say(`not at rest after ${settleSeconds} s: ${busy.join(", ")}`);
    const keys = encryptionKeysOf(dataDir);
    if (keys === undefined)
      say(`stored responses were not checked: ${dataDir} has no keys to decrypt them`);
    const open = keys === undefined ? {} : { open: await openerFor(databases, keys) };
    let report = await checkDatabase(databases, { now: new Date(), ...open });
    if (nodes.length === 0) say("transfers were not compared with a chain: --node was not given");
    for (const url of nodes) {
      const { checked, findings } = await checkChain(databases, openNode(url));
      say(`compared ${checked} transfers with a chain`);
      report = withFindings(report, findings);
    }
    for (const line of reportLines(report)) say(line);
    if (json !== undefined) writeFileSync(json, asJson(report));
    if (commands) for await (const order of ordersToRepeat(databases)) say(executeCommand(order));
    return verdictOf(report).failed === 0 ? 0 : 1;
  } finally {
    await client.close();
    await folder?.close();
  }
}

function asJson({ counts, findings, broken }: CheckReport): string {
  const report = { counts, broken: Object.fromEntries(broken), findings };
  return `${JSON.stringify(report, null, 2)}\n`;
}

const usage =
  "usage: npm run check:invariants [-- --mongodb-uri URI] [--prefix disburse_]\n" +
  "       [--data-dir .data] [--settle SECONDS] [--json FILE] [--node URL]… [--commands]";

const optionTypes = {
  "mongodb-uri": { type: "string" },
  prefix: { type: "string", default: "disburse_" },
  "data-dir": { type: "string", default: ".data" },
  settle: { type: "string", default: "30" },
  json: { type: "string" },
  commands: { type: "boolean", default: false },
  node: { type: "string", multiple: true },
} as const;

function readCommand(args: readonly string[]) {
  const values = readArguments(args, optionTypes, usage);
  const settleSeconds = Number(values.settle);
  if (!Number.isSafeInteger(settleSeconds) || settleSeconds < 0) {
    throw new UsageError(`--settle: must be a whole number of seconds\n${usage}`);
  }
  return {
    prefix: values.prefix,
    dataDir: values["data-dir"],
    json: values.json,
    /** Also prints a command for each order that must be executed again after a restore. */
    commands: values.commands,
    nodes: values.node ?? [],
    /**
     * URI of a running database. If absent, the command opens `dataDir`, through a running engine
     * if there is one.
     */
    mongodbUri: values["mongodb-uri"],
    settleSeconds,
  };
}

/** Returns the encryption keys of the folder's platform, if present. */
function encryptionKeysOf(dataDir: string): string | undefined {
  const path = join(dataDir, "secrets.json");
  if (!existsSync(path)) return undefined;
  type Stored = { encryptionKeys: { gateway: string } };
  return (JSON.parse(readFileSync(path, "utf8")) as Stored).encryptionKeys.gateway;
}

await runCommand((args) => check(readCommand(args)));
