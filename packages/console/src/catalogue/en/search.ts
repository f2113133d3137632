export const searchWords = {
  open: "Search",
  keys: "Ctrl K",
  hint: "Pages, names, whole ids and references. A name is found by the beginnings of its words.",
  partial: "The results are incomplete, because a part of the server did not respond.",
  pages: "Pages",
  ids: "Records",
  accounts: "Accounts",
  across: "Search all merchants",
  acrossHint: "By a whole id, reference or hash. The audit trail records the search.",
} as const;
