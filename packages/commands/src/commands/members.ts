import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import type { Argument, CallCommand } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const team = TeamService.method;

const member: Argument = {
  name: "member",
  field: "member_id",
  about: "the member's id, mem_…",
  source: { list: "members list", value: "id", name: "name" },
};

export const memberCommands: readonly CallCommand[] = [
  {
    name: "members list",
    summary: "the people of a merchant's team",
    examples: ["members list mer_01k…"],
    method: team.listMembers,
    arguments: [merchant],
    show: {
      list: "members",
      columns: ["id", "name", "email", "role", "state", "signed_in_at", "created_at"],
    },
  },
  {
    name: "members add",
    summary: "invite a person to a merchant's team",
    details:
      "In live mode, a role that may pay, approve or control needs another person's approval.",
    examples: ['members add mer_01k… mia@acme.example "Mia Maker" --role maker'],
    method: team.addMember,
    registered: "merchant_id",
    arguments: [
      merchant,
      { name: "email", field: "email", about: "the address that the person signs in with" },
      { name: "name", field: "name", about: "the person's name" },
    ],
    options: [{ name: "role", field: "role", about: "what the person may do", isRequired: true }],
    show: { record: "member" },
  },
  {
    name: "members set-role",
    summary: "change the role of a person in a merchant's team",
    details:
      "In live mode, a role that may pay, approve or control needs another person's approval.",
    examples: ["members set-role mer_01k… mem_01k… --role approver"],
    method: team.setMemberRole,
    arguments: [merchant, member],
    options: [{ name: "role", field: "role", about: "what the person may do", isRequired: true }],
    show: { record: "member" },
  },
  {
    name: "members remove",
    summary: "remove a person from a merchant's team; by default, the unpaid orders are held",
    examples: [
      "members remove mer_01k… mem_01k…",
      "members remove mer_01k… mem_01k… --orders keep",
    ],
    method: team.removeMember,
    arguments: [merchant, member],
    options: [{ name: "orders", field: "orders", about: "hold, keep or cancel" }],
    show: { record: "" },
  },
];
