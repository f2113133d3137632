import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { beforeAll, expect, it } from "vitest";
import { bankBody, paths } from "./bodies.ts";
import { expectRefusal } from "./error-table.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
});

const unique = `x${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
const find = async (query: Record<string, string>, by = acme) => {
  const found = await by.data("GET", `${paths.beneficiaries}?${new URLSearchParams(query)}`);
  return found.beneficiaries.map(
    ({ beneficiary_id }: { beneficiary_id: string }) => beneficiary_id,
  );
};

it("a merchant finds and changes its beneficiaries, and learns of a duplicate", async () => {
  const body = {
    ...bankBody(),
    ...{ beneficiary_first_name: "Zoë", beneficiary_last_name: unique },
    ...{ beneficiary_account_number: String(Math.floor(Math.random() * 1e12)) },
    ...{ reference_id: unique, metadata: { run: unique } },
  };
  const created = await acme.data("POST", paths.fiat, body);
  expect(Object.keys(created)).toEqual(["beneficiary_id"]);
  const id = created.beneficiary_id;
  const globex = payerOf(platform, "globex");
  for (const query of [
    { beneficiary_name: `${unique.slice(0, 8).toUpperCase()} zoe` },
    { reference_id: unique },
    { metadata: `run=${unique}`, beneficiary_type: "fiat" },
  ]) {
    expect(await find(query)).toEqual([id]);
    expect(await find(query, globex)).toEqual([]);
  }

  const path = `${paths.beneficiaries}/${id}`;
  const before = await acme.data("GET", path);
  const changed = await acme.data("PATCH", path, {
    ...{ beneficiary_alias: "Nachtschicht", reference_id: "" },
    metadata: { run: "", next: unique },
  });
  const { reference_id: _, ...others } = before;
  expect(changed).toEqual({
    ...others,
    ...{ beneficiary_alias: "Nachtschicht", metadata: { next: unique } },
    updated_at: changed.updated_at,
  });
  expect(await acme.data("GET", path)).toEqual(changed);
  expect(await find({ reference_id: unique })).toEqual([]);
  expect(await find({ beneficiary_name: `nacht ${unique}` })).toEqual([id]);

  const again = await acme.data("POST", paths.fiat, { ...body, reference_id: "" });
  expect(again).toEqual({ beneficiary_id: again.beneficiary_id, existing_beneficiary_id: id });
  const wallet = await globex.data("POST", paths.fiat, body);
  expect(Object.keys(wallet)).toEqual(["beneficiary_id"]);

  expectRefusal(await globex.call("PATCH", path, { reference_id: "a" }), "RECORD_NOT_FOUND");
  for (const query of ["beneficiary_name=%21", "beneficiary_name=", "metadata=run"]) {
    expectRefusal(await acme.get(`${paths.beneficiaries}?${query}`), "INVALID_REQUEST");
  }
});
