import { readStatements } from "@disburse/bank-files/iso20022/reports/statement.ts";
import {
  type AchVerdict,
  achVerdicts,
  type SentAch,
} from "@disburse/bank-files/matching/ach-verdicts.ts";
import type { AchChange } from "@disburse/bank-files/nacha/addenda.ts";
import { type ReadAch, readAch } from "@disburse/bank-files/nacha/read.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import type { PaymentDocument } from "../documents.ts";
import type { Answer, Found, Meaning } from "../format.ts";
import { dayBalances } from "../iso20022/balances.ts";
import type { BankVerdict } from "../verdicts.ts";
import { failureOfReturn } from "./failures.ts";

/**
 * Reads a file of the bank: returns and changes of NACHA, and statements of camt.053 for their
 * balances. Entries of a statement are not matched: the bank books files of NACHA in sums of its
 * own, and what confirms a credit is that it did not come back.
 */
export function readAnswer(
  bytes: Uint8Array,
  account: string | undefined,
): Answer | Refused<"UNREADABLE"> {
  if (isXml(bytes)) return balancesOf(bytes, account);
  const file = readAch(bytes);
  return isRefused(file) ? file : achAnswer(file);
}

/** XML begins with `<`, after a byte order mark or blanks. */
function isXml(bytes: Uint8Array): boolean {
  return /^[^\x20-\x7e]*\s*</.test(new TextDecoder("latin1").decode(bytes.subarray(0, 64)));
}

const unwanted = { payoutIds: [], uetrs: [], bankReferences: [], files: [], blocks: [] } as const;

function balancesOf(bytes: Uint8Array, account = ""): Answer | Refused<"UNREADABLE"> {
  const file = readStatements(bytes);
  if (isRefused(file)) return file;
  return {
    ...{ kind: file.kind, unread: file.unread, wanted: { ...unwanted, traces: [] } },
    ...dayBalances(file, [account]),
    meaningFor: () => ({ verdicts: [], found: [] }),
  };
}

function achAnswer(file: ReadAch): Answer {
  const addenda = file.batches.flatMap(({ entries }) => entries.flatMap((each) => each.addenda));
  const traces = addenda.flatMap((each) => ("originalTrace" in each ? [each.originalTrace] : []));
  return {
    ...{ kind: "ach", balances: [], found: [], wanted: { ...unwanted, traces } },
    unread: file.unread.map(({ line, problem }) => ({ place: `line ${line}`, problem })),
    meaningFor: (payments) => meaningOf(achVerdicts(file, payments.map(sentAch))),
  };
}

function meaningOf(verdicts: readonly AchVerdict[]): Meaning {
  return {
    verdicts: verdicts.flatMap((each): BankVerdict[] => {
      const { verdict } = each;
      if (verdict === "unmatched" || verdict === "change") return [];
      if (verdict !== "returned") return [each];
      const { payoutId, code, cents: amountMinor } = each;
      return [{ verdict, payoutId, amountMinor, failure: failureOfReturn(code) }];
    }),
    found: verdicts.flatMap((each): Found[] => {
      switch (each.verdict) {
        case "doubt":
          return [{ kind: "doubt", what: each.doubt, payoutId: each.payoutId }];
        case "unmatched":
          return [{ kind: "unmatched", what: each.unmatched, place: `line ${each.line}` }];
        case "change":
          return [changeFound(each.payoutId, each.change)];
        default:
          return [];
      }
    }),
  };
}

/** A proposed change is a person's to decide: it is found, and applied to nothing. */
function changeFound(payoutId: string, { code, corrected, proposed }: AchChange): Found {
  const fields = Object.keys(proposed ?? {}).toSorted();
  const what = fields.length === 0 ? code : `${code}: other ${fields.join(", ")}`;
  const details = JSON.stringify(proposed ?? { corrected });
  return { kind: "change", what, payoutId, details };
}

const states: Readonly<Record<PaymentDocument["state"], SentAch["state"]>> = {
  ...{ waiting: "sent", filed: "sent", settled: "settled" },
  ...{ rejected: "sent", withdrawn: "sent", returned: "returned" },
};

/** A payment as matching takes it. */
function sentAch({ _id: payoutId, trace = "", amount_minor, state }: PaymentDocument): SentAch {
  return { payoutId, trace, cents: fromDecimal128(amount_minor), state: states[state] };
}
