import type { DescMessage } from "@bufbuild/protobuf";
import {
  type Component,
  component,
  flag,
  from,
  type Kind,
  listOf,
  optional,
  ref,
  type Shape,
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
      optional(flag("True if counting stopped at 10,000; otherwise omitted.", true)),
    ),
  },
);

/** A page out of a list's reply, whose field `list` has the records. */
export function pageOf<Desc extends DescMessage, List extends keyof Shape<Desc> & string>(
  _desc: Desc,
  name: string,
  list: List,
  item: Component<Shape<Desc>[List] extends readonly (infer Item)[] ? Item : never>,
  publicList: string = list,
): Component<Shape<Desc>> {
  const records = listOf("The records of this page.", ref(item)) as Kind<unknown>;
  return component<Shape<Desc>>(name, "A page of a list.", {
    [publicList]: from((reply) => reply[list], records),
    meta_data: from((reply) => reply as unknown as PageReply, ref(pageMeta)),
  });
}
