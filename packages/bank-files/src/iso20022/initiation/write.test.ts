import { isRefused } from "@disburse/kernel/refusal.ts";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaBreaches } from "../schemas/validate.ts";
import type { Initiation, InitiationProfile, Payment, PostalAddress } from "./payment.ts";
import { payment, payoutId, swiftProfile, uetr } from "./test-payments.ts";
import { sumMinorMax, writeInitiation } from "./write.ts";

const createdAt = new Date("2026-11-24T09:30:00.000Z");

function file(payments: readonly Payment[]): Initiation {
  return { messageId: "DSB261124A1", createdAt, payments };
}

function written(profile: InitiationProfile, payments: readonly Payment[]) {
  const result = writeInitiation(profile, file(payments));
  if (isRefused(result)) throw new Error(JSON.stringify(result.faults));
  return { ...result, text: new TextDecoder().decode(result.bytes) };
}

function faults(profile: InitiationProfile, payments: readonly Payment[]) {
  const result = writeInitiation(profile, file(payments));
  if (!isRefused(result)) throw new Error("was written");
  return result.faults.map(({ payoutId: whose = "", field, problem }) =>
    [whose, field, problem].join(" ").trim(),
  );
}

/** The texts of all elements of a path, such as `PmtInf/NbOfTxs`. */
function texts(xml: string, path: string): string[] {
  const names = ["CstmrCdtTrfInitn", ...path.split("/")];
  const { root } = parseXml(xml);
  return names
    .reduce<XmlElement[]>(
      (found, name) =>
        found.flatMap(({ children }) =>
          children.filter((child) => child instanceof XmlElement && child.name === name),
        ) as XmlElement[],
      [root as XmlElement],
    )
    .map(({ text }) => text);
}

const sepaProfile: InitiationProfile = {
  ...swiftProfile,
  version: "pain.001.001.03",
  characters: "utf-8",
  serviceLevel: "SEPA",
  batchBooking: true,
  nameMax: 70,
  addressRequired: false,
};

