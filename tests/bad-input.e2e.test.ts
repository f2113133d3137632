import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { world } from "./error-table.ts";
import {
  type Answered,
  expectError,
  expectNoInsides,
  expectQuietLogs,
  expectWorking,
  marker,
} from "./expectations.ts";
import { type Payer, payerOf } from "./payer.ts";
import { digits, exact } from "./wire.ts";

let platform: TestPlatform;
let acme: Payer;
let before: object;
beforeAll(async () => {
  platform = await startTestPlatform({ LOG_LEVEL: "debug", RATE_LIMIT_BURST: "5000" });
  acme = payerOf(platform, "acme");
  before = await world(acme);
});
afterAll(() => platform?.stop());

const answered: Answered[] = [];

function expectRefused(answer: Answered, status: number, code: string): void {
  answered.push(answer);
  expectError(answer, status, code);
}

async function post(path: string, body: string | Buffer): Promise<Answered> {
  const response = await fetch(platform.baseUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.apiKey("acme")}`,
      "content-type": "application/json",
    },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  return { status: response.status, text: await response.text() };
}

const operations: readonly [path: string, sound: BodyValues][] = [
  [paths.crypto, { ...cryptoBody(), beneficiary_name: marker }],
  [paths.fiat, { ...bankBody(), beneficiary_first_name: marker }],
  [paths.depositor, { ...depositorBody("individual"), depositor_relation: marker }],
  [paths.rfq, { account_id: marker, beneficiary_id: marker, source_amount: "10.00" }],
  [paths.execute, { quote_id: marker, reference_id: marker }],
  [paths.scheduled, { account_id: marker, beneficiary_id: marker, source_amount: "10.00" }],
  [paths.endpoints, { url: `http://127.0.0.1:9/${marker}`, description: marker }],
];

describe("bodies that are no JSON", () => {
  const text = JSON.stringify({ name: marker });
  it.each<[string, string | Buffer]>([
    ["nothing", ""],
    ["spaces", "   "],
    ["half of one", text.slice(0, -1)],
    ["an open string", `{"a":"${marker}`],
    ["something after it", `${text}${text}`],
    ["a comma too many", `{"a":"${marker}",}`],
    ["single quotes", text.replaceAll('"', "'")],
    ["a comment", `/* ${marker} */{}`],
    ["NaN", `{"a":"${marker}","b":NaN}`],
    ["Infinity", '{"a":-Infinity}'],
    ["a number like 01", '{"a":01}'],
    ["a raw control character", `{"a":"${marker}\u0001"}`],
    ["a key twice", `{"a":"${marker}","a":"b"}`],
    ["a key twice with one value", `{"a":"${marker}","a":"${marker}"}`],
    ["a key twice further down", '{"a":{"b":1,"b":2}}'],
    ["a key twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["30,000 brackets", "[".repeat(30_000)],
    ["12,000 objects", '{"a":'.repeat(12_000)],
    ["11 deep", `${'{"a":'.repeat(11)}1${"}".repeat(11)}`],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["UTF-16", Buffer.from(text, "utf16le")],
    ["two byte-order marks", `\ufeff\ufeff${text}`],
    ["XML", `<name>${marker}</name>`],
  ])("%s", async (_what, body) => {
    for (const [path] of operations) expectRefused(await post(path, body), 400, "INVALID_JSON");
  });
});

describe("bodies that are no sound object", () => {
  const prototype = (sound: BodyValues) => JSON.stringify(sound);
  it.each<[string, (sound: BodyValues) => string]>([
    ["an array", (sound) => JSON.stringify([sound])],
    ["null", () => "null"],
    ["a string", () => JSON.stringify(marker)],
    ["a number", () => "1"],
    ["true", () => "true"],
    ["an empty object", () => "{}"],
    ["all of it in __proto__", (sound) => `{"__proto__":${prototype(sound)}}`],
    ["all of it in constructor", (sound) => `{"constructor":{"prototype":${prototype(sound)}}}`],
    ["operators for values", (sound) => spoilt(sound, { $gt: "", $where: marker })],
    ["arrays for values", (sound) => spoilt(sound, [marker])],
    ["objects for values", (sound) => spoilt(sound, { toString: marker, length: 1 })],
    ["1,800 characters", (sound) => spoilt(sound, marker.repeat(200))],
    ["NUL", (sound) => spoilt(sound, `${marker}\u0000`)],
    ["control characters", (sound) => spoilt(sound, `${marker}\u001b[2J`)],
    ["lone surrogates", (sound) => spoilt(sound, `${marker}\ud800`)],
    ["bidirectional overrides", (sound) => spoilt(sound, `\u202e${marker}`)],
    ["1,000 combining marks", (sound) => spoilt(sound, marker + "\u0300".repeat(1_000))],
    ["201 keys", (sound) => JSON.stringify({ ...sound, more: keys(201) })],
  ])("%s", async (_what, spoil) => {
    for (const [path, sound] of operations) {
      expectRefused(await post(path, spoil(sound)), 400, "INVALID_REQUEST");
    }
  });

  const spoilt = (sound: BodyValues, value: unknown) =>
    JSON.stringify(Object.fromEntries(Object.keys(sound).map((name) => [name, value])));
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_key, at) => [`${marker}${at}`, at]));

  it("unknown fields are ignored, whatever they are called", async () => {
    const unknown = { $set: marker, "a.b": marker, toString: marker, hasOwnProperty: [], id: "x" };
    const body = JSON.stringify({ ...cryptoBody(), ...unknown }).replace(
      /^\{/,
      `{"__proto__":{"screening_status":"cleared"},`,
    );
    const answer = await post(paths.crypto, body);
    answered.push(answer);
    expect(answer.status, answer.text).toBe(200);
    const { beneficiary_id } = JSON.parse(answer.text).data;
    const read = await acme.get(`${paths.beneficiaries}/${beneficiary_id}`);
    expect(read.text).not.toContain(marker);
  });
});

