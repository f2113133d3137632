import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pagesFrom, readAllFrom, type Source } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { useListSettings } from "../session/list-settings.ts";
import type { Bulk } from "./bulk.tsx";
import { ExportButton } from "./export-button.tsx";
import { type Filter, Filters, type FilterValues } from "./filters.tsx";
import { PagedTable } from "./list.tsx";
import { Page } from "./page.tsx";
import { SavedViews } from "./saved-views.tsx";
import type { Column } from "./table.tsx";
import { ViewMenu } from "./view-menu.tsx";

/** A list page with its filters in the URL, and the person's columns and views. */
export function ListPage<T extends object>(props: {
  title: string;
  caption: string;
  /** Text for an empty list without filters. */
  empty?: string;
  /** Returns the list that the filters in the URL select. */
  source: (search: FilterValues) => Source<T>;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** The name of the list's CSV file and settings, and the file's columns if it has others. */
  file: { readonly name: string; readonly columns?: readonly Column<T>[] };
  filters?: readonly Filter[];
  /** Corrects filters that don't fit together. */
  adjust?: (next: FilterValues) => FilterValues;
  /** Changes of several rows that the person may make. */
  bulk?: Bulk<T> | undefined;
  /** Links beside the export, such as the one to create an item. */
  add?: ReactNode;
  /** Reads the list again at this interval, if its records publish no events. */
  everyMs?: number;
  /** Shown above the filters. */
  children?: ReactNode;
}) {
  const { title, file, filters = [], add, everyMs, children, empty, ...shown } = props;
  const { adjust = (next) => next } = props;
  const { columns, caption, keyOf, bulk } = shown;
  const search: FilterValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const source = props.source(search);
  const settings = useListSettings(file.name);
  const found = useInfiniteQuery({
    ...pagesFrom(source),
    placeholderData: keepPreviousData,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
  const onSearch = (next: FilterValues) => void navigate({ to: ".", search: adjust(next) });
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== "");
  return (
    <Page
      title={title}
      actions={
        <>
          <ExportButton
            name={file.name}
            read={() => readAllFrom(source)}
            columns={file.columns ?? columns}
          />
          {add}
        </>
      }
    >
      {children}
      {filters.length === 0 ? null : (
        <Filters filters={filters} values={search} onChange={onSearch} />
      )}
      <div className="row between">
        <SavedViews {...{ settings, search, onSearch }} />
        <ViewMenu {...{ columns, settings }} />
      </div>
      <PagedTable
        {...{ caption, columns, keyOf, bulk, found }}
        view={settings}
        empty={isFiltered ? t.states.nothingMatches : (empty ?? t.states.empty)}
      />
    </Page>
  );
}
