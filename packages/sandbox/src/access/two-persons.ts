export type TwoPersonEffect = {
  readonly effect: string;
  readonly rpcs: readonly TwoPersonRpc[];
};

export type TwoPersonRpc = {
  readonly rpc: string;
  /**
   * `proposal`: the call creates a proposal that another person must approve. `retained`: removed
   * data stays effective until the RPC `by` runs.
   */
  readonly how: "proposal" | "retained";
  readonly when: string;
  readonly by?: string;
};

const proposal = (rpc: string, when: string): TwoPersonRpc => ({ rpc, how: "proposal", when });

const removal = "ComplianceService/RemoveRetainedEntries";

/** Lists the effects that need two persons, with every operator RPC that can cause them. */
export const twoPersonEffects: readonly TwoPersonEffect[] = [
  {
    effect: "A stopped party is cleared",
    rpcs: [
      proposal(removal, "always"),
      {
        rpc: "ComplianceService/ImportList",
        how: "retained",
        by: removal,
        when: "entries are removed, or lose names, documents, wallets or evidence; incomplete files also need a proposal",
      },
      {
        rpc: "ComplianceService/CheckSource",
        how: "retained",
        by: removal,
        when: "the publisher removes what stops a party, or more than 2 % of the list within a day",
      },
      proposal(
        "ComplianceReviewService/DecideAlert",
        "it is a true match, clears a score from `APPROVAL_CLEAR_SCORE` on, or a hit of `APPROVAL_CLEAR_LISTS`",
      ),
      proposal("ComplianceReviewService/ReopenAlert", "two persons confirmed the match"),
    ],
  },
  {
    effect: "Money is credited",
    rpcs: [
      proposal("PayoutService/CreditAccount", "above the person's sum of a day"),
      proposal("PayoutService/ReverseCredit", "above the person's sum of a day"),
      proposal("PayoutOperatorService/FundRailAccount", "above the same sum; live always"),
      proposal("PayoutOperatorService/SweepRailAccount", "above the same sum; live always"),
      proposal("NotifierService/PublishEvent", "always: the event says that money came"),
    ],
  },
  {
    effect: "A merchant's money is directed elsewhere",
    rpcs: [proposal("PayoutService/SetTopUpInstructions", "always, unless it removes the text")],
  },
  {
    effect: "A payout is paid, or its money released",
    rpcs: [
      proposal("PayoutOperatorService/ResolvePayout", "always"),
      proposal("PayoutOperatorService/CancelNonce", "always"),
      proposal("PayoutOperatorService/CancelTransactionBatch", "always"),
      proposal("PayoutOperatorService/ResolveBankFile", "a decision is due"),
      proposal("PayoutOperatorService/HandleBankFinding", "the finding holds a payout"),
    ],
  },
  {
    effect: "A limit or a control is lifted",
    rpcs: [
      proposal("PayoutOperatorService/SetVelocityLimits", "it does not only tighten"),
      proposal("PayoutOperatorService/SetPayoutControls", "it does not only tighten"),
    ],
  },
  {
    effect: "A rate moves, or a corridor opens",
    rpcs: [
      proposal("QuoteService/SetRate", "by more than `APPROVAL_RATE_MOVE` within a day"),
      proposal("QuoteService/SetCorridor", "`APPROVAL_CORRIDORS`"),
      proposal("QuoteService/SetMerchantCorridor", "`APPROVAL_CORRIDORS`, and it opens one"),
    ],
  },
  {
    effect: "A key or a role is given",
    rpcs: [
      proposal("KeyService/CreateKey", "live, with a right to pay, approve or control"),
      proposal("KeyService/RotateKey", "live, with a right to pay, approve or control"),
      proposal(
        "TeamService/AddMember",
        "live, with a right to pay, approve or control that the person lacks",
      ),
      proposal(
        "TeamService/SetMemberRole",
        "live, with a right to pay, approve or control that the person lacks",
      ),
    ],
  },
];

/** Explains why each other mutating operator RPC needs only one person. */
export const onePersonRpcs: Readonly<Record<string, string>> = {
  "ApprovalService/ApproveProposal": "the approver is the second person",
  "ApprovalService/RejectProposal": "stops",
  "ApprovalService/WithdrawProposal": "stops",
  "BeneficiaryService/CreateMerchant": "the new merchant has no keys, accounts or corridors",
  "BeneficiaryService/SetMerchantPermissions": "allows records to be created, and moves no money",
  "ComplianceReviewService/AddAlertFile": "changes no verdict",
  "ComplianceReviewService/AssignAlert": "changes no verdict",
  "ComplianceReviewService/CommentAlert": "changes no verdict",
  "ComplianceService/RescreenSubjects": "the lists in force decide",
  "ComplianceService/ScreenParty": "the request names no record, so it changes no verdict",
  "ComplianceService/ScreenWallet": "changes no verdict of a record",
  "KeyService/RevokeKey": "stops",
  "NotifierService/ActivateSecret": "webhooks carry no money",
  "NotifierService/ApproveEndpoint": "webhooks carry no money",
  "NotifierService/CancelReplay": "webhooks carry no money",
  "NotifierService/CreateEndpoint": "webhooks carry no money",
  "NotifierService/CreateReplay": "repeats sent webhooks",
  "NotifierService/DeleteEndpoint": "webhooks carry no money",
  "NotifierService/PauseEndpoint": "webhooks carry no money",
  "NotifierService/Redeliver": "repeats sent webhooks",
  "NotifierService/ResumeEndpoint": "webhooks carry no money",
  "NotifierService/RotateSecret": "webhooks carry no money",
  "NotifierService/SendTestEvent": "a test event is marked as one",
  "NotifierService/UpdateEndpoint": "webhooks carry no money",
  "NotifierService/VerifyEndpoint": "webhooks carry no money",
  "PayoutOperatorService/ReceiveRailCallback": "the rail signed the callback",
  "PayoutOperatorService/RepublishPayoutEvents": "repeats published events",
  "PayoutOperatorService/SetRailPaused": "pauses a rail, or resumes earlier decisions",
  "PayoutOrderService/CancelBatch": "stops",
  "PayoutOrderService/CancelScheduledPayout": "stops",
  "PayoutOrderService/RejectScheduledPayout": "stops",
  "PayoutOrderService/RejectBatch": "stops",
  "PayoutService/CancelPayout": "stops",
  "PayoutService/OpenAccount": "an account without money",
  "PayoutService/ReopenAccount":
    "an account of the same merchant, which only its own keys pay from",
  "PayoutService/RejectPayout": "stops",
  "PayoutService/ReportRailOutcome": "not served in live mode",
  "TeamService/RemoveMember": "stops",
};

export function twoPersonTable(): string {
  const rows = twoPersonEffects.flatMap(({ effect, rpcs }) =>
    rpcs.map(({ rpc, how, when, by }) => {
      const step = by === undefined ? how : `${how}: \`${by}\``;
      return `| ${effect} | \`${rpc}\` | ${step} | ${when} |`;
    }),
  );
  return [
    "## Effects that need two persons",
    "",
    "Every RPC of operators that can bring one of these about, and what stands against one person who calls it ([decision 0045](../decisions/0045-approvals.md)). `tests/two-persons.test.ts` fails for an operators' RPC that changes something and is neither here nor among those for which one person is enough, and for a row without its guard.",
    "",
    "| effect | RPC | second person by | when |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "One person is enough for these:",
    "",
    "| RPC | why |",
    "| --- | --- |",
    ...Object.entries(onePersonRpcs).map(([rpc, why]) => `| \`${rpc}\` | ${why} |`),
    "",
  ].join("\n");
}
