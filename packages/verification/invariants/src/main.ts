import { writeFileSync } from "node:fs";
import { runCommand, say } from "@disburse/harness/command-line.ts";
import { MongoClient } from "mongodb";
import { openerOf } from "./answer-check.ts";
import { encryptionKeysOf, openDataFolder } from "./data-folder.ts";
import { type CheckReport, checkDatabase, type Databases } from "./database-check.ts";
import { type CheckCommand, readCommand } from "./options.ts";
import { untilQuiet } from "./quiet.ts";
import { reportLines, verdictOf } from "./report.ts";

/** `npm run check:invariants`: README.md tells what it checks and how. */

async function check(command: CheckCommand): Promise<number> {
  const { mongodbUri, dataDir, prefix, settleSeconds, json } = command;
  const folder = mongodbUri === undefined ? await openDataFolder(dataDir) : undefined;
  const client = new MongoClient(mongodbUri ?? folder?.uri ?? "");
  try {
    const databases: Databases = { client, prefix };
    const busy = await untilQuiet(databases, settleSeconds * 1_000);
    if (busy.length > 0) say(`not at rest after ${settleSeconds} s: ${busy.join(", ")}`);
    const keys = encryptionKeysOf(dataDir);
    if (keys === undefined) say(`kept answers are not opened: ${dataDir} has no keys`);
    const open = keys === undefined ? {} : { open: openerOf(keys) };
    const report = await checkDatabase(databases, { now: new Date(), ...open });
    for (const line of reportLines(report)) say(line);
    if (json !== undefined) writeFileSync(json, asJson(report));
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

await runCommand((args) => check(readCommand(args)));
