import type { DescMessage } from "@bufbuild/protobuf";
import {
  type Component,
  component,
  flag,
  from,
  type Kind,
  listOf,
  type Matching,
  namedFields,
  optional,
  ref,
  type Shape,
  type TableOf,
  text,
  whole,
} from "./fields.ts";

/** What every list's reply has beside its records. */
type PageReply = {
  readonly totalCount: bigint;
  readonly nextCursor: string;
  readonly totalCountCapped: boolean;
};

/** The same in the answer. */
export const pageMeta: Component<PageReply> = component(
  "PageMeta",
  "How many records there are, and where the next page begins.",
  {
    total_count: from((reply) => reply.totalCount, whole("Records on all pages together.", 1)),
    next_cursor: from(
      (reply) => reply.nextCursor,
      text("`cursor` of the next page; empty on the last.", ""),
    ),
    total_count_capped: from(
      (reply) => reply.totalCountCapped,
      optional(flag("True where counting stopped at 10,000; else left out.", true)),
    ),
  },
);

/** The records of a page. */
export function recordsOf<Value>(item: Component<Value>): Kind<readonly (Value | undefined)[]> {
  return listOf("The records of this page.", ref(item));
}

/** A page out of a list's reply; the table names its records. */
export function pageOf<Desc extends DescMessage, Table extends TableOf<Desc>>(
  desc: Desc,
  name: string,
  records: Table & Matching<Shape<Desc>, Table>,
): Component<Shape<Desc>> {
  const { write, ...meta } = ref(pageMeta);
  return component(name, "A page of a list.", {
    ...namedFields(desc, records),
    meta_data: { ...meta, read: (reply) => write(reply as unknown as PageReply) },
  });
}
