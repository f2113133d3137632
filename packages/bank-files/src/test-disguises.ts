import { entry, statement } from "./iso20022/reports/test-reports.ts";
import { batchControl, batchHeader, entryDetail, fileControl, record } from "./nacha/records.ts";

/**
 * A statement as lines of XML. Its letters exist in all encodings of these tests. The XML
 * declaration is optional.
 */
export function statementText(encoding = "UTF-8"): string {
  const name = encoding.replace(/ with mark$/, "");
  const details = `<NtryDtls><TxDtls><Refs><EndToEndId>E1</EndToEndId></Refs>
    <RltdPties><Cdtr><Nm>Jürgen</Nm></Cdtr></RltdPties>
    <RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>fermé</AddtlInf></RtrInf></TxDtls></NtryDtls>`;
  return new TextDecoder()
    .decode(statement(`${entry("12.34", "DBIT", details)}\n${entry("5", "CRDT")}`))
    .replace('encoding="UTF-8"', `encoding="${name}"`)
    .replaceAll("><", ">\n<");
}

/** The records of a NACHA file with two returns. One name has a letter of two bytes. */
export function achLines(): string[] {
  const head =
    "101 121042882 2313801042611250930A094101DISBURSE               FED                            ";
  const batch = record(batchHeader, {
    recordType: "5",
    serviceClass: "200",
    companyName: "DISBURSE INC",
    companyId: "1234567890",
    entryClass: "PPD",
    description: "PAYOUT",
    effectiveOn: "261125",
    originatorStatus: "1",
    odfi: "23138010",
    number: "1",
  });
  const returned = (number: number, receiver: string) => [
    record(entryDetail, {
      recordType: "6",
      transactionCode: "21",
      rdfi: "12104288",
      checkDigit: "2",
      account: "987654321",
      amount: "1234",
      receiverId: "2NQ5E7Y8000001",
      receiver,
      addendaIndicator: "1",
      trace: `23138010000000${number}`,
    }),
    `799R0312104288000000${number}      23138010${" ".repeat(44)}23138010000000${number}`,
  ];
  const end = record(batchControl, {
    recordType: "8",
    serviceClass: "200",
    entries: "4",
    hash: "24208576",
    debits: "0",
    credits: "2468",
    companyId: "1234567890",
    odfi: "23138010",
    number: "1",
  });
  const fileEnd = record(fileControl, {
    recordType: "9",
    batches: "1",
    blocks: "1",
    entries: "4",
    hash: "24208576",
    debits: "0",
    credits: "2468",
  });
  const nines = Array.from({ length: 2 }, () => "9".repeat(94));
  return [
    head,
    batch,
    ...returned(1, "JÜRGEN DOE"),
    ...returned(2, "JANE DOE"),
    end,
    fileEnd,
    ...nines,
  ];
}

/** The `TextDecoder` name of each encoding in the tests. */
export const encodings: Readonly<Record<string, string>> = {
  "utf-8": "utf-8",
  "utf-8 with mark": "utf-8",
  "utf-16le": "utf-16le",
  "utf-16le with mark": "utf-16le",
  "utf-16be": "utf-16be",
  "utf-16be with mark": "utf-16be",
  "iso-8859-1": "iso-8859-1",
  "iso-8859-2": "iso-8859-2",
  "iso-8859-15": "iso-8859-15",
  "windows-1250": "windows-1250",
  "windows-1252": "windows-1252",
};

/** Encodes a text in one of `encodings`. */
export function encoded(name: string, text: string): Uint8Array {
  const encoding = encodings[name] ?? "";
  const marked = name.endsWith("with mark") ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return new TextEncoder().encode(marked);
  if (encoding === "utf-16le") return Uint8Array.from(Buffer.from(marked, "utf16le"));
  if (encoding === "utf-16be") return Uint8Array.from(Buffer.from(marked, "utf16le").swap16());
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from(marked, (letter) => {
    const byte = bytes.get(letter);
    if (byte === undefined) throw new Error(`${encoding} cannot encode ${letter}`);
    return byte;
  });
}

/** All kinds of line ends. A file with fixed columns may also have none. */
export const lineEnds = ["\n", "\r\n", "\r"] as const;

const declaration = /^<\?xml[^>]*\?>/;

/** Wraps the document in an element. The XML declaration stays in front of the element. */
function within(open: string, close: string): (text: string) => string {
  return (text) => {
    const head = declaration.exec(text)?.[0] ?? "";
    return `${head}${open}${text.slice(head.length)}${close}`;
  };
}

const header =
  '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><Fr/><BizMsgIdr>B1</BizMsgIdr><MsgDefIdr>camt.053.001.08</MsgDefIdr></AppHdr>';

/** Possible text around a document, by its name. */
export const envelopes: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  "a business message": within(
    `<BizMsgEnvlp xmlns="urn:iso:std:iso:20022:tech:xsd:nvlp.001.001.01"><Hdr>${header}</Hdr><Doc>`,
    "</Doc></BizMsgEnvlp>",
  ),
  "SWIFT's DataPDU": within(
    `<Saa:DataPDU xmlns:Saa="urn:swift:saa:xsd:saa.2.0"><Saa:Body>${header}`,
    "</Saa:Body></Saa:DataPDU>",
  ),
  "a request's payload": within(`<RequestPayload>\n${header}\n`, "\n</RequestPayload>\n"),
  "a SOAP body": within(
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:x"><s:Body>',
    "</s:Body></s:Envelope>",
  ),
  "prefixed names": (text) =>
    text
      .replaceAll(/<(\/?)(\w)/g, "<$1ns2:$2")
      .replace("xmlns=", 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ns2='),
  "xsi in front of its namespace": (text) =>
    text.replace(
      "xmlns=",
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x x.xsd" xmlns=',
    ),
  "comments and instructions": (text) =>
    text
      .replace("<Document", "<!-- <Document/> --><?x <Document> ?>\n<Document")
      .replaceAll("<Ntry>", "<Ntry><!-- 1 --><?y?>")
      .concat("<!-- the end -->"),
  "no Document": (text) => {
    const namespace = /xmlns="[^"]*"/.exec(text)?.[0] ?? "";
    return text
      .replace(/<\/?Document[^>]*>/g, "")
      .replace("<BkToCstmrStmt>", `<BkToCstmrStmt ${namespace}>`);
  },
  "no declaration that says its encoding": (text) => text.replace(/ encoding="utf-[^"]*"/i, ""),
  "a declaration in single quotes": (text) =>
    text.replace(
      /^<\?xml.*encoding="([^"]*)"\?>/,
      "<?xml version='1.0'\n encoding = '$1' standalone='yes' ?>",
    ),
};
