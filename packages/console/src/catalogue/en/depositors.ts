/** Words of depositors. */
export const depositorWords = {
  title: "Depositors",
  caption: "Depositors, newest first",
  empty: "No depositor yet.",
  add: "New depositor",
  name: "Name",
  type: "Kind",
  relation: "Relation",
  wallet: "Wallet",
  states: {
    pending: "Being screened",
    whitelisted: "Whitelisted",
    review: "In review",
    rejected: "Rejected",
  } as Record<string, string>,
  types: { Individual: "Person", Corporate: "Company" } as Record<string, string>,
  ownBusiness: "Own business",
  facts: "Record",
  create: {
    title: "New depositor",
    kind: "Which kind of depositor",
    kinds: {
      DepositorIndividualRequest: "A person",
      DepositorCorporateRequest: "A company with its owners",
      DepositorSelfBusinessRequest: "Your own business",
    } as Record<string, string>,
    save: "Add the depositor",
    saving: "Adding…",
    notKnown:
      "No answer came, so it is not known whether the depositor was added. Trying again is safe: the same details are added once only.",
  },
} as const;
