import { describe, expect, test } from "vitest";
import { Disburse } from "./disburse.ts";
import { data, refusal, scripted } from "./test-platform.ts";

const page = (ids: readonly string[], cursor: string) =>
  data(
    JSON.stringify({
      transactions: ids.map((id) => ({ id })),
      meta_data: { total_count: 5, next_cursor: cursor },
    }),
  );
const threePages = () => [page(["a", "b"], "c1"), page(["c", "d"], "c2"), page(["e"], "")];

async function idsOf(records: AsyncIterable<{ id: string }>): Promise<string> {
  const ids: string[] = [];
  for await (const { id } of records) ids.push(id);
  return ids.join("");
}

const query = { status: "failed", limit: 2 } as const;

test("iteration yields the records of all pages with the same filters", async () => {
  const { options, sent } = scripted(threePages());
  expect(await idsOf(new Disburse(options).payouts.list(query))).toBe("abcde");
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    "?status=failed&limit=2",
    "?status=failed&limit=2&cursor=c1",
    "?status=failed&limit=2&cursor=c2",
  ]);
});

test("await returns the first page, which loads the next", async () => {
  const { options, sent } = scripted(threePages());
  const first = await new Disburse(options).payouts.list(query);
  expect(first.records.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(first.meta_data).toEqual({ total_count: 5, next_cursor: "c1" });
  expect(first.hasNext).toBe(true);
  expect(sent).toHaveLength(1);
  const third = await (await first.next()).next();
  expect(third.records.map(({ id }) => id)).toEqual(["e"]);
  expect(third.hasNext).toBe(false);
  await expect(third.next()).rejects.toThrow(RangeError);
});

test("iterating a page begins with its own records", async () => {
  const { options } = scripted(threePages());
  const first = await new Disburse(options).payouts.list();
  expect(await idsOf(await first.next())).toBe("cde");
});

test("a list ends at an empty cursor, regardless of its first cursor", async () => {
  for (const cursor of ["", "c1"]) {
    const { options, sent } = scripted([page(["a"], ""), page(["b"], "c2")]);
    expect(await idsOf(new Disburse(options).payouts.list({ cursor }))).toBe("a");
    expect(sent).toHaveLength(1);
  }
});

test("a loop that ends early requests no more pages", async () => {
  const { options, sent } = scripted(threePages());
  for await (const { id } of new Disburse(options).payouts.list()) if (id === "c") break;
  expect(sent).toHaveLength(2);
});

test("sends nothing before await, and only once for several awaits", async () => {
  const { options, sent } = scripted(threePages());
  const list = new Disburse(options).payouts.list();
  expect(sent).toHaveLength(0);
  expect(await list).toBe(await list);
  expect(sent).toHaveLength(1);
});

test("a list works as a promise", async () => {
  const { options } = scripted([page(["a"], ""), refusal(404, "RECORD_NOT_FOUND")]);
  const { payouts } = new Disburse(options);
  let isSettled = false;
  const [first] = await Promise.all([payouts.list().finally(() => (isSettled = true))]);
  expect(first.records).toHaveLength(1);
  expect(isSettled).toBe(true);
  expect(await payouts.list().catch((error: unknown) => error)).toMatchObject({
    code: "RECORD_NOT_FOUND",
  });
});

describe("rejects a response that is not a page", () => {
  test.each([
    ["without its list", '{"meta_data":{"next_cursor":""}}'],
    ["with something else for a list", '{"transactions":{},"meta_data":{"next_cursor":""}}'],
    ["without a cursor", '{"transactions":[],"meta_data":{}}'],
    ["without meta data", '{"transactions":[]}'],
    ["that is no object", "null"],
  ])("%s", async (_, json) => {
    const { options } = scripted([data(json)]);
    const failure = await new Disburse(options).payouts.list().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "answer", code: "UNEXPECTED_ANSWER" });
  });

  test("whose cursor points to itself", async () => {
    const { options, sent } = scripted([page(["a"], "c1"), page(["b"], "c1")]);
    await expect(idsOf(new Disburse(options).payouts.list())).rejects.toThrow("not a page");
    expect(sent).toHaveLength(2);
  });
});
