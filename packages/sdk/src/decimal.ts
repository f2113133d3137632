/**
 * An exact decimal, digit for digit as the platform writes it: `"100.10"`. Answers have every
 * amount, rate and fee as one, and requests take one. Calculate with a decimal library, never
 * with `Number`.
 */
export type Decimal = string;
