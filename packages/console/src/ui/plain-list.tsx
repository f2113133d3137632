import { useQuery } from "@tanstack/react-query";
import { get } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { Awaited } from "./awaited.tsx";
import { Notice } from "./notice.tsx";
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
  if (found.data === undefined) return <Awaited found={found} />;
  const rows = found.data[items] ?? [];
  if (rows.length === 0) return <Notice tone="info">{t.states.empty}</Notice>;
  return <DataTable caption={caption} columns={columns} rows={rows} keyOf={keyOf} />;
}
