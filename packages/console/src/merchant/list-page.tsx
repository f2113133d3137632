import type { ReactNode } from "react";
import { type ListOf, readAll } from "../api/pages.ts";
import type { Bulk } from "../ui/bulk.tsx";
import { ExportButton } from "../ui/export-button.tsx";
import { type Filter, Filters, type FilterValues } from "../ui/filters.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { spanQuery } from "./rules/span.ts";

/** A list page with its filters in the URL. */
export function ListPage<T extends object>(props: {
  title: string;
  caption: string;
  /** Text for an empty list without filters. */
  empty?: string;
  list: ListOf<T>;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** The CSV file's name, without extension, and its columns. */
  file: { readonly name: string; readonly columns: readonly Column<T>[] };
  filters: readonly Filter[];
  search: FilterValues;
  onSearch: (next: FilterValues) => void;
  /** Changes of several rows that the person may make. */
  bulk?: Bulk<T> | undefined;
  /** Links beside the export, such as the one to create an item. */
  add?: ReactNode;
  /** Reads the list again at this interval, if its records publish no events. */
  everyMs?: number;
}) {
  const { title, list, file, filters, search, onSearch, add, ...shown } = props;
  const query = spanQuery(search);
  return (
    <Page
      title={title}
      actions={
        <>
          <ExportButton name={file.name} read={() => readAll(list, query)} columns={file.columns} />
          {add}
        </>
      }
    >
      <Filters filters={filters} values={search} onChange={onSearch} />
      <List {...shown} list={list} query={query} keepsRows />
    </Page>
  );
}
