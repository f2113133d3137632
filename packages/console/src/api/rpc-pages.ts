import type { ReadPage, Source } from "./pages.ts";
import { answerOf } from "./rpc.ts";

/** The fields of a list's answer. Without a cursor, the list is whole. */
type Paged = { readonly nextCursor?: string; readonly totalCount?: bigint };
type Call<A> = (page: { limit: number; cursor: string }) => Promise<A>;
type ItemOf<A, Name> = A extends Readonly<Record<Name & string, readonly (infer T)[]>> ? T : never;

/** Reads a list by an RPC, whose answer has the items in the field `name`. */
export const pagesOf =
  <A extends object, const Name extends string>(
    name: Name,
    call: Call<A>,
  ): ReadPage<ItemOf<A, Name>> =>
  async (page) => {
    const answer: A & Paged = await answerOf(call(page));
    const { nextCursor: next = "", totalCount } = answer;
    const items = answer[name as unknown as keyof A] as readonly ItemOf<A, Name>[];
    const total = totalCount === undefined ? undefined : Number(totalCount);
    return { items, next, total, isCapped: false };
  };

export const rpcSource = <A extends object, const Name extends string>(
  key: readonly unknown[],
  name: Name,
  call: Call<A>,
): Source<ItemOf<A, Name>> => ({ key, read: pagesOf(name, call) });