describe("a written initiation", () => {
  it("of version .09 reads like this", async () => {
    const { text, bytes, batches } = written(swiftProfile, [payment(1)]);
    expect(text).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n',
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>',
        "<GrpHdr><MsgId>DSB261124A1</MsgId><CreDtTm>2026-11-24T09:30:00.000Z</CreDtTm>",
        "<NbOfTxs>1</NbOfTxs><CtrlSum>12.34</CtrlSum><InitgPty><Nm>Disburse Inc</Nm>",
        "<Id><OrgId><Othr><Id>DISBURSE01</Id></Othr></OrgId></Id></InitgPty></GrpHdr>",
        "<PmtInf><PmtInfId>DSB261124A1-1</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg>",
        "<NbOfTxs>1</NbOfTxs><CtrlSum>12.34</CtrlSum><PmtTpInf><SvcLvl><Cd>URGP</Cd></SvcLvl>",
        "</PmtTpInf><ReqdExctnDt><Dt>2026-11-25</Dt></ReqdExctnDt><Dbtr><Nm>Disburse Inc</Nm>",
        "<PstlAdr><TwnNm>New York</TwnNm><Ctry>US</Ctry></PstlAdr></Dbtr>",
        "<DbtrAcct><Id><Othr><Id>000123456789</Id></Othr></Id></DbtrAcct>",
        "<DbtrAgt><FinInstnId><BICFI>CHASUS33</BICFI></FinInstnId></DbtrAgt><ChrgBr>SHAR</ChrgBr>",
        "<CdtTrfTxInf><PmtId><InstrId>01KAT3BZR0WM2NQ5E7Y8000001</InstrId>",
        "<EndToEndId>01KAT3BZR0WM2NQ5E7Y8000001</EndToEndId>",
        "<UETR>8a562c67-ca16-48ba-b074-000000000001</UETR></PmtId>",
        '<Amt><InstdAmt Ccy="USD">12.34</InstdAmt></Amt>',
        "<CdtrAgt><FinInstnId><BICFI>DEUTDEFF</BICFI></FinInstnId></CdtrAgt>",
        "<Cdtr><Nm>Jurgen Weiss + Sohne</Nm><PstlAdr><StrtNm>Hauptstrasse</StrtNm>",
        "<BldgNb>42</BldgNb><PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><Ctry>DE</Ctry></PstlAdr></Cdtr>",
        "<CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct>",
        "<Purp><Cd>SUPP</Cd></Purp><RmtInf><Ustrd>Invoice .123</Ustrd></RmtInf></CdtTrfTxInf>",
        "</PmtInf></CstmrCdtTrfInitn></Document>",
      ].join(""),
    );
    expect(batches).toEqual([
      { paymentInformationId: "DSB261124A1-1", sum: "12.34", payoutIds: [payoutId(1)] },
    ]);
    expect(await schemaBreaches("pain.001.001.09", bytes)).toEqual([]);
  });

  it("of version .03 names a bank by BIC, has a plain day and no UETR", async () => {
    const { text, bytes } = written(sepaProfile, [payment(1)]);
    expect(text).toContain("<ReqdExctnDt>2026-11-25</ReqdExctnDt>");
    expect(text).toContain("<CdtrAgt><FinInstnId><BIC>DEUTDEFF</BIC></FinInstnId></CdtrAgt>");
    expect(text).not.toContain("UETR");
    expect(text).toContain("<Nm>Jürgen Weiß &amp; Söhne</Nm>");
    expect(await schemaBreaches("pain.001.001.03", bytes)).toEqual([]);
  });

  it("names a bank by its number in a national clearing", async () => {
    const clearing = { system: "INFSC", member: "HDFC0001234" };
    const account = { kind: "number", number: "50100012345678" } as const;
    const creditor = { ...payment(1).creditor, account, agent: { clearing } };
    const { text, bytes } = written(swiftProfile, [payment(1, { creditor })]);
    expect(text).toContain(
      "<ClrSysMmbId><ClrSysId><Cd>INFSC</Cd></ClrSysId><MmbId>HDFC0001234</MmbId></ClrSysMmbId>",
    );
    expect(await schemaBreaches("pain.001.001.09", bytes)).toEqual([]);
  });

  it("groups by debtor account, currency, day and charge bearer, and by nothing else", () => {
    const other = { kind: "number", number: "999" } as const;
    const { text, batches } = written(swiftProfile, [
      payment(1),
      payment(2, { amount: { minor: 1n, currency: "EUR" } }),
      payment(3, { requestedOn: "2026-11-26" }),
      payment(4, { chargeBearer: "DEBT" }),
      payment(5, { debtor: { ...payment(1).debtor, account: other } }),
      payment(6, { amount: { minor: 66n, currency: "USD" }, purpose: "SALA" }),
    ]);
    expect(batches.map(({ sum, payoutIds }) => [sum, payoutIds])).toEqual([
      ["13.00", [payoutId(1), payoutId(6)]],
      ["0.01", [payoutId(2)]],
      ["12.34", [payoutId(3)]],
      ["12.34", [payoutId(4)]],
      ["12.34", [payoutId(5)]],
    ]);
    expect(texts(text, "PmtInf/NbOfTxs")).toEqual(["2", "1", "1", "1", "1"]);
    expect(texts(text, "PmtInf/PmtInfId").at(-1)).toBe("DSB261124A1-5");
    expect(texts(text, "GrpHdr/CtrlSum")).toEqual(["50.03"]);
  });

  it("has amounts in the digits of their currency", () => {
    const amounts = [
      { minor: 5n, currency: "JPY" },
      { minor: 5n, currency: "KWD" },
      { minor: 12345678901234567n, currency: "USD" },
    ];
    const { text } = written(
      swiftProfile,
      amounts.map((amount, at) => payment(at, { amount })),
    );
    expect(texts(text, "PmtInf/CdtTrfTxInf/Amt")).toEqual(["5", "0.005", "123456789012345.67"]);
    expect(texts(text, "GrpHdr/CtrlSum")).toEqual(["123456789012350.675"]);
  });
});

