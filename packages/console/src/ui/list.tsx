import {
  type InfiniteData,
  type UseSuspenseInfiniteQueryResult,
  useSuspenseInfiniteQuery,
} from "@tanstack/react-query";
import { type ReactNode, useDeferredValue } from "react";
import { onceOnly, type Page, pagesFrom, readAllFrom, type Source } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { type Bulk, BulkBar } from "./bulk.tsx";
import { Button } from "./button.tsx";
import { ExportButton } from "./export-button.tsx";
import { Notice } from "./notice.tsx";
import { Section } from "./page.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { type Column, DataTable, type TableView } from "./table.tsx";
import { useSelection } from "./use-selection.tsx";

export type Listed<T> = {
  readonly caption: string;
  readonly source: Source<T>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** Shown instead of an empty table. */
  readonly empty?: string;
  /** Changes of several rows that the person may make. */
  readonly bulk?: Bulk<T> | undefined;
  readonly view?: TableView;
  /** Reads the list again at this interval, if its records publish no events. */
  readonly everyMs?: number;
  /** True if the audit trail may record each read. Then only a person repeats one. */
  readonly isReadOnce?: boolean;
  /** Shown above the table, from what the rows say. */
  readonly notes?: (rows: readonly T[]) => ReactNode;
};

/** A list with its pages. While another filter's rows are read, it keeps the earlier rows. */
export function List<T extends object>(props: Listed<T>) {
  const { caption, columns, keyOf, empty = t.states.empty, bulk, view, everyMs } = props;
  const { isReadOnce = false, notes } = props;
  const source = useDeferredValue(props.source);
  const found = useSuspenseInfiniteQuery({
    ...pagesFrom(source),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(isReadOnce ? onceOnly : {}),
  });
  const rows = found.data.pages.flatMap(({ items }) => items);
  const { column, selection } = useSelection(rows, { keyOf, nameOf: bulk?.nameOf ?? keyOf });
  const isEmpty = rows.length === 0 && !found.hasNextPage;
  // Rows of an earlier filter are not to be changed.
  const isOld = JSON.stringify(source.key) !== JSON.stringify(props.source.key);
  return (
    <div className="stack" aria-busy={isOld}>
      {found.isError ? (
        <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
      ) : null}
      {found.data.pages.flatMap(({ warnings = [] }) =>
        warnings.map((text) => (
          <Notice key={text} tone="warn">
            {text}
          </Notice>
        )),
      )}
      {notes?.(rows)}
      {bulk === undefined || isOld ? null : (
        <BulkBar {...bulk} {...{ selection, keyOf }} isOffered={!isEmpty} />
      )}
      {isEmpty ? (
        <Notice tone="info">{empty}</Notice>
      ) : (
        <>
          <DataTable
            {...{ caption, rows, keyOf }}
            columns={bulk === undefined ? columns : [column, ...columns]}
            {...(view === undefined ? {} : { view })}
          />
          <More found={found} shown={rows.length} />
        </>
      )}
    </div>
  );
}

/** A list as a part of a page, with its CSV file if that has a name. */
export function ListSection<T extends object>(
  props: Omit<Listed<T>, "caption"> & {
    readonly title: string;
    readonly caption?: string;
    readonly file?: string;
    readonly add?: ReactNode;
    /** Shown above the list. */
    readonly children?: ReactNode;
  },
) {
  const { title, caption = title, file, add, children, ...listed } = props;
  const { source, columns } = listed;
  const read = () => readAllFrom(source);
  return (
    <Section
      title={title}
      actions={
        <>
          {add}
          {file === undefined ? null : <ExportButton name={file} {...{ read, columns }} />}
        </>
      }
    >
      {children}
      <List {...listed} caption={caption} />
    </Section>
  );
}

function shownText(shown: number, isMore: boolean, page: Page<unknown> | undefined): string {
  const { total, isCapped } = page ?? {};
  if (total === undefined) return isMore ? t.list.shownOfMany({ shown }) : String(shown);
  return isCapped === true ? t.list.shownCapped({ shown, total }) : t.list.shown({ shown, total });
}

/** The number of shown rows, and a button to read more. */
function More<T>(props: {
  found: UseSuspenseInfiniteQueryResult<InfiniteData<Page<T>>, Error>;
  shown: number;
}) {
  const { found, shown } = props;
  return (
    <div className="row between">
      <span className="soft small" role="status">
        {shownText(shown, found.hasNextPage, found.data.pages.at(-1))}
      </span>
      {found.hasNextPage ? (
        <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {found.isFetchingNextPage ? t.states.loading : t.actions.more}
        </Button>
      ) : null}
    </div>
  );
}
