import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type ReadPage, readAllFrom } from "../api/pages.ts";
import { answerOf, isoOf, rpcs } from "../api/rpc.ts";
import { pagesOf } from "../api/rpc-pages.ts";
import { t } from "../catalogue/texts.ts";
import { isZero } from "../ui/rules/amounts.ts";
import { spanText } from "../ui/rules/times.ts";
import { readAlerts } from "./compliance/queue.tsx";
import { readProposals } from "./treasury/proposals.ts";
import { readExceptions } from "./treasury/resolution.tsx";

/** Reading so many takes ten requests. */
const countedMax = 1_000;

const words = t.shell.operatorWork;

export type Counted = {
  readonly count: number;
  readonly detail?: string;
  readonly search?: Readonly<Record<string, string>>;
  /** True if there are more than were counted. */
  readonly isPartial?: boolean;
};

/** Counts tasks, with the age of the oldest one. */
function countOf(times: readonly string[], isPartial: boolean): Counted {
  const [first = ""] = times.toSorted();
  const detail = words.oldest({ age: spanText((Date.now() - Date.parse(first)) / 1_000) });
  return { count: times.length, isPartial, detail };
}

async function countAll<T>(read: ReadPage<T>, atOf: (item: T) => Timestamp | undefined) {
  const { items, isCut } = await readAllFrom({ read }, countedMax);
  return countOf(
    items.map((each) => isoOf(atOf(each))),
    isCut,
  );
}

const readFindings = pagesOf("findings", rpcs.operations.listBankFindings);

/** The number of tasks of each kind. */
export const counts = {
  approvals: async () => {
    const { proposals, missing, isCut } = await readProposals();
    const times = proposals.map(({ proposal }) => isoOf(proposal.createdAt));
    return countOf(times, missing.length > 0 || isCut);
  },
  // Only the read of a single alert is in the audit trail, not the list.
  alerts: () => countAll(readAlerts, ({ createdAt }) => createdAt),
  exceptions: () => countAll(readExceptions, ({ since }) => since),
  funds: async () => {
    const { accounts } = await answerOf(rpcs.operations.listRailAccounts({}));
    const short = accounts.filter(
      ({ missing, available }) => !isZero(missing) || available.startsWith("-"),
    );
    const waiting = short.reduce((sum, { waitingCount }) => sum + waitingCount, 0n);
    return {
      count: short.length,
      detail: waiting === 0n ? "" : words.payoutsWait({ count: String(waiting) }),
    };
  },
  rails: async () => {
    const { rails } = await answerOf(rpcs.operations.listRails({}));
    const paused = rails.filter((rail) => rail.paused).map(({ name }) => name);
    return { count: paused.length, detail: paused.join(", ") };
  },
  breaks: async () => {
    const { accounts } = await answerOf(rpcs.operations.listRailAccounts({}));
    // A day's statement comes after its end.
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const reports = await Promise.all(
      accounts.map(({ rail, currencyCode }) =>
        answerOf(rpcs.operations.getRailReport({ rail, currencyCode, day })),
      ),
    );
    const unexplained = reports.flatMap(({ report }) =>
      report === undefined || isZero(report.unexplained) ? [] : [report],
    );
    const [first] = unexplained;
    const search = { account: `${first?.rail}/${first?.currencyCode}`, day };
    return { count: unexplained.length, search };
  },
  findings: () => countAll(readFindings, ({ createdAt }) => createdAt),
} as const satisfies Readonly<Record<string, () => Promise<Counted>>>;
