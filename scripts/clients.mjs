// `npm run test:clients [-- NAME...]`: generates clients from the contract with amounts as strings.
// With each, a program of scripts/clients pays a bank account and a wallet in a sandbox of its own.
// A client is skipped, with the reason, where a tool is absent.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { passSignals, toolEnvironment } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { withSandbox } from "./own-sandbox.mjs";
import { withScratchFolder } from "./scratch-folder.mjs";
import { runMain, StartError } from "./start-error.mjs";
import { countsLine } from "./vitest.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const programs = fileURLToPath(new URL("clients", import.meta.url));
const cache = join(root, "node_modules/.cache/clients");

const generator = "7.16.0";
const jar = join(cache, `openapi-generator-cli-${generator}.jar`);
const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const javaExec = "org.codehaus.mojo:exec-maven-plugin:3.5.1:java";

/** Fetches the generator once, with Maven. */
const fetchJar = [
  ...["mvn", "-q", "dependency:copy", `-DoutputDirectory=${cache}`, "-Dmdep.useBaseVersion=true"],
  `-Dartifact=org.openapitools:openapi-generator-cli:${generator}`,
];

/** The command that generates a client of openapi-generator into `client`. */
const generate = (language, ...more) => [
  ...["java", "-Xmx900m", "-jar", jar, "generate", "-i", "../contract.json", "-g", language],
  ...["-o", "client", ...more],
];

const inModules = (name) => join("node_modules", name);

/** The module of openapi-generator's Go client, which go.mod of its program names. */
const goModule = [
  ...["--git-host", "disburse.example", "--git-user-id", "generated", "--git-repo-id", "client"],
];

/** Compiles and runs a Java program among the sources of its client. */
const java = (library) => ({
  needs: ["java", "mvn"],
  sources: ["java", `java-${library}`],
  into: "client/src/main/java",
  steps: [generate("java", "--library", library)],
  program: ["mvn", "-q", "-f", "client", "compile", javaExec, "-Dexec.mainClass=Main"],
});

/** Generates a client by a TypeScript generator, and compiles its program with it. */
const typescript = (name, ...command) => ({
  needs: [],
  sources: ["typescript", name],
  steps: [
    ["node", ...command],
    ["node", inModules("typescript/bin/tsc"), "--project", "."],
  ],
  program: ["node", "built/main.js"],
});

/**
 * Each client: the tools that it needs, the folders of `clients` with its program, the commands
 * that generate and compile it, and the one that runs the program.
 */
const clients = {
  python: {
    sources: ["python"],
    needs: ["java", "mvn", "python3"],
    steps: [
      generate("python"),
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "install", "-q", "./client"],
    ],
    program: ["venv/bin/python", "main.py"],
  },
  go: {
    sources: ["go"],
    needs: ["java", "mvn", "go"],
    steps: [
      // Without the mapping it reads text of the format `decimal` as `float64`, and no response.
      generate("go", "--type-mappings", "decimal=string", ...goModule),
      ["go", "mod", "tidy"],
      ["go", "vet", "."],
    ],
    program: ["go", "run", "."],
  },
  "java-native": java("native"),
  "java-okhttp-gson": java("okhttp-gson"),
  "oapi-codegen": {
    sources: ["oapi-codegen"],
    needs: ["go"],
    steps: [
      ["go", "mod", "init", "disburse.example/program"],
      ["mkdir", "client"],
      // Without `skip-prune` it removes schemas that only webhooks have.
      [
        ...["go", "run", oapiCodegen, "-generate", "types,client,skip-prune"],
        ...["-package", "client", "-o", "client/client.go", "../contract.json"],
      ],
      ["go", "mod", "tidy"],
      ["go", "vet", "./..."],
    ],
    program: ["go", "run", "."],
  },
  "openapi-typescript": typescript(
    "openapi-typescript",
    ...[inModules("openapi-typescript/bin/cli.js"), "../contract.json", "-o", "client/index.ts"],
  ),
  orval: typescript("orval", inModules("orval/dist/bin/orval.mjs"), "--config", "orval.config.mjs"),
  "hey-api": typescript(
    "hey-api",
    ...[inModules("@hey-api/openapi-ts/bin/run.js"), "-i", "../contract.json", "-o", "client"],
  ),
};

function isInstalled(program) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Runs a command, and returns its problem if it has one. */
async function problemOf([command, ...args], { folder, env }) {
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const stopPassing = passSignals(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const { code, signal } = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ended) => resolve({ code: ended[0], signal: ended[1] }));
  });
  stopPassing();
  if (signal !== null || code > 128) throw new StartError(`${command} was interrupted`);
  return code === 0 ? undefined : `${[command, ...args].join(" ")}\n${output.slice(-3_000)}`;
}

