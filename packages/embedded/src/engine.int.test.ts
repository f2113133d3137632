import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { type Engine, startEngine, usableMongod } from "./engine.ts";
import { isSupportedGlibc } from "./libc.ts";
import { bareEnv, isAlive, startInChildProcess, temporaryFolder, until } from "./testing.ts";

interface Watched extends Engine {
  exits: string[];
}

async function start(dataDir: string, env: NodeJS.ProcessEnv = bareEnv): Promise<Watched> {
  const exits: string[] = [];
  const engine = await startEngine({ dataDir, env, onExit: (how) => exits.push(how) });
  onTestFinished(() => engine.stop());
  return { ...engine, exits };
}

async function documents(engine: Engine, insert?: object): Promise<number> {
  const client = await new MongoClient(engine.uri("trial")).connect();
  const rows = client.db().collection("rows", { writeConcern: { journal: true } });
  if (insert !== undefined) await rows.insertOne(insert);
  const count = await rows.countDocuments();
  await client.close();
  return count;
}

test("keeps a journalled write when the engine is killed, and says that it went", async () => {
  const folder = await temporaryFolder();
  const first = await start(folder);
  expect(await documents(first, { n: 1 })).toBe(1);
  process.kill(first.pid ?? 0, "SIGKILL");
  await until(() => first.exits.length > 0);
  expect(first.exits).toEqual(["ended by signal 9"]);
  expect(await documents(await start(folder))).toBe(1);
});

test("stops without calling that an exit, and goes on at the next start", async () => {
  const folder = await temporaryFolder();
  const first = await start(folder);
  await documents(first, { n: 1 });
  await first.stop();
  expect(isAlive(first.pid ?? 0)).toBe(false);
  expect(first.exits).toEqual([]);
  expect(await documents(await start(folder))).toBe(1);
});

test("keeps no more of the data in memory than it is told to", async () => {
  const dataDir = await temporaryFolder();
  const options = { dataDir, env: bareEnv, cacheMegabytes: 64, onExit: () => undefined };
  const engine = await startEngine(options);
  onTestFinished(() => engine.stop());
  const client = await new MongoClient(engine.uri("admin")).connect();
  onTestFinished(() => client.close());
  const { wiredTiger } = await client.db().command({ serverStatus: 1 });
  expect(wiredTiger.cache["maximum bytes configured"]).toBe(64 * 1_024 * 1_024);
});

test("ends with its starter, however that dies, and the folder is free again", async () => {
  const folder = await temporaryFolder();
  const starter = await startInChildProcess(
    "engine.ts",
    `const engine = await part.startEngine({ dataDir: ${JSON.stringify(folder)}, onExit() {} });
     console.log(JSON.stringify({ pid: engine.pid, address: engine.uri("trial") }))`,
  );
  expect(isAlive(starter.pid)).toBe(true);
  await expect(start(folder)).rejects.toThrow(/in use.*DATA_DIR/);
  await starter.kill();
  const next = await start(folder);
  expect(isAlive(starter.pid)).toBe(false);
  expect(await documents(next, {})).toBe(1);
});

test("serves a folder whose path is longer than a socket's may be", async () => {
  const folder = join(await temporaryFolder(), "deep/".repeat(40));
  expect(await documents(await start(folder), {})).toBe(1);
});

test("says what to do about a data folder that cannot be made", async () => {
  const file = join(await temporaryFolder(), "file");
  await writeFile(file, "");
  await expect(start(join(file, "data"))).rejects.toThrow("DATA_DIR");
});

test("uses the engine that MONGODB_URI names, and leaves it alone", async () => {
  const engine = await start("/nonexistent", { ...bareEnv, MONGODB_URI: "mongodb://h:1/?w=1" });
  expect(engine).toMatchObject({ kind: "external", pid: undefined });
  expect(engine.uri("quote")).toBe("mongodb://h:1/quote?w=1");
});

test.each([
  ["is before 8.0", "echo 'db version v7.0.14'", /mongod on PATH has version 7\.0\.14.*8\.0/],
  ["does not say its version", "exit 1", /mongod on PATH does not print its version/],
])(
  "takes the embedded engine where the mongod on PATH %s, and says so",
  async (_what, script, said) => {
    const folder = await temporaryFolder();
    await writeExecutable(join(folder, "bin", "mongod"), `#!/bin/sh\n${script}\n`);
    const lines: string[] = [];
    const env = { PATH: `${join(folder, "bin")}:${bareEnv.PATH}` };
    const mongod = await usableMongod(env, (line) => lines.push(line));
    expect([mongod, lines]).toEqual([undefined, [expect.stringMatching(said)]]);
  },
);

test("prefers a mongod on PATH to the embedded engine", async () => {
  const folder = await temporaryFolder();
  const script = `#!${process.execPath}
    const args = process.argv.slice(2);
    if (args[0] === "--version") return console.log("db version v8.0.4");
    require("node:fs").writeFileSync("${folder}/args.json", JSON.stringify(args));
    require("node:net").createServer().listen(Number(args[args.indexOf("--port") + 1]), "127.0.0.1");`;
  await writeExecutable(join(folder, "bin", "mongod"), script);
  const engine = await start(folder, { PATH: `${join(folder, "bin")}:${bareEnv.PATH}` });
  expect(engine.kind).toBe("mongod");
  expect(JSON.parse(readFileSync(join(folder, "args.json"), "utf8"))).toContain("127.0.0.1");
  await engine.stop();
  expect(isAlive(engine.pid ?? 0)).toBe(false);
});

const glibc = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header
  .glibcVersionRuntime;

test.skipIf(glibc === undefined || isSupportedGlibc(glibc))(
  "says what to do where the C library is too old and no newer one can be had",
  async () => {
    const folder = await temporaryFolder();
    const env = {
      ...bareEnv,
      PATH: join(folder, "bin"),
      DISBURSE_CACHE_DIR: join(folder, "cache"),
    };
    await expect(start(folder, env)).rejects.toThrow(/glibc 2\.38.*only.*Debian.*MONGODB_URI/i);
    await writeExecutable(
      join(folder, "bin", "apt-get"),
      "#!/bin/sh\necho 'E: Could not resolve the mirror' >&2\nexit 100\n",
    );
    await expect(start(folder, env)).rejects.toThrow(/Could not resolve.*network.*MONGODB_URI/s);
  },
);

async function writeExecutable(file: string, text: string): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
}
