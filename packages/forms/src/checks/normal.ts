import { type ExactJson, isJsonObject, type JsonObject } from "@disburse/kernel/exact-json.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import { isValidIBAN } from "ibantools";
import type { Field, NormalForm, PublicBody, TextField } from "../fields/field.ts";
import { networks } from "../values/networks.ts";
import { canonicalAddress } from "../values/wallet-address.ts";
import { fieldsOf } from "./read.ts";

/** Printed IBANs often start with `IBAN`. */
const ibanPrefix = /^iban:?/i;
const ibanLike = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/i;

/** Digits, with the punctuation of printed telephone numbers. */
const printedTelephone = /^\(?\+?\s?\(?\d[\d\s()\p{Pd}]*$/u;

/** The `(0)` of `+44 (0)20 7946 0958`, dialled only within the country. */
const trunkZero = /\(\s*0\s*\)(?=.*\d)/;

const rewrites: Readonly<Record<NormalForm["of"], (text: string) => string>> = {
  // No account number has spaces. Numbers other than IBANs keep their letter case.
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

/** Returns the text as it is checked, stored and compared: trimmed, composed, in normal form. */
export function normalText({ normal }: TextField, text: string): string {
  const clean = cleanText(text);
  return normal === undefined ? clean : rewrites[normal.of](clean);
}

/**
 * Returns the body with its declared texts in normal form, for the idempotency fingerprint and for
 * the owning service. Fields that the form does not declare stay unchanged.
 */
export function normalBody(body: PublicBody | undefined, json: JsonObject): JsonObject {
  return body === undefined ? json : normalObject(fieldsOf(body), json);
}

function normalObject(fields: readonly Field[], json: JsonObject): JsonObject {
  const normal: JsonObject = { ...json };
  for (const field of fields) {
    // Own keys only: an inherited `constructor` was not sent.
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
