import { useQuery } from "@tanstack/react-query";
import { get } from "../api/request.ts";
import { t } from "../catalogue/en.ts";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { type Column, DataTable } from "./table.tsx";

export function PlainList<T extends object>(props: {
  caption: string;
  path: string;
  items: string;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
}) {
  const { caption, path, items, columns, keyOf } = props;
  const found = useQuery({
    queryKey: [path],
    queryFn: () => get<Record<string, readonly T[]>>(path),
  });
  if (found.isPending) return <p role="status">{t.states.loading}</p>;
  if (found.isError) return <ProblemNotice error={found.error} />;
  const rows = found.data[items] ?? [];
  if (rows.length === 0) return <Notice tone="info">{t.states.empty}</Notice>;
  return <DataTable caption={caption} columns={columns} rows={rows} keyOf={keyOf} />;
}
