import {
  type Component,
  component,
  flag,
  from,
  listOf,
  optional,
  ref,
  text,
  whole,
} from "./fields.ts";

/** What every list's reply says beside its records. */
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

/** A page of records under their name. */
export function pageOf<Reply extends PageReply, Record>(
  name: string,
  records: string,
  read: (reply: Reply) => readonly Record[],
  item: Component<Record>,
): Component<Reply> {
  return component(name, "A page of a list.", {
    [records]: from(read, listOf("The records of this page.", ref(item))),
    meta_data: from((reply: Reply) => reply, ref(pageMeta)),
  });
}
