import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Party_Type,
  ScreenPartyRequestSchema,
  ScreenWalletRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { describe, expect, it } from "vitest";
import { readPartyRequest, readWalletRequest } from "./request.ts";

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

describe("parties to screen", () => {
  it("may be up to 50 with up to 10 wallets, or wallets alone", () => {
    const wallet = { address: riskyWallets.BTC };
    const most = { parties: Array(50).fill(person), wallets: Array(10).fill(wallet) };
    expect(readParty(most)).toHaveProperty("parties.length", 50);
    expect(readParty({ wallets: [wallet] })).toMatchObject({ parties: [], wallets: [wallet] });
  });

  it.each([
    ["no party", {}, "parties: must be at least one, or a wallet"],
    ["51 parties", { parties: Array(51).fill(person) }, "parties: must be at most 50"],
    ["11 wallets", { wallets: Array(11).fill({}) }, "wallets: must be at most 10"],
    ["a wrong network", { wallets: [{ networks: ["DOGE"] }] }, "wallets[0].networks: must be one"],
    ["a wrong address", { wallets: [{ address: "x" }] }, "wallets[0].address: must be valid"],
  ])("are refused when they are %s", (_what, fields, message) => {
    expect(readParty(fields)).toMatchObject(refusal(message));
  });

  it.each([
    ["no type", { type: Party_Type.UNSPECIFIED }, "parties[0].type: must be"],
    ["no name", { name: "" }, "parties[0].name: must be 1 to 511"],
    ["a long name", { name: "𝒥".repeat(512) }, "parties[0].name: must be 1 to 511"],
    ["NUL", { name: "a\u0000b" }, "parties[0].name: must not contain control"],
    ["a wrong date", { date: "1990-02-30" }, "parties[0].date: must be yyyy-mm-dd"],
    ["a wrong country", { countries: ["us"] }, "parties[0].countries: must be"],
    ["a long document", { documents: [{ number: "𝒥".repeat(512) }] }, "parties[0].documents"],
    ["a wrong issuer", { documents: [{ number: "1", country: "us" }] }, "parties[0].documents"],
  ])("are refused with %s", (_what, wrong, message) => {
    expect(readParty({ parties: [{ ...person, ...wrong }] })).toMatchObject(refusal(message));
  });
});
