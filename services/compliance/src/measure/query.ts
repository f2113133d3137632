import { z } from "zod";
import type { Party } from "../domain/matcher.ts";

const text = z.string().min(1);
const asked = z.object({
  name: z.string().optional(),
  first: z.string().optional(),
  last: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  type: text,
  dob: z.string().nullish(),
  country: z.string().nullish(),
});
const query = z.object({
  id: text,
  kind: text,
  query: asked,
  expected: z.string().nullable(),
  accept: z.array(z.string()).optional(),
});

/** A labelled query: `expected` is the uid that must be found, null where nobody must be. */
export type Query = {
  readonly id: string;
  /** Negatives begin with `neg_`. */
  readonly kind: string;
  readonly party: Party;
  readonly expected: string | null;
  /** Other uids of the same person or company. */
  readonly accept: readonly string[];
};

/** Reads one line of a query set, or says what is wrong with it. */
export function parseQuery(line: string): Query | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "is not JSON" };
  }
  const read = query.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return { problem: `${issue?.path.join(".")}: ${issue?.message}` };
  }
  const { id, kind, expected, accept = [] } = read.data;
  const party = partyOf(read.data.query);
  if (party.name === "") return { problem: "query: has no name" };
  return { id, kind, party, expected, accept };
}

function partyOf(named: z.infer<typeof asked>): Party {
  const first = named.first ?? named.first_name ?? "";
  const last = named.last ?? named.last_name ?? "";
  return {
    type: /^(?:individual|person)$/i.test(named.type) ? "individual" : "entity",
    name: named.name ?? `${first} ${last}`.trim(),
    date: named.dob ?? "",
    countries: named.country ? [named.country] : [],
    documents: [],
  };
}
