import { batchWords } from "./en/batches.ts";
import { beneficiaryWords, depositorWords } from "./en/beneficiaries.ts";
import { chartWords } from "./en/charts.ts";
import { everyPageWords, formWords } from "./en/every-page.ts";
import { payoutWords } from "./en/payouts.ts";
import { requestWords } from "./en/requests.ts";
import { searchWords } from "./en/search.ts";
import { shellWords } from "./en/shell.ts";
import { teamWords } from "./en/team.ts";
import { webhookWords } from "./en/webhooks.ts";
import { textsOf } from "./messages.ts";

const english = {
  ...everyPageWords,
  shell: shellWords,
  search: searchWords,
  payouts: payoutWords,
  batches: batchWords,
  beneficiaries: beneficiaryWords,
  depositors: depositorWords,
  forms: formWords,
  webhooks: webhookWords,
  requests: requestWords,
  charts: chartWords,
  team: teamWords,
} as const;

/** The texts of every page and of merchants' pages, in the person's language. */
export const t = textsOf(english);
