import { createRouterTransport } from "@connectrpc/connect";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { afterEach, expect, it } from "vitest";
import { offlineWorld } from "../test-world.ts";
import { csvText } from "./beneficiaries.ts";

const found = {
  beneficiaryId: "ben_2",
  merchantId: "mer_acme",
  transferMethod: "ACH",
  destinationCurrency: "USD",
  reason: "beneficiary_account_number: must be at most 17 characters over ACH",
};
let pages: readonly { beneficiaries: (typeof found)[]; nextCursor: string }[] = [];
let requests: string[] = [];

const world = () =>
  offlineWorld({
    connect: () =>
      createRouterTransport(({ service }) =>
        service(BeneficiaryService, {
          listUnpayableBeneficiaries: ({ cursor }) => {
            requests.push(cursor);
            return pages[requests.length - 1] ?? { beneficiaries: [], nextCursor: "" };
          },
        }),
      ),
  });
let opened = world();
afterEach(() => {
  opened.remove();
  [pages, requests] = [[], []];
  opened = world();
});

const twoPages = [
  { beneficiaries: [], nextCursor: "ben_1" },
  { beneficiaries: [found], nextCursor: "" },
];

it("lists beneficiaries of all pages, also after an empty page", async () => {
  pages = twoPages;
  const { code, out } = await opened.run("beneficiaries", "unpayable");
  expect(code).toBe(0);
  expect(requests).toEqual(["", "ben_1"]);
  expect(out).toMatch(
    /^BENEFICIARY ID +MERCHANT ID .*\nben_2 +mer_acme +ACH +USD +beneficiary_acc/,
  );
});

it("prints CSV and JSON", async () => {
  pages = twoPages;
  const csv = await opened.run("beneficiaries", "unpayable", "--csv");
  expect(csv.out).toBe(
    "beneficiary_id,merchant_id,transfer_method,destination_currency,reason,created_at\r\n" +
      `ben_2,mer_acme,ACH,USD,${found.reason},\r\n`,
  );
  requests = [];
  const json = await opened.run("beneficiaries", "unpayable", "--json");
  expect(JSON.parse(json.out).beneficiaries).toMatchObject([{ reason: found.reason }]);
});

it("prints a note if there are none", async () => {
  const { code, out, err } = await opened.run("beneficiaries", "unpayable");
  expect({ code, out, err }).toEqual({ code: 0, out: "", err: "every beneficiary can be paid\n" });
  const json = await opened.run("beneficiaries", "unpayable", "--json");
  expect(json).toEqual({ code: 0, out: '{\n  "beneficiaries": []\n}\n', err: "" });
});

it("formats rows as in RFC 4180 and escapes formulas", () => {
  const rows = [
    { id: "a", text: 'with, "quotes"\nand lines', count: 1 },
    { id: "=1+1", text: null, more: { a: 1 } },
  ];
  expect(csvText(rows, ["id", "text", "count", "more.a"])).toBe(
    'id,text,count,more.a\r\na,"with, ""quotes""\nand lines",1,\r\n\'=1+1,,,1\r\n',
  );
  expect(csvText([], ["id"])).toBe("id\r\n");
});
