import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListFormat, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  mutation,
  personLine,
  refusalOf,
  screenName,
  type TestCompliance,
  testCompliance,
} from "../../test-compliance.ts";

let test: TestCompliance;
let folder: string;
beforeEach(async () => {
  test = await testCompliance();
  folder = await mkdtemp(join(tmpdir(), "sources-"));
});
afterEach(async () => {
  await test.end();
  await rm(folder, { recursive: true });
});

describe("a service with a source", () => {
  it("imports its list on schedule, checks it on request, and returns the result", async () => {
    const path = join(folder, "internal.jsonl");
    await writeFile(path, personLine("1", "Tamerlan Zhdanovski"));
    const source = { list: "internal", format: "json_lines", files: [{ path }] };
    const rpc = await test.start({ LIST_SOURCES: JSON.stringify([source]) });
    await vi.waitFor(
      async () => {
        const { sources } = await rpc.listSources({});
        expect(sources).toMatchObject([{ list: "internal", outcome: "imported", failures: 0 }]);
        expect(sources[0]).toMatchObject({ format: ListFormat.JSON_LINES, locations: [path] });
      },
      { timeout: 20_000, interval: 100 },
    );
    expect((await screenName(rpc, "Tamerlan Zhdanovski"))?.verdict).toBe(Verdict.BLOCK);

    const check = async () => {
      const { source: checked } = await rpc.checkSource({ mutation: mutation(), list: "internal" });
      return checked;
    };
    expect((await check())?.outcome).toBe("unchanged");
    await writeFile(path, personLine("2", "Ondrecka Vashtibor"));
    expect((await check())?.outcome).toBe("imported");
    expect((await screenName(rpc, "Ondrecka Vashtibor"))?.verdict).toBe(Verdict.BLOCK);
    await rm(path);
    expect(await check()).toMatchObject({
      outcome: "unreachable",
      problem: `${path}: could not be read (ENOENT)`,
      failures: 1,
    });
    expect((await rpc.listLists({})).lists).toMatchObject([{ list: "internal", entries: 1 }]);
    const operation = mutation();
    await rpc.checkSource({ mutation: operation, list: "internal" });
    const again = rpc.checkSource({ mutation: operation, list: "other" });
    expect((await refusalOf(again))?.message).toContain("was used for a different request before");
    const other = rpc.checkSource({ mutation: mutation(), list: "other" });
    expect(await refusalOf(other)).toMatchObject({ code: "RECORD_NOT_FOUND" });
  });

  it("clears no party before each required list came into force", async () => {
    const [first, last] = [join(folder, "first.jsonl"), join(folder, "last.jsonl")];
    await writeFile(first, personLine("1", "Tamerlan Zhdanovski"));
    const format = "json_lines";
    const sources = [
      { list: "first", format, files: [{ path: first }] },
      { list: "extra", format, files: [{ path: join(folder, "none.jsonl") }], optional: true },
      { list: "last", format, files: [{ path: last }] },
    ];
    const settings = { LIST_SOURCES: JSON.stringify(sources) };
    const rpc = await test.start(settings);
    const outcomes = ["imported", "unreachable", "unreachable"];
    await vi.waitFor(
      async () => {
        const { sources: known } = await rpc.listSources({});
        expect(known.map(({ outcome }) => outcome)).toEqual(outcomes);
      },
      { timeout: 20_000, interval: 100 },
    );
    const screening = screenName(rpc, "Ondrecka Vashtibor");
    expect(await refusalOf(screening)).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    await writeFile(last, personLine("2", "Ondrecka Vashtibor"));
    await rpc.checkSource({ mutation: mutation(), list: "last" });
    expect((await screenName(rpc, "Ondrecka Vashtibor"))?.verdict).toBe(Verdict.BLOCK);
    await rm(last);
    const restarted = await test.start(settings);
    expect((await screenName(restarted, "Ondrecka Vashtibor"))?.verdict).toBe(Verdict.BLOCK);
  });
});
