import { type ExactJson, isJsonObject, type JsonObject } from "@disburse/kernel/exact-json.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import { isValidIBAN } from "ibantools";
import type { Field, NormalForm, PublicBody, TextField } from "../fields/field.ts";
import { networks } from "../values/networks.ts";
import { canonicalAddress } from "../values/wallet-address.ts";
import { fieldsOf } from "./read.ts";

/** Matches the text `IBAN`, with which printed IBANs often start. */
const ibanPrefix = /^iban:?/i;
const ibanLike = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/i;

/** Matches digits with the punctuation of printed telephone numbers. */
const printedTelephone = /^\(?\+?\s?\(?\d[\d\s()\p{Pd}]*$/u;

/** Matches the `(0)` in `+44 (0)20 7946 0958`, which is dialled only within the country. */
const trunkZero = /\(\s*0\s*\)(?=.*\d)/;

const rewrites: Readonly<Record<NormalForm["of"], (text: string) => string>> = {
  // Removes spaces, which no account number has. Only IBANs are changed to upper case.
  iban: (text) => {
    const written = text.replaceAll(/\s+/g, "");
    const bare = written.replace(ibanPrefix, "");
    const compact = ibanLike.test(bare) ? bare : written;
    const electronic = compact.toUpperCase();
    if (isValidIBAN(electronic)) return electronic;
    return ibanLike.test(compact) ? compact : text;
  },
  telephone: (text) => {
    if (!printedTelephone.test(text)) return text;
    return text.replace(trunkZero, "").replaceAll(/\D/g, "");
  },
  wallet: (text) => {
    for (const network of networks) {
      const canonical = canonicalAddress(network, text);
      if (canonical !== undefined) return canonical;
    }
    return text;
  },
};

/**
 * Returns the text in the form in which it is checked, stored and compared: trimmed, NFC-composed
 * and normalised.
 */
export function normalText({ normal }: TextField, text: string): string {
  const clean = cleanText(text);
  return normal === undefined ? clean : rewrites[normal.of](clean);
}

/**
 * Returns the body with its declared texts in normal form. The idempotency fingerprint and the
 * owning service use this form. Undeclared fields stay unchanged.
 */
export function normalBody(body: PublicBody | undefined, json: JsonObject): JsonObject {
  return body === undefined ? json : normalObject(fieldsOf(body), json);
}

function normalObject(fields: readonly Field[], json: JsonObject): JsonObject {
  const normal: JsonObject = { ...json };
  for (const field of fields) {
    // Reads only own keys, because an inherited `constructor` was not sent.
    const sent = Object.hasOwn(json, field.name) ? json[field.name] : undefined;
    if (sent !== undefined) normal[field.name] = normalValue(field, sent);
  }
  return normal;
}

function normalValue(field: Field, sent: ExactJson): ExactJson {
  switch (field.kind) {
    case "object":
      return isJsonObject(sent) ? normalObject(field.fields, sent) : sent;
    case "list": {
      const item = (each: ExactJson) =>
        isJsonObject(each) ? normalObject(field.fields, each) : each;
      return Array.isArray(sent) ? sent.map(item) : sent;
    }
    case "texts":
      return Array.isArray(sent) ? sent.map(cleaned) : sent;
    case "pairs":
      return isJsonObject(sent)
        ? Object.fromEntries(Object.entries(sent).map(([key, value]) => [key, cleaned(value)]))
        : sent;
    case "flag":
    case "integer":
      return sent;
    default:
      return typeof sent === "string" ? normalText(field, sent) : sent;
  }
}

function cleaned(value: ExactJson): ExactJson {
  return typeof value === "string" ? cleanText(value) : value;
}
