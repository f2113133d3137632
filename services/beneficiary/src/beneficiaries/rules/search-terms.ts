import { romanise } from "@disburse/kernel/payment-methods/romanisation.ts";
import { invalidRequest, type Refused } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import { type Fields, fieldsOf, textOf } from "../../records/rules/private-fields.ts";
import { latinNameOf } from "./beneficiary.ts";

/** A text that a beneficiary is found by. Lists compare only hashes of terms. */
export type Term = readonly ["name" | "reference" | "metadata", ...texts: string[]];

/** Shorter beginnings would match too many names, and longer ones hardly fewer. */
const beginning = { min: 3, max: 8 } as const;
/** No real name has more words. It bounds the index entries of a beneficiary. */
const indexedWordsMax = 30;
/** More words don't narrow a search. Each one costs a comparison for each record read. */
const wantedMax = 10;
/** The gateway has the same limit. No reference is longer. */
const textMax = 255;

/**
 * Returns the words of a name in one spelling: without case, accents and compatibility forms, with
 * Greek and Cyrillic in Latin letters. Marks are dropped in every script, so a search may find a
 * few more names, but none fewer.
 */
export function wordsOf(text: string): string[] {
  const latin = romanise(text.normalize("NFKC"));
  const folded = latin
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  return folded.match(/[\p{L}\p{N}\p{Mc}]+/gu) ?? [];
}

function beginningsOf(word: string): string[] {
  const letters = [...word];
  const longest = Math.min(letters.length, beginning.max);
  const lengths = Array.from({ length: longest }, (_each, at) => at + 1);
  return lengths
    .filter((length) => length >= beginning.min)
    .map((length) => letters.slice(0, length).join(""));
}

/** Returns the terms of a beneficiary, from its name and the fields of its body. */
export function termsOf(name: string, fields: Fields): Term[] {
  const names = [name, latinNameOf(fields), textOf(fields, "beneficiary_alias")];
  const words = [...new Set(names.flatMap(wordsOf))].slice(0, indexedWordsMax);
  const wholeAndBegun = new Set(words.flatMap((word) => [word, ...beginningsOf(word)]));
  const reference = textOf(fields, "reference_id");
  return [
    ...[...wholeAndBegun].map((word): Term => ["name", word]),
    ...(reference === "" ? [] : [["reference", reference] as const]),
    ...metadataTerms(fieldsOf(fields, "metadata")),
  ];
}

const metadataTerms = (metadata: Fields): Term[] =>
  Object.entries(metadata).map(([key, value]) => ["metadata", key, cleanText(String(value))]);

export type Search = {
  readonly beneficiaryName: string;
  readonly referenceId: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/**
 * Returns the terms that a beneficiary must have. The most selective one is first, so that the plan
 * that the database caches for one search suits the next.
 */
export function wantedTerms(search: Search): Term[] | Refused<"INVALID_REQUEST"> {
  const { beneficiaryName: name, metadata } = search;
  const reference = cleanText(search.referenceId);
  const words = [...new Set(wordsOf(name))].toSorted((a, b) => b.length - a.length);
  const pairs = metadataTerms(metadata);
  const problems = [
    isLong(name) && { field: "beneficiary_name", problem: tooLong },
    name !== "" && words.length === 0 && { field: "beneficiary_name", problem: "must have a word" },
    words.length > wantedMax && { field: "beneficiary_name", problem: `${atMost} words` },
    isLong(reference) && { field: "reference_id", problem: tooLong },
    pairs.length > wantedMax && { field: "metadata", problem: `${atMost} pairs` },
  ].filter((each) => each !== false);
  if (problems.length > 0) return invalidRequest(problems);
  return [
    ...(reference === "" ? [] : [["reference", reference] as const]),
    ...pairs,
    ...words.map((word): Term => ["name", word]),
  ];
}

const atMost = `must have at most ${wantedMax}`;
const tooLong = `must be at most ${textMax} characters`;
const isLong = (text: string) => Array.from(text).length > textMax;
