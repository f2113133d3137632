export type TreasuryRail = {
  readonly name: string;
  readonly isFunded?: true;
  readonly capabilities: { readonly currencies: readonly string[] };
  statement?(currency: string, day: string): Promise<{ readonly closing: string } | undefined>;
};

export type TreasuryRails = {
  readonly all: readonly TreasuryRail[];
  readonly named: (name: string) => TreasuryRail | undefined;
};
