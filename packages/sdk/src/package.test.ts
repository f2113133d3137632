import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "./caller.ts";
import { operationsOf } from "./generator/document.ts";
import { placeOf } from "./generator/resources.ts";
import { type InstalledPackage, installPackage, oldestNode } from "./test-package.ts";

/** Tests the installed package with the oldest Node on this machine. */

const sdk = join(import.meta.dirname, "..");
const readme = readFileSync(join(sdk, "README.md"), "utf8");
const manifest = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8"));
const node = oldestNode();

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
}, 60_000);
afterAll(() => installed?.remove());

describe("the package", () => {
  test("contains JavaScript, types, sources and documents", () => {
    const folders = new Set(installed.files.map((path) => path.replace(/[^/]+$/, "")));
    const built = ["dist/cjs/", "dist/cjs/gen/", "dist/esm/", "dist/esm/gen/"];
    expect([...folders].sort()).toEqual(["", ...built, "src/", "src/gen/"]);
    expect(installed.files).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/cjs/package.json"]),
    );
    for (const file of ["index.js", "index.d.ts", "index.js.map", "index.d.ts.map"]) {
      expect(installed.files).toEqual(
        expect.arrayContaining([`dist/cjs/${file}`, `dist/esm/${file}`]),
      );
    }
  });

  test("contains no tests and no generator", () => {
    expect(installed.files.filter((path) => /test|generator/.test(path))).toEqual([]);
  });

  test("depends on no workspace package and has the right version", () => {
    expect(Object.keys(manifest.dependencies)).toEqual(["lossless-json"]);
    expect(manifest.version).toBe(version);
    expect(manifest.private).toBeUndefined();
  });

  test("resolves with its types in all module systems, according to publint and attw", () => {
    const check = [join(sdk, "check-package.mjs"), installed.tarball];
    expect(run(process.execPath, check)).toEqual({ status: 0, output: "" });
  });
});

