import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { readAllFrom, type Source } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { useListSettings } from "../session/list-settings.ts";
import { ExportButton } from "./export-button.tsx";
import { type Filter, Filters, type FilterValues, isFiltered } from "./filters.tsx";
import { List, type Listed } from "./list.tsx";
import { Page } from "./page.tsx";
import { Part } from "./part.tsx";
import { SavedViews } from "./saved-views.tsx";
import type { Column } from "./table.tsx";
import { ViewMenu } from "./view-menu.tsx";

/** A list page with its filters in the URL, and the person's columns and views. */
export function ListPage<T extends object>(
  props: Omit<Listed<T>, "source" | "view"> &
    Pick<ComponentProps<typeof Page>, "title" | "lead" | "id" | "state"> & {
      /** Returns the list that the filters in the URL select. */
      source: (search: FilterValues) => Source<T>;
      /**
       * The name of the list's CSV file and settings, and the file's columns if it has others. With an
       * address, the server writes the file.
       */
      file: {
        readonly name: string;
        readonly columns?: readonly Column<T>[];
        readonly address?: string;
      };
      filters?: readonly Filter[];
      /** Corrects filters that don't fit together. */
      adjust?: (next: FilterValues) => FilterValues;
      /** Links beside the export, such as the one to create an item. */
      add?: ReactNode;
      /** Shown above the filters. */
      children?: ReactNode;
    },
) {
  const { title, lead, id, state, file, filters = [], add, children, ...listed } = props;
  const { adjust = (next) => next } = props;
  const { columns, empty = t.states.empty } = listed;
  const search: FilterValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const source = props.source(search);
  const settings = useListSettings(file.name);
  const onSearch = (next: FilterValues) => void navigate({ to: ".", search: adjust(next) });
  return (
    <Page
      {...{ title, lead, id, state }}
      actions={
        <>
          {file.address === undefined ? (
            <ExportButton
              name={file.name}
              read={() => readAllFrom(source)}
              columns={file.columns ?? columns}
            />
          ) : (
            <a className="button" href={file.address} download>
              {t.actions.exportCsv}
            </a>
          )}
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
      <Part id={JSON.stringify(search)}>
        <List
          {...listed}
          source={source}
          view={settings}
          empty={isFiltered(search) ? t.states.nothingMatches : empty}
        />
      </Part>
    </Page>
  );
}
