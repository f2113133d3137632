import type { ContractCase } from "./test-contract-case.ts";
import { filterCases, valueCases } from "./test-filter-cases.ts";
import { clockCases, leaseCases, uniqueCases } from "./test-key-cases.ts";
import { readCases } from "./test-read-cases.ts";
import { conditionalCases, updateCases } from "./test-update-cases.ts";

/** Cases for every kind of query and update that our stores use. */
export const contractCases: readonly ContractCase[] = [
  ...filterCases,
  ...valueCases,
  ...readCases,
  ...updateCases,
  ...conditionalCases,
  ...uniqueCases,
  ...clockCases,
  ...leaseCases,
];
