import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { matcherConfig } from "../config.ts";
import { buildMatcher } from "../matcher.ts";
import { entriesOf, queriesOf, UnusableInput } from "./query-set.ts";
import { predictionLine, runQueries } from "./recall.ts";

const folder = mkdtempSync(join(tmpdir(), "bench-screening-"));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const person = { uid: "e2", type: "individual", names: [{ name: "ZHDANOVSKI, Tamerlan" }] };
writeFileSync(at("list.jsonl"), JSON.stringify(person));
writeFileSync(at("list.jsonl.gz"), gzipSync(JSON.stringify(person)));
const searched = { first: "Tamerlan", last: "Zhdanovski", type: "individual" };
const query = { id: "q1", kind: "exact", query: searched, expected: "e2" };
writeFileSync(at("queries.jsonl"), JSON.stringify(query));
writeFileSync(at("broken.jsonl"), `${JSON.stringify(query)}\n{"id": 1\n`);
writeFileSync(at("nameless.jsonl"), JSON.stringify({ ...query, query: { type: "individual" } }));

describe("the input of the benchmark", () => {
  it.each([
    ["a list that is not there", entriesOf, "none", "is not there"],
    ["a folder for a list", entriesOf, "", "is no file"],
    ["a list with a broken line", entriesOf, "broken.jsonl", "line 1: "],
    ["a broken line of a query", queriesOf, "broken.jsonl", "line 2: is not JSON"],
    ["a query without a name", queriesOf, "nameless.jsonl", "line 1: query: has no name"],
    ["an entry for a query", queriesOf, "list.jsonl", "line 1: id: "],
  ] as const)("that is %s is refused", (_, read, name, problem) => {
    expect(() => read(at(name))).toThrow(UnusableInput);
    expect(() => read(at(name))).toThrow(problem);
  });

  it("may be gzipped", () => {
    expect(entriesOf(at("list.jsonl.gz"))).toEqual(entriesOf(at("list.jsonl")));
  });
});

describe("the benchmark", () => {
  it("predicts what each query finds, with the product's verdict, scores and time", () => {
    const matcher = buildMatcher(entriesOf(at("list.jsonl")), matcherConfig);
    const [line] = runQueries(matcher, queriesOf(at("queries.jsonl"))).map(predictionLine);
    const results = [{ uid: "e2", score: 1 }];
    const ms = expect.any(Number);
    expect(JSON.parse(line ?? "")).toEqual({ id: "q1", verdict: "block", results, ms });
  });

  it.each([
    ["another person", "Igor Petrovski", "clear"],
    ["a name that cannot be read whole", "Tamerl\ufffdn Nobody", "review"],
  ])("judges %s", (_, name, verdict) => {
    const matcher = buildMatcher(entriesOf(at("list.jsonl")), matcherConfig);
    const [query] = queriesOf(at("queries.jsonl"));
    if (query === undefined) throw new Error("no query");
    const [result] = runQueries(matcher, [{ ...query, party: { ...query.party, name } }]);
    expect(result?.verdict).toBe(verdict);
  });

  it("reports scores under the threshold of review, and leaves them clear", () => {
    const matcher = buildMatcher(entriesOf(at("list.jsonl")), matcherConfig);
    const [query] = queriesOf(at("queries.jsonl"));
    if (query === undefined) throw new Error("no query");
    const name = "Taras Zhdanovski";
    const [result] = runQueries(matcher, [{ ...query, party: { ...query.party, name } }]);
    expect(result?.hits).toMatchObject([{ verdict: "clear" }]);
    expect(matcher.match({ ...query.party, name })).toEqual([]);
  });

  it("ends with 1 and its usage after an unknown flag", () => {
    const run = () =>
      execFileSync(process.execPath, [join(import.meta.dirname, "main.ts"), "--what"], {
        stdio: "pipe",
      });
    expect(run).toThrow(
      expect.objectContaining({
        status: 1,
        message: expect.stringMatching(/--what.*usage: npm run bench:screening/s),
      }),
    );
  });
});
