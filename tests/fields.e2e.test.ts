import type { BodyValues, Field, TextField } from "@disburse/forms/fields/field.ts";
import { networkCurrencies, networks } from "@disburse/forms/values/networks.ts";
import type { GatewayAnswer } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BankTransfer, bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { changed, fieldPaths, isRequired, postedForms } from "./posted-forms.ts";

let platform: TestPlatform;
let acme: Payer;
let endpointId = "";
beforeAll(async () => {
  platform = await startTestPlatform({
    RATE_LIMIT_BURST: "100000",
    RATE_LIMIT_PER_SECOND: "1000",
    SANDBOX_SETTLE_MS: "0",
  });
  acme = payerOf(platform, "acme");
  endpointId = (await acme.data("POST", paths.endpoints, { url: "http://127.0.0.1:9/" })).id;
});
afterAll(() => platform?.stop());

const never = [{ $gt: "" }, ["a"], true];
const wrongTypes: Readonly<Record<Field["kind"], readonly unknown[]>> = {
  text: [...never, 7],
  country: [...never, 7],
  date: [...never, 20_000_101],
  email: [...never, 7],
  url: [...never, 7],
  digits: never,
  amount: never,
  integer: [...never, "1", 1.5],
  time: [...never, 7],
  flag: [{}, [], 1, "true"],
  texts: [{}, [], "a", 7, true, [7]],
  pairs: [[], "a", 7, true, { a: 7 }, { a: ["b"] }, { "a b": "c" }],
  object: [[], "a", 7, true],
  list: [{}, "a", 7, true, ["a"]],
};

const wrongTexts: Readonly<Record<TextField["kind"], readonly unknown[]>> = {
  text: [],
  country: ["XX", "us", "USA", "EU"],
  time: ["yesterday", "2026-02-30", "2026-11-20T11:26:00", "2026-11-20 11:26:00Z"],
  date: ["2001-02-30", "1900-02-29", "2999-01-01", "01-02-2001", "2001-1-1"],
  email: ["jane", "jane@", "@example.com", "jane@@example.com"],
  url: ["ftp://merchant.example/", "merchant.example", "http://"],
  digits: ["12a", "1+1", "+", -1, 1.5],
  amount: ["0", 0, -1, "-1", "1e400", "NaN", "1,000", "0x1"],
};
const unprintable = ["a\u0000b", "a\u0007b", "a\u202eb", "\u001b[0m", "a\r\nb", "\ud800"];
const marks = `a${"\u0301".repeat(1_000)}`;

/** Returns values that a field rejects in any body. */
function wrongValues(field: Field): readonly unknown[] {
  switch (field.kind) {
    case "integer":
      return [field.min - 1, field.max + 1, 1e21];
    case "texts":
      if (field.allowed !== undefined) return [["NONE"], [field.example[0], "NONE"]];
      return [["NONE"], [...field.example, field.example[0]], Array(field.maxItems + 1).fill("*")];
    case "pairs":
      return [
        ...[
          { [`k${"x".repeat(40)}`]: "" },
          { a: "x".repeat(field.valueMax + 1) },
          { a: "b\u0000" },
        ],
        Object.fromEntries(Array.from({ length: 51 }, (_none, at) => [`k${at}`, ""])),
      ];
    case "flag":
    case "object":
    case "list":
      return [];
    default:
      return [
        ...(field.allowed === undefined ? wrongTexts[field.kind] : []),
        ...(field.allowed === undefined ? [] : ["NONE", `${field.example}x`]),
        ...(field.pattern === undefined ? [] : ["a_b", "--"]),
        ...unprintable,
        marks,
        "9".repeat(5_000),
      ];
  }
}

/** Returns texts of the maximum length and one more, invalid by length only. */
function atLength(field: Field): readonly string[] {
  const isFree = field.kind === "text" && field.allowed === undefined;
  return isFree ? ["a".repeat(field.maxLength), "a".repeat(field.maxLength + 1)] : [];
}

/** Errors that occur only if each field is valid by itself. */
const refusedLater = new Set(["INVALID_WALLET_ADDRESS", "RECORD_NOT_FOUND"]);

type Problems = Map<string, string>;