describe("an address", () => {
  const addressed = (address: PostalAddress) => {
    return payment(1, { creditor: { ...payment(1).creditor, address } });
  };
  const berlin = { postcode: "10115", town: "Berlin", country: "DE" };
  const addressOf = (profile: InitiationProfile, address: PostalAddress) => {
    const { text, bytes } = written(profile, [addressed(address)]);
    const [, , creditorAddress = ""] = text.split("<PstlAdr>");
    return { bytes, xml: creditorAddress.slice(0, creditorAddress.indexOf("</PstlAdr>")) };
  };

  it.each([swiftProfile, sepaProfile])(
    "is hybrid in $version where it is long",
    async (profile) => {
      const street = `${"Street ".repeat(9)}of the long name 5`;
      const { xml, bytes } = addressOf(profile, { street, region: "Land", ...berlin });
      expect(xml).toBe(
        `<PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><CtrySubDvsn>Land</CtrySubDvsn><Ctry>DE</Ctry><AdrLine>${"Street ".repeat(9)}of the</AdrLine><AdrLine>long name 5</AdrLine>`,
      );
      expect(await schemaBreaches(profile.version, bytes)).toEqual([]);
    },
  );

  it("is structured up to 70 characters of the street, as the bank counts them", () => {
    const at = (street: string) => addressOf(swiftProfile, { street, ...berlin }).xml;
    expect(at("a".repeat(70))).toContain(`<StrtNm>${"a".repeat(70)}</StrtNm>`);
    expect(at(`${"a".repeat(69)}ß`)).toContain(`<AdrLine>${"a".repeat(69)}s</AdrLine>`);
    expect(addressOf(sepaProfile, { street: `${"a".repeat(69)}ß`, ...berlin }).xml).toContain(
      `<StrtNm>${"a".repeat(69)}ß</StrtNm>`,
    );
  });

  it("does not hold a street of more than two lines, or a town of more than 35", () => {
    expect(faults(swiftProfile, [addressed({ street: "a".repeat(141), ...berlin })])).toEqual([
      `${payoutId(1)} creditor.address.street does not fit two address lines`,
    ]);
    expect(addressOf(swiftProfile, { street: "a".repeat(140), ...berlin }).xml).toContain(
      "AdrLine",
    );
    expect(faults(swiftProfile, [addressed({ ...berlin, town: "a".repeat(36) })])).toEqual([
      `${payoutId(1)} creditor.address.town has 36 characters, 35 at most`,
    ]);
  });

  it("leaves out a region and a postcode that are placeholders", () => {
    const address = { street: "1 Main St", region: "-", town: "Dubai", country: "AE" };
    expect(addressOf(swiftProfile, { ...address, postcode: "N/A" }).xml).toBe(
      "<StrtNm>1 Main St</StrtNm><TwnNm>Dubai</TwnNm><Ctry>AE</Ctry>",
    );
  });
});

describe("a payment or file that cannot be written", () => {
  const { creditor } = payment(1);

  it.each<[Partial<Payment>, string]>([
    [{ amount: { minor: 0n, currency: "USD" } }, "amount is not above zero"],
    [{ amount: { minor: 1n, currency: "XXX" } }, "amount.currency has no minor unit"],
    [{ uetr: "8a562c67-ca16-18ba-b074-000000000001" }, "uetr is not a UUID of version 4"],
    [{ purpose: "TOOLONG" }, "purpose is not of the form ^[A-Z0-9]{1,4}$"],
    [{ remittance: "x".repeat(141) }, "remittance has 141 characters, 140 at most"],
    [{ creditor: { ...creditor, name: "ß".repeat(71) } }, "creditor.name has 142 characters"],
    [{ creditor: { ...creditor, name: " . " } }, "creditor.name has no letter or digit"],
    [{ creditor: { ...creditor, name: "A\u0000" } }, "creditor.name must not contain control"],
    [
      { creditor: { ...creditor, account: { kind: "iban", iban: "DE88370400440532013000" } } },
      "creditor.account.iban is not an IBAN",
    ],
    [{ creditor: { ...creditor, agent: { bic: "DEUT" } } }, "creditor.agent.bic is not a BIC"],
    [{ creditor: { ...creditor, agent: {} } }, "creditor.agent has neither BIC nor number"],
    [
      { creditor: { ...creditor, address: { town: "Berlin", country: "Germany" } } },
      "creditor.address.country is not of the form",
    ],
  ])("%o is named", (changes, fault) => {
    const found = faults(swiftProfile, [payment(1, changes), payment(2)]);
    expect(found).toEqual([expect.stringContaining(`${payoutId(1)} ${fault}`)]);
  });

  it("is a creditor without an address, where the bank needs one", () => {
    const { address: _, ...without } = creditor;
    const found = faults(swiftProfile, [payment(1, { creditor: without })]);
    expect(found).toEqual([`${payoutId(1)} creditor.address is required`]);
    expect(written(sepaProfile, [payment(1, { creditor: without })]).batches).toHaveLength(1);
  });

  it("is a debtor without an address, where the bank needs one", () => {
    const profile = { ...swiftProfile, debtor: { name: "Disburse Inc" } };
    expect(faults(profile, [payment(1)])).toEqual(["debtor.address is required"]);
    const { debtor } = profile;
    expect(written({ ...sepaProfile, debtor }, [payment(1)]).batches).toHaveLength(1);
  });

  it("is a name or an address of which letters would be guessed", () => {
    const { address = { town: "", country: "" } } = creditor;
    const named = (change: Partial<Payment["creditor"]>) =>
      payment(1, { creditor: { ...creditor, ...change } });
    const problem = "has letters without a safe romanisation";
    expect(faults(swiftProfile, [named({ name: "山田 Taro" })])).toEqual([
      `${payoutId(1)} creditor.name ${problem}`,
    ]);
    expect(faults(swiftProfile, [named({ address: { ...address, town: "Tokyo 東京" } })])).toEqual([
      `${payoutId(1)} creditor.address.town ${problem}`,
    ]);
    expect(written(sepaProfile, [named({ name: "山田 Taro" })]).text).toContain("山田 Taro");
  });

  it("is a repeated payout or UETR", () => {
    expect(faults(swiftProfile, [payment(1), payment(1, { uetr: uetr(2) })])).toEqual([
      `${payoutId(1)} payoutId stands twice in the file`,
    ]);
    expect(faults(swiftProfile, [payment(1), payment(2, { uetr: uetr(1) })])).toEqual([
      `${payoutId(2)} uetr stands twice in the file`,
    ]);
  });

  it("is a file without payments, or with more than the bank accepts", () => {
    expect(faults(swiftProfile, [])).toEqual(["payments are missing"]);
    const small = { ...swiftProfile, paymentsMax: 1 };
    expect(faults(small, [payment(1), payment(2)])).toEqual(["payments are more than 1"]);
    const amount = { minor: 6n * 10n ** 17n, currency: "USD" };
    expect(faults(swiftProfile, [payment(1, { amount }), payment(2, { amount })])).toEqual([
      "payments sum up to more than 18 digits",
    ]);
  });

  it.each(["USD", "JPY", "KWD"])("is an amount or a sum of 19 digits of %s", async (currency) => {
    const most = payment(1, { amount: { minor: sumMinorMax, currency } });
    const { bytes } = written(swiftProfile, [most]);
    expect(await schemaBreaches(swiftProfile.version, bytes)).toEqual([]);
    const another = payment(2, { amount: { minor: 1n, currency } });
    const problem = "payments sum up to more than 18 digits";
    expect(faults(swiftProfile, [most, another])).toEqual([problem]);
    const over = payment(1, { amount: { minor: sumMinorMax + 1n, currency } });
    expect(faults(swiftProfile, [over])).toEqual([
      problem,
      `${payoutId(1)} amount has more than 18 digits`,
    ]);
  });

  it.each(["A".repeat(29), "/A", "A//B", "Ä", ""])("is a message id like %j", (messageId) => {
    const result = writeInitiation(swiftProfile, { messageId, createdAt, payments: [payment(1)] });
    expect(result).toMatchObject({ refused: "UNWRITABLE", faults: [{ field: "messageId" }] });
  });
});

