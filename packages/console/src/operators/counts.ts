import { readAllPages } from "../api/rpc-pages.ts";
import { readProposals } from "./treasury/approvals.tsx";
import { readExceptions } from "./treasury/resolution.tsx";

const countedMax = 1_000;

/** The numbers of tasks on operators' pages. */
export const counts = {
  approvals: async () => (await readProposals()).proposals.length,
  exceptions: async () => (await readAllPages(readExceptions, countedMax)).items.length,
} as const;
