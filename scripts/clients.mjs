// `npm run test:clients`: generates clients for other languages from the contract with amounts as
// strings, and compiles them. It skips a client, with the reason, where a tool is absent.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withScratchFolder } from "./scratch-folder.mjs";
import { runMain } from "./start-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules/.cache/clients");

const generator = "7.16.0";
const jar = join(cache, `openapi-generator-cli-${generator}.jar`);
const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";

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

const inClient = (...command) => ({ cwd: "client", command });

/** Each client with the programs that it needs, and its commands in the order of running. */
const clients = {
  python: {
    needs: ["java", "mvn", "python3"],
    steps: [
      generate("python"),
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "install", "-q", "./client"],
      ["venv/bin/python", "-c", "import openapi_client"],
    ],
  },
  go: {
    needs: ["java", "mvn", "go"],
    steps: [generate("go"), inClient("go", "mod", "tidy"), inClient("go", "vet", ".")],
  },
  "java-native": {
    needs: ["java", "mvn"],
    steps: [generate("java", "--library", "native"), inClient("mvn", "-q", "compile")],
  },
  "java-okhttp-gson": {
    needs: ["java", "mvn"],
    steps: [generate("java", "--library", "okhttp-gson"), inClient("mvn", "-q", "compile")],
  },
  "oapi-codegen": {
    needs: ["go"],
    steps: [
      ["go", "mod", "init", "disburse.example/client"],
      // Without `skip-prune` it removes schemas that only webhooks have.
      [
        ...["go", "run", oapiCodegen, "-generate", "types,client,skip-prune"],
        ...["-package", "client", "-o", "client.go", "../contract.json"],
      ],
      ["go", "mod", "tidy"],
      ["go", "vet", "."],
    ],
  },
  "openapi-typescript": {
    needs: ["npm"],
    steps: [
      [
        ...["npm", "exec", "--yes", "--package=openapi-typescript@7.13.0", "--"],
        ...["openapi-typescript", "../contract.json", "-o", "client.ts"],
      ],
      [
        ...[process.execPath, join(root, "node_modules/typescript/bin/tsc"), "--ignoreConfig"],
        ...["--noEmit", "--strict", "client.ts"],
      ],
    ],
  },
};

function isInstalled(program) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

function run(command, cwd) {
  const [program, ...args] = command;
  const env = { ...process.env, GOFLAGS: "-mod=mod" };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  return status === 0 ? undefined : `${command.join(" ")}\n${`${stdout}${stderr}`.slice(-3_000)}`;
}

/** Returns the problem of a client, if it has one. */
function problemOf({ needs, steps }, folder) {
  const isJarMissing = needs.includes("mvn") && !existsSync(jar);
  for (const step of [...(isJarMissing ? [fetchJar] : []), ...steps]) {
    const { cwd = ".", command } = Array.isArray(step) ? { command: step } : step;
    const problem = run(command, join(folder, cwd));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

await runMain(() =>
  withScratchFolder("disburse-clients-", async (scratch) => {
    const only = process.argv.slice(2);
    const unknown = only.filter((name) => !Object.hasOwn(clients, name));
    if (unknown.length > 0) {
      process.stderr.write(`No client has this name: ${unknown.join(", ")}.\n`);
      return 2;
    }
    mkdirSync(cache, { recursive: true });
    const print = join(root, "services/gateway/src/resources/print.ts");
    const printed = spawnSync(process.execPath, [print, "--strings"], { maxBuffer: 2 ** 26 });
    writeFileSync(join(scratch, "contract.json"), printed.stdout);
    let code = 0;
    for (const [name, client] of Object.entries(clients)) {
      if (only.length > 0 && !only.includes(name)) continue;
      const missing = client.needs.filter((program) => !isInstalled(program));
      const folder = join(scratch, name);
      mkdirSync(folder);
      const problem = missing.length > 0 ? undefined : problemOf(client, folder);
      const outcome = missing.length > 0 ? `skipped: no ${missing.join(", no ")}` : "compiles";
      process.stdout.write(`${name}: ${problem === undefined ? outcome : `fails: ${problem}`}\n`);
      if (problem !== undefined) code = 1;
    }
    return code;
  }),
);
