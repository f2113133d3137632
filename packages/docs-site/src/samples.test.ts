import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { readDocument, readReference } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Contract, endpointsOf, sampleRequest } from "./contract.ts";
import { languages, sandboxOrigin } from "./samples.ts";
import { type Received, startReferenceServer } from "./test-server.ts";

/** Runs every operation's sample, in each language whose tools are installed. */

const root = join(import.meta.dirname, "../../..");
const contract = readDocument() as unknown as Contract;
const endpoints = endpointsOf(contract).filter(({ path }) => path.startsWith("/api/"));
const requests = endpoints.map((each) => sampleRequest(each, contract));
const reference = readReference();

const run = promisify(execFile);
const enoughMs = 120_000;
const apiKey = "dsb_test_x";

const inPath = (name: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let folder = "";
beforeAll(async () => {
  server = await startReferenceServer(contract);
  folder = mkdtempSync(join(tmpdir(), "disburse-samples-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

function textsIn(language: (typeof languages)[number]["name"]): string[] {
  const { sample } = languages.find(({ name }) => name === language) ?? languages[0];
  return requests.map((each) => sample(each).replaceAll(sandboxOrigin, server.url));
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs a program and returns the requests that the server received. */
async function receivedFrom(command: string, args: readonly string[]): Promise<Received[]> {
  server.take();
  const env = { ...process.env, DISBURSE_API_KEY: apiKey };
  await run(command, args, { cwd: folder, env, timeout: enoughMs, maxBuffer: 64 * 1024 * 1024 });
  return server.take();
}

/** Expects the requests of the contract's examples, each with a new idempotency key. */
function expectRequests(received: readonly Received[]): void {
  const shown = received.map(({ idempotencyKey: _, ...rest }) => rest);
  const expected = requests.map(({ method, url, body }) => {
    const path = url.slice(sandboxOrigin.length);
    return { method, path, authorization: `Bearer ${apiKey}`, body };
  });
  expect(shown).toEqual(expected);
  const keys = received.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  expect(new Set(keys).size).toBe(requests.filter(({ hasKey }) => hasKey).length);
}

describe("the samples", () => {
  it("have bodies that the contract accepts, with nothing that it doesn't require", () => {
    expect(requests.length).toBeGreaterThan(80);
    expect(requests.filter(({ call }) => call !== undefined).length).toBeGreaterThan(70);
    for (const [at, { method, path }] of endpoints.entries()) {
      const body = requests[at]?.body;
      if (body === undefined) continue;
      const pointer = `/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}/requestBody/content/application~1json/schema`;
      expect(reference.schemaProblems(pointer, body), `${method} ${path}`).toEqual([]);
      expect(body).not.toHaveProperty("allow_duplicate");
    }
  });

  it.skipIf(!inPath("curl") || !inPath("openssl"))(
    "of curl send what the contract describes",
    async () => {
      const all = written("all.sh", textsIn("sh").join("\n"));
      expectRequests(await receivedFrom("bash", ["-eu", all]));
    },
    enoughMs,
  );

  it.skipIf(!inPath("python3"))(
    "of Python send the same",
    async () => {
      const files = textsIn("python").map((text, at) => written(`${at}.py`, text));
      const runner = written(
        "all.py",
        'import sys\nfor path in sys.argv[1:]:\n    exec(compile(open(path).read(), path, "exec"), {})\n',
      );
      expectRequests(await receivedFrom("python3", [runner, ...files]));
    },
    enoughMs,
  );

  it.skipIf(!inPath("go"))(
    "of Go send the same",
    async () => {
      const bodies = textsIn("go").map((text) => /func main\(\) \{\n(.*)\n\}$/s.exec(text)?.[1]);
      const functions = bodies.map((body, at) => `func sample${at}() {\n${body}\n}\n`).join("\n");
      const calls = bodies.map((_, at) => `\tsample${at}()\n`).join("");
      const names = ["crypto/rand", "fmt", "io", "net/http", "os", "strings"];
      const imports = names.map((each) => `\t"${each}"\n`).join("");
      const text = `package main\n\nimport (\n${imports})\n\n${functions}\nfunc main() {\n${calls}}\n`;
      expectRequests(await receivedFrom("go", ["run", written("all.go", text)]));
    },
    enoughMs,
  );

  it(
    "of TypeScript fit the SDK's types, and send the same",
    async () => {
      const sdk = JSON.stringify(join(root, "packages/sdk/src/index.ts"));
      const files = textsIn("ts").map((text, at) =>
        written(`${at}.mts`, `${text.replace('"@disburse/sdk"', sdk)}\nexport {};\n`),
      );
      const options = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
      const project = written(
        "tsconfig.json",
        JSON.stringify({
          extends: join(root, "tsconfig.json"),
          files,
          include: [],
          compilerOptions: { ...options, noEmit: true },
        }),
      );
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const checked = await run(process.execPath, [tsc, "-p", project]).catch((error) => error);
      expect(checked.stdout).toBe("");
      const runner = written("all.mjs", files.map((file) => `await import("${file}");\n`).join(""));
      const received = await receivedFrom(process.execPath, [runner]);
      // The SDK generates missing keys and sends an empty body for an omitted one.
      const asSent = received.map((each, at) => {
        const { body, hasKey = false } = requests[at] ?? {};
        const idempotencyKey = hasKey ? each.idempotencyKey : undefined;
        return { ...each, idempotencyKey, body: body === undefined ? undefined : each.body };
      });
      expectRequests(asSent);
    },
    enoughMs,
  );
});
