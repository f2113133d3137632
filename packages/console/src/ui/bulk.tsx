import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { needsApproval, Problem } from "../api/problem.ts";
import { attemptKey } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";
import { AreaField } from "./field.tsx";
import { StepNotice } from "./step-up.tsx";
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
  /** No longer needed: the page reads all of its records again. */
  readonly onDone?: () => Promise<unknown>;
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
  readonly onDone?: () => Promise<unknown>;
  readonly onClear: () => void;
};

/** Changes each row once. A repeat sends only what has failed, under the same keys. */
function useBulk<T>({ rows: selected, action, keyOf, onClear }: Asked<T>) {
  const [isShown, setOpen] = useState(false);
  const [rows, setRows] = useState<readonly T[]>([]);
  const [reason, setReason] = useState("");
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const keys = useRef(new Map<string, string>());
  const round = useRef(0);
  const opening = useMutation({
    mutationFn: async (at: number) => {
      const read = (await action.open?.(selected)) ?? selected;
      // The dialog may have been closed, and opened for other rows.
      if (at === round.current) setRows(read);
    },
  });
  const changeOne = async (row: T) => {
    const key = keys.current.get(keyOf(row)) ?? attemptKey();
    keys.current.set(keyOf(row), key);
    const result = await action.change(row, key, reason.trim()).then(
      (): Result => "done",
      (error: unknown): Result =>
        error instanceof Problem && error.code === needsApproval ? "proposed" : { error },
    );
    setResults((before) => new Map(before).set(keyOf(row), result));
  };
  const changing = useSingle({
    mutationFn: () => {
      const left = rows.filter((row) => isOpen(results.get(keyOf(row))));
      return inParallel(left, changeOne);
    },
  });
  const show = (open: boolean) => {
    if (changing.isPending) return;
    setOpen(open);
    round.current += 1;
    if (!open) {
      if (![...results.values()].every(isOpen)) onClear();
      return;
    }
    keys.current = new Map();
    setResults(new Map());
    setRows([]);
    setReason("");
    opening.mutate(round.current);
  };
  return { isShown, show, rows, reason, setReason, results, opening, changing };
}

/** Asks once for all rows, then shows the result of each. */
export function BulkButton<T>(props: Asked<T>) {
  const { rows: selected, action, keyOf, nameOf, summary } = props;
  const { isShown, show, rows, reason, setReason, results, opening, changing } = useBulk(props);
  const failures = [...results.values()].filter(isOpen);
  const isDone = results.size > 0 && failures.length === 0;
  const [reasonMin, reasonMax] = action.reasonLength ?? [1, 255];
  const isMissing = action.reason !== undefined && reason.trim().length < reasonMin;
  const isTooMany = selected.length > bulkMax;
  return (
    <>
      {selected.length === 0 ? null : (
        <Button kind={action.kind} disabled={isTooMany} onClick={() => show(true)}>
          {action.label}
        </Button>
      )}
      <Modal title={action.label} text={action.text} isOpen={isShown} onOpenChange={show}>
        {opening.isError ? <StepNotice error={opening.error} /> : null}
        {rows.length === 0 && !opening.isError ? <p>{t.states.loading}</p> : summary?.(rows)}
        {action.reason === undefined || results.size > 0 ? null : (
          <AreaField
            label={action.reason}
            value={reason}
            onChange={setReason}
            maxLength={reasonMax}
            hint={reasonMin > 1 ? t.steps.reasonHint : undefined}
            required
          />
        )}
        {results.size === 0 ? null : <Results {...{ rows, results, keyOf, nameOf }} />}
        {failures[0] === undefined ? null : <StepNotice error={failures[0].error} />}
        <div className="row">
          {isDone ? null : (
            <Button
              kind={action.kind}
              disabled={rows.length === 0 || changing.isPending || isMissing}
              onClick={() => changing.mutate()}
            >
              {changing.isPending ? t.states.working : labelOf(action, rows, failures.length)}
            </Button>
          )}
          <Button disabled={changing.isPending} onClick={() => show(false)}>
            {results.size > 0 ? t.actions.close : t.actions.cancel}
          </Button>
        </div>
      </Modal>
    </>
  );
}

const labelOf = <T,>({ label }: BulkAction<T>, rows: readonly T[], failures: number) =>
  failures > 0 ? t.actions.retry : words.action({ label, count: rows.length });

/** A change may be done, await another person, or have failed. */
type Result = "done" | "proposed" | { readonly error: unknown };

/** True for a change that has failed or was not made. */
const isOpen = (result: Result | undefined): result is Exclude<Result, string> =>
  typeof result !== "string";

function Results<T>(
  props: Omit<Named<T>, "summary"> & {
    readonly rows: readonly T[];
    readonly results: ReadonlyMap<string, Result>;
  },
) {
  const { rows, results, keyOf, nameOf } = props;
  const done = [...results.values()].filter((each) => !isOpen(each)).length;
  return (
    <>
      <p role="status">{words.results({ done, count: rows.length })}</p>
      <ul className="scrolled small">
        {rows.map((row) => {
          const result = results.get(keyOf(row));
          if (result === undefined) return null;
          return (
            <li key={keyOf(row)}>
              {isOpen(result) ? "✗" : "✓"} {nameOf(row)}
              {result === "proposed" ? `: ${words.proposed}` : ""}
              {isOpen(result) ? `: ${messageOf(result.error)}` : ""}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const atOnce = 4;

/** Runs `work` for every item, a few at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
