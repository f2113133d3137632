import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { writeCursor } from "@disburse/chassis/paging/page.ts";
import {
  ListScreeningsRequestSchema,
  Party_Type,
  ScreenPartyRequestSchema,
  ScreenWalletRequestSchema,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { describe, expect, it } from "vitest";
import { readListRequest, readPartyRequest, readWalletRequest } from "./request.ts";

const subject = { merchantId: "mer_1", recordId: "ben_1" };
const person = { type: Party_Type.INDIVIDUAL, name: "John Smith" };

type Fields<T extends DescMessage> = Omit<MessageInitShape<T>, "$typeName">;
const readWallet = (fields: Fields<typeof ScreenWalletRequestSchema>) =>
  readWalletRequest(create(ScreenWalletRequestSchema, { subject, ...fields }));
const readParty = (fields: Fields<typeof ScreenPartyRequestSchema>) =>
  readPartyRequest(create(ScreenPartyRequestSchema, { subject, ...fields }));
const refusal = (message: string) => ({
  refused: "INVALID_REQUEST",
  detail: expect.stringContaining(message),
});

describe("a wallet to screen", () => {
  it("is compared in the families of its networks, or in all that it is valid in", () => {
    const [address, networks] = [riskyWallets.ETHEREUM, ["POL", "BNB"]];
    const wallet = { families: ["evm"], address };
    expect(readWallet({ address, networks })).toEqual({
      ...{ subject, parties: [] },
      wallets: [{ ...wallet, networks }],
      banks: [],
    });
    expect(readWallet({ address })).toMatchObject({ wallets: [{ ...wallet, networks: [] }] });
  });

  it.each([
    ["an unknown network", { networks: ["DOGE"], address: riskyWallets.BTC }, "networks: must be"],
    ["a foreign address", { networks: ["BTC"], address: riskyWallets.TRX }, "address: must be"],
    ["no address at all", { address: "x".repeat(129) }, "address: must be valid"],
    ["no merchant", { subject: {}, address: riskyWallets.BTC }, "subject.merchant_id: is required"],
    ["a record that is no id", { subject: { ...subject, recordId: " " } }, "subject.record_id"],
  ])("is refused with %s", (_what, fields, message) => {
    expect(readWallet(fields)).toMatchObject(refusal(message));
  });
});

describe("banks to screen", () => {
  it("have a name, a BIC or both, and may be alone", () => {
    const banks = [{ name: " First  Bank ", bic: "CHASUS33XXX" }, { bic: "COBADEFF" }];
    expect(readParty({ banks })).toMatchObject({
      parties: [],
      banks: [
        { name: "First  Bank", bic: "CHASUS33XXX" },
        { name: "", bic: "COBADEFF" },
      ],
    });
  });

  it.each([
    ["neither", [{}], "banks[0]: must have a name, a BIC or a country"],
    ["a BIC that is none", [{ bic: "CHASUS" }], "banks[0].bic: must be a BIC"],
    ["a name that is too long", [{ name: "x".repeat(512) }], "banks[0].name: must be"],
    ["three", Array(3).fill({ name: "First Bank" }), "banks: must be at most 2"],
  ])("are refused with %s", (_, banks, message) => {
    expect(readParty({ banks })).toMatchObject(refusal(message));
  });
});

describe("parties to screen", () => {
  it("may be up to 50 with up to 10 wallets, or wallets alone", () => {
    const wallet = { address: riskyWallets.BTC };
    const most = { parties: Array(50).fill(person), wallets: Array(10).fill(wallet) };
    expect(readParty(most)).toHaveProperty("parties.length", 50);
    const both = { parties: [person], wallets: [wallet] };
    expect(readParty(both)).toMatchObject({ parties: [{ name: person.name }], wallets: [wallet] });
    expect(readParty({ wallets: [wallet] })).toMatchObject({ parties: [], wallets: [wallet] });
  });

  it("are read completely, without empty values", () => {
    const documents = [{ number: "12-3", country: "FR" }, { number: "" }, { number: "4" }];
    const sent = { ...person, name: " Jose\u0301 ", date: "1990-01-01", countries: ["", "FR"] };
    expect(readParty({ parties: [{ ...sent, documents }] })).toEqual({
      subject,
      parties: [
        {
          ...{ type: "individual", name: "José", date: "1990-01-01", countries: ["FR"] },
          documents: [
            { number: "12-3", country: "FR" },
            { number: "4", country: "" },
          ],
        },
      ],
      wallets: [],
      banks: [],
    });
    const entity = { type: Party_Type.ENTITY, name: "Acme" };
    expect(readParty({ parties: [entity] })).toMatchObject({ parties: [{ type: "entity" }] });
  });

  it("may be as long as they may be", () => {
    const longest = {
      ...person,
      name: "𝒥".repeat(511),
      countries: Array(10).fill("FR"),
      documents: Array(20).fill({ number: "1".repeat(255) }),
    };
    expect(readParty({ parties: [longest] })).toHaveProperty("parties.length", 1);
    for (const subjectOf of [{ merchantId: "m".repeat(128), recordId: "" }, subject]) {
      expect(readParty({ parties: [person], subject: subjectOf })).toMatchObject({
        subject: subjectOf,
      });
    }
  });

  it.each([
    ["no party", {}, "parties: must have at least one party, or a wallet"],
    ["51 parties", { parties: Array(51).fill(person) }, "parties: must be at most 50"],
    ["11 wallets", { wallets: Array(11).fill({}) }, "wallets: must be at most 10"],
    ["a wrong network", { wallets: [{ networks: ["DOGE"] }] }, "wallets[0].networks: must be one"],
    ["a wrong address", { wallets: [{ address: "x" }] }, "wallets[0].address: must be valid"],
  ])("are refused when they are %s", (_what, fields, message) => {
    expect(readParty(fields)).toMatchObject(refusal(message));
  });

  it("are not read where they are too many", () => {
    expect(readParty({ parties: Array(51).fill({}) })).toEqual({
      ...{ refused: "INVALID_REQUEST", detail: "parties: must be at most 50" },
    });
  });

  it.each([
    ["no type", { type: Party_Type.UNSPECIFIED }, "parties[0].type: must be"],
    ["no name", { name: "" }, "parties[0].name: must be 1 to 511"],
    ["a long name", { name: "𝒥".repeat(512) }, "parties[0].name: must be 1 to 511"],
    ["NUL", { name: "a\u0000b" }, "parties[0].name: must not contain control"],
    ["a wrong date", { date: "1990-02-30" }, "parties[0].date: must be yyyy-mm-dd"],
    ["a wrong country", { countries: ["us"] }, "parties[0].countries: must be"],
    ["11 countries", { countries: Array(11).fill("FR") }, "parties[0].countries: must be"],
    ["a long document", { documents: [{ number: "1".repeat(256) }] }, "parties[0].documents"],
    ["21 documents", { documents: Array(21).fill({ number: "1" }) }, "parties[0].documents"],
    ["a wrong issuer", { documents: [{ number: "1", country: "us" }] }, "parties[0].documents"],
  ])("are refused with %s", (_what, wrong, message) => {
    expect(readParty({ parties: [{ ...person, ...wrong }] })).toMatchObject(refusal(message));
  });
});

describe("a page of screenings", () => {
  const read = (fields: Omit<MessageInitShape<typeof ListScreeningsRequestSchema>, "$typeName">) =>
    readListRequest(create(ListScreeningsRequestSchema, fields));

  it("has 20 of any, or as many as were asked for of one kind", () => {
    const any = { merchantId: "", recordId: "", verdict: undefined, before: undefined };
    expect(read({})).toEqual({ filter: any, limit: 20 });
    const cursor = writeCursor("screenings", { at: new Date(0), id: "scr_7" });
    expect(read({ ...subject, verdict: Verdict.REVIEW, cursor, limit: 100 })).toEqual({
      filter: { ...subject, verdict: "review", before: "scr_7" },
      limit: 100,
    });
    expect(read({ limit: 1 })).toMatchObject({ limit: 1 });
  });

  it.each([
    [{ limit: -1 }, "limit: must be 1 to 100"],
    [{ limit: 101 }, "limit: must be 1 to 100"],
    [{ verdict: 99 as Verdict }, "verdict: is not known"],
    [{ cursor: "???" }, "cursor: must be one that a list returned"],
  ])("is refused with %j", (fields, message) => {
    expect(read(fields)).toMatchObject(refusal(message));
  });
});
