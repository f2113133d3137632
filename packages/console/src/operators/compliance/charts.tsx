import type { AlertDay } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { rpcs } from "../../api/rpc.ts";
import { t } from "../../catalogue/texts.ts";
import { DayCharts, type Measure } from "../../ui/day-charts.tsx";
import { spanText } from "../../ui/rules/times.ts";

const words = t.charts;

const hitsOf = (day: AlertDay) =>
  Number(day.pending + day.falsePositives + day.trueMatches + day.closed);
const span = (seconds: bigint | undefined) =>
  seconds === undefined ? "–" : spanText(Number(seconds));

const measures: readonly Measure<AlertDay>[] = [
  { title: words.hits, text: (day) => String(hitsOf(day)), place: hitsOf },
  {
    title: words.median,
    text: ({ medianDecisionSeconds: median }) => span(median),
    place: ({ medianDecisionSeconds: median }) =>
      median === undefined ? null : Number(median) / 3_600,
  },
  { title: words.longest, text: ({ longestDecisionSeconds: longest }) => span(longest) },
  { title: words.undecided, text: ({ pending }) => String(pending) },
  { title: words.trueMatches, text: ({ trueMatches }) => String(trueMatches) },
];

/** Screening hits and the time until their decision. */
export function AlertCharts() {
  return (
    <DayCharts
      title={words.alerts}
      id={["compliance", "activity"]}
      read={async (firstDay) => (await rpcs.review.getAlertActivity({ firstDay })).days}
      measures={measures}
    />
  );
}
