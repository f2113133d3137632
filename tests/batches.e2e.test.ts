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

/** Returns a file of lines with these cells. */
async function fileOf(
  cells: readonly (readonly [source: string, reference: string, receiving?: string])[],
): Promise<string> {
  const terms = Object.entries(await acme.transfer("USD", "USD"));
  const own = ["source_amount", "reference_id"];
  const isReceiving = cells.some(([_source, _reference, receiving]) => receiving !== undefined);
  if (isReceiving) own.push("receiving_amount");
  const header = [...terms.map(([name]) => name), ...own];
  const rows = cells.map((each) => [
    ...terms.map(([, value]) => value),
    ...own.map((_name, at) => each[at] ?? ""),
  ]);
  return [header, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Returns the rows of a report without quoted cells, by column name. */
function rowsOf(text: string): Record<string, string>[] {
  const [header = [], ...rows] = text.split("\r\n").map((row) => row.split(","));
  const cells = rows.slice(0, -1);
  return cells.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ""])));
}

const upload = (body: string, headers: Record<string, string> = {}, query = {}) =>
  fetch(`${platform.baseUrl}${paths.batches}?${new URLSearchParams(query)}`, {
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
    ["", "salary-2", "2000000.00"],
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

/** A payroll with one line for each kind of mistake, and the kinds as `field: message`. */
async function mistaken() {
  const { account_id, beneficiary_id } = (await acme.transfer("USD", "USD")) as Record<
    string,
    string
  >;
  const right: Record<string, string> = {
    ...{ account_id: account_id ?? "", beneficiary_id: beneficiary_id ?? "" },
    ...{ source_currency_code: "USD", destination_currency_code: "USD" },
    ...{ source_amount: "10.00", receiving_amount: "", max_source_amount: "" },
    ...{ reference_id: "", remittance_information: "", purpose_code: "SALA" },
    ...{ allow_duplicate: "FALSE", "metadata.team": "A" },
  };
  const kinds: [string, Record<string, string>][] = [
    ["source_amount: must be a decimal number", { source_amount: "ten" }],
    ["source_amount: must have a decimal point, or send", { source_amount: "10,50" }],
    ["source_amount: must have at most 2 decimals", { source_amount: "1.001" }],
    ["source_amount: must be greater than zero", { source_amount: "0" }],
    ["source_amount: must have at most 15 digits", { source_amount: "1234567890123456" }],
    ["source_amount: is required", { source_amount: "" }],
    ["beneficiary_id: must be one of your beneficiaries", { beneficiary_id: "ben_x" }],
    ["beneficiary_id: is required", { beneficiary_id: "" }],
    ["account_id: must be the same in all lines", { account_id: "acc_x" }],
    ["account_id: is required", { account_id: "" }],
    ["source_currency_code: must be the account's currency, USD", { source_currency_code: "EUR" }],
    ["source_currency_code: is required", { source_currency_code: "" }],
    ["destination_currency_code: must be the beneficiary's", { destination_currency_code: "INR" }],
    ["max_source_amount: must not be below source_amount", { max_source_amount: "9.99" }],
    ["max_source_amount: must be a decimal number", { max_source_amount: "most" }],
    ["purpose_code: must be an ISO 20022 purpose code", { purpose_code: "x" }],
    ["remittance_information: must be at most 140", { remittance_information: "x".repeat(141) }],
    ["reference_id: must be at most 255 characters", { reference_id: "x".repeat(256) }],
    ["allow_duplicate: must be true or false", { allow_duplicate: "yes" }],
    ["metadata: must be an object of at most", { "metadata.team": "x".repeat(501) }],
  ];
  const names = Object.keys(right);
  const rowOf = (change: Record<string, string>, reference: string) =>
    names.map((name) => ({ ...right, reference_id: reference, ...change })[name] ?? "");
  const rows = kinds.map(([, change], at) => rowOf(change, `salary-${at}`));
  const corrected = kinds.map((_kind, at) => rowOf({}, `salary-${at}`));
  const text = (header: string[], cells: string[][]) =>
    [header, ...cells].map((row) => `${row.join(";")}\r\n`).join("");
  // Three more mistakes: of the header, of quotes, and a value without a column.
  const misspelt = names.map((name) => (name === "max_source_amount" ? "max_source_amout" : name));
  const broken = `${rowOf({}, '"salary').join(";")}\r\n${rowOf({}, "more").join(";")};1\r\n`;
  return {
    kinds: kinds.map(([kind]) => kind),
    text: `\uFEFF${text(misspelt, rows)};;;;\r\n${broken};;;;\r\n`,
    corrected: `\uFEFF${text(names, corrected)};;;;\r\n`,
  };
}

it("a payroll with 23 kinds of mistakes is corrected in one round", async () => {
  const { kinds, text, corrected } = await mistaken();
  const excel = { "content-type": "application/vnd.ms-excel" };
  const query = { file_name: "payroll.csv", reference_id: "2026-12" };
  const refused = (await (await upload(text, excel, query)).json()) as {
    violations: { field: string; message: string; row: number; reference_id?: string }[];
  };
  const named = refused.violations.map(({ field, message, row, reference_id }) => {
    const [, at] = /^lines\[(\d+)\]/.exec(field) ?? [];
    const line = at === undefined ? "" : `${row}/${reference_id ?? ""} `;
    return `${line}${field.replace(/^lines\[\d+\]\.?/, "")}: ${message}`;
  });
  const expected = kinds.map((kind, at) => {
    return kind.startsWith("reference_id") ? `${at + 2}/x` : `${at + 2}/salary-${at} ${kind}`;
  });
  expect(named[0]).toBe("max_source_amout: is not known here, did you mean max_source_amount?");
  for (const each of expected) {
    expect(
      named.filter((found) => found.startsWith(each)),
      each,
    ).toHaveLength(1);
  }
  expect(named.slice(-2)).toEqual([
    expect.stringMatching(/^23\/ : must have quotes only around a whole cell/),
    "24/more : has a value in column 13, which has no name",
  ]);
  expect(named).toHaveLength(23);
  const { data } = (await (await upload(corrected, excel, query)).json()) as { data: object };
  expect(data).toMatchObject({
    ...{ line_count: 20, file_name: "payroll.csv", reference_id: "2026-12" },
    source_total: { amount: 200, lines: 20 },
  });
});

it("one wrong account is one error that names the lines", async () => {
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const other = { ...line, account_id: "acc_x" };
  const lines = Array.from({ length: 50 }, (_each, at) => (at === 0 ? line : other));
  const { json } = await acme.post(paths.batches, { lines });
  const numbers = Array.from({ length: 49 }, (_each, at) => at + 2);
  expect(json).toMatchObject({
    violations: [
      { field: "lines[0].account_id", message: "must be the same in all lines" },
      { field: "lines[1].account_id", message: "must be one of your accounts", lines: numbers },
    ],
  });
});

it("failed lines are downloaded, corrected and sent again, once", async () => {
  const file = await fileOf([
    ["10.00", "paid"],
    ["", "=1+1", "2000000.00"],
    ["11.00", "pending"],
  ]);
  const first = (await (await upload(file)).json()) as { data: { id: string } };
  const { id } = first.data;
  await acme.data("POST", path(id, "/approve"), { max_total_amount: "100.00" });
  await until(id, { state: "finished", executed_count: 2, failed_count: 1 });
  const failed = (await acme.get(path(id, "/failed-lines.csv"))).text;
  const [header = "", row = ""] = failed.replace("\uFEFF", "").split("\r\n");
  expect(header).toMatch(/,allow_duplicate,failure_code,failure_message$/);
  expect(row).toMatch(/,2000000.00,.*'=1\+1,.*,BATCH_TOTAL_EXCEEDED,/);
  const fixed = failed.replace("2000000.00", "12.00");
  const again = { corrects_batch_id: id };
  const sent = (await (await upload(fixed, {}, again)).json()) as { data: { id: string } };
  expect(sent.data).toMatchObject({ ...again, line_count: 1 });
  const { lines } = await acme.data("GET", path(id, "/lines"));
  expect(lines[1]).toMatchObject({ reference_id: "=1+1", corrected_by_batch_id: sent.data.id });
  expect(await (await upload(fixed, {}, again)).json()).toMatchObject({
    violations: [{ row: 2, reference_id: "=1+1", field: "lines[0].reference_id" }],
  });
  expect(await (await upload(await fileOf([["1.00", "paid"]]), {}, again)).json()).toMatchObject({
    violations: [{ message: "must be that of a failed line: this line has not failed" }],
  });
  const template = (await acme.get(`${paths.batches}/template.csv`)).text;
  expect(header.startsWith(template.replace("\uFEFF", "").trimEnd())).toBe(true);
});

it("a maximum below the fixed amounts is refused with their sum", async () => {
  const file = await fileOf([
    ["10.00", "a"],
    ["12.50", "b"],
  ]);
  const { data } = (await (await upload(file)).json()) as { data: { id: string } };
  const answer = await acme.post(path(data.id, "/approve"), { max_total_amount: "22.49" });
  expect(answer.json).toMatchObject({
    violations: [{ field: "max_total_amount", message: expect.stringContaining("22.50") }],
  });
  await acme.data("POST", path(data.id, "/cancel"), {});
});

it("parameters of files are refused with JSON, and unknown words with a file", async () => {
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const asked = `${paths.batches}?file_name=x`;
  expect((await acme.post(asked, { lines: [line] })).json).toMatchObject({
    violations: [{ field: "file_name" }],
  });
  const file = await fileOf([["1.00", "a"]]);
  const guessed = await upload(file, {}, { decimal_separator: "auto" });
  expect(await guessed.json()).toMatchObject({ violations: [{ field: "decimal_separator" }] });
});

it("lines of a file wait for balance until the file's time, and are paid when it comes", async () => {
  const account_id = platform.accountId("acme", "USD", false);
  const funded = platform.accountId("acme", "USD");
  const file = (await fileOf([["3.00", "waits"]])).replaceAll(funded, account_id);
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const query = { queue_if_low_balance: "true", expires_at };
  const { data } = (await (await upload(file, {}, query)).json()) as { data: { id: string } };
  expect(data).toMatchObject({
    state: "awaiting_approval",
    queue_if_low_balance: true,
    expires_at,
  });
  await acme.data("POST", path(data.id, "/approve"), { max_total_amount: "3.00" });
  const waits = { state: "waiting", status: "initiated", sub_status: "awaiting_balance" };
  await vi.waitFor(async () => {
    const { lines } = await acme.data("GET", path(data.id, "/lines"));
    expect(lines).toMatchObject([waits]);
  }, 10_000);
  expect(await acme.data("GET", path(data.id))).toMatchObject({ state: "running", expires_at });
  await acme.data("POST", `/api/v1/sandbox/accounts/${account_id}/credit`, { amount: "3.00" });
  await until(data.id, { state: "finished", executed_count: 1, total_amount: 3 });
});

it("options of waiting lines that don't fit are refused by their names", async () => {
  const file = await fileOf([["1.00", "a"]]);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const late = new Date(Date.now() + 8 * 86_400_000).toISOString();
  const yes = { queue_if_low_balance: "true" };
  const before = (await acme.data("GET", paths.batches)).meta_data.total_count;
  for (const [field, query] of [
    ["expires_at", { expires_at: soon }],
    ["expires_at", { expires_at: soon, queue_if_low_balance: "false" }],
    ["expires_at", { ...yes, expires_at: "2020-01-01" }],
    ["expires_at", { ...yes, expires_at: late }],
    ["expires_at", { ...yes, expires_at: "soon" }],
    ["queue_if_low_balance", { queue_if_low_balance: "yes" }],
  ] as const) {
    const refused = await upload(file, {}, query);
    expect([refused.status, await refused.json()], JSON.stringify(query)).toMatchObject([
      400,
      { code: "INVALID_REQUEST", violations: [{ field }] },
    ]);
  }
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const asJson = await acme.post(`${paths.batches}?queue_if_low_balance=true`, { lines: [line] });
  expect(asJson.json).toMatchObject({ violations: [{ field: "queue_if_low_balance" }] });
  expect((await acme.data("GET", paths.batches)).meta_data.total_count).toBe(before);
});
