import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../api/request.ts";

const path = "/console/session/lists";

/** A person's named set of filters and columns of a list. */
export type SavedView = {
  readonly name: string;
  readonly search: Readonly<Record<string, string | undefined>>;
  readonly hidden: readonly string[];
};

type Settings = {
  readonly hidden?: readonly string[];
  readonly isDense?: boolean;
  readonly views?: readonly SavedView[];
};

const query = queryOptions({
  queryKey: ["list settings"],
  queryFn: () => get<Readonly<Record<string, Settings>>>(path),
  // A change may not be saved yet when the page reads its records again.
  staleTime: "static",
});

export type ListSettings = ReturnType<typeof useListSettings>;

/** The person's settings of a list. The server has them, because filters may name persons. */
export function useListSettings(list: string) {
  const client = useQueryClient();
  const { data } = useQuery(query);
  const { hidden = [], isDense = false, views = [] } = data?.[list] ?? {};
  const saving = useMutation({
    // One after the other, so that the last one stays.
    scope: { id: query.queryKey[0] ?? "" },
    mutationFn: (body: Settings) => send("POST", `${path}/${list}`, { body }),
    onError: () => client.fetchQuery({ ...query, staleTime: 0 }),
  });
  const change = (next: Settings) => {
    const all = { hidden, isDense, views, ...next };
    client.setQueryData(query.queryKey, (before = {}) => ({ ...before, [list]: all }));
    saving.mutate(all);
  };
  // Settings that aren't read yet can't be changed.
  return { hidden, isDense, views, change, isKnown: data !== undefined, error: saving.error };
}