/** Returns the environment of the programs. */
function environmentFor(node, scratch, { accounts, base_url, merchants }) {
  const account = accounts.find(
    ({ merchant, currency, available }) =>
      merchant === "acme" && currency === "USD" && available !== "0.00",
  );
  return {
    ...toolEnvironment(node),
    GOFLAGS: "-mod=mod",
    TMPDIR: scratch,
    DISBURSE_BASE_URL: base_url,
    DISBURSE_API_KEY: merchants.acme.api_key,
    DISBURSE_ACCOUNT_ID: account.account_id,
  };
}

async function read(env, path) {
  const headers = { Authorization: `Bearer ${env.DISBURSE_API_KEY}`, "Disburse-Amounts": "string" };
  return (await fetch(`${env.DISBURSE_BASE_URL}${path}`, { headers })).json();
}

/** The amount of each payout, to the last digit. */
const payouts = {
  fiat: { receiving_amount: "123456.78" },
  crypto: { source_amount: "250.25" },
};

/** Reads the program's two payouts without its client, and returns the difference if any. */
async function differenceOf(env) {
  for (const [kind, amount] of Object.entries(payouts)) {
    const filter = `reference_id=${env.DISBURSE_CLIENT}-${kind}`;
    const { data } = await read(env, `/api/v1/transfer/payouts?${filter}`);
    const [field, digits] = Object.entries(amount)[0];
    const found = data.transactions.map((each) => `${each.status} ${each.amount[field]}`);
    if (found.join() !== `succeeded ${digits}`)
      return `the ${kind} payout is [${found}], not [succeeded ${digits}]`;
  }
  return undefined;
}

/** Runs the program; again, with other references, if the machine was too busy for a payout. */
async function problemOfProgram(command, { folder, env }) {
  for (let attempts = 3; ; attempts -= 1) {
    const named = { ...env, DISBURSE_CLIENT: `${basename(folder)}-${randomUUID()}` };
    const problem = await problemOf(command, { folder, env: named });
    if (problem === undefined) return differenceOf(named);
    if (attempts === 1 || !problem.includes("SERVICE_UNAVAILABLE")) return problem;
  }
}

/** Generates, compiles and runs a client in a folder, and returns the problem if it has one. */
async function problemOfClient({ needs, sources, into = ".", steps, program }, place) {
  const { folder } = place;
  for (const each of sources) cpSync(join(programs, each), join(folder, into), copying);
  const modules = join(programs, "typescript/node_modules");
  if (sources.includes("typescript")) symlinkSync(modules, join(folder, "node_modules"));
  const isJarMissing = needs.includes("mvn") && !existsSync(jar);
  for (const step of [...(isJarMissing ? [fetchJar] : []), ...steps]) {
    const problem = await problemOf(step, place);
    if (problem !== undefined) return problem;
  }
  return problemOfProgram(program, place);
}

/** Returns what an outcome counts as, and how it is printed. */
async function outcomeOf(client, place) {
  const missing = client.needs.filter((program) => !isInstalled(program));
  if (missing.length > 0) return ["skipped", `skipped: no ${missing.join(", no ")}`];
  const problem = await problemOfClient(client, place);
  return problem === undefined ? ["passed", "pays"] : ["failed", `fails: ${problem}`];
}

const copying = { recursive: true, filter: (path) => basename(path) !== "node_modules" };

await runMain(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(clients, name));
  if (unknown.length > 0) {
    process.stderr.write(`No client has this name: ${unknown.join(", ")}.\n`);
    return 2;
  }
  const node = await ensureNode();
  await ensureDependencies(root, node);
  await ensureDependencies(join(programs, "typescript"), node);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  await withScratchFolder("disburse-clients-", (scratch) =>
    withSandbox(node, scratch, { SANDBOX_SETTLE_MS: "200" }, async (sandbox) => {
      mkdirSync(cache, { recursive: true });
      const env = environmentFor(node, scratch, sandbox);
      const contract = await read(env, "/openapi-strings.json");
      writeFileSync(join(scratch, "contract.json"), JSON.stringify(contract));
      for (const name of names.length > 0 ? names : Object.keys(clients)) {
        const folder = join(scratch, name);
        mkdirSync(folder);
        const [count, outcome] = await outcomeOf(clients[name], { folder, env });
        counts[count] += 1;
        process.stdout.write(`${name}: ${outcome}\n`);
      }
    }),
  );
  process.stdout.write(countsLine(counts));
  return counts.failed === 0 ? 0 : 1;
});
