import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { generateServiceKey } from "@disburse/chassis/identity/keys.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pages = globSync("docs/operators/**/*.md", { cwd: root }).map((file) =>
  readFileSync(join(root, file), "utf8"),
);
const page = pages.join("\n");

/** Returns every RPC of the contracts, such as `payout.PayoutOperatorService/ListRails`. */
function contracts(): ReadonlySet<string> {
  const files = globSync("proto/disburse/*/v1/*.proto", { cwd: root });
  const methods = files.flatMap((file) => {
    const [, , name] = file.split("/");
    const source = readFileSync(join(root, file), "utf8");
    const service = /^service (\w+)/m.exec(source)?.[1];
    return [...source.matchAll(/^ {2}rpc (\w+)/gm)].map(([, rpc]) => `${name}.${service}/${rpc}`);
  });
  return new Set(methods);
}

it("calls RPCs that there are", () => {
  const called = [...page.matchAll(/\b(\w+\.\w+Service\/\w+)/g)].map(([, method = ""]) => method);
  const known = contracts();
  const full = [...page.matchAll(/disburse\.(\w+)\.v1\.(\w+\/\w+)/g)];
  for (const method of called.filter((each) => !each.startsWith("v1."))) {
    expect(known, method).toContain(method);
  }
  for (const [, name, method] of full) expect(known).toContain(`${name}.${method}`);
  expect(called.length).toBeGreaterThan(1);
});

it("shows commands and options that there are", () => {
  const reference = readFileSync(join(root, "docs/reference/command-line.md"), "utf8");
  const described = new Map(
    reference.split(/^## /m).map((part) => [part.split("\n")[0] ?? "", part] as const),
  );
  const everywhere = ["--dry-run", "--field", "--help", "--json", "--operation-id", "--yes"];
  // `kubectl -n disburse get` is another program.
  const shown = page.matchAll(/(?:npx |[`(])disburse ([a-z][a-z -]*[a-z])([^`\n]*)/g);
  let count = 0;
  for (const [line, words = "", rest = ""] of shown) {
    count += 1;
    const name = [words.split(" ").slice(0, 2).join(" "), words.split(" ")[0] ?? ""].find((each) =>
      described.has(each),
    );
    // A noun alone names all of its commands.
    const isNoun = [...described.keys()].some((each) => each.startsWith(`${words} `));
    expect(name !== undefined || isNoun, line).toBe(true);
    const options = [...`${words}${rest}`.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    for (const option of name === undefined ? [] : options) {
      const isKnown =
        everywhere.includes(option) || described.get(name ?? "")?.includes(`\`${option}`);
      expect(isKnown, line).toBe(true);
    }
  }
  expect(count).toBeGreaterThan(50);
});

type Call = { path: string | undefined; headers: IncomingHttpHeaders; body: unknown };
const calls: Call[] = [];
let status = 200;
const server = createServer(async (request, response) => {
  const { url: path, headers } = request;
  calls.push({ path, headers, body: JSON.parse(await text(request)) });
  response.writeHead(status, { "content-type": "application/json" }).end('{"rails":[]}');
});
let port = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = String((server.address() as AddressInfo).port);
});
afterAll(() => server.close());

const asPerson = () => ({ PORT: "1", RPC_PORT: port, TOKEN: "a token" });

function rpc(env: Record<string, string>, ...args: string[]) {
  return rpcWithInput("", env, ...args);
}

function rpcWithInput(input: string, env: Record<string, string>, ...args: string[]) {
  return new Promise<{ code: unknown; stdout: string }>((resolve) => {
    const script = join(root, "deploy/rpc.mjs");
    const child = execFile(process.execPath, [script, ...args], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
    child.stdin?.end(input);
  });
}

it("reads a token from standard input", async () => {
  const method = "payout.PayoutOperatorService/ListRails";
  const { code } = await rpcWithInput("from stdin\n", { PORT: port }, method, "--token-from-stdin");
  expect([code, calls.splice(0)[0]?.headers.authorization]).toEqual([0, "Bearer from stdin"]);
});

it.each(["docker", "kubectl"])("gives no token to %s as an argument", async (program) => {
  const functions = page
    .match(/^rpc\(\) \{ .*$/gm)
    ?.filter((line) => line.includes(`| ${program} `));
  expect(functions).toHaveLength(1);
  // The stub prints its arguments, then its input.
  const stub = `${program}() { printf '%s\\n' "$*"; cat; }`;
  const script = `${stub}\nTOKEN=a-secret\n${functions?.[0]}\nrpc payout some.Service/Method`;
  const stdout = await new Promise<string>((resolve, reject) =>
    execFile("bash", ["-c", script], (error, out) => (error ? reject(error) : resolve(out))),
  );
  const [args = "", ...input] = stdout.split("\n");
  expect(args).toContain("node rpc.mjs");
  expect(args).not.toContain("a-secret");
  expect(input.join("\n")).toBe("a-secret");
});

it("calls by rpc.mjs, under an operation where something changes", async () => {
  const method = "payout.PayoutOperatorService/SetRailPaused";
  const { code, stdout } = await rpc(asPerson(), method, '{"rail":"r"}', "--operation", "o-1");
  expect([code, JSON.parse(stdout)]).toEqual([0, { rails: [] }]);
  const [call] = calls.splice(0);
  expect(call?.path).toBe("/disburse.payout.v1.PayoutOperatorService/SetRailPaused");
  expect(call?.headers.authorization).toBe("Bearer a token");
  const mutation = { operationId: "o-1" };
  expect(call?.body).toEqual({ rail: "r", mutation });
});

it("requires a person and a reason for a call by the service's own key", async () => {
  const { privateText } = generateServiceKey("gateway");
  const env = { SERVICE_KEY: privateText, PAYOUT_URL: `http://127.0.0.1:${port}` };
  const call = (...args: string[]) =>
    rpc(env, "payout.PayoutService/ExecutePayout", "{}", "--to", "payout", ...args);
  for (const missing of [
    [],
    ["--as", "ann"],
    ["--reason", "why"],
    ["--as", "ann", "--reason", ""],
  ]) {
    expect((await call(...missing)).code).toBe(1);
  }
  expect(calls).toEqual([]);
  expect((await call("--as", "ann", "--reason", "restore é")).code).toBe(0);
  const [, claims = ""] = (calls.splice(0)[0]?.headers.authorization ?? "").split(".");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    act: { sub: "ann" },
    reason: "restore é",
  });
});

it("refuses a person or a reason that no call would carry", async () => {
  const call = (...args: string[]) =>
    rpc(asPerson(), "payout.PayoutOperatorService/ListRails", "{}", ...args);
  for (const unused of [
    ["--as", "ann"],
    ["--reason", "why"],
    ["--as", "ann", "--reason", "why"],
  ]) {
    expect((await call(...unused)).code).toBe(1);
  }
  expect(calls.splice(0)).toEqual([]);
});

it("makes an operation id for a change that names none", async () => {
  await rpc(asPerson(), "payout.PayoutOperatorService/SetRailPaused", "{}", "--change");
  const operationId = expect.stringMatching(/^ops-[-0-9a-f]{36}$/);
  expect(calls.splice(0)[0]?.body).toEqual({ mutation: { operationId } });
});

it("calls without an operation to read, and fails where the service refuses", async () => {
  status = 403;
  const { code } = await rpc(asPerson(), "payout.PayoutOperatorService/ListRails");
  expect([code, calls.splice(0)[0]?.body]).toEqual([1, {}]);
});
