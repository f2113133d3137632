import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, runCommand, say, UsageError } from "@disburse/harness/command-line.ts";
import { MongoClient } from "mongodb";
import { openDataFolder } from "../data-folder.ts";
import type { Flaw } from "./flaw.ts";
import { readSink, reportOn } from "./report.ts";
import { type PublicKeys, readPublicKeys } from "./statements.ts";

/** `npm run audit:verify`: README.md describes its use and findings. */

const usage =
  "usage: npm run audit:verify [-- --sink FOLDER|s3://BUCKET/PREFIX[,…]] [--s3-endpoint URL]\n" +
  "       [--keys FILE[,FILE…]] [--from TIME] [--mongodb-uri URI] [--prefix disburse_]\n" +
  "       [--data-dir .data]";

const optionTypes = {
  sink: { type: "string" },
  "s3-endpoint": { type: "string" },
  keys: { type: "string" },
  from: { type: "string", default: "1970-01-01T00:00:00Z" },
  "mongodb-uri": { type: "string" },
  prefix: { type: "string", default: "disburse_" },
  "data-dir": { type: "string", default: ".data" },
} as const;

function readCommand(args: readonly string[]) {
  const values = readArguments(args, optionTypes, usage);
  const dataDir = values["data-dir"];
  const from = new Date(values.from);
  if (Number.isNaN(from.getTime()))
    throw new UsageError(`--from: must be a time, such as 2026-11-20T11:26:00Z\n${usage}`);
  return {
    dataDir,
    from,
    prefix: values.prefix,
    mongodbUri: values["mongodb-uri"],
    sinks: (values.sink ?? join(dataDir, "audit")).split(","),
    endpoint: values["s3-endpoint"],
    keys: values.keys?.split(",") ?? [],
  };
}

/** Reads the named key files, by default those of the data folder. */
function publicKeys({ keys, dataDir }: ReturnType<typeof readCommand>): PublicKeys {
  const texts = keys.map((path) => readFileSync(path, "utf8"));
  const secrets = join(dataDir, "secrets.json");
  if (texts.length === 0 && existsSync(secrets)) {
    const { trustedKeys = "" } = JSON.parse(readFileSync(secrets, "utf8"));
    texts.push(trustedKeys);
  }
  if (texts.length === 0) throw new UsageError(`--keys: is required\n${usage}`);
  return new Map(texts.flatMap((text) => [...readPublicKeys(text)]));
}

async function readSinks({ sinks, from, endpoint }: ReturnType<typeof readCommand>) {
  const lines: string[] = [];
  const flaws: Flaw[] = [];
  for (const place of sinks) {
    const found = await readSink(place, from, endpoint);
    if (found === undefined) {
      const why = `the folder ${place} does not exist, so no signed head was shipped there`;
      throw new UsageError(`--sink: ${why}\n${usage}`);
    }
    for (const line of found.lines) lines.push(line);
    flaws.push(...found.flaws);
  }
  return { lines, flaws };
}

async function verify(command: ReturnType<typeof readCommand>): Promise<number> {
  const keys = publicKeys(command);
  const folder =
    command.mongodbUri === undefined ? await openDataFolder(command.dataDir) : undefined;
  const client = new MongoClient(command.mongodbUri ?? folder?.uri ?? "");
  try {
    const databases = { client, prefix: command.prefix };
    const { from } = command;
    const report = await reportOn({ databases, readSink: () => readSinks(command), keys, from });
    for (const each of report.lines) say(each);
    return report.flaws === 0 ? 0 : 1;
  } finally {
    await client.close();
    await folder?.close();
  }
}

await runCommand((args) => verify(readCommand(args)));
