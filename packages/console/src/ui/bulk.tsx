import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { onceOnly } from "../api/pages.ts";
import { needsApproval, Problem } from "../api/problem.ts";
import { attemptKey } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";
import { AreaField } from "./field.tsx";
import { Loading } from "./part.tsx";
import { StepNotice } from "./problem-notice.tsx";
import { useSingle } from "./use-attempt.ts";
import type { Selection } from "./use-selection.tsx";

const words = t.bulk;

/** The most rows that one confirmation changes, so that a person can review them. */
export const bulkMax = 100;

/** A change of several rows, each by its own request. */
export type BulkAction<T> = {
  readonly label: string;
  readonly text: string;
  readonly kind: "primary" | "danger";
  /** The label of the reason. Absent if the action needs no reason. */
  readonly reason?: string;
  /** The least and the most characters of the reason, by default 1 and 255. */
  readonly reasonLength?: readonly [min: number, max: number];
  /** Reads the rows again when the dialog opens, for example with their digests. */
  readonly open?: (rows: readonly T[]) => Promise<readonly T[]>;
  /** `key` identifies the attempt at this row, so that a repeat changes it once. */
  readonly change: (row: T, key: string, reason: string) => Promise<unknown>;
};

/** The changes that a list offers for several of its rows. */
export type Bulk<T> = {
  readonly nameOf: (row: T) => string;
  /** Shows facts about all rows together, such as their sum. */
  readonly summary?: (rows: readonly T[]) => ReactNode;
  readonly actions: readonly BulkAction<T>[];
};

type Named<T> = Pick<Bulk<T>, "nameOf" | "summary"> & { readonly keyOf: (row: T) => string };

/**
 * The number of selected rows, with the actions on them. It stays on the page while a dialog shows
 * results, although the changed rows are gone from the list.
 */
export function BulkBar<T>(
  props: Bulk<T> &
    Named<T> & {
      readonly selection: Selection<T>;
      /** True if the list has rows to select. */
      readonly isOffered: boolean;
    },
) {
  const { selection, isOffered, actions, ...named } = props;
  const { selected: rows, all: onAll, clear: onClear } = selection;
  const isNone = rows.length === 0;
  return (
    <section className="row" aria-label={words.title}>
      {isOffered ? (
        <Button onClick={isNone ? onAll : onClear}>{isNone ? words.all : words.clear}</Button>
      ) : null}
      {isNone ? null : <span role="status">{words.selected({ count: rows.length })}</span>}
      {rows.length > bulkMax ? (
        <span className="soft">{words.most({ count: bulkMax })}</span>
      ) : null}
      {actions.map((action) => (
        <BulkButton key={action.label} {...{ ...named, rows, action, onClear }} />
      ))}
    </section>
  );
}

type Asked<T> = Named<T> & {
  readonly rows: readonly T[];
  readonly action: BulkAction<T>;
  readonly onClear: () => void;
};

/** Asks once for all rows, then shows the result of each. Closing the dialog keeps the reason. */
export function BulkButton<T>(props: Asked<T>) {
  const { rows, action } = props;
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  return (
    <>
      {rows.length === 0 ? null : (
        <Button kind={action.kind} disabled={rows.length > bulkMax} onClick={() => setOpen(true)}>
          {action.label}
        </Button>
      )}
      {isOpen ? (
        <BulkDialog {...props} {...{ reason, setReason }} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

/** Changes each row once. A repeat sends only what has failed, under the same keys. */
function useBulk<T>({ rows: selected, action, keyOf }: Asked<T>, reason: string) {
  const [{ opened, first }] = useState(() => ({ opened: attemptKey(), first: selected }));
  const reading = useQuery({
    queryKey: ["bulk", opened],
    queryFn: async () => (await action.open?.(first)) ?? first,
    ...onceOnly,
  });
  const { data: rows = [] } = reading;
  const [results, setResults] = useState<Results>(new Map());
  const keys = useRef(new Map<string, string>());
  const changeOne = async (row: T) => {
    // Another reason is another attempt.
    const attempt = `${keyOf(row)} ${reason}`;
    const key = keys.current.get(attempt) ?? attemptKey();
    keys.current.set(attempt, key);
    const result = await action.change(row, key, reason).then(() => ({ text: "" }), resultOf);
    setResults((before) => new Map(before).set(keyOf(row), result));
  };
  const isLeft = (row: T) => {
    const result = results.get(keyOf(row));
    return result === undefined || result.error !== undefined;
  };
  const changing = useSingle({ mutationFn: () => inParallel(rows.filter(isLeft), changeOne) });
  return { rows, reading, results, changing };
}

type Reasoned = { readonly reason: string; readonly setReason: (reason: string) => void };

function BulkDialog<T>(props: Asked<T> & Reasoned & { onClose: () => void }) {
  const { action, keyOf, nameOf, summary, reason, setReason, onClear, onClose } = props;
  const { rows, reading, results, changing } = useBulk(props, reason.trim());
  const failures = [...results.values()].filter(({ error }) => error);
  const isDone = results.size > 0 && failures.length === 0;
  const [reasonMin, reasonMax] = action.reasonLength ?? [1, 255];
  const isMissing = action.reason !== undefined && reason.trim().length < reasonMin;
  const isReady = rows.length > 0 && !changing.isPending && !isMissing;
  const label = words.action({ label: action.label, count: rows.length });
  const error = reading.error ?? failures[0]?.error;
  const close = () => {
    if (changing.isPending) return;
    if (failures.length < results.size) onClear();
    if (isDone) setReason("");
    onClose();
  };
  return (
    <Modal title={action.label} text={action.text} isOpen onOpenChange={close}>
      {reading.isPending ? <Loading /> : summary?.(rows)}
      {action.reason === undefined || isDone ? null : (
        <AreaField
          label={action.reason}
          value={reason}
          onChange={setReason}
          maxLength={reasonMax}
          hint={reasonMin > 1 ? t.steps.reasonHint : undefined}
          required
        />
      )}
      {results.size === 0 ? null : <ResultList {...{ rows, results, keyOf, nameOf }} />}
      {error ? <StepNotice error={error} /> : null}
      <div className="row">
        {isDone ? null : (
          <Button kind={action.kind} disabled={!isReady} onClick={() => changing.mutate()}>
            {changing.isPending ? t.states.working : failures.length > 0 ? t.actions.retry : label}
          </Button>
        )}
        <Button disabled={changing.isPending} onClick={close}>
          {results.size > 0 ? t.actions.close : t.actions.cancel}
        </Button>
      </div>
    </Modal>
  );
}

/** The text after a row: nothing if its change succeeded, or the error. */
type Result = { readonly text: string; readonly error?: unknown };
type Results = ReadonlyMap<string, Result>;

const resultOf = (error: unknown): Result =>
  error instanceof Problem && error.code === needsApproval
    ? { text: `: ${words.proposed}` }
    : { text: `: ${error instanceof Error ? error.message : String(error)}`, error };

function ResultList<T>(
  props: Pick<Named<T>, "keyOf" | "nameOf"> & { rows: readonly T[]; results: Results },
) {
  const { rows, results, keyOf, nameOf } = props;
  const done = [...results.values()].filter(({ error }) => !error).length;
  return (
    <>
      <p role="status">{words.results({ done, count: rows.length })}</p>
      <ul className="small">
        {rows.map((row) => {
          const result = results.get(keyOf(row));
          return result === undefined ? null : (
            <li key={keyOf(row)}>
              {result.error ? "✗" : "✓"} {nameOf(row)}
              {result.text}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const atOnce = 4;

/** Runs `work` for every item, a few at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
