import { countryCode } from "./country-code.ts";
import type { EntryDraft } from "./entry-draft.ts";
import { type Note, Unreadable } from "./file-bytes.ts";
import { datesInWords } from "./listed-date.ts";

/**
 * OFAC cuts remarks at this length, even within a word, and continues them in the comments file.
 */
const remarksLengthMax = 1_000;

/**
 * Joins an entry's remarks with their continuation in the comments file. If that file lacks the
 * continuation, the files are of different days, and the list is refused. Otherwise half of a
 * wallet address could be lost silently. If there is no comments file, the last part is left out,
 * because it may be cut within a word.
 */
export function joinedRemarks(
  remarks: string,
  comments: ReadonlyMap<string, string> | undefined,
  uid: string,
  note: Note,
): string {
  if (remarks.trim() === "-0-") return "";
  if (remarks.length < remarksLengthMax) return remarks;
  const rest = comments?.get(uid);
  if (rest !== undefined) return remarks + rest;
  if (remarks.endsWith(".")) return remarks;
  if (comments === undefined) {
    note("remarks are truncated, and no comments file continues them");
    return remarks.slice(0, remarks.lastIndexOf(";") + 1);
  }
  throw new Unreadable(
    `entry ${uid} has truncated remarks that the comments file does not continue`,
  );
}

type ReadPart = (draft: EntryDraft, matched: string, note: Note) => void;

const addCountry: ReadPart = (draft, name) => draft.addCountry(name);

/** Patterns of the parts of remarks. The first group of a pattern is the text to read. */
const parts: readonly (readonly [RegExp, ReadPart])[] = [
  [/^(?:alt\. )?[afn]\.k\.a\.,? '(.+)'$/i, (draft, name) => draft.addName(name, "weak")],
  // A company's incorporation date is compared like a person's birth date.
  [/^(?:alt\. )?(?:DOB|Organization Established Date) (.+)$/, addBirths],
  [/^(?:alt\. )?POB (.+)$/, addBirthPlace],
  [/^(?:alt\. )?(?:nationality|citizen) (.+)$/i, addCountry],
  [/^(?:alt\. )?(?:(?:Former|Other) )?Vessel Flag (.+)$/i, addCountry],
  // The pattern is broad, because a wallet that is not recognised would stop no payment.
  [/^(?:alt\. )?Digital Currency Address\b(.*)$/i, addWallet],
];

/** Reads the `; `-separated parts of remarks. Descriptive parts (`Gender Male`) are ignored. */
export function readRemarks(draft: EntryDraft, remarks: string, note: Note): void {
  const oneLine = remarks.replace(/\s+/g, " ").trim();
  for (const written of oneLine.replace(/\.$/, "").split(";")) {
    const text = written.trim();
    const found = parts.find(([form]) => form.test(text));
    if (found === undefined) readDocument(draft, text);
    else found[1](draft, found[0].exec(text)?.[1] ?? "", note);
  }
}

function addWallet({ wallets }: EntryDraft, text: string): void {
  const [, currency, address] = /^ - (\S+) (\S+)$/.exec(text) ?? [];
  if (currency === undefined || address === undefined) {
    throw new Unreadable("has a wallet that cannot be read");
  }
  wallets.set(`${currency} ${address}`, { currency, address });
}

function addBirths({ births }: EntryDraft, text: string, note: Note): void {
  const dates = datesInWords(text);
  if (dates === undefined) note("a date has an unknown format");
  for (const date of dates ?? []) births.add(date);
}

/**
 * Adds the country of a birth place. It is the last part or the last two: `Moscow, Russia`,
 * `Pyongyang, Korea, North`.
 */
function addBirthPlace({ countries }: EntryDraft, place: string): void {
  const names = place.split(",");
  const code = countryCode(names.slice(-2).join(" ")) ?? countryCode(names.at(-1) ?? "");
  if (code !== undefined) countries.add(code);
}

/**
 * Prefixes that OFAC uses for identity documents, registrations, and identifiers of ships and
 * aircraft. Longer prefixes come first. A document with another prefix is recognised by the issuing
 * country after it.
 */
const documentTypes: readonly string[] = `
  Aircraft Construction Number (also called L/N or S/N or F/N),
  Aircraft Manufacturer's Serial Number (MSN), Aircraft Mode S Transponder Code,
  Aircraft Serial Identification, Aircraft Tail Number, BIK (RU), Birth Certificate Number,
  Branch Unit Number, Business Number, Business Registration Document #,
  Business Registration Number, C.I.F., C.R. No., C.U.I., C.U.I.P., C.U.I.T., C.U.R.P. #,
  C.U.R.P., Cartilla de Servicio Militar Nacional, Cedula No., Central Registration System Number,
  Certificate of Incorporation Number, Chamber of Commerce Number, Commercial Registry Number,
  Company Number, Credencial electoral, D-U-N-S Number, D.N.I., Diplomatic Passport,
  Driver's License No., Economic Register Number (CBLS), Electoral Registry No.,
  Enterprise Number, Folio Mercantil No., Government Gazette Number, I.F.E.,
  Identification Number, Immigration No., Istanbul Chamber of Comm. No., Italian Fiscal Code,
  Kenyan ID No., LE Number, Legal Entity Number, License, MMSI, Matricula Mercantil No, N.I.E.,
  NIT #, National Foreign ID Number, National ID No., Numero de Identidad, Organization Code,
  Passport Booklet, Passport, Permit Number, Personal ID Card, Public Registration Number,
  R.F.C. #, R.F.C., RFC, RIF #, RTN, RUC #, Refugee ID Card, Registered Charity No.,
  Registration ID, Registration Number, Residency Number, Romanian C.R., SRE Permit No., SSN,
  SWIFT/BIC, Seafarer's Identification Document, Stateless Person ID Card,
  Stateless Person Passport, Tax ID No., Tazkira National ID Card, Trade License No.,
  Travel Document Number, Turkish Identification Number, UK Company Number, US FEIN,
  Unified Social Credit Code (USCC), United Social Credit Code Certificate (USCCC), V.A.T. Number,
  Vessel Registration Identification, VisaNumberID
`
  .split(",")
  .map((type) => type.trim())
  .sort((a, b) => b.length - a.length);

const validity = / (?:issued|expires) .*$/;
const issuer = /\(([^()]*)\)$/;
const unknownDocument = /^([^\d()]*[^\d()\s])\s+(\S*\d[^()]*)$/;
/** Contact data that looks like a document, because a country follows it too. */
const noDocument = /^(?:phone|telephone|fax|tel\b|email|website)/i;

/** Reads a document: `Passport 1084010 (Egypt) issued 18 Jan 1984 expires 17 Jan 1991`. */
function readDocument(draft: EntryDraft, text: string): void {
  const plain = text.replace(/^alt\. /i, "");
  if (noDocument.test(plain)) return;
  const type = documentTypes.find((known) => plain.startsWith(`${known} `));
  const rest = plain.slice(type === undefined ? 0 : type.length + 1).replace(validity, "");
  const country = countryCode(issuer.exec(rest)?.[1] ?? "") ?? "";
  const number = rest.replace(/ ?\(.*$/, "").replace(/^[:#]\s*/, "");
  if (type !== undefined) draft.addDocument(type, withoutPrefix(number), country);
  else if (country !== "") {
    const [, otherType, otherNumber] = unknownDocument.exec(number) ?? [];
    draft.addDocument(otherType ?? "", otherNumber ?? "", country);
  }
}

/** The IMO numbers of ships and companies are searched for without the prefix. */
function withoutPrefix(number: string): string {
  return number.replace(/^IMO\s+(?=\d)/, "");
}
