import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { offlineWorld } from "../test-world.ts";

/** Entry hashes by service, at the index of the entry's number. */
let trails: Record<string, string[]>;
let requests: string[];
/** The first call to this service fails. */
let fails = "";
let world: ReturnType<typeof offlineWorld>;
beforeEach(() => {
  requests = [];
  fails = "";
  trails = { gateway: ["g1"], payout: Array.from({ length: 1_003 }, (_each, at) => `p${at + 1}`) };
  world = offlineWorld({ connect: (url) => transportOf(new URL(url).hostname) });
});
afterEach(() => world.remove());

const line = (service: string, index: number) => {
  const all = trails[service] ?? [];
  const entry = { service, sequence: index + 1, previous_hash: all[index - 1] ?? "" };
  return `${JSON.stringify({ ...entry, hash: all[index] })}\n`;
};
const whole = (service: string) =>
  (trails[service] ?? []).map((_e, at) => line(service, at)).join("");

function transportOf(name: string) {
  return createRouterTransport(({ service }) =>
    service(AuditService, {
      exportAuditEntries: ({ after, limit }) => {
        requests.push(`${name} ${after}`);
        if (fails === `${name} ${after}`) throw new ConnectError("away", Code.Unavailable);
        const all = trails[name] ?? [];
        const end = Math.min(all.length, Number(after) + limit);
        const from = Number(after);
        const lines = Array.from({ length: Math.max(0, end - from) }, (_each, at) =>
          line(name, from + at),
        );
        return { jsonLines: lines.join(""), lastSequence: BigInt(Math.max(from, end)) };
      },
    }),
  );
}

it("prints all services' trails, page by page", async () => {
  const { code, out, err } = await world.run("audit", "export");
  expect(code).toBe(0);
  expect(out).toBe(whole("gateway") + whole("payout"));
  expect(err).toContain("gateway: 1 entry, up to 1\n");
  expect(err).toContain("payout: 1003 entries, up to 1003\n");
  expect(requests).toEqual(expect.arrayContaining(["payout 0", "payout 1000", "payout 1003"]));
});

it("prints the entries after --after of one service", async () => {
  const { out } = await world.run("audit", "export", "--service", "payout", "--after", "1001");
  expect(out).toBe(line("payout", 1_001) + line("payout", 1_002));
});

it("continues a file, also after an incomplete line, readable only by its user", async () => {
  const file = join(world.folder, "audit.jsonl");
  const run = () => world.run("audit", "export", "--out", "audit.jsonl");
  fails = "payout 1000";
  expect(await run()).toMatchObject({ code: 5, out: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  appendFileSync(file, '{"service":"payout","seq');
  fails = "";
  requests = [];
  expect((await run()).code).toBe(0);
  expect(requests).toContain("payout 1000");
  expect(requests).not.toContain("payout 0");
  expect(readFileSync(file, "utf8")).toBe(whole("gateway") + whole("payout"));
  trails.gateway?.push("g2");
  expect(await run()).toMatchObject({ code: 0, out: "" });
  expect(readFileSync(file, "utf8")).toBe(
    whole("gateway").slice(0, line("gateway", 0).length) + whole("payout") + line("gateway", 1),
  );
});

it("fails and writes nothing if the trail differs from the exported one", async () => {
  const file = join(world.folder, "audit.jsonl");
  await world.run("audit", "export", "--out", "audit.jsonl");
  const before = readFileSync(file, "utf8");
  trails.gateway = ["x1", "x2"];
  const { code, err } = await world.run("audit", "export", "--out", "audit.jsonl");
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining("the trail of gateway differs: entry 1 was exported"),
  });
  expect(readFileSync(file, "utf8")).toBe(before);
});

it.each([
  ["a number for all services", ["--after", "3"], "--after: requires --service"],
  ["no number", ["--service", "payout", "--after", "-1"], "is not the number of an entry"],
  [
    "a number beside a file",
    ["--service", "payout", "--after", "1", "--out", "f"],
    "--after: cannot",
  ],
  ["another file", ["--out", "notes.txt"], "notes.txt, line 1: is not an entry of an audit trail"],
  ["a line that is no export", ["--out", "note.txt"], "note.txt: is not an export of audit trails"],
  ["a folder", ["--out", "."], "EISDIR"],
  ["an unknown service", ["--service", "payuot"], "did you mean"],
])("rejects %s without calling a service", async (_what, args, problem) => {
  writeFileSync(join(world.folder, "notes.txt"), "milk\n");
  writeFileSync(join(world.folder, "note.txt"), "milk");
  const { code, out, err } = await world.run("audit", "export", ...args);
  expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
  expect(err).toContain(problem);
  expect(readFileSync(join(world.folder, "notes.txt"), "utf8")).toBe("milk\n");
  expect(readFileSync(join(world.folder, "note.txt"), "utf8")).toBe("milk");
});