function problemsOf({ status, json }: GatewayAnswer): Problems {
  if (status === 200) return new Map();
  if (refusedLater.has(json.code)) return new Map([["", json.code]]);
  expect([status, json.code, Object.keys(json)], json.message).toEqual([
    400,
    "INVALID_REQUEST",
    ["code", "message", "violations"],
  ]);
  const parts = String(json.message).split("; ");
  return new Map(
    parts.map((part): [string, string] => {
      const [field = "", problem = ""] = part.split(/: (.*)/s);
      return [field, problem];
    }),
  );
}

describe.each(postedForms)("%s", (_name, posted) => {
  let sound: BodyValues = {};
  beforeAll(async () => {
    sound = await posted.values(acme);
  });

  const send = (body: object) => {
    const accountId = platform.accountId("acme", "USD");
    return acme.call(posted.method ?? "POST", posted.path({ endpointId, accountId }), body);
  };

  /**
   * Sends a new valid body with one value changed. It is new each time because it may be accepted.
   */
  async function problemsWith(path: string, value: unknown): Promise<Problems> {
    const body = changed(await posted.values(acme), path, value);
    const answer = await send(body);
    if (answer.status === 200) await posted.undo?.(acme, answer.json.data);
    return problemsOf(answer);
  }

  type Check = (path: string, wrong: unknown, problems: Problems, field: Field) => void;

  async function tryFields(valuesOf: (field: Field) => readonly unknown[], check: Check) {
    for (const [path, field] of fieldPaths(posted.fields, sound)) {
      const tries = valuesOf(field).map(async (value) => {
        check(path, value, await problemsWith(path, value), field);
      });
      await Promise.all(tries);
    }
  }

  it("is taken with every field, and with only what is required", async () => {
    expect([...(await problemsWith("unknown_field", { any: ["thing"] }))]).toEqual([]);
    let least = await posted.values(acme);
    for (const [path, field] of fieldPaths(posted.fields, sound)) {
      if (!isRequired(field, sound)) least = changed(least, path, undefined);
    }
    const answer = await send({ ...least, ...posted.atLeast });
    expect([...problemsOf(answer)]).toEqual([]);
    await posted.undo?.(acme, answer.json.data);
  });

  it("has fields that are required and named when they are missing, and others", async () => {
    const absences = (field: Field) =>
      "maxLength" in field && field.kind !== "amount"
        ? [undefined, null, "", " \u00a0 "]
        : [undefined, null];
    await tryFields(absences, (path, absent, problems, field) => {
      const expected = isRequired(field, sound) ? "is required" : undefined;
      expect([path, absent, problems.get(path)]).toEqual([path, absent, expected]);
      // A flag may be needed by other fields.
      const isNeeded = field.kind === "flag" && sound[path] === true;
      if (expected === undefined && !isNeeded) expect([path, ...problems]).toEqual([path]);
    });
  });

  it("names a field of another JSON type", async () => {
    await tryFields(
      ({ kind }) => wrongTypes[kind],
      (path, wrong, problems, { kind }) => {
        const place = Array.isArray(wrong) && kind === "list" ? `${path}[0]` : path;
        const message = expect.stringMatching(/^must (be|have) /);
        expect([path, wrong, problems.get(place)]).toEqual([path, wrong, message]);
      },
    );
  });

  it("names a field of a wrong value, or that is too long", async () => {
    await tryFields(wrongValues, (path, wrong, problems) => {
      const message = expect.stringMatching(/^must (be|have|not|contain) ?/);
      expect([path, wrong, problems.get(path)]).toEqual([path, wrong, message]);
    });
    await tryFields(atLength, (path, text, problems, field) => {
      const { maxLength } = field as TextField;
      const tooLong = `must be at most ${maxLength} characters`;
      const isTooLong = String(text).length > maxLength;
      expect([path, maxLength, problems.get(path) === tooLong]).toEqual([
        path,
        maxLength,
        isTooLong,
      ]);
    });
  });

  it("names every failing field at once, in the form's order", async () => {
    const fields = fieldPaths(posted.fields, sound).filter(([path]) => !/[.[]/.test(path));
    const selected = posted.body.forms.flatMap(({ selectedBy }) => selectedBy);
    const conditions = [...selected, ...posted.fields.flatMap(({ when }) => when ?? [])];
    const kept = new Set(conditions.flatMap(({ field }) => (field in sound ? field : [])));
    const wrong = fields.map(([path]) => path).filter((path) => !kept.has(path));
    const body = Object.fromEntries(wrong.map((path) => [path, ["wrong"]]));
    const rest = Object.fromEntries([...kept].map((path) => [path, sound[path]]));
    const problems = problemsOf(await send({ ...rest, ...body }));
    const named = [...problems.keys()].map((path) => path.replace("[0]", ""));
    expect(named).toEqual(wrong);
  });
});

describe("fields that have to agree", () => {
  const bank = (transfer: BankTransfer, changes: object) => [
    paths.fiat,
    { ...bankBody(transfer), ...changes },
  ];
  const owners = (count: number) => {
    const body = depositorBody("corporate");
    const [owner] = body.company_owner_details as BodyValues[];
    const company_owner_details = Array.from({ length: count }, () => owner);
    return [paths.depositor, { ...body, company_owner_details }];
  };
  it.each<[string, unknown[], string]>([
    ["network and currency", [paths.crypto, cryptoBody("BTC", "ETH")], "destination_currency"],
    ["ACH and country", bank("ACH", { destination_country: "GB" }), "destination_country"],
    ["LOCAL and country", bank("LOCAL", { destination_country: "GB" }), "destination_country"],
    ["ACH and SWIFT", bank("ACH", { routing_code_type_1: "SWIFT" }), "routing_code_type_1"],
    ["SWIFT and ACH", bank("SWIFT", { routing_code_type_1: "ACH CODE" }), "routing_code_type_1"],
    ["an ABA number", bank("ACH", { routing_code_value_1: "021000022" }), "routing_code_value_1"],
    ["a BIC", bank("SWIFT", { routing_code_value_1: "CHASUS3" }), "routing_code_value_1"],
    [
      "fiat USDC and BIC",
      bank("USDC", { routing_code_value_1: "CHASUS33" }),
      "routing_code_value_1",
    ],
    [
      "an IBAN's checksum",
      bank("SWIFT to an IBAN", { beneficiary_account_number: "DE89370400440532013001" }),
      "beneficiary_account_number",
    ],
    [
      "an IBAN of another country",
      bank("SWIFT to an IBAN", { beneficiary_account_number: "GB82WEST12345698765432" }),
      "beneficiary_account_number",
    ],
    [
      "no IBAN at all",
      bank("SWIFT to an IBAN", { beneficiary_account_number: "0532013000" }),
      "beneficiary_account_number",
    ],
    ["INR and country", bank("INR", { destination_country: "US" }), "destination_country"],
    ["INR and ACH", bank("INR", { transfer_type: "ACH" }), "transfer_type"],
    ["an IFSC", bank("INR", { routing_code_value_1: "HDFC1000001" }), "routing_code_value_1"],
    ["an IBAN outside of SEPA", bank("EUR", { iban: "BR1800360305000010009795493C1" }), "iban"],
    ["an IBAN's checksum in EUR", bank("EUR", { iban: "DE89370400440532013001" }), "iban"],
    ["an IBAN with hyphens", bank("EUR", { iban: "DE89-3704-0044-0532-0130-00" }), "iban"],
    ["a BIC in EUR", bank("EUR", { bic: "COBADEFFXX" }), "bic"],
    ["EUR and SWIFT", bank("EUR", { transfer_type: "SWIFT" }), "transfer_type"],
    ["SWIFT and a town", bank("SWIFT", { beneficiary_city: "a".repeat(36) }), "beneficiary_city"],
    ["no owner", owners(0), "company_owner_details"],
  ])("%s", async (_what, [path, body], named) => {
    const problems = problemsOf(await acme.post(String(path), body));
    expect([...problems.keys()]).toEqual([named]);
  });

  it("20 owners are screened with their company", async () => {
    const [path, body] = owners(20);
    expect((await acme.post(String(path), body)).text).toContain('"id":"dep_');
  });

  it("a currency lives on its networks alone", async () => {
    const all = new Set(Object.values(networkCurrencies).flat());
    for (const network of networks) {
      for (const currency of all) {
        const isThere = networkCurrencies[network].includes(currency);
        const problems = problemsOf(await acme.post(paths.crypto, cryptoBody(network, currency)));
        const named = isThere ? [] : ["destination_currency"];
        expect([network, currency, ...problems.keys()]).toEqual([network, currency, ...named]);
      }
      const { destination_currency, ...unnamed } = cryptoBody(network);
      const problems = problemsOf(await acme.post(paths.crypto, unnamed));
      expect([network, problems.get("destination_currency")]).toEqual([
        network,
        network === "SOLANA" ? undefined : "is required",
      ]);
    }
  });
});
