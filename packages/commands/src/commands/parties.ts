import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { CallCommand } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const parties = BeneficiaryService.method;

/** The merchants' beneficiaries and depositors. Account numbers are masked, unless treasury reads. */
export const partyCommands: readonly CallCommand[] = [
  {
    name: "beneficiaries list",
    summary: "a merchant's beneficiaries, newest first",
    examples: ["beneficiaries list mer_01k… --name ortiz"],
    method: parties.listBeneficiaries,
    arguments: [merchant],
    options: [
      { name: "name", field: "beneficiary_name", about: "with these words in the name" },
      { name: "reference", field: "reference_id", about: "with this reference_id of the merchant" },
      { name: "screening", field: "screening_status", about: "with this screening status" },
      {
        name: "archived",
        field: "archived",
        about: "whether archived ones are listed; excluded by default",
      },
    ],
    show: {
      list: "beneficiaries",
      columns: [
        ...["id", "name", "destination_currency", "transfer_method", "account_number_masked"],
        ...["screening_status", "created_at"],
      ],
    },
  },
  {
    name: "beneficiaries get",
    summary: "one beneficiary",
    examples: ["beneficiaries get mer_01k… ben_01k…"],
    method: parties.getBeneficiary,
    arguments: [
      merchant,
      {
        name: "beneficiary",
        field: "beneficiary_id",
        about: "its id, ben_…",
        source: { list: "beneficiaries list", value: "id", name: "name" },
      },
    ],
    show: { record: "beneficiary" },
  },
  {
    name: "depositors list",
    summary: "a merchant's depositors, newest first",
    examples: ["depositors list mer_01k…"],
    method: parties.listDepositors,
    arguments: [merchant],
    options: [{ name: "status", field: "status", about: "of this status" }],
    show: { list: "depositors", columns: ["id", "status", "created_at"] },
  },
  {
    name: "depositors get",
    summary: "one depositor",
    examples: ["depositors get mer_01k… dep_01k…"],
    method: parties.getDepositor,
    arguments: [
      merchant,
      {
        name: "depositor",
        field: "depositor_id",
        about: "its id, dep_…",
        source: { list: "depositors list", value: "id", name: "status" },
      },
    ],
    show: { record: "depositor" },
  },
];
