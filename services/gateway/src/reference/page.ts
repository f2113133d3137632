import type { JsonSchema } from "@disburse/forms/json-schema.ts";
import { limitParameter, parameter, tokenParameter } from "../domain/list-query.ts";
import { type Component, component, flag, listOf, ref, text, whole } from "./schema.ts";

/** What every list takes: a page's length, and where it begins. */
export const pageQuery = {
  limit: parameter(limitParameter, "How many records a page has; 20 when left out."),
  cursor: parameter(tokenParameter, "`next_cursor` of the page before; the first when left out."),
} as const;

/** What every list says beside its records. */
export const pageMeta: Component = component(
  "PageMeta",
  "How many records there are, and where the next page begins.",
  {
    total_count: whole("Records on all pages together.", 1),
    next_cursor: text("`cursor` of the next page; empty on the last.", ""),
    total_count_capped: flag("True where counting stopped at 10,000; else left out.", true),
  },
  ["total_count_capped"],
);

/** A page of records under their name. */
export function pageOf(name: string, records: string, item: JsonSchema): Component {
  return component(name, "A page of a list.", {
    [records]: listOf("The records of this page.", item),
    meta_data: ref(pageMeta),
  });
}
