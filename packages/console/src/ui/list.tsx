import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { type ListOf, type Page, pagesOf } from "../api/pages.ts";
import type { Query } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { Awaited } from "./awaited.tsx";
import { type Bulk, BulkBar } from "./bulk.tsx";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { type Column, DataTable, type TableView } from "./table.tsx";
import { useSelection } from "./use-selection.tsx";

type Shown<T> = {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly empty?: string;
  /** Filters rows on the client if the server has no such filter. */
  readonly shows?: (row: T) => boolean;
  /** Changes of several rows that the person may make. */
  readonly bulk?: Bulk<T> | undefined;
  readonly view?: TableView;
};

export function List<T extends object>(
  props: Shown<T> & {
    readonly list: ListOf<T>;
    readonly query: Query;
    /**
     * True if the page sets the query, not the person. An empty result then means that the list is
     * empty.
     */
    readonly isFixed?: boolean;
    /** Reads the list again at this interval, if its records publish no events. */
    readonly everyMs?: number;
  },
) {
  const { list, query, isFixed, empty, everyMs, ...shown } = props;
  const interval = everyMs === undefined ? {} : { refetchInterval: everyMs };
  const found = useInfiniteQuery({ ...pagesOf(list, query), ...interval });
  const isFiltered =
    !isFixed && Object.values(query).some((value) => value !== undefined && value !== "");
  const words = isFiltered ? t.states.nothingMatches : (empty ?? t.states.empty);
  return <PagedTable {...shown} empty={words} found={found} />;
}

export function PagedTable<T extends object>(
  props: Shown<T> & { readonly found: UseInfiniteQueryResult<InfiniteData<Page<T>>, Error> },
) {
  const { caption, columns, keyOf, empty = t.states.empty, shows = () => true, found } = props;
  const { bulk, view } = props;
  const rows = found.data?.pages.flatMap(({ items }) => items).filter(shows) ?? [];
  const { column, selection } = useSelection(rows, { keyOf, nameOf: bulk?.nameOf ?? keyOf });
  if (found.data === undefined) return <Awaited found={found} />;
  const isEmpty = rows.length === 0 && !found.hasNextPage;
  // Rows of an earlier filter are not to be changed.
  const isOld = found.isPlaceholderData;
  const bar =
    bulk === undefined || isOld ? null : (
      <BulkBar {...bulk} {...{ selection, keyOf }} isOffered={!isEmpty} />
    );
  return (
    <div className="stack" aria-busy={isOld}>
      {found.isError ? (
        <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
      ) : null}
      {bar}
      {isEmpty ? (
        <Notice tone="info">{empty}</Notice>
      ) : (
        <>
          <DataTable
            caption={caption}
            columns={bulk === undefined ? columns : [column, ...columns]}
            rows={rows}
            keyOf={keyOf}
            {...(view === undefined ? {} : { view })}
          />
          <More found={found} shown={rows.length} />
        </>
      )}
    </div>
  );
}

function shownText(shown: number, isMore: boolean, page: Page<unknown> | undefined): string {
  const { total, isCapped } = page ?? {};
  if (total === undefined) return isMore ? t.list.shownOfMany({ shown }) : String(shown);
  return isCapped === true ? t.list.shownCapped({ shown, total }) : t.list.shown({ shown, total });
}

/** The number of shown rows, and a button to read more. */
function More<T>(props: {
  found: UseInfiniteQueryResult<InfiniteData<Page<T>>, Error>;
  shown: number;
}) {
  const { found, shown } = props;
  return (
    <div className="row between">
      <span className="soft small" role="status">
        {shownText(shown, found.hasNextPage, found.data?.pages.at(-1))}
      </span>
      {found.hasNextPage ? (
        <button
          type="button"
          className="button"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {found.isFetchingNextPage ? t.states.loading : t.actions.more}
        </button>
      ) : null}
    </div>
  );
}
