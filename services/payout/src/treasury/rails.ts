/** What the treasury knows of a rail. */
export type TreasuryRail = {
  readonly name: string;
  readonly isFunded?: true;
  readonly capabilities: { readonly currencies: readonly string[] };
  statement?(currency: string, day: string): Promise<{ readonly closing: string } | undefined>;
};

/** The rails of a deployment, as the treasury knows them. */
export type TreasuryRails = {
  readonly all: readonly TreasuryRail[];
  readonly named: (name: string) => TreasuryRail | undefined;
};