describe("amounts", () => {
  const refused = [
    "-1",
    "0",
    "-0",
    "0.001",
    "1e400",
    "1e-400",
    "1e99999999999999",
    "9007199254740993",
    `1${"0".repeat(400)}`,
    `0.${"0".repeat(5_000)}1`,
    ...["NaN", "", " ", "1,000.00", "0x10", "１００", "1 000", "1e", "--1", "1.", ".5"].map(
      (text) => JSON.stringify(text),
    ),
    ...["1e400", "-1", `9${"0".repeat(400)}`].map((text) => JSON.stringify(text)),
  ];
  it("that cannot be kept exactly are refused", async () => {
    const transfer = JSON.stringify(await acme.transfer("USD", "USD")).slice(1);
    for (const field of ["source_amount", "receiving_amount"]) {
      for (const amount of refused) {
        const answer = await post(paths.rfq, `{"${field}":${amount},${transfer}`);
        expectRefused(answer, 400, "INVALID_REQUEST");
        expect(JSON.parse(answer.text).message).toMatch(/^(source|receiving)_amount: /);
      }
    }
  });

  it.each(["900719925474099.31", "99999999999999.99", "0.1234567e3", "1.0e1"])(
    "%s keeps its digits",
    async (amount) => {
      const transfer = JSON.stringify(await acme.transfer("USD", "USD")).slice(1);
      const answer = await acme.post(paths.rfq, `{"source_amount":${amount},${transfer}`);
      if (amount === "0.1234567e3") expect(answer.status).toBe(400);
      else expect(exact(answer).data.source_amount).toEqual(digits(written(amount)));
    },
  );

  const written = (amount: string) => (amount === "1.0e1" ? "10.00" : amount);
});

