import { type QueryKey, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { onceOnly } from "./pages.ts";
import { answerOf } from "./rpc.ts";

type Read<T> = () => Promise<T>;

/** Reads records by RPCs. The part of the page waits for them. */
export const useAnswer = <T>(
  queryKey: QueryKey,
  read: Read<T>,
  options: Partial<typeof onceOnly> = {},
): T => useSuspenseQuery({ queryKey, queryFn: () => answerOf(read()), ...options }).data;

/** Reads records that a page can be shown without. */
export const useOptionalAnswer = <T>(queryKey: QueryKey, read: Read<T>): T | undefined =>
  useQuery({ queryKey, queryFn: () => answerOf(read()) }).data;
