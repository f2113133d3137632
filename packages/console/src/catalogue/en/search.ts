export const searchWords = {
  open: "Search",
  keys: "Ctrl K",
  title: "Search",
  hint: "Pages, names, whole ids and references. A name is found by the beginnings of its words.",
  partial: "The results are incomplete, because a part of the server did not respond.",
  label: "Search",
  pages: "Pages",
  ids: "Records",
  payouts: "Payouts",
  beneficiaries: "Beneficiaries",
  accounts: "Accounts",
} as const;