describe("paths and queries", () => {
  it.each([
    `${marker}`,
    "%24ne",
    "%7B%22%24ne%22%3Anull%7D",
    "..%2f..%2fadmin",
    "%E2%80%AE",
    "%F0%9F%92%B8",
    "po_%27%20OR%201=1",
    marker.repeat(400),
    "__proto__",
    "undefined",
  ])("the id %s is of no record", async (id) => {
    for (const path of [
      paths.payouts,
      paths.scheduled,
      paths.batches,
      paths.quotes,
      paths.beneficiaries,
      paths.depositor,
      paths.accounts,
      paths.endpoints,
      paths.deliveries,
    ]) {
      expectRefused(await acme.get(`${path}/${id}`), 404, "RECORD_NOT_FOUND");
    }
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1e1",
    "limit=",
    "limit=1&limit=2",
    "limit=%F0%9F%92%B8",
    `cursor=${marker}`,
    "cursor=AAAA%00",
    `cursor=${"A".repeat(5_000)}`,
    `status=${marker}`,
    "status=INITIATED",
    "status=__proto__",
    "beneficiary_id=",
    `quote_id=${"x".repeat(300)}`,
    `reference_id=${"x".repeat(256)}`,
    "source_currency_code=%20",
    "created_from=yesterday",
    "created_from=2026-02-30",
    "created_from=2026-11-20T25:00:00Z",
    "created_to=99999-01-01",
    "created_to=1",
  ])("the query %s is refused", async (query) => {
    expectRefused(await acme.get(`${paths.payouts}?${query}`), 400, "INVALID_REQUEST");
  });

  it("a cursor of another list is refused", async () => {
    type Page = { accounts: [{ id: string }]; meta_data: { next_cursor: string } };
    const page = (await acme.data("GET", `${paths.accounts}?limit=1`)) as Page;
    const query = `?cursor=${page.meta_data.next_cursor}`;
    expect((await acme.get(paths.accounts + query)).status).toBe(200);
    for (const path of [
      `${paths.accounts}/${page.accounts[0].id}/entries`,
      paths.payouts,
      paths.scheduled,
      paths.batches,
      paths.beneficiaries,
      "/api/v1/depositors",
      paths.endpoints,
      paths.deliveries,
      paths.replays,
      "/api/v1/requests",
    ]) {
      const answer = await acme.get(path + query);
      expectRefused(answer, 400, "INVALID_REQUEST");
      expect(answer.text).toContain("cursor: must be one that a list returned");
    }
  });

  it("an operator in a query is nothing", async () => {
    const query = "?reference_id=%7B%22$gt%22:%22%22%7D";
    expect((await acme.data("GET", paths.payouts + query)).transactions).toEqual([]);
    for (const unknown of ["?status[$ne]=failed", `?$where=${marker}`]) {
      const answer = await acme.get(paths.payouts + unknown);
      answered.push(answer);
      expectRefused(answer, 400, "INVALID_REQUEST");
    }
  });
});

describe("after all this", () => {
  it("no answer was a 500, and none shows how we are made", async () => {
    expect(answered.length).toBeGreaterThan(300);
    await expectNoInsides(platform, answered);
  });

  it("nothing that a merchant sees has changed, and the platform works as before", async () => {
    expect(await world(acme)).toEqual(before);
    await expectWorking(acme);
  });

  it("no log has anything of a body or a key", async () => {
    const named = { beneficiary_name: marker };
    await acme.data("POST", paths.crypto, { ...cryptoBody(), ...named });
    const iban = bankBody("SWIFT to an IBAN", "Corporate");
    await acme.data("POST", paths.fiat, { ...iban, ...named });
    await acme.data("POST", paths.depositor, depositorBody("corporate"));
    const endpoint = await acme.data("POST", paths.endpoints, operations.at(-1)?.[1]);
    const secrets = [platform.apiKey("acme"), platform.secrets.serviceKeys.gateway];
    const webhook = [endpoint.secret, endpoint.standard_secret];
    expectQuietLogs(platform, [marker, ...secrets, ...webhook, ...personal]);
  });

  /** Personal data in the valid bodies. */
  const personal = [
    "Jane",
    "Doe",
    "X1234567",
    "1985-04-12",
    "12-3456789",
    "DE89370400440532013000",
    "1234567890",
    "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "Main Street",
    "example.com",
  ];
});