test("has types for ESM and CommonJS programs that check libraries", () => {
  const program = `import { type CreateCryptoBeneficiaryRequest, csvOf, Disburse, eventFeed, isDisburseError, onceInOrder, signWebhook, verifyWebhook, type Quote } from "@disburse/sdk";
    export async function main() {
      const disburse = new Disburse({ apiKey: "k", baseUrl: "https://gateway.example" });
      const terms = { beneficiary_id: "b", account_id: "a", source_currency_code: "USD", destination_currency_code: "INR" };
      const quote: Quote = await disburse.quotes.request({ ...terms, source_amount: "10.00" });
      const rate: string = quote.exchange_rate;
      const created = async (body: CreateCryptoBeneficiaryRequest): Promise<string> =>
        (await disburse.beneficiaries.createCrypto(body)).beneficiary_id;
      const checked = async (body: CreateCryptoBeneficiaryRequest): Promise<boolean> =>
        (await disburse.beneficiaries.validateCrypto(body)).valid;
      void [created, checked];
      // @ts-expect-error: a number is not a Decimal.
      await disburse.quotes.request({ ...terms, source_amount: 10.1 });
      // @ts-expect-error: no payout has this status.
      disburse.payouts.list({ status: "paid" });
      for await (const payout of disburse.payouts.list({ status: "failed" })) {
        const amount: string = payout.amount.source_amount;
        void amount;
      }
      const event = verifyWebhook("", new Headers(), { secret: rate });
      if (event.transaction_type === "payout_session") event.data.receiving_amount.padStart(3);
      const inOrder = onceInOrder(new Map());
      await inOrder(event, ({ id, timestamp }) => id.padStart(3) + timestamp);
      for await (const each of eventFeed(disburse, { after: "c" })) {
        await inOrder(each, ({ occurred_at }) => occurred_at);
        if (each.transaction_type === "payout_session") each.data.receiving_amount.padStart(3);
      }
      csvOf(disburse.payouts.list(), ["id", "amount.source_amount"]);
      // @ts-expect-error: no payout has this field.
      csvOf(disburse.payouts.list(), ["amount.paid"]);
      const { body, headers } = signWebhook(event, { secret: rate });
      void [body, headers["webhook-id"]];
      try { await disburse.payouts.get("po_1"); } catch (error) {
        if (isDisburseError(error) && error.code === "RECORD_NOT_FOUND") void error.retryAfterSeconds;
      }
    }`;
  for (const each of ["program.mts", "program.cts"]) {
    writeFileSync(join(installed.folder, each), program);
  }
  const options = {
    compilerOptions: {
      module: "nodenext",
      target: "es2022",
      lib: ["es2022"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      types: ["node"],
      typeRoots: [join(sdk, "../../node_modules/@types")],
    },
    files: ["program.mts", "program.cts"],
  };
  writeFileSync(join(installed.folder, "tsconfig.json"), JSON.stringify(options));
  const tsc = join(sdk, "../../node_modules/typescript/bin/tsc");
  const { status, output } = run(process.execPath, [tsc, "-p", installed.folder]);
  // Dependencies may fail the strictest check; this package must not.
  const ours = output.split("\n").filter((line) => /sdk\/dist|program\.[cm]ts/.test(line));
  expect({ ours, hasRun: status === 0 || output.includes("error TS") }).toEqual({
    ours: [],
    hasRun: true,
  });
});

test("has types for ES2020 and the module resolution of older projects", () => {
  const folder = join(installed.folder, "older");
  mkdirSync(folder);
  const program = `import { Disburse, verifyReceipt, verifyWebhook } from "@disburse/sdk";
    export async function main(): Promise<string[]> {
      const disburse = new Disburse({ apiKey: "k", baseUrl: "https://gateway.example" });
      const event = verifyWebhook("", {}, { secret: "s" });
      const file = await disburse.payouts.getReceiptPdf(event.transaction_id);
      const receipt = verifyReceipt({}, await disburse.receipts.getKeys());
      const found: string[] = [file.name, receipt.payout_id];
      for await (const payout of disburse.payouts.list()) found.push(payout.id);
      return found;
    }`;
  writeFileSync(join(folder, "program.ts"), program);
  // The compiler of the repository has no such resolution any more; attw has an older one.
  const attw = createRequire(createRequire(import.meta.url).resolve("@arethetypeswrong/core"));
  const tsc = attw.resolve("typescript/bin/tsc");
  const options = ["--target", "es2020", "--lib", "es2020", "--module", "commonjs"];
  const more = ["--moduleResolution", "node10", "--types", "node", "--strict", "--noEmit"];
  const roots = ["--typeRoots", join(sdk, "../../node_modules/@types")];
  const { status, output } = run(process.execPath, [
    ...[tsc, ...options, ...more, ...roots, join(folder, "program.ts")],
  ]);
  // Node's types may need a newer compiler; this package must not.
  const ours = output.split("\n").filter((line) => /sdk\/dist|program\.ts/.test(line));
  expect({ ours, hasRun: status === 0 || output.includes("error TS") }).toEqual({
    ours: [],
    hasRun: true,
  });
});

function run(program: string, args: readonly string[]): { status: number; output: string } {
  try {
    return { status: 0, output: execFileSync(program, args, { encoding: "utf8", stdio: "pipe" }) };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { status, output: stdout + stderr };
  }
}

test.each([
  ["import", "program.mjs", `import { Disburse } from "@disburse/sdk";`, "esm"],
  ["require", "program.cjs", `const { Disburse } = require("@disburse/sdk");`, "cjs"],
])(`runs under Node ${node.version}, loaded by %s`, async (_, file, load, format) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers["user-agent"]}`);
    if (requests.length === 1) response.writeHead(503).end("busy");
    else if (request.url?.includes("cursor")) {
      response.end('{"data":{"accounts":[{"id":"b"}],"meta_data":{"next_cursor":""}}}');
    } else {
      const account = '{"id":"a","available":0.10000000000000000001}';
      response.end(`{"data":{"accounts":[${account}],"meta_data":{"next_cursor":"c"}}}`);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const program = `${load}
    (async () => {
      const disburse = new Disburse({ apiKey: "k", baseUrl: "http://127.0.0.1:${port}" });
      for await (const each of disburse.accounts.list()) console.log(each.id, each.available);
      const { stack } = await disburse.accounts.list({}, { timeoutMs: 0 }).catch((error) => error);
      console.log(/sdk.dist.(esm|cjs)/.exec(stack)?.[1]);
    })();`;
  writeFileSync(join(installed.folder, file), program);
  try {
    const { stdout } = await promisify(execFile)(node.path, [file], { cwd: installed.folder });
    expect(stdout).toBe(`a 0.10000000000000000001\nb undefined\n${format}\n`);
    expect(requests).toHaveLength(3);
    expect(requests[0]).toContain(`disburse-sdk/${version} node/${node.version.slice(1)}`);
  } finally {
    server.close();
  }
});

describe("examples", () => {
  const secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  const standardSecret = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
  const body =
    '{"transaction_type":"refund","transaction_id":"rf_1","data":{"id":"rf_1","status":"initiated"}}';
  /** The length of a genuine signature. */
  const forged = Buffer.alloc(32).toString("base64");
  const examples = readdirSync(join(sdk, "examples"));

  test("cover the common servers", () => {
    expect(examples.toSorted()).toEqual(["express.mjs", "koa.mjs", "node-http.mjs"]);
  });

  test.each(examples)("%s accepts a genuine webhook and rejects a forged one", async (name) => {
    const file = join(installed.folder, name);
    writeFileSync(file, readFileSync(join(sdk, "examples", name)));
    const child = spawn(node.path, [file], {
      env: {
        PATH: process.env.PATH,
        // Express reports its own refusals elsewhere.
        NODE_ENV: "test",
        PORT: "0",
        DISBURSE_WEBHOOK_SECRET: secret,
        DISBURSE_STANDARD_SECRET: standardSecret,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const port = /\d+$/.exec(String((await lines.next()).value))?.[0];
      const post = async (text: string, headers: Record<string, string>) => {
        const url = `http://127.0.0.1:${port}/webhooks`;
        return (await fetch(url, { method: "POST", body: text, headers })).status;
      };
      const headers = signed(body);
      expect(await post(body, headers)).toBe(200);
      expect((await lines.next()).value).toBe("refund rf_1 initiated");
      // During a rotation, to a receiver with the previous secrets.
      const { "x-service-signature": previous = "", ...rest } = headers;
      const others = `v1,${Buffer.alloc(32).toString("base64")}`;
      const rotated = {
        ...rest,
        "x-service-signature": forged,
        "x-service-signature-previous": previous,
        "webhook-signature": `${others} ${headers["webhook-signature"]}`,
      };
      expect(await post(body, rotated)).toBe(200);
      expect((await lines.next()).value).toBe("refund rf_1 initiated");
      expect(await post(body, { ...rotated, "x-service-signature-previous": forged })).toBe(400);
      expect(await post(body, { ...headers, "x-service-signature": forged })).toBe(400);
      expect(await post(body, { ...headers, "webhook-signature": others })).toBe(400);
      expect(await post(body, signed(body, 301))).toBe(400);
      expect(await post(`${body} `, headers)).toBe(400);
      const altered = body.replace('"initiated"', '"initiated","amount":99');
      expect(await post(altered, headers)).toBe(400);
      expect(await post("", {})).toBe(400);
      const endless = post("x".repeat(4 * 1_024 * 1_024), headers);
      expect(await endless.catch(() => 413)).toBe(413);
      expect(await post(body, headers)).toBe(200);
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });

  test.each(examples)("%s is in the README", (name) => {
    const code = readFileSync(join(sdk, "examples", name), "utf8");
    expect(readme).toContain(`\`\`\`js\n${code}\`\`\``);
  });

  function signed(text: string, agoSeconds = 0): Record<string, string> {
    const now = new Date(Date.now() - agoSeconds * 1_000);
    return {
      "content-type": "application/json",
      // base64(sha256("rf_1,initiated:" + secret)), computed with openssl.
      "x-service-signature": "TT77mKS3Vm8fHPT5JdzPwYcnWsTUnMpUEXYvraNxpTM=",
      "webhook-id": "rf-1",
      "webhook-sequence": "1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": new Webhook(standardSecret).sign("rf-1", now, text),
    };
  }
});

test("the README names every method", () => {
  const document = JSON.parse(readFileSync(join(sdk, "../../docs/openapi.json"), "utf8"));
  const rows = operationsOf(document).map(placeOf);
  for (const { resource, method } of rows) {
    expect(readme).toMatch(new RegExp(`^\\| \`${resource}\` \\| .*\`${method}\``, "m"));
  }
});
