import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { expectRefusal } from "./error-table.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
let receiver: Receiver;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());

const path = (id: string, rest = "") => `${paths.batches}/${id}${rest}`;
const until = (id: string, expected: object) =>
  vi.waitFor(async () => expect(await acme.data("GET", path(id))).toMatchObject(expected), {
    ...{ timeout: 20_000, interval: 50 },
  });

async function fileOf(cells: readonly (readonly [string, string])[]): Promise<string> {
  const terms = Object.entries(await acme.transfer("USD", "USD"));
  const header = [...terms.map(([name]) => name), "source_amount", "reference_id"];
  const rows = cells.map((each) => [...terms.map(([, value]) => value), ...each]);
  return [header, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Returns the rows of a report without quoted cells, by column name. */
function rowsOf(text: string): Record<string, string>[] {
  const [header = [], ...rows] = text.split("\r\n").map((row) => row.split(","));
  const cells = rows.slice(0, -1);
  return cells.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ""])));
}

const upload = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${platform.baseUrl}${paths.batches}`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${platform.apiKey("acme")}`, "content-type": "text/csv" },
      ...headers,
    },
    body,
  });

it("a payroll as a CSV file is approved, paid line by line, and reported", async () => {
  const file = await fileOf([
    ["10.00", "salary-1"],
    ["2000000.00", "salary-2"],
    ["12.50", "sandbox-fail"],
  ]);
  const event_types = ["batch.finished"];
  await acme.post(paths.endpoints, { url: receiver.url, event_types });
  const sent = await upload(file, { "idempotency-key": "payroll-2026-12" });
  const { data: batch } = (await sent.json()) as { data: Record<string, string> };
  const id = batch?.id ?? "";
  expect(batch).toMatchObject({ state: "awaiting_approval", line_count: 3, waiting_count: 3 });
  const repeated = await upload(file, { "idempotency-key": "payroll-2026-12" });
  expect(repeated.headers.get("idempotent-replayed")).toBe("true");
  expect(((await repeated.json()) as { data: object }).data).toEqual(batch);

  await acme.data("POST", path(id, "/approve"), { max_total_amount: "100.00" });
  const counts = { executed_count: 2, failed_count: 1, waiting_count: 0 };
  await until(id, { state: "finished", total_amount: 22.5, ...counts });
  // A batch of another file may end at the same time.
  const isEnd = ({ body }: { body: Buffer }) =>
    body.includes("batch.finished") && body.includes(id);
  await receiver.waitFor(1, { filter: isEnd });
  expect(JSON.parse(String(receiver.calls.find(isEnd)?.body))).toMatchObject({
    ...{ transaction_id: id, data: { id, status: "finished", executed_count: 2, failed_count: 1 } },
  });
  const { lines } = await acme.data("GET", path(id, "/lines"));
  expect(lines[1]).toMatchObject({ state: "failed", failure_code: "BATCH_TOTAL_EXCEEDED" });
  await vi.waitFor(async () => {
    const { text } = await acme.get(path(id, "/report.csv"));
    expect(rowsOf(text)).toMatchObject([
      { number: "1", reference_id: "salary-1", status: "succeeded", source_amount: "10.00" },
      { number: "2", payout_id: "", failure_code: "BATCH_TOTAL_EXCEEDED" },
      { number: "3", status: "failed", failure_code: "BENEFICIARY_BANK_REJECTED" },
    ]);
  }, 15_000);
  const { json } = await acme.get(path(id, "/report.json"));
  expect(json).toMatchObject({ batch: { id, ...counts }, lines: [{ number: 1 }, {}, {}] });
  expectRefusal(await acme.post(path(id, "/cancel"), {}), "NOT_CANCELLABLE");
  expectRefusal(await globex.get(path(id)), "RECORD_NOT_FOUND");
});

it("what is wrong is named by line and column, and nothing is stored", async () => {
  const file = await fileOf([
    ["10.00", "a"],
    ["ten", "b"],
  ]);
  const problem = async (answer: Response) =>
    ((await answer.json()) as { message: string }).message;
  expect(await problem(await upload(file))).toBe(
    "lines[1].source_amount: must be a decimal number",
  );
  const misspelt = file.replace("source_amount", "source_ammount");
  expect(await problem(await upload(misspelt))).toMatch(
    /^source_ammount: is not known here, did you mean source_amount\?/,
  );
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const twice = { lines: [line, { ...line, beneficiary_id: "ben_x" }] };
  expect((await acme.post(paths.batches, twice)).json).toMatchObject({
    violations: [{ field: "lines[1].beneficiary_id" }],
  });
});

it("ten thousand lines are taken, and can be cancelled; more than 8 MiB are not", async () => {
  const rows = (count: number) =>
    fileOf(
      Array.from(
        { length: count },
        (_each, at) => ["1.00", `salary-${at}`.padEnd(255, "é")] as const,
      ),
    );
  const largest = await rows(10_000);
  // Exceeds the size limit of other requests between services.
  expect(Buffer.byteLength(largest)).toBeGreaterThan(4 * 1024 * 1024);
  const sent = await upload(largest);
  const { data } = (await sent.json()) as { data: { id: string; source_total: object } };
  expect(data).toMatchObject({ line_count: 10_000, source_total: { amount: 10_000 } });
  const cancelled = { state: "cancelled", cancelled_count: 10_000 };
  expect(await acme.data("POST", path(data.id, "/cancel"), {})).toMatchObject(cancelled);
  expect((await upload("x".repeat(8 * 1024 * 1024 + 1))).status).toBe(413);
});
