/** The fields that determine a span's position in the waterfall. */
export type Placed = {
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Microseconds since the Unix epoch. */
  readonly startedUs: number;
  readonly durationUs: number;
};

export type Row<S extends Placed> = {
  readonly span: S;
  /** Number of the span's ancestors. */
  readonly depth: number;
  /** Microseconds since the start of the first span. */
  readonly offsetUs: number;
};

/** Orders spans as rows. Children follow their parent, and siblings are sorted by start time. */
export function waterfall<S extends Placed>(spans: readonly S[]) {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const byParent = Map.groupBy(
    spans.toSorted((a, b) => a.startedUs - b.startedUs),
    ({ spanId, parentSpanId }) =>
      known.has(parentSpanId) && parentSpanId !== spanId ? parentSpanId : "",
  );
  const beganUs = Math.min(...spans.map(({ startedUs }) => startedUs));
  const rows: Row<S>[] = [];
  const seen = new Set<string>();
  const add = (span: S, depth: number): void => {
    if (seen.has(span.spanId)) return;
    seen.add(span.spanId);
    rows.push({ span, depth, offsetUs: span.startedUs - beganUs });
    for (const child of byParent.get(span.spanId) ?? []) add(child, depth + 1);
  };
  for (const root of byParent.get("") ?? []) add(root, 0);
  const ends = rows.map(({ span, offsetUs }) => offsetUs + span.durationUs);
  return { rows, wholeUs: Math.max(1, ...ends) };
}

/** Removes the package from `disburse.payout.v1.PayoutService/ExecutePayout`. */
export function shortName(name: string): string {
  return name.replace(/^disburse\.(?:\w+\.)+(?=\w+\/)/, "");
}

/** Formats microseconds as milliseconds: `12.3`. */
export function millisecondsText(microseconds: number): string {
  const tenths = Math.round(microseconds / 100);
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}