describe("whatever is written", () => {
  const letters = fc.constantFrom(..."aZß9 ЩьЯΟΥυé😀™&#'-", "e\u0301");
  const unit = fc.oneof({ weight: 19, arbitrary: letters }, fc.string({ unit: "grapheme" }));
  const name = fc.array(unit, { minLength: 1, maxLength: 30 }).map((parts) => parts.join(""));
  const anyPayment = fc
    .record({
      number: fc.nat(1_000_000),
      minor: fc.bigInt(1n, 10n ** 12n),
      currency: fc.constantFrom("USD", "EUR", "JPY", "KWD"),
      creditorName: name,
      remittance: name,
      requestedOn: fc.constantFrom("2026-11-25", "2026-11-26"),
      chargeBearer: fc.constantFrom("DEBT", "SHAR", "CRED", "SLEV"),
    })
    .map(({ number, minor, currency, creditorName, ...rest }) => {
      const { creditor } = payment(number);
      return payment(number, {
        ...rest,
        amount: { minor, currency },
        creditor: { ...creditor, name: creditorName },
      });
    });
  const manyPayments = fc.uniqueArray(anyPayment, {
    minLength: 100,
    maxLength: 200,
    selector: ({ payoutId: id }) => id,
  });

  it.each([swiftProfile, sepaProfile])("keeps to the schema of $version", async (profile) => {
    await fc.assert(
      fc.asyncProperty(manyPayments, async (payments) => {
        const all = writeInitiation(profile, file(payments));
        const left = isRefused(all) ? all.faults.map(({ payoutId: id }) => id) : [];
        const taken = payments.filter(({ payoutId: id }) => !left.includes(id));
        const { text, bytes, batches } = written(profile, taken);
        expect(await schemaBreaches(profile.version, bytes)).toEqual([]);
        expect(texts(text, "PmtInf/CdtTrfTxInf/Amt")).toHaveLength(taken.length);
        expect(batches.flatMap(({ payoutIds }) => payoutIds).toSorted()).toEqual(
          taken.map(({ payoutId: id }) => id).toSorted(),
        );
        expect(taken.length).toBeGreaterThan(payments.length / 3);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});
