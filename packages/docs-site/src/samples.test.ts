import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Document } from "@disburse/sdk/generator/document.ts";
import { readDocument, readReference } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { referenceOperations, requestsOf } from "./reference.ts";
import { addressOf, type SampleRequest } from "./request.ts";
import type { Sample } from "./samples.ts";
import type { Site } from "./site.ts";
import { type Received, startReferenceServer } from "./test-server.ts";

/** Runs every sample in `/docs`, in each language whose tools are installed. */

const root = join(import.meta.dirname, "../../..");
const gen = (name: string) =>
  JSON.parse(
    readFileSync(join(root, "services/gateway/src/http/docs/gen", `${name}.json`), "utf8"),
  );
const samples = gen("samples") as Site["samples"];
const guides = gen("guides") as Site["guides"];
const operations = referenceOperations(readDocument() as unknown as Document);
const reference = readReference();

const run = promisify(execFile);
const enoughMs = 60_000;
const apiKey = "dsb_test_x";

const inPath = (name: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let folder = "";
beforeAll(async () => {
  server = await startReferenceServer(operations);
  folder = mkdtempSync(join(tmpdir(), "disburse-samples-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

/** Returns the samples on a guide's page as readers copy them, with ids filled in. */
function guideSamples(language: keyof Sample): string[] {
  const pattern = new RegExp(`<pre data-language="${language}"[^>]*><code>(.*?)</code>`, "gs");
  return guides.flatMap(({ html }) =>
    [...html.matchAll(pattern)].map(([, code = ""]) =>
      code
        .replaceAll(/<span class="origin">[^<]*<\/span>/g, "{origin}")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&amp;", "&")
        .replaceAll("…", "x"),
    ),
  );
}

/** Returns all samples of a language, those of operations first. */
function textsIn(language: keyof Sample): string[] {
  const ofOperations = operations.flatMap(({ id }) =>
    Object.values(samples[id] ?? {}).map((each) => each[language]),
  );
  return [...ofOperations, ...guideSamples(language)].map((text) =>
    text.replaceAll("{origin}", server.url),
  );
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

const expected = (): Received[] =>
  operations.flatMap((operation) =>
    requestsOf(operation).map(([, request]): Received => {
      const { method, body, idempotencyKey } = request;
      const path = addressOf(request as SampleRequest).replace("{origin}", "");
      return { method, path, authorization: `Bearer ${apiKey}`, idempotencyKey, body };
    }),
  );

/** The SDK generates missing keys and sends an empty body for an omitted one. */
const asSdk = ({ idempotencyKey: _, body = {}, ...rest }: Received) => ({ ...rest, body });

let ofCurl: Promise<Received[]> | undefined;

/** Returns the requests of the curl samples, to which the other languages must be equal. */
function curl(): Promise<Received[]> {
  ofCurl ??= receivedFrom("bash", ["-eu", written("all.sh", textsIn("curl").join("\n"))]);
  return ofCurl;
}

describe("the samples", () => {
  it("match the reference's examples; `npm run generate` writes them", () => {
    const named = operations.map((each) => [each.id, requestsOf(each).map(([name]) => name)]);
    expect(Object.entries(samples).map(([id, its]) => [id, Object.keys(its)])).toEqual(named);
    expect(named.length).toBeGreaterThan(35);
    expect(guideSamples("go").length).toBeGreaterThan(20);
  });

  it.skipIf(!inPath("curl"))(
    "of curl ask for what the reference describes",
    async () => {
      const received = await curl();
      const count = expected().length;
      expect(received.slice(0, count)).toEqual(expected());
      expect(received).toHaveLength(count + guideSamples("curl").length);
      for (const { method, path = "", body } of received) {
        const [route = ""] = path.split("?");
        const operation = operations.find(
          (each) =>
            each.method === method &&
            new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(route),
        );
        expect(operation, `${method} ${path}`).toBeDefined();
        if (operation === undefined || body === undefined) continue;
        const pointer = `/paths/${operation.path.replaceAll("/", "~1")}/${method?.toLowerCase()}/requestBody/content/application~1json/schema`;
        expect(reference.schemaProblems(pointer, body), `${method} ${path}`).toEqual([]);
      }
    },
    enoughMs,
  );

  it.skipIf(!inPath("curl") || !inPath("python3"))(
    "of Python ask for the same",
    async () => {
      const texts = textsIn("python");
      const files = texts.map((text, at) => written(`${at}.py`, text));
      const runner = written(
        "all.py",
        'import sys\nfor path in sys.argv[1:]:\n    exec(compile(open(path).read(), path, "exec"), {})\n',
      );
      const expected = await curl();
      expect(await receivedFrom("python3", [runner, ...files])).toEqual(expected);
    },
    enoughMs,
  );

  it.skipIf(!inPath("curl") || !inPath("go"))(
    "of Go ask for the same",
    async () => {
      const bodies = textsIn("go").map((text) => /func main\(\) \{\n(.*)\n\}$/s.exec(text)?.[1]);
      const functions = bodies.map((body, at) => `func sample${at}() {\n${body}\n}\n`).join("\n");
      const calls = bodies.map((_, at) => `\tsample${at}()\n`).join("");
      const imports = ["fmt", "io", "net/http", "os", "strings"].map((each) => `\t"${each}"\n`);
      const text = `package main\n\nimport (\n${imports.join("")})\n\n${functions}\nfunc main() {\n${calls}}\n`;
      const file = written("all.go", text);
      const expected = await curl();
      expect(await receivedFrom("go", ["run", file])).toEqual(expected);
    },
    enoughMs,
  );

  it.skipIf(!inPath("curl"))(
    "of TypeScript fit the SDK's types, and ask for the same",
    async () => {
      const sdk = join(root, "packages/sdk/src/index.ts");
      const files = textsIn("typescript").map((text, at) =>
        written(
          `${at}.mts`,
          `${text.replace('"@disburse/sdk"', JSON.stringify(sdk))}\nexport {};\n`,
        ),
      );
      const config = { extends: join(root, "tsconfig.json"), files, include: [] };
      const options = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
      const project = written(
        "tsconfig.json",
        JSON.stringify({ ...config, compilerOptions: { ...options, noEmit: true } }),
      );
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const checked = run(process.execPath, [tsc, "-p", project]).catch(({ stdout }) => ({
        stdout,
      }));
      expect((await checked).stdout).toBe("");
      const runner = written("all.mjs", files.map((file) => `await import("${file}");\n`).join(""));
      const expected = await curl();
      const received = await receivedFrom(process.execPath, [runner]);
      expect(received.map(asSdk)).toEqual(expected.map(asSdk));
    },
    enoughMs,
  );
});
